/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Event log in Chrome's JSON form, for Perfetto. Layer report. Slices of a track must nest, but
 * pipelined instructions overlap: a slice is held back until the next one of its track is known and
 * ends there at the latest; its full duration stands in its arguments.
 */
#include "interp/report/parts.h"

#include "interp/base/json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    N_RINGS = NKX_N_ENGINES + 1, /* DMA rings: one for each engine and one for stores */
    N_TRACKS = NKX_N_ENGINES + N_RINGS,
    RECENT = 4096, /* instructions that an arrow can start from */
    FLUSH_BYTES = 1 << 16,
};

typedef struct held {
    bool full;
    nkx_event e;
    nkx_buf args; /* rendered at once: the event's texts do not live longer */
} held;

typedef struct recent {
    uint64_t id;
    int64_t start, end;
    int track;
} recent;

struct nkx_trace {
    nkx_core *core;
    FILE *file;
    nkx_buf out;
    bool any, failed;
    int error;
    held track[N_TRACKS];
    bool named[N_TRACKS];
    recent recent[RECENT];
    uint64_t n_flows;
    int64_t sbuf, psum; /* last levels written */
};

static void write_out(nkx_trace *t, size_t least)
{
    if (t->out.len < least || t->out.len == 0) return;
    if (!t->failed && fwrite(t->out.at, 1, t->out.len, t->file) != t->out.len) {
        t->failed = true;
        t->error = errno;
    }
    nkx_buf_clear(&t->out);
}

static void begin_event(nkx_trace *t)
{
    nkx_buf_str(&t->out, t->any ? ",\n" : "\n");
    t->any = true;
}

static void put_us(nkx_buf *out, const char *key, int64_t ps)
{
    nkx_buf_printf(out, ",\"%s\":%lld.%06lld", key, (long long)(ps / 1000000),
                   (long long)(ps % 1000000));
}

static const char *ring_name(int ring)
{
    static const char *const NAMES[N_RINGS] = {
        "DMA ring Tensor", "DMA ring Vector", "DMA ring Scalar", "DMA ring GpSimd",
        "DMA ring Sync",   "DMA ring",        "DMA ring stores"};
    return NAMES[ring];
}

static int track_of(const nkx_event *e)
{
    return e->engine == NKX_DMA ? NKX_N_ENGINES + (e->queue < N_RINGS ? e->queue : 0) : e->engine;
}

static void name_track(nkx_trace *t, int track)
{
    if (t->named[track]) return;
    t->named[track] = true;
    const char *name = track < NKX_N_ENGINES ? nkx_engine_label((nkx_engine)track)
                                             : ring_name(track - NKX_N_ENGINES);
    begin_event(t);
    nkx_buf_printf(
        &t->out,
        "{\"ph\":\"M\",\"pid\":1,\"tid\":%d,\"name\":\"thread_name\",\"args\":{\"name\":\"%s\"}}",
        track, name);
    begin_event(t);
    nkx_buf_printf(&t->out,
                   "{\"ph\":\"M\",\"pid\":1,\"tid\":%d,\"name\":\"thread_sort_index\",\"args\":{"
                   "\"sort_index\":%d}}",
                   track, track);
}

static void put_args(nkx_trace *t, const nkx_event *e, nkx_buf *out)
{
    static const char *const KINDS[] = {"none", "flow", "anti", "output", "resource", "explicit"};
    nkx_json j = {.out = out};
    uint32_t line = 0, col = 0;
    nkx_buf_clear(out);
    nkx_json_begin(&j, '{');
    nkx_json_key(&j, "id");
    nkx_json_int(&j, (int64_t)e->id);
    nkx_json_key(&j, "duration_ns");
    nkx_json_num(&j, (double)(e->end - e->start) / 1000);
    if (e->wait > 0) {
        nkx_json_key(&j, "wait_ns");
        nkx_json_num(&j, (double)e->wait / 1000);
        nkx_json_key(&j, "wait_kind");
        nkx_json_str(&j, KINDS[e->wait_kind < NKX_COUNT(KINDS) ? e->wait_kind : 0]);
    }
    if (e->operands_text) {
        nkx_json_key(&j, "operands");
        nkx_json_str(&j, e->operands_text);
    }
    const nkx_source *src = nkx_sources_get(t->core->diags->sources, e->span.source);
    if (src) {
        nkx_buf where = {0};
        nkx_source_locate(t->core->diags->sources, e->span.source, e->span.begin, &line, &col);
        nkx_buf_printf(&where, "%s:%u", src->path, line);
        nkx_json_key(&j, "line");
        nkx_json_str(&j, where.at);
        nkx_buf_fini(&where);
    }
    if (e->bytes > 0) {
        nkx_json_key(&j, "bytes");
        nkx_json_int(&j, e->bytes);
    }
    if (e->flops > 0) {
        nkx_json_key(&j, "flops");
        nkx_json_int(&j, e->flops);
    }
    if (e->engine == NKX_DMA) {
        nkx_json_key(&j, "trigger_ns");
        nkx_json_num(&j, (double)e->trigger_start / 1000);
    }
    nkx_json_end(&j, '}');
}

/* Writes what a track holds back, ending at `limit` at the latest. */
static void release(nkx_trace *t, int track, int64_t limit)
{
    held *h = &t->track[track];
    if (!h->full) return;
    h->full = false;
    int64_t end = h->e.end < limit ? h->e.end : limit;
    if (end < h->e.start) end = h->e.start;
    begin_event(t);
    nkx_buf_printf(&t->out, "{\"ph\":\"X\",\"pid\":1,\"tid\":%d,\"name\":", track);
    nkx_json j = {.out = &t->out};
    nkx_json_str(&j, h->e.label && *h->e.label ? h->e.label : h->e.opcode);
    put_us(&t->out, "ts", h->e.start);
    put_us(&t->out, "dur", end - h->e.start);
    nkx_buf_str(&t->out, ",\"args\":");
    nkx_buf_add(&t->out, h->args.at, h->args.len);
    nkx_buf_char(&t->out, '}');
}

/* An arrow from the producer to what waited for it. */
static void arrow(nkx_trace *t, const nkx_event *e, int track, int64_t at)
{
    const recent *from = &t->recent[e->wait_for % RECENT];
    if (e->wait <= 0 || e->wait_for == 0 || from->id != e->wait_for) return;
    uint64_t id = ++t->n_flows;
    begin_event(t);
    nkx_buf_printf(
        &t->out,
        "{\"ph\":\"s\",\"pid\":1,\"tid\":%d,\"id\":%llu,\"name\":\"wait\",\"cat\":\"wait\"",
        from->track, (unsigned long long)id);
    put_us(&t->out, "ts", from->start);
    nkx_buf_char(&t->out, '}');
    begin_event(t);
    nkx_buf_printf(&t->out,
                   "{\"ph\":\"f\",\"bp\":\"e\",\"pid\":1,\"tid\":%d,\"id\":%llu,\"name\":\"wait\","
                   "\"cat\":\"wait\"",
                   track, (unsigned long long)id);
    put_us(&t->out, "ts", at);
    nkx_buf_char(&t->out, '}');
}

static void counter(nkx_trace *t, const char *name, int64_t at, int64_t value, int64_t *last)
{
    if (value == *last) return;
    *last = value;
    begin_event(t);
    nkx_buf_printf(&t->out, "{\"ph\":\"C\",\"pid\":1,\"name\":\"%s\"", name);
    put_us(&t->out, "ts", at);
    nkx_buf_printf(&t->out, ",\"args\":{\"bytes\":%lld}}", (long long)value);
}

static void on_event(void *user, const nkx_event *e)
{
    nkx_trace *t = user;
    int track = track_of(e);
    held *h = &t->track[track];
    int64_t start = h->full && e->start < h->e.start ? h->e.start : e->start; /* slices in order */
    name_track(t, track);
    release(t, track, start);
    h->full = true;
    h->e = *e;
    h->e.start = start;
    put_args(t, e, &h->args);
    t->recent[e->id % RECENT] = (recent){e->id, start, e->end, track};
    arrow(t, e, track, start);
    counter(t, "SBUF bytes a partition", start, nkx_memory_level(t->core->memory, NKX_SPACE_SBUF),
            &t->sbuf);
    counter(t, "PSUM bytes a partition", start, nkx_memory_level(t->core->memory, NKX_SPACE_PSUM),
            &t->psum);
    write_out(t, FLUSH_BYTES);
}

nkx_trace *nkx_trace_open(nkx_core *core, const char *path, const char **why)
{
    FILE *f = fopen(path, "wb");
    if (f == NULL) {
        *why = strerror(errno);
        return NULL;
    }
    nkx_trace *t = nkx_alloc(sizeof *t);
    t->core = core;
    t->file = f;
    t->sbuf = t->psum = -1;
    nkx_buf_printf(&t->out,
                   "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"target\":\"%s\",\"model\":\"%s\",",
                   core->config->name, NKX_MODEL_VERSION);
    nkx_buf_str(&t->out, "\"note\":\"modelled, not cycle accurate\"},\"traceEvents\":[");
    begin_event(t);
    nkx_buf_printf(
        &t->out,
        "{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{\"name\":\"NeuronCore %s\"}}",
        core->config->name);
    if (core->timeline) nkx_timeline_sink(core->timeline, on_event, t);
    return t;
}

bool nkx_trace_close(nkx_trace *t, const char **why)
{
    for (int i = 0; i < N_TRACKS; i++) {
        release(t, i, INT64_MAX);
        nkx_buf_fini(&t->track[i].args);
    }
    nkx_buf_str(&t->out, "\n]}\n");
    write_out(t, 0);
    if (t->core->timeline) nkx_timeline_sink(t->core->timeline, NULL, NULL);
    if (fclose(t->file) != 0 && !t->failed) {
        t->failed = true;
        t->error = errno;
    }
    bool fine = !t->failed;
    if (!fine) *why = strerror(t->error);
    nkx_buf_fini(&t->out);
    free(t);
    return fine;
}

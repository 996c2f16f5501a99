/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One NeuronCore: the issue of an instruction (core.h). Layer machine. Order of things: undefined
 * reads, hazards, time, numbers, then what the instruction leaves behind. After a diagnostic that
 * is an error nothing has happened.
 */
#include "interp/machine/timeline_private.h"

#include <stdlib.h>
#include <string.h>

/* Instructions whose end is remembered for explicit edges; older ones count as done. */
enum { RECENT = 4096 };

typedef struct recent {
    uint64_t id, job;
    int64_t at;
} recent;

struct nkx_core_state {
    recent recent[RECENT];
    nkx_job_list jobs;
    uint64_t last_in_order; /* previous instruction of a no_reorder block; 0: none */
    char **functions;
    size_t n_functions, cap_functions;
};

const char *nkx_engine_name(nkx_engine e)
{
    static const char *const NAMES[NKX_N_ENGINES] = {"PE", "DVE", "ACT", "POOL", "SP", "DMA"};
    return NAMES[e];
}

const char *nkx_engine_label(nkx_engine e)
{
    static const char *const LABELS[NKX_N_ENGINES] = {"Tensor", "Vector", "Scalar",
                                                      "GpSimd", "Sync",   "DMA"};
    return LABELS[e];
}

bool nkx_core_init(nkx_core *core, const nkx_config *config, nkx_diags *diags, nkx_modes modes,
                   nkx_arrays *arrays)
{
    *core = (nkx_core){.config = config, .diags = diags, .modes = modes, .arrays = arrays};
    core->state = nkx_alloc(sizeof *core->state);
    if (modes.exec) core->executor = nkx_executor_new(modes.threads);
    core->memory = nkx_memory_new(core);
    if (modes.time) core->timeline = nkx_timeline_new(core);
    return true;
}

void nkx_core_fini(nkx_core *core)
{
    if (core->state == NULL) return;
    nkx_executor_free(core->executor); /* runs what is queued: it needs the memories */
    core->executor = NULL;
    if (core->isa_state_free) core->isa_state_free(core->isa_state);
    nkx_timeline_free(core->timeline);
    nkx_memory_free(core->memory);
    for (size_t i = 0; i < core->state->n_functions; i++) free(core->state->functions[i]);
    free((void *)core->state->functions);
    free(core->state->jobs.at);
    free(core->state);
    *core = (nkx_core){0};
}

void nkx_core_flush(nkx_core *core)
{
    if (core->executor) nkx_executor_flush(core->executor);
}

uint32_t nkx_core_function(nkx_core *core, const char *name)
{
    struct nkx_core_state *s = core->state;
    for (size_t i = s->n_functions; i > 0; i--) {
        if (strcmp(s->functions[i - 1], name) == 0) return (uint32_t)(i - 1);
    }
    if (s->n_functions == s->cap_functions) {
        s->cap_functions = s->cap_functions * 2 + 16;
        s->functions = nkx_realloc((void *)s->functions, s->cap_functions * sizeof *s->functions);
    }
    s->functions[s->n_functions] = nkx_dup(name, strlen(name) + 1);
    return (uint32_t)s->n_functions++;
}

const char **nkx_core_functions(nkx_core *core, size_t *n)
{
    *n = core->state->n_functions;
    return (const char **)(void *)core->state->functions;
}

/* --- hazards --- */

/* The operand that PE loads ahead of its multiply; the rest is needed when the multiply starts. */
static bool is_stationary(const nkx_op *op, const nkx_region *r)
{
    const char *p = r->param;
    if (op->engine != NKX_PE || r->write || p == NULL) return false;
    return p[0] == 's' || (p[0] == 'd' && p[1] == 'a'); /* stationary, stationary_scale, data */
}

static void wait_after(nkx_core *core, uint64_t id, uint8_t kind, nkx_deps *deps)
{
    const recent *x = &core->state->recent[id % RECENT];
    if (x->id != id) return;
    if (x->at > deps->all.at) deps->all = (nkx_wait){x->at, id, kind};
    nkx_job_list *jobs = &core->state->jobs;
    if (x->job == 0) return;
    if (jobs->n == jobs->cap) {
        jobs->cap = jobs->cap * 2 + 64;
        jobs->at = nkx_realloc(jobs->at, jobs->cap * sizeof *jobs->at);
    }
    jobs->at[jobs->n++] = x->job;
}

static void find_deps(nkx_core *core, const nkx_op *op, nkx_deps *deps)
{
    enum { EXPLICIT = 5 };
    struct nkx_core_state *s = core->state;
    s->jobs.n = 0;
    for (size_t i = 0; i < op->n_regions; i++) {
        const nkx_region *r = &op->regions[i];
        nkx_wait *w = is_stationary(op, r) ? &deps->load : &deps->all;
        nkx_track_wait(r, op->engine, w, core->executor, &s->jobs);
    }
    for (size_t i = 0; i < op->n_after; i++) wait_after(core, op->after[i], EXPLICIT, deps);
    if (core->in_order && s->last_in_order) wait_after(core, s->last_in_order, EXPLICIT, deps);
}

static bool check_reads(const nkx_op *op)
{
    bool fine = true;
    for (size_t i = 0; i < op->n_regions; i++) {
        if (!op->regions[i].write && !nkx_track_check_read(&op->regions[i], op->opcode, op->span)) {
            fine = false;
        }
    }
    return fine;
}

static void leave_traces(nkx_core *core, const nkx_op *op, uint64_t id, int64_t avail, uint64_t job)
{
    for (size_t i = 0; i < op->n_regions; i++) {
        const nkx_region *r = &op->regions[i];
        if (!r->write) nkx_track_use(r, op->engine, avail, id, core->executor, job);
    }
    for (size_t i = 0; i < op->n_regions; i++) {
        const nkx_region *r = &op->regions[i];
        if (!r->write) continue;
        nkx_track_use(r, op->engine, avail, id, core->executor, job);
        if (r->st->is_input) r->st->is_output = true;
    }
}

bool nkx_core_issue(nkx_core *core, const nkx_op *op, const nkx_work *work, uint64_t *id_out)
{
    struct nkx_core_state *s = core->state;
    nkx_deps deps = {0};
    int64_t avail = 0;
    uint64_t job = 0;
    if (core->modes.hazards && !check_reads(op)) return false;
    uint64_t id = ++core->n_issued;
    bool queue = core->executor && work && work->run;
    if (queue && nkx_executor_full(core->executor)) nkx_executor_flush(core->executor);
    if (queue || core->timeline) find_deps(core, op, &deps);
    if (core->timeline) avail = nkx_timeline_issue(core->timeline, op, id, &deps);
    if (queue) job = nkx_executor_add(core->executor, work, s->jobs.at, s->jobs.n);
    leave_traces(core, op, id, avail, job);
    s->recent[id % RECENT] = (recent){id, job, avail};
    s->last_in_order = core->in_order ? id : 0;
    if (core->on_op) core->on_op(core->user, op, id);
    if (id_out) *id_out = id;
    return true;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HBM, SBUF and PSUM: storages and their life (memory.h). Layer machine. The on-chip arrays are
 * mapped at full size and committed by the system as they are touched; without data they are not
 * made at all. Placement on chip is place.c, tables are memory_table.c.
 */
#include "interp/machine/memory_private.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PITCH_PAD = 64 };

const char *nkx_space_name(nkx_space s)
{
    static const char *const NAMES[NKX_N_SPACES] = {"sbuf", "psum", "private_hbm", "shared_hbm"};
    return NAMES[s];
}

/*
 * No huge pages: a first tile touches every row, and would have the whole memory cleared at once.
 * Products run no faster with them.
 */
static void map_room(nkx_room *r, size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) nkx_fatal(__FILE__, __LINE__, "no address space for the on-chip memories");
    r->base = p;
    r->mapped = bytes;
}

/* Cleared as far as it was used: what a program may read of bytes it never wrote is always 0. */
static bool reuse_room(nkx_room *r, size_t bytes, nkx_arrays *kept, nkx_space s)
{
    if (kept == NULL || kept->at[s].base == NULL || kept->at[s].mapped != bytes ||
        kept->at[s].pitch != r->pitch) {
        return false;
    }
    r->base = kept->at[s].base;
    r->mapped = bytes;
    kept->at[s].base = NULL;
    for (uint8_t *row = r->base; row < r->base + bytes; row += r->pitch) {
        memset(row, 0, (size_t)kept->at[s].touched);
    }
    return true;
}

static void leave_array(nkx_memory *m, nkx_room *r, nkx_space s)
{
    nkx_arrays *kept = m->core->arrays;
    if (r->base == NULL) return;
    if (kept == NULL || kept->at[s].base != NULL) {
        munmap(r->base, r->mapped);
        return;
    }
    kept->at[s].base = r->base;
    kept->at[s].mapped = r->mapped;
    kept->at[s].pitch = r->pitch;
    kept->at[s].touched = r->touched * nkx_host_scale(m->core);
}

void nkx_arrays_init(nkx_arrays *a)
{
    *a = (nkx_arrays){.pool = nkx_pool_new()};
}

void nkx_arrays_fini(nkx_arrays *a)
{
    nkx_pool_drop(a->pool);
    for (size_t s = 0; s < NKX_COUNT(a->at); s++) {
        if (a->at[s].base != NULL) munmap(a->at[s].base, a->at[s].mapped);
    }
    *a = (nkx_arrays){0};
}

static void room_init(nkx_memory *m, nkx_space s, int64_t physical, int64_t usable)
{
    nkx_room *r = &m->rooms[s];
    r->physical = physical;
    r->usable = r->capacity = usable;
    r->pitch = (physical + PITCH_PAD) * nkx_host_scale(m->core);
    nkx_freelist_init(&r->free, usable, m->core->executor);
    if (!m->core->modes.exec) return;
    size_t bytes = (size_t)(nkx_cfg_i(m->core->config, NKX_MP_PARTITIONS) * r->pitch);
    if (!reuse_room(r, bytes, m->core->arrays, s)) map_room(r, bytes);
}

nkx_memory *nkx_memory_new(nkx_core *core)
{
    nkx_memory *m = nkx_alloc(sizeof *m);
    const nkx_config *c = core->config;
    m->core = core;
    room_init(m, NKX_SPACE_SBUF, nkx_cfg_i(c, NKX_MP_SBUF_BYTES), nkx_cfg_i(c, NKX_MP_SBUF_USABLE));
    room_init(m, NKX_SPACE_PSUM, nkx_cfg_i(c, NKX_MP_PSUM_BYTES), nkx_cfg_i(c, NKX_MP_PSUM_BYTES));
    m->rooms[NKX_SPACE_HBM].capacity = nkx_cfg_i(c, NKX_MP_HBM_BYTES);
    return m;
}

static void holder_delete(nkx_memory *m, nkx_holder *h)
{
    nkx_track_fini(&h->st);
    nkx_pages_free(nkx_memory_pool(m), h->host, h->host_bytes);
    free(h);
}

void nkx_memory_free(nkx_memory *m)
{
    if (m == NULL) return;
    for (size_t s = 0; s < NKX_COUNT(m->rooms); s++) {
        nkx_room *r = &m->rooms[s];
        for (nkx_holder *h = r->first, *next; h; h = next) { /* left alive by a ring of values */
            next = h->next;
            holder_delete(m, h);
        }
        if (s >= NKX_SPACE_HBM) continue;
        nkx_freelist_fini(&r->free);
        leave_array(m, r, (nkx_space)s);
    }
    for (nkx_holder *h = m->spare, *next; h; h = next) {
        next = h->next;
        holder_delete(m, h);
    }
    free(m);
}

static nkx_holder *holder_new(nkx_memory *m, nkx_space space, int64_t rows, int64_t row_bytes,
                              nkx_span span, const char *name, const char *type_text)
{
    nkx_holder *h = m->spare;
    if (h) {
        m->spare = h->next;
    } else {
        h = nkx_alloc(sizeof *h);
    }
    size_t len = type_text ? strnlen(type_text, sizeof h->type_text - 1) : 0;
    memcpy(h->type_text, type_text ? type_text : "", len);
    h->type_text[len] = '\0';
    h->st = (nkx_storage){
        .refs = 1,
        .space = (uint8_t)space,
        .rows = (uint32_t)rows,
        .row_bytes = row_bytes,
        .bytes = rows * row_bytes,
        .span = span,
        .name = name ? name : "",
        .type_text = h->type_text,
        .core = m->core,
        .track = &h->track,
    };
    h->held = 0;
    h->outside = false;
    nkx_track_init(&h->st);
    return h;
}

static void give_back(nkx_memory *m, nkx_holder *h)
{
    h->next = m->spare;
    m->spare = h;
}

static nkx_storage *join_room(nkx_memory *m, nkx_holder *h)
{
    nkx_room *r = nkx_room_of(m, (nkx_space)h->st.space);
    h->st.serial = ++m->serial;
    h->prev = r->last;
    h->next = NULL;
    if (r->last) {
        r->last->next = h;
    } else {
        r->first = h;
    }
    r->last = h;
    r->n++;
    r->used +=
        nkx_space_on_chip((nkx_space)h->st.space) ? 0 : h->st.bytes; /* on chip: place.c counts */
    if (r->used > r->peak) r->peak = r->used;
    return &h->st;
}

static void leave_room(nkx_memory *m, nkx_holder *h)
{
    nkx_room *r = nkx_room_of(m, (nkx_space)h->st.space);
    if (h->prev) {
        h->prev->next = h->next;
    } else {
        r->first = h->next;
    }
    if (h->next) {
        h->next->prev = h->prev;
    } else {
        r->last = h->prev;
    }
    r->n--;
    if (!nkx_space_on_chip((nkx_space)h->st.space)) r->used -= h->st.bytes;
}

static bool full_hbm(nkx_memory *m, const nkx_holder *h, int64_t bytes)
{
    nkx_room *r = nkx_room_of(m, NKX_SPACE_HBM);
    nkx_diags *d = m->core->diags;
    nkx_diag *g =
        nkx_diag_add(d, NKX_E405, h->st.span,
                     "hbm is full: %s needs %lld bytes, %lld of %lld are free", nkx_holder_text(h),
                     (long long)bytes, (long long)(r->capacity - r->used), (long long)r->capacity);
    nkx_buf table = {0};
    nkx_memory_table(m, NKX_SPACE_HBM, &table);
    if (table.at) nkx_diag_detail(d, g, table.at);
    nkx_buf_fini(&table);
    nkx_diag_hint(d, g,
                  "Use smaller tensors, or another target: every core has its share of the device "
                  "memory.");
    return nkx_diag_stops(g);
}

static bool new_hbm(nkx_memory *m, nkx_holder *h, int64_t rows, int64_t row_bytes)
{
    nkx_room *r = nkx_room_of(m, NKX_SPACE_HBM);
    int64_t bytes;
    if (!nkx_mul_i64(rows, row_bytes, &bytes) || rows > UINT32_MAX ||
        bytes > r->capacity - r->used) {
        if (rows > UINT32_MAX || !nkx_mul_i64(rows, row_bytes, &bytes)) bytes = INT64_MAX;
        if (full_hbm(m, h, bytes) || bytes > r->capacity) return false;
    }
    h->st.pitch = row_bytes * nkx_host_scale(m->core);
    if (!m->core->modes.exec) return true;
    h->host_bytes = (size_t)(bytes * nkx_host_scale(m->core));
    h->host = nkx_pages_new(nkx_memory_pool(m), h->host_bytes);
    if (h->host == NULL) nkx_fatal(__FILE__, __LINE__, "no memory for an HBM tensor");
    h->st.base = h->host;
    return true;
}

static bool new_on_chip(nkx_memory *m, nkx_holder *h, int64_t rows, nkx_place at)
{
    nkx_diags *d = m->core->diags;
    int64_t most = nkx_cfg_i(m->core->config, NKX_MP_PARTITIONS);
    nkx_past past = {0};
    if (rows > most) {
        nkx_diag *g = nkx_diag_add(
            d, NKX_E406, h->st.span, "%s tensor has %lld partitions, the limit is %lld",
            nkx_space_name((nkx_space)h->st.space), (long long)rows, (long long)most);
        nkx_diag_hint(d, g,
                      "The first dimension is the partition dimension. Split the tensor into tiles "
                      "of at most "
                      "%lld rows.",
                      (long long)most);
        return false; /* there are no such bytes: --allow cannot help */
    }
    h->st.manual = at.given;
    if (at.given ? !nkx_place_manual(m, h, at, &past) : !nkx_place_auto(m, h, &past)) return false;
    nkx_place_address(m, h);
    nkx_track_inherit(&h->st, &past);
    return true;
}

bool nkx_storage_new(nkx_core *core, nkx_space space, int64_t rows, int64_t row_bytes, nkx_place at,
                     nkx_span span, const char *name, const char *type_text, nkx_storage **out)
{
    nkx_memory *m = core->memory;
    bool small = rows <= UINT32_MAX &&
                 row_bytes <= INT32_MAX; /* the product fits; new_hbm checks the rest */
    nkx_holder *h =
        holder_new(m, space, small ? rows : 0, small ? row_bytes : 0, span, name, type_text);
    bool done;
    if (nkx_space_on_chip(space)) {
        h->st.row_bytes = row_bytes;
        done = new_on_chip(m, h, rows, at);
    } else {
        done = new_hbm(m, h, rows, row_bytes);
        if (done && !small) {
            h->st.rows = (uint32_t)rows;
            h->st.row_bytes = row_bytes;
            h->st.bytes = rows * row_bytes;
            nkx_track_init(&h->st);
        }
    }
    if (!done) {
        give_back(m, h);
        return false;
    }
    *out = join_room(m, h);
    return true;
}

nkx_storage *nkx_storage_external(nkx_core *core, void *bytes, int64_t rows, int64_t row_bytes,
                                  nkx_span span, const char *name, const char *type_text)
{
    nkx_holder *h = holder_new(core->memory, NKX_SPACE_HBM, rows, row_bytes, span, name, type_text);
    h->st.external = h->st.is_input = true;
    h->st.base = core->modes.exec ? bytes : NULL;
    h->st.pitch = row_bytes;
    h->track.cells.all = NKX_PE_VALUE;
    const nkx_room *r = nkx_room_of(core->memory, NKX_SPACE_HBM);
    if (h->st.bytes > r->capacity - r->used) (void)full_hbm(core->memory, h, h->st.bytes);
    return join_room(core->memory, h);
}

void *nkx_storage_take_bytes(nkx_storage *s)
{
    nkx_holder *h = (nkx_holder *)(void *)s;
    void *bytes = h->host;
    if (bytes == NULL || nkx_host_scale(s->core) != 1) return NULL;
    nkx_core_flush(s->core);
    h->host = NULL;
    s->base = NULL;
    return bytes;
}

void nkx_storage_free(nkx_storage *s)
{
    nkx_holder *h = (nkx_holder *)(void *)s;
    nkx_memory *m = s->core->memory;
    leave_room(m, h);
    if (nkx_space_on_chip((nkx_space)s->space)) nkx_place_release(m, h);
    if (h->host) {
        if (m->core->executor) {
            nkx_executor_free_later(m->core->executor, nkx_memory_pool(m), h->host, h->host_bytes);
        } else {
            nkx_pages_free(nkx_memory_pool(m), h->host, h->host_bytes);
        }
        h->host = NULL;
    }
    give_back(m, h);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a tile lies on chip: by the allocator or by address= (isa.md 1.4, 1.5). Layer machine.
 * Tiles take a byte range of every partition. A tile placed by hand takes its bytes whoever holds
 * them: other tiles placed by hand alias, tiles of the allocator move out of the way, as they
 * would have been kept clear of the range by a compiler that sees the whole program.
 */
#include "interp/machine/memory_private.h"

#include <stdlib.h>
#include <string.h>

/* Tiles begin at multiples of their size's power of two, at most a cache line: no byte is lost to
 * it. */
enum { SBUF_ALIGN = 64 };

static int64_t natural_align(int64_t bytes)
{
    int64_t low = bytes & -bytes;
    return low > SBUF_ALIGN ? SBUF_ALIGN : low ? low : 1;
}

static int64_t align_up(int64_t x, int64_t a)
{
    return (x + a - 1) / a * a;
}

void nkx_place_address(nkx_memory *m, nkx_holder *h)
{
    nkx_room *r = nkx_room_of(m, (nkx_space)h->st.space);
    if (h->outside) return;
    int64_t end = (int64_t)h->st.offset + h->st.row_bytes;
    if (end > r->touched) r->touched = end;
    h->st.pitch = r->pitch;
    int64_t byte = (int64_t)h->st.offset * nkx_host_scale(m->core);
    h->st.base = r->base ? r->base + (int64_t)h->st.part0 * r->pitch + byte : NULL;
}

/*
 * A tile that finds no room when the user allows that: bytes of its own, at an address past the
 * memory. So runs what the compiler would make fit by spilling, without the cost of that.
 */
static bool place_outside(nkx_memory *m, nkx_holder *h)
{
    const nkx_room *r = nkx_room_of(m, (nkx_space)h->st.space);
    h->outside = true;
    h->held = 0;
    h->st.part0 = 0;
    h->st.offset = (uint32_t)r->physical;
    h->st.pitch = h->st.row_bytes * nkx_host_scale(m->core);
    size_t bytes = (size_t)(h->st.bytes * nkx_host_scale(m->core));
    if (!m->core->modes.exec) return true;
    h->host_bytes = bytes;
    h->st.base = h->host = nkx_pages_new(nkx_memory_pool(m), bytes);
    if (h->host == NULL) nkx_fatal(__FILE__, __LINE__, "no memory for a tile outside the memories");
    return true;
}

static void count(nkx_room *r, int64_t bytes)
{
    r->used += bytes;
    if (r->used > r->peak) r->peak = r->used;
}

static bool say_full(nkx_memory *m, const nkx_holder *h)
{
    nkx_diags *d = m->core->diags;
    const nkx_room *r = nkx_room_of(m, (nkx_space)h->st.space);
    nkx_space s = (nkx_space)h->st.space;
    long long longest = (long long)nkx_freelist_longest(&r->free);
    nkx_diag *g = nkx_diag_add(
        d, s == NKX_SPACE_SBUF ? NKX_E403 : NKX_E404, h->st.span,
        "%s is full: %s needs %lld bytes of a partition, %lld of %lld are free%s",
        nkx_space_name(s), nkx_holder_text(h), (long long)h->held, (long long)r->free.free_bytes,
        (long long)r->usable, longest >= r->free.free_bytes ? "" : ", in pieces");
    if (g == NULL) return true; /* allowed */
    nkx_buf table = {0};
    nkx_memory_table(m, s, &table);
    if (table.at) nkx_diag_detail(d, g, table.at);
    nkx_buf_fini(&table);
    nkx_diag_hint(d, g,
                  s == NKX_SPACE_SBUF ? "A tile's bytes return when the last name for it goes. Let "
                                        "go of tiles earlier, or make them smaller."
                                      : "Every PSUM tile takes whole banks. Copy results to SBUF "
                                        "and let the tile go before the next one.");
    return !nkx_diag_stops(g);
}

static bool bank_rule(nkx_memory *m, const nkx_holder *h)
{
    nkx_diags *d = m->core->diags;
    int64_t bank = nkx_cfg_i(m->core->config, NKX_MP_PSUM_BANK);
    int64_t most = bank * nkx_cfg_i(m->core->config, NKX_MP_PSUM_TILE_BANKS);
    if (h->st.space != NKX_SPACE_PSUM || h->st.row_bytes <= most) return true;
    nkx_diag *g = nkx_diag_add(d, NKX_E407, h->st.span,
                               "psum tile %s needs %lld bytes of a partition, %s %lld",
                               nkx_holder_text(h), (long long)h->st.row_bytes,
                               most == bank ? "a bank has" : "the limit is", (long long)most);
    nkx_diag_hint(d, g, "Make one tile for each bank: %lld elements of fp32.",
                  (long long)(bank / 4));
    return !nkx_diag_stops(g);
}

static int64_t held_bytes(const nkx_memory *m, const nkx_holder *h)
{
    if (h->st.space != NKX_SPACE_PSUM) return h->st.row_bytes;
    return align_up(h->st.row_bytes, nkx_cfg_i(m->core->config, NKX_MP_PSUM_BANK));
}

static bool take(nkx_memory *m, nkx_holder *h, nkx_past *past)
{
    nkx_room *r = nkx_room_of(m, (nkx_space)h->st.space);
    bool psum = h->st.space == NKX_SPACE_PSUM;
    int64_t align = psum ? nkx_cfg_i(m->core->config, NKX_MP_PSUM_BANK) : natural_align(h->held);
    h->piece = nkx_freelist_take(&r->free, h->held, align, past);
    if (h->piece == NULL && !psum && align > 4) {
        h->piece = nkx_freelist_take(&r->free, h->held, 4, past);
    }
    if (h->piece == NULL) return false;
    h->st.part0 = 0;
    h->st.offset = (uint32_t)h->piece->off;
    return true;
}

bool nkx_place_auto(nkx_memory *m, nkx_holder *h, nkx_past *past)
{
    nkx_room *r = nkx_room_of(m, (nkx_space)h->st.space);
    if (!bank_rule(m, h)) return false;
    h->held = held_bytes(m, h);
    if (h->held == 0) return true;
    if (!take(m, h, past)) return say_full(m, h) && place_outside(m, h);
    count(r, h->held);
    return true;
}

static bool bytes_meet(const nkx_holder *a, const nkx_holder *b)
{
    return a->st.offset < b->st.offset + b->held && b->st.offset < a->st.offset + a->held;
}

static bool parts_meet(const nkx_holder *a, const nkx_holder *b)
{
    return a->st.part0 < b->st.part0 + b->st.rows && b->st.part0 < a->st.part0 + a->st.rows;
}

static void give(nkx_room *r, int64_t off, int64_t end, const nkx_past *past)
{
    if (end > r->usable) end = r->usable;
    if (off >= end) return;
    nkx_freelist_give_range(&r->free, off, end - off, past);
    r->used -= end - off;
}

/*
 * Moves a tile of the allocator out of the way of `owner`, which was placed over it. Its users stay
 * its users; queued work must be done first. What owner does not cover of the old place becomes
 * free.
 */
static bool move_away(nkx_memory *m, nkx_holder *h, const nkx_holder *owner)
{
    nkx_room *r = nkx_room_of(m, (nkx_space)h->st.space);
    nkx_past past = {0}, old = {0};
    uint8_t *from = h->st.base;
    int64_t begin = h->st.offset, end = begin + h->held;
    int64_t owner_begin = owner->st.offset, owner_end = owner_begin + owner->held;
    if (m->core->executor) nkx_executor_flush(m->core->executor);
    if (!take(m, h, &past)) return false;
    count(r, h->held);
    nkx_place_address(m, h);
    for (uint32_t p = 0; from && h->st.base && p < h->st.rows; p++) {
        memcpy(h->st.base + p * r->pitch, from + p * r->pitch,
               (size_t)(h->st.row_bytes * nkx_host_scale(m->core)));
    }
    nkx_track_past(&h->st, m->core->executor, &old);
    give(r, begin, owner_begin < end ? owner_begin : end, &old);
    give(r, owner_end > begin ? owner_end : begin, end, &old);
    nkx_track_inherit(&h->st, &past);
    return true;
}

static void add_overlap(nkx_storage *a, nkx_storage *b)
{
    nkx_track *t = a->track;
    if (t->n_overlaps == t->cap_overlaps) {
        t->cap_overlaps = t->cap_overlaps * 2 + 4;
        t->overlaps = nkx_realloc(t->overlaps, t->cap_overlaps * sizeof(nkx_storage *));
    }
    t->overlaps[t->n_overlaps++] = b;
}

static void drop_overlap(nkx_storage *a, const nkx_storage *b)
{
    nkx_track *t = a->track;
    for (uint32_t i = 0; i < t->n_overlaps; i++) {
        if (t->overlaps[i] == b) t->overlaps[i--] = t->overlaps[--t->n_overlaps];
    }
}

static bool address_rules(nkx_memory *m, const nkx_holder *h, nkx_place at)
{
    nkx_diags *d = m->core->diags;
    const nkx_room *r = nkx_room_of(m, (nkx_space)h->st.space);
    int64_t parts = nkx_cfg_i(m->core->config, NKX_MP_PARTITIONS);
    int64_t bank = nkx_cfg_i(m->core->config, NKX_MP_PSUM_BANK);
    const char *space = nkx_space_name((nkx_space)h->st.space);
    if (at.partition < 0 || at.offset < 0 || at.partition > parts - (int64_t)h->st.rows ||
        at.offset > r->physical - h->st.row_bytes) {
        nkx_diag_add(d, NKX_E408, h->st.span,
                     "%s address (%lld, %lld) with %lld partitions of %lld bytes, the memory has "
                     "%lld of %lld",
                     space, (long long)at.partition, (long long)at.offset, (long long)h->st.rows,
                     (long long)h->st.row_bytes, (long long)parts, (long long)r->physical);
        return false; /* there are no such bytes */
    }
    if (h->st.space == NKX_SPACE_PSUM && at.offset % bank != 0) {
        nkx_diag *g = nkx_diag_add(d, NKX_E409, h->st.span,
                                   "psum address (%lld, %lld) is not a multiple of %lld bytes",
                                   (long long)at.partition, (long long)at.offset, (long long)bank);
        nkx_diag_hint(d, g, "A PSUM tile begins on a bank: byte offset 0, %lld, %lld and so on.",
                      (long long)bank, (long long)bank * 2);
        return !nkx_diag_stops(g);
    }
    if (at.offset + h->st.row_bytes > r->usable) {
        nkx_diag *g = nkx_diag_add(
            d, NKX_E411, h->st.span,
            "%s address %lld with %lld bytes ends past byte %lld, where the reserved part begins",
            space, (long long)at.offset, (long long)h->st.row_bytes, (long long)r->usable);
        return !nkx_diag_stops(g);
    }
    return true;
}

bool nkx_place_manual(nkx_memory *m, nkx_holder *h, nkx_place at, nkx_past *past)
{
    nkx_room *r = nkx_room_of(m, (nkx_space)h->st.space);
    if (!address_rules(m, h, at) || !bank_rule(m, h)) return false;
    h->held = held_bytes(m, h);
    h->st.part0 = (uint32_t)at.partition;
    h->st.offset = (uint32_t)at.offset;
    int64_t before = r->free.free_bytes;
    nkx_freelist_carve(&r->free, at.offset, h->held, past);
    count(r, before - r->free.free_bytes);
    for (nkx_holder *o = r->first; o; o = o->next) {
        if (!bytes_meet(h, o)) continue;
        if (o->st.manual) {
            if (!parts_meet(h, o)) continue;
            add_overlap(&h->st, &o->st);
            add_overlap(&o->st, &h->st);
        } else if (!move_away(m, o, h)) {
            (void)say_full(m,
                           o); /* a tile with data cannot be left without bytes, allowed or not */
            nkx_place_release(m, h); /* the bytes that were free */
            return false;
        }
    }
    return true;
}

/* Frees what of [off, end) no other tile placed by hand covers, from holder `o` on. */
static void release_range(nkx_room *r, const nkx_holder *gone, const nkx_holder *o, int64_t off,
                          int64_t end, const nkx_past *past)
{
    for (; o; o = o->next) {
        int64_t from = o->st.offset, to = from + o->held;
        if (o == gone || !o->st.manual || to <= off || from >= end) continue;
        if (off < from) release_range(r, gone, o->next, off, from, past);
        if (to >= end) return;
        off = to;
    }
    give(r, off, end, past);
}

void nkx_place_release(nkx_memory *m, nkx_holder *h)
{
    nkx_room *r = nkx_room_of(m, (nkx_space)h->st.space);
    nkx_past past = {0};
    if (h->held == 0) return;
    nkx_track_past(&h->st, m->core->executor, &past);
    for (uint32_t i = 0; i < h->track.n_overlaps; i++) {
        nkx_storage *o = h->track.overlaps[i];
        drop_overlap(o, &h->st);
        nkx_track_inherit(o, &past);
    }
    int64_t off = h->st.offset;
    if (h->st.manual) {
        release_range(r, h, r->first, off, off + h->held, &past);
    } else {
        nkx_freelist_give(&r->free, h->piece, &past);
        r->used -= h->held;
    }
}

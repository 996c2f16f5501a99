/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Iteration without objects, and comprehensions, which have a frame of their own. A generator
 * expression keeps its frame on the heap and its loops as a row of cursors, so that it goes on
 * where it stopped. Layer eval.
 */
#include "interp/eval/walk.h"

#include <stdlib.h>

/* ---- cursors ---- */

bool nkx_cursor_begin(nkx_vm *vm, nkx_value take, nkx_cursor *c)
{
    *c = (nkx_cursor){.seq = take, .kind = take.type};
    if (take.type == NKX_V_RANGE) {
        const nkx_range_obj *r = NKX_AS(nkx_range_obj, take);
        c->i = r->start;
        c->stop = r->stop;
        c->step = r->step;
        return true;
    }
    if (take.type == NKX_V_LIST || take.type == NKX_V_TUPLE) return true;
    c->kind = NKX_V_ITER;
    bool ok = nkx_iter(vm, take, &c->seq);
    nkx_drop(take);
    return ok;
}

bool nkx_cursor_next(nkx_vm *vm, nkx_cursor *c, nkx_value *out)
{
    *out = NKX_UNSET;
    if (c->kind == NKX_V_RANGE) {
        if (c->step > 0 ? c->i >= c->stop : c->i <= c->stop) return true;
        *out = nkx_int(c->i);
        if (__builtin_add_overflow(c->i, c->step, &c->i)) c->i = c->stop;
        return true;
    }
    if (c->kind == NKX_V_LIST) {
        const nkx_list *l = NKX_AS(nkx_list, c->seq);
        if (c->i < l->n) *out = nkx_ref(l->at[c->i++]);
        return true;
    }
    if (c->kind == NKX_V_TUPLE) {
        const nkx_tuple *t = NKX_AS(nkx_tuple, c->seq);
        if (c->i < t->n) *out = nkx_ref(t->at[c->i++]);
        return true;
    }
    return nkx_next(vm, c->seq, out);
}

void nkx_cursor_end(nkx_cursor *c)
{
    nkx_drop(c->seq);
    c->seq = NKX_UNSET;
}

/* ---- the loops of a comprehension ---- */

/* Iterable of loop k: the first stands in slot 0, the others are evaluated inside. */
static bool begin_loop(nkx_frame *f, const nkx_comprehension *n, uint32_t k, nkx_cursor *c)
{
    nkx_value v;
    if (k == 0) {
        v = f->slots[0];
        if (f->info->slot_is_cell[0]) v = NKX_AS(nkx_cell, v)->v;
        nkx_ref(v);
    } else {
        v = nkx_eval(f, n->fors[k].iter);
    }
    if (v.type == NKX_V_UNSET) return false;
    f->at = n->fors[k].iter;
    return nkx_cursor_begin(f->vm, v, c);
}

/* Next item of loop k that passes its conditions: *got false at the end. */
static bool next_item(nkx_frame *f, const nkx_comprehension *n, uint32_t k, nkx_cursor *c,
                      bool *got)
{
    const nkx_comp_for *loop = &n->fors[k];
    for (;;) {
        nkx_value item;
        *got = false;
        f->at = loop->iter;
        if (!nkx_step(f->vm) || !nkx_cursor_next(f->vm, c, &item)) return false;
        if (item.type == NKX_V_UNSET) return true;
        bool ok = nkx_assign_to(f, loop->target, item);
        nkx_drop(item);
        bool pass = true;
        for (uint32_t i = 0; ok && pass && i < loop->ifs.n; i++) {
            ok = nkx_eval_truth(f, loop->ifs.at[i], &pass);
        }
        if (!ok) return false;
        if (pass) {
            *got = true;
            return true;
        }
    }
}

static bool add_element(nkx_frame *f, const nkx_comprehension *n, nkx_value to)
{
    nkx_value v = nkx_eval(f, n->elt);
    if (v.type == NKX_V_UNSET) return false;
    bool ok = true;
    if (n->what == NKX_COMP_LIST) {
        nkx_list_append(to, v);
    } else if (n->what == NKX_COMP_SET) {
        f->at = n->elt;
        ok = nkx_set_add(f->vm, to, v);
    } else {
        nkx_value x = nkx_eval(f, n->value);
        f->at = n->elt;
        ok = x.type != NKX_V_UNSET && nkx_dict_set(f->vm, to, v, x);
        nkx_drop(x);
    }
    nkx_drop(v);
    return ok;
}

static bool run_loops(nkx_frame *f, const nkx_comprehension *n, uint32_t k, nkx_value to)
{
    nkx_cursor c;
    bool got, ok;
    if (!begin_loop(f, n, k, &c)) return false;
    while ((ok = next_item(f, n, k, &c, &got)) && got) {
        ok = k + 1 == n->n_fors ? add_element(f, n, to) : run_loops(f, n, k + 1, to);
        if (!ok) break;
    }
    nkx_cursor_end(&c);
    return ok;
}

/* ---- the frame ---- */

static void fill_slots(nkx_vm *vm, const nkx_frame_info *info, nkx_value *slots, nkx_value first)
{
    for (uint32_t i = 0; i < info->n_slots; i++) {
        slots[i] = i == 0 ? first : NKX_UNSET;
        if (info->slot_is_cell[i]) {
            slots[i] = nkx_cell_new(vm, i == 0 ? first : NKX_UNSET);
            if (i == 0) nkx_drop(first);
        }
    }
}

static nkx_frame inner_frame(nkx_frame *f, const nkx_comprehension *n, nkx_value *slots,
                             nkx_value *cells)
{
    return (nkx_frame){.vm = f->vm,
                       .slots = slots,
                       .cells = cells,
                       .unit = f->unit,
                       .module = f->module,
                       .at = &n->base,
                       .up = f,
                       .fn = f->fn,
                       .info = &n->frame,
                       .kernel = f->kernel};
}

/* ---- generator expressions ---- */

typedef struct generator {
    nkx_frame f;
    const nkx_comprehension *n;
    nkx_value fn;   /* keeps what the frame points into; UNSET at module level */
    uint32_t depth; /* loops that are running */
    bool running, done;
    nkx_cursor *loops; /* n->n_fors */
    nkx_value *slots, *cells;
} generator;

static void generator_fini(nkx_iter_obj *it)
{
    generator *g = it->p;
    it->p = NULL;
    if (g == NULL) return;
    for (uint32_t k = 0; k < g->depth; k++) nkx_cursor_end(&g->loops[k]);
    for (uint32_t i = 0; i < g->n->frame.n_slots; i++) nkx_drop(g->slots[i]);
    for (uint32_t i = 0; i < g->n->frame.n_free; i++) nkx_drop(g->cells[i]);
    nkx_drop(g->fn);
    free(g->loops);
    free(g->slots);
    free(g->cells);
    free(g);
}

/* Goes on in the innermost running loop until one element is there. */
static bool advance(generator *g, nkx_value *out)
{
    nkx_frame *f = &g->f;
    if (g->depth == 0) {
        if (!begin_loop(f, g->n, 0, &g->loops[0])) return false;
        g->depth = 1;
    }
    while (g->depth > 0) {
        bool got;
        uint32_t k = g->depth - 1;
        if (!next_item(f, g->n, k, &g->loops[k], &got)) return false;
        if (!got) {
            nkx_cursor_end(&g->loops[k]);
            g->depth--;
        } else if (g->depth == g->n->n_fors) {
            *out = nkx_eval(f, g->n->elt);
            return out->type != NKX_V_UNSET;
        } else {
            if (!begin_loop(f, g->n, g->depth, &g->loops[g->depth])) return false;
            g->depth++;
        }
    }
    g->done = true;
    return true;
}

static bool generator_next(nkx_vm *vm, nkx_iter_obj *it, nkx_value *out)
{
    generator *g = it->p;
    if (g->done) return true;
    if (g->running) {
        return nkx_raise(vm, NKX_E211, "ValueError", "generator already executing");
    }
    if (!nkx_stack_check(vm)) return false;
    g->running = true;
    g->f.up = vm->frame;
    vm->frame = &g->f;
    bool ok = advance(g, out);
    vm->frame = g->f.up;
    g->running = false;
    if (!ok) g->done = true;
    return ok;
}

static const nkx_iter_type generator_type = {"generator", generator_next, generator_fini};

static nkx_value *capture_all(const nkx_frame *f, const nkx_frame_info *info, nkx_value *cells)
{
    for (uint32_t i = 0; i < info->n_free; i++) cells[i] = nkx_capture(f, &info->captures[i]);
    return cells;
}

static nkx_value new_generator(nkx_frame *f, const nkx_comprehension *n, nkx_value first)
{
    generator *g = nkx_alloc(sizeof *g);
    g->n = n;
    g->loops = nkx_alloc((n->n_fors + 1) * sizeof *g->loops);
    g->slots = nkx_alloc((n->frame.n_slots + 1) * sizeof *g->slots);
    g->cells = nkx_alloc((n->frame.n_free + 1) * sizeof *g->cells);
    capture_all(f, &n->frame, g->cells);
    fill_slots(f->vm, &n->frame, g->slots, first);
    g->fn = f->fn == NULL ? NKX_UNSET : nkx_ref(nkx_of((void *)(uintptr_t)f->fn));
    g->f = inner_frame(f, n, g->slots, g->cells);
    nkx_value it = nkx_iter_new(f->vm, &generator_type, NKX_UNSET, NKX_UNSET);
    NKX_AS(nkx_iter_obj, it)->p = g;
    return it;
}

/* ---- the expression ---- */

static nkx_value new_result(nkx_vm *vm, nkx_comp_kind what)
{
    return what == NKX_COMP_LIST  ? nkx_list_new(vm, 0)
           : what == NKX_COMP_SET ? nkx_set_new(vm)
                                  : nkx_dict_new(vm);
}

nkx_value nkx_eval_comprehension(nkx_frame *f, const nkx_comprehension *n)
{
    nkx_vm *vm = f->vm;
    const nkx_frame_info *info = &n->frame;
    nkx_value first = nkx_eval(f, n->fors[0].iter);
    if (first.type == NKX_V_UNSET) return first;
    f->at = n->fors[0].iter;
    if (!nkx_iterable(first)) {
        nkx_raise(vm, NKX_E217, "TypeError", "'%s' object is not iterable", nkx_type_name(first));
        nkx_placeholder_blame(vm, &first, 1);
        nkx_drop(first);
        return NKX_UNSET;
    }
    if (n->what == NKX_COMP_GENERATOR) return new_generator(f, n, first);
    if (!nkx_stack_room(vm, (uint64_t)info->n_slots + info->n_free)) {
        nkx_drop(first);
        return NKX_UNSET;
    }
    nkx_value *slots = vm->top, *cells = slots + info->n_slots;
    capture_all(f, info, cells);
    fill_slots(vm, info, slots, first);
    vm->top = cells + info->n_free;
    nkx_frame inner = inner_frame(f, n, slots, cells);
    nkx_value to = new_result(vm, n->what);
    f->at = &n->base;
    vm->frame = &inner;
    bool ok = run_loops(&inner, n, 0, to);
    vm->frame = f;
    nkx_pop_to(vm, slots);
    if (ok) return to;
    nkx_drop(to);
    return NKX_UNSET;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The live session: statements one at a time on a core that stays. What a statement showed and what
 * it cost comes back as text; reading lines and drawing them is the caller's.
 */
#include "interp/host/print.h"
#include "interp/runtime.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

nkx_status nkx_live_begin(nkx_runtime *rt)
{
    nkx_vm *vm = nkx_rt_vm(rt);
    if (vm == NULL) return NKX_WRONG;
    if (rt->loaded && !nkx_rt_module(rt)) return NKX_WRONG;
    if (rt->module.type == NKX_V_UNSET && !nkx_rt_scope(rt, "__main__", &rt->module)) {
        return NKX_WRONG;
    }
    rt->live = true; /* ahead: the core's listener is hung on it when it begins */
    if (!nkx_vm_begin_live(vm)) return nkx_rt_failed(rt);
    return NKX_OK;
}

int nkx_live_complete(const char *text, size_t len)
{
    switch (nkx_parse_completeness(text, len)) {
    case NKX_COMPLETE: return 1;
    case NKX_INCOMPLETE: return 0;
    case NKX_INVALID: return -1;
    }
    return -1;
}

/* ---- values ---- */

static int64_t unwritten(nkx_view *v)
{
    nkx_region r;
    int64_t first = 0;
    nkx_view_region(v, false, "", &r);
    return nkx_track_unwritten(&r, &first);
}

/* Elements of a tile as the host array library prints them; indirect and packed ones show no
 * values. */
static void show_elements(nkx_view *v, nkx_buf *out)
{
    if (v->indirect != NKX_IND_NONE || nkx_dtypes[v->dtype].cls == NKX_CLASS_PACKED) return;
    nkx_nd_error e = {0};
    nkx_ndarray *a = nkx_nd_new((nkx_dtype)v->dtype, v->ndim, v->shape, &e);
    if (a == NULL) return;
    nkx_view_read(v, a->at);
    nkx_print_options o = NKX_PRINT_DEFAULT;
    o.threshold = 200; /* a tile has 128 rows, a screen has not */
    nkx_buf_char(out, '\n');
    nkx_nd_str(a, &o, out);
    nkx_nd_drop(a);
}

static void show_tensor(nkx_runtime *rt, nkx_value t, nkx_buf *out)
{
    nkx_view *v = NKX_AS(nkx_tensor_obj, t)->view;
    nkx_view_text(v, out);
    if (!rt->o.data) return;
    int64_t empty = unwritten(v), n = nkx_view_size(v);
    if (empty >= n && n > 0) {
        nkx_buf_str(out, ", nothing written yet");
        return;
    }
    if (empty > 0) {
        nkx_buf_printf(out, ", %" PRId64 " of %" PRId64 " elements not written yet", empty, n);
    }
    show_elements(v, out);
}

static bool show_value(nkx_runtime *rt, nkx_value v, bool issued, nkx_buf *out)
{
    if (v.type == NKX_V_UNSET || v.type == NKX_V_NONE) return true;
    if (issued && v.type == NKX_V_NATIVE) {
        return true; /* the instruction itself: its cost says more */
    }
    size_t start = out->len;
    bool fine = true;
    if (v.type == NKX_V_TENSOR) {
        show_tensor(rt, v, out);
    } else {
        fine = nkx_repr(rt->vm, v, out);
    }
    if (fine && out->len > start) nkx_buf_char(out, '\n');
    return fine;
}

/* ---- cost ---- */

static int64_t live_span(nkx_runtime *rt)
{
    nkx_core *core = nkx_vm_core(rt->vm);
    return core && core->timeline ? nkx_timeline_summary(core->timeline)->span : 0;
}

static uint64_t live_issued(nkx_runtime *rt)
{
    nkx_core *core = nkx_vm_core(rt->vm);
    return core ? core->n_issued : 0;
}

static void show_cost(nkx_runtime *rt, uint64_t before, int64_t span_before, nkx_buf *out)
{
    uint64_t n = live_issued(rt) - before;
    nkx_core *core = nkx_vm_core(rt->vm);
    if (n == 0 || core->timeline == NULL) return;
    if (n > 1) {
        nkx_buf_printf(out, "  %" PRIu64 " instructions, %.3f us more, ends at %.3f us\n", n,
                       (double)(live_span(rt) - span_before) * 1e-6, (double)live_span(rt) * 1e-6);
        return;
    }
    nkx_event e = {0};
    nkx_timeline_last(core->timeline, &e);
    nkx_buf_printf(out, "  %s %s  %.3f us, from %.3f to %.3f us",
                   nkx_engine_label((nkx_engine)e.engine), e.opcode ? e.opcode : "",
                   (double)(e.end - e.start) * 1e-6, (double)e.start * 1e-6, (double)e.end * 1e-6);
    if (e.wait > 0) nkx_buf_printf(out, ", waited %.3f us", (double)e.wait * 1e-6);
    nkx_buf_char(out, '\n');
}

nkx_status nkx_live_exec(nkx_runtime *rt, const char *text, char **shown)
{
    nkx_buf out = {0};
    nkx_value v = NKX_UNSET;
    uint64_t issued = live_issued(rt);
    int64_t span = live_span(rt);
    size_t errors = rt->diags.n_errors;
    char name[40]; /* each statement is a source of its own: its number tells them apart */
    (void)snprintf(name, sizeof name, "<input %zu>", ++rt->n_inputs);
    bool fine = nkx_vm_exec_text(rt->vm, rt->module, name, text, strlen(text), &v);
    if (fine) fine = show_value(rt, v, live_issued(rt) > issued, &out);
    if (!fine) nkx_rt_failed(rt);
    show_cost(rt, issued, span, &out);
    nkx_drop(v);
    *shown = nkx_buf_take(&out);
    return fine ? nkx_rt_status(rt, errors) : NKX_WRONG;
}

/* ---- :mem and :list ---- */

char *nkx_live_memory(nkx_runtime *rt)
{
    nkx_buf out = {0};
    nkx_core *core = rt->vm ? nkx_vm_core(rt->vm) : NULL;
    for (nkx_space s = NKX_SPACE_SBUF; core && s < NKX_N_SPACES; s++) {
        nkx_mem_use u = {0};
        nkx_memory_use(core->memory, s, &u);
        if (u.n_storages == 0 && u.peak == 0 && !nkx_space_on_chip(s)) continue;
        const char *unit = nkx_space_on_chip(s) ? " a partition" : "";
        nkx_buf_printf(&out, "%s: %" PRId64 " of %" PRId64 " bytes%s in use, peak %" PRId64 "\n",
                       nkx_space_name(s), u.used, u.capacity, unit, u.peak);
        if (u.n_storages > 0) nkx_memory_table(core->memory, s, &out);
        if (out.len > 0 && out.at[out.len - 1] != '\n') nkx_buf_char(&out, '\n');
    }
    return nkx_buf_take(&out);
}

char *nkx_live_listing(nkx_runtime *rt)
{
    nkx_buf out = {0};
    if (rt->live_list.len > 0) nkx_buf_add(&out, rt->live_list.at, rt->live_list.len);
    return nkx_buf_take(&out);
}

/* ---- completion ---- */

static const char *const keywords[] = {
    "and",  "as",     "assert", "break",  "class",   "continue", "def",      "del",
    "elif", "else",   "except", "False",  "finally", "for",      "from",     "global",
    "if",   "import", "in",     "is",     "lambda",  "None",     "nonlocal", "not",
    "or",   "pass",   "raise",  "return", "True",    "try",      "while",    "with",
};

static void offer(nkx_buf *out, const char *base, size_t base_len, const char *name,
                  const char *part)
{
    if (strncmp(name, part, strlen(part)) != 0 || (name[0] == '_' && part[0] != '_')) return;
    nkx_buf_add(out, base, base_len);
    nkx_buf_printf(out, "%s\n", name);
}

static void offer_attrs(nkx_buf *out, const char *base, size_t len, const nkx_attrs *a,
                        const char *part)
{
    for (uint32_t i = 0; i < a->n; i++) {
        if (a->values[i].type != NKX_V_UNSET) offer(out, base, len, a->names[i]->text, part);
    }
}

static void offer_rows(nkx_buf *out, const char *base, size_t len, const nkx_builtin *rows,
                       const char *part)
{
    for (; rows && rows->name; rows++) offer(out, base, len, rows->name, part);
}

/* Follows a dotted name without running anything. Owned; UNSET when it leads nowhere. */
static nkx_value follow(nkx_runtime *rt, const char *dotted, size_t len)
{
    size_t n = 0;
    nkx_value v = NKX_UNSET;
    for (const char *p = dotted; p < dotted + len; p += n + 1) {
        n = strcspn(p, ".");
        if (p + n > dotted + len) n = (size_t)(dotted + len - p);
        const nkx_name *name = nkx_names_get(rt->vm->names, p, n);
        nkx_value next = NKX_UNSET;
        bool fine = p == dotted ? nkx_module_get(rt->vm, rt->module, name->text, &next)
                                : nkx_find_attr(rt->vm, v, name, &next);
        nkx_drop(v);
        v = next;
        if (fine && v.type != NKX_V_UNSET) continue;
        nkx_exception_clear(rt->vm);
        return NKX_UNSET;
    }
    return v;
}

static void offer_members(nkx_value v, nkx_buf *out, const char *base, size_t len, const char *part)
{
    if (v.type == NKX_V_MODULE) {
        offer_attrs(out, base, len, &NKX_AS(nkx_module_obj, v)->globals, part);
    } else if (v.type == NKX_V_CLASS) {
        offer_attrs(out, base, len, &NKX_AS(nkx_class, v)->attrs, part);
    } else if (v.type == NKX_V_INSTANCE) {
        offer_attrs(out, base, len, &NKX_AS(nkx_instance, v)->attrs, part);
        offer_attrs(out, base, len, &NKX_AS(nkx_instance, v)->cls->attrs, part);
    } else if (v.type != NKX_V_UNSET) {
        offer_rows(out, base, len, nkx_method_table((nkx_vtype)v.type), part);
    }
}

char *nkx_live_names(nkx_runtime *rt, const char *prefix)
{
    nkx_buf out = {0};
    const char *dot = strrchr(prefix, '.');
    if (rt->vm && dot) {
        nkx_value v = follow(rt, prefix, (size_t)(dot - prefix));
        offer_members(v, &out, prefix, (size_t)(dot - prefix) + 1, dot + 1);
        nkx_drop(v);
    } else if (rt->vm) {
        offer_attrs(&out, "", 0, &NKX_AS(nkx_module_obj, rt->module)->globals, prefix);
        offer_rows(&out, "", 0, nkx_builtins, prefix);
        for (size_t i = 0; i < NKX_COUNT(keywords); i++) offer(&out, "", 0, keywords[i], prefix);
    }
    return nkx_buf_take(&out);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exceptions: raising, catching, and turning an uncaught one into a diagnostic. The place and the
 * call stack are taken where it is raised, since the frames are gone when it is reported.
 * Layer eval.
 */
#include "interp/eval/walk.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_STACK_NOTES = 12, MAX_ARG_TEXT = 40, MAX_ARGS_TEXT = 160 };

nkx_span nkx_vm_span(const nkx_vm *vm)
{
    return vm->frame == NULL || vm->frame->at == NULL ? (nkx_span){0} : vm->frame->at->span;
}

/* ---- the call stack ---- */

static void shape_text(nkx_dtype dt, int ndim, const int64_t *shape, nkx_buf *out)
{
    nkx_buf_printf(out, "%s[", nkx_dtypes[dt].name);
    for (int i = 0; i < ndim; i++)
        nkx_buf_printf(out, i == 0 ? "%lld" : ",%lld", (long long)shape[i]);
    nkx_buf_char(out, ']');
}

/* Values that tell something in one short word; others give nothing. */
static bool arg_text(nkx_vm *vm, nkx_value v, nkx_buf *out)
{
    switch (v.type) {
    case NKX_V_NONE:
    case NKX_V_BOOL:
    case NKX_V_INT:
    case NKX_V_FLOAT:
    case NKX_V_DTYPE:
    case NKX_V_OP:
    case NKX_V_MEMBER:
    case NKX_V_RANGE: return nkx_repr(vm, v, out);
    case NKX_V_STR: return nkx_text_len(v) < 24 && nkx_repr(vm, v, out);
    case NKX_V_TENSOR: {
        const nkx_view *w = NKX_AS(nkx_tensor_obj, v)->view;
        shape_text((nkx_dtype)w->dtype, w->ndim, w->shape, out);
        return true;
    }
    case NKX_V_ARRAY: {
        const nkx_ndarray *a = NKX_AS(nkx_array_obj, v)->a;
        shape_text((nkx_dtype)a->dtype, a->ndim, a->shape, out);
        return true;
    }
    case NKX_V_TUPLE: {
        const nkx_tuple *t = NKX_AS(nkx_tuple, v);
        nkx_buf_char(out, '(');
        for (uint32_t i = 0; i < t->n && out->len < MAX_ARG_TEXT; i++) {
            if (i > 0) nkx_buf_str(out, ", ");
            if (!arg_text(vm, t->at[i], out)) nkx_buf_str(out, "...");
        }
        nkx_buf_char(out, ')');
        return true;
    }
    default: return false;
    }
}

static nkx_value param_value(const nkx_frame *f, uint32_t i)
{
    nkx_value v = f->slots[i];
    return v.type == NKX_V_CELL ? NKX_AS(nkx_cell, v)->v : v;
}

static char *frame_text(nkx_vm *vm, const nkx_frame *f)
{
    const nkx_params *ps = f->fn->params;
    nkx_buf b = {0}, one = {0};
    nkx_buf_printf(&b, "in %s(", f->fn->qualname);
    bool first = true;
    for (uint32_t i = 0; i < ps->n_pos + ps->n_kwonly; i++) {
        nkx_buf_clear(&one);
        nkx_value v = param_value(f, i);
        if (v.type == NKX_V_UNSET || v.type == NKX_V_NONE || !arg_text(vm, v, &one)) continue;
        if (one.len > MAX_ARG_TEXT) continue;
        if (b.len + one.len > MAX_ARGS_TEXT) {
            nkx_buf_str(&b, ", ...");
            break;
        }
        nkx_buf_printf(&b, "%s%s=%s", first ? "" : ", ", ps->at[i].name->text, one.at);
        first = false;
    }
    nkx_buf_char(&b, ')');
    nkx_buf_fini(&one);
    return nkx_buf_take(&b);
}

/* Frames of functions, innermost first; inside a kernel, up to its entry. */
static uint32_t gather_frames(const nkx_vm *vm, const nkx_frame **at, uint32_t max)
{
    uint32_t n = 0;
    int kernel = vm->frame == NULL ? 0 : vm->frame->kernel;
    for (const nkx_frame *f = vm->frame; f != NULL; f = f->up) {
        if (kernel > 0 && f->kernel == 0) break;
        if (f->fn == NULL || f->info != f->fn->info) continue;
        if (n == max) { /* keep the innermost half, move the window over the outer ones */
            memmove((void *)(at + max / 2), (void *)(at + max / 2 + 1),
                    (max - max / 2 - 1) * sizeof *at);
            n--;
        }
        at[n++] = f;
    }
    return n;
}

static nkx_span call_span(const nkx_frame *f)
{
    if (f->up != NULL && f->up->at != NULL && f->up->at->span.source != 0) return f->up->at->span;
    if (f->fn->node->kind == NKX_FUNCTION_DEF) {
        return NKX_NODE(nkx_function_def, f->fn->node)->name_span;
    }
    return f->fn->node->span;
}

/* Calls that led here: outermost first, as Python prints them. */
static uint32_t stack_texts(nkx_vm *vm, char **texts, nkx_span *spans)
{
    const nkx_frame *at[MAX_STACK_NOTES];
    uint32_t n = gather_frames(vm, at, MAX_STACK_NOTES);
    for (uint32_t i = 0; i < n; i++) {
        const nkx_frame *f = at[n - 1 - i];
        texts[i] = frame_text(vm, f);
        spans[i] = call_span(f);
    }
    return n;
}

void nkx_vm_add_stack(void *user, nkx_diag *g)
{
    nkx_vm *vm = user;
    if (vm->in_report || vm->frame == NULL || vm->frame->kernel == 0) return;
    char *texts[MAX_STACK_NOTES];
    nkx_span spans[MAX_STACK_NOTES];
    uint32_t n = stack_texts(vm, texts, spans);
    for (uint32_t i = 0; i < n; i++) {
        nkx_diag_note(vm->diags, g, spans[i], "%s", texts[i]);
        free(texts[i]);
    }
}

/* ---- making and raising ---- */

nkx_value nkx_exception_make(nkx_vm *vm, nkx_class *c, nkx_value args)
{
    nkx_value v = nkx_instance_new(vm, c);
    nkx_instance *x = NKX_AS(nkx_instance, v);
    if (x->exc == NULL) x->exc = nkx_alloc(sizeof *x->exc);
    nkx_drop(x->exc->args);
    x->exc->args = nkx_ref(args);
    x->exc->cause = x->exc->context = NKX_NONE;
    x->exc->code = NKX_E224;
    return v;
}

static nkx_class *class_named(nkx_vm *vm, const char *name)
{
    for (int i = 0; i < NKX_N_BUILTIN_CLASSES; i++) {
        if (strcmp(vm->classes[i]->name->text, name) == 0) return vm->classes[i];
    }
    return vm->classes[NKX_CLS_Exception];
}

void nkx_exc_place(nkx_vm *vm, nkx_value exc)
{
    nkx_exc *e = NKX_AS(nkx_instance, exc)->exc;
    if (e->placed) return;
    e->placed = true;
    e->span = nkx_vm_span(vm);
    char *texts[MAX_STACK_NOTES];
    nkx_span spans[MAX_STACK_NOTES];
    e->n_notes = stack_texts(vm, texts, spans);
    if (e->n_notes == 0) return;
    e->notes = nkx_dup((const void *)texts, e->n_notes * sizeof *texts);
    e->note_spans = nkx_dup(spans, e->n_notes * sizeof *spans);
}

/* Makes an owned exception the pending one. */
static void pend(nkx_vm *vm, nkx_value exc)
{
    nkx_exc *e = NKX_AS(nkx_instance, exc)->exc;
    nkx_exc_place(vm, exc);
    if (e->context.type == NKX_V_NONE && vm->handling.type == NKX_V_INSTANCE &&
        vm->handling.u.o != exc.u.o) {
        e->context = nkx_ref(vm->handling);
    }
    nkx_value old = vm->exception;
    vm->exception = exc;
    nkx_drop(old);
}

static void raise_text(nkx_vm *vm, nkx_code code, const char *exception, nkx_buf *text, bool fatal)
{
    nkx_value s = nkx_str_take(vm, text);
    nkx_value args = nkx_tuple_of(vm, &s, 1);
    nkx_value x = nkx_exception_make(vm, class_named(vm, exception), args);
    nkx_drop(args);
    nkx_drop(s);
    NKX_AS(nkx_instance, x)->exc->code = code;
    NKX_AS(nkx_instance, x)->exc->fatal = fatal;
    pend(vm, x);
}

bool nkx_raise(nkx_vm *vm, nkx_code code, const char *exception, const char *fmt, ...)
{
    nkx_buf b = {0};
    va_list ap;
    va_start(ap, fmt);
    nkx_buf_vprintf(&b, fmt, ap);
    va_end(ap);
    raise_text(vm, code, exception, &b, false);
    return false;
}

bool nkx_raise_fatal(nkx_vm *vm, nkx_code code, const char *exception, const char *fmt, ...)
{
    nkx_buf b = {0};
    va_list ap;
    va_start(ap, fmt);
    nkx_buf_vprintf(&b, fmt, ap);
    va_end(ap);
    raise_text(vm, code, exception, &b, true);
    return false;
}

void nkx_raise_hint(nkx_vm *vm, const char *fmt, ...)
{
    if (vm->exception.type != NKX_V_INSTANCE) return;
    nkx_buf b = {0};
    va_list ap;
    va_start(ap, fmt);
    nkx_buf_vprintf(&b, fmt, ap);
    va_end(ap);
    nkx_exc *e = NKX_AS(nkx_instance, vm->exception)->exc;
    free(e->hint);
    e->hint = nkx_buf_take(&b);
}

void nkx_raise_note(nkx_vm *vm, nkx_span span, const char *fmt, ...)
{
    if (vm->exception.type != NKX_V_INSTANCE || span.source == 0) return;
    nkx_buf b = {0};
    va_list ap;
    va_start(ap, fmt);
    nkx_buf_vprintf(&b, fmt, ap);
    va_end(ap);
    nkx_exc *e = NKX_AS(nkx_instance, vm->exception)->exc;
    e->notes = nkx_realloc((void *)e->notes, (e->n_notes + 1) * sizeof *e->notes);
    e->note_spans = nkx_realloc(e->note_spans, (e->n_notes + 1) * sizeof *e->note_spans);
    e->notes[e->n_notes] = nkx_buf_take(&b);
    e->note_spans[e->n_notes++] = span;
}

bool nkx_exception_about_arguments(const nkx_vm *vm)
{
    if (vm->exception.type != NKX_V_INSTANCE) return false;
    nkx_code c = NKX_AS(nkx_instance, vm->exception)->exc->code;
    return c == NKX_E204 || c == NKX_E205 || c == NKX_E206 || c == NKX_E207;
}

bool nkx_raise_diagnosed(nkx_vm *vm)
{
    return nkx_raise_diagnosed_as(vm, "NkiValidationError");
}

bool nkx_raise_diagnosed_as(nkx_vm *vm, const char *exception)
{
    nkx_buf b = {0};
    size_t n = vm->diags->n;
    if (n > 0) nkx_buf_str(&b, vm->diags->list[n - 1]->message);
    raise_text(vm, NKX_E224, exception, &b, false);
    nkx_exc *e = NKX_AS(nkx_instance, vm->exception)->exc;
    e->diagnosed = true;
    e->diag_index = n;
    return false;
}

bool nkx_raise_value(nkx_vm *vm, nkx_value v)
{
    nkx_value x = NKX_UNSET;
    if (v.type == NKX_V_CLASS && (NKX_AS(nkx_class, v)->flags & NKX_CF_EXCEPTION)) {
        if (!nkx_call_n(vm, v, NULL, 0, &x)) return false;
    } else if (v.type == NKX_V_INSTANCE && NKX_AS(nkx_instance, v)->exc != NULL) {
        x = nkx_ref(v);
    } else {
        return nkx_raise(vm, NKX_E232, "TypeError", "exceptions must derive from BaseException");
    }
    pend(vm, x);
    return false;
}

nkx_value nkx_exception_take(nkx_vm *vm)
{
    nkx_value x = vm->exception;
    vm->exception = NKX_UNSET;
    return x;
}

/* A diagnostic that stands for a caught exception is withdrawn. */
void nkx_exception_withdraw(nkx_vm *vm, nkx_value exc)
{
    nkx_exc *e = NKX_AS(nkx_instance, exc)->exc;
    if (!e->diagnosed || e->diag_index == 0 || vm->diags->n != e->diag_index) return;
    const nkx_diag *g = vm->diags->list[vm->diags->n - 1];
    if (!g->is_error) return;
    vm->diags->n--;
    vm->diags->n_errors--;
    e->diagnosed = false;
}

void nkx_exception_clear(nkx_vm *vm)
{
    nkx_value x = nkx_exception_take(vm);
    if (x.type != NKX_V_INSTANCE) return;
    nkx_exception_withdraw(vm, x);
    nkx_drop(x);
}

bool nkx_exception_is(const nkx_vm *vm, nkx_class_id id)
{
    return vm->exception.type == NKX_V_INSTANCE &&
           !NKX_AS(nkx_instance, vm->exception)->exc->fatal &&
           nkx_class_is(NKX_AS(nkx_instance, vm->exception)->cls, vm->classes[id]);
}

void nkx_exception_set_arg(nkx_vm *vm, nkx_value v)
{
    if (vm->exception.type != NKX_V_INSTANCE) return;
    nkx_exc *e = NKX_AS(nkx_instance, vm->exception)->exc;
    nkx_drop(e->args);
    e->args = nkx_tuple_of(vm, &v, 1);
}

/* ---- text and report ---- */

bool nkx_exception_text(nkx_vm *vm, nkx_value exc, nkx_buf *out)
{
    const nkx_instance *x = NKX_AS(nkx_instance, exc);
    nkx_value args = x->exc->args;
    if (args.type != NKX_V_TUPLE || NKX_AS(nkx_tuple, args)->n == 0) return true;
    const nkx_tuple *t = NKX_AS(nkx_tuple, args);
    if (t->n > 1) return nkx_repr(vm, args, out);
    if (nkx_class_is(x->cls, vm->classes[NKX_CLS_KeyError])) return nkx_repr(vm, t->at[0], out);
    return nkx_str_of(vm, t->at[0], out);
}

static void report_chain(nkx_vm *vm, nkx_diag *g, const nkx_exc *e)
{
    bool cause = e->cause.type == NKX_V_INSTANCE;
    nkx_value x = cause ? e->cause : e->context;
    if (x.type != NKX_V_INSTANCE) return;
    const nkx_exc *inner = NKX_AS(nkx_instance, x)->exc;
    nkx_buf b = {0};
    if (nkx_str_of(vm, x, &b)) {
        nkx_diag_note(vm->diags, g, inner->span, "%s %s: %s",
                      cause ? "caused by" : "raised while handling",
                      NKX_AS(nkx_instance, x)->cls->name->text, b.at == NULL ? "" : b.at);
    }
    nkx_buf_fini(&b);
}

static nkx_code code_of(const nkx_vm *vm, const nkx_instance *x)
{
    if (x->exc->code != NKX_E224) return x->exc->code;
    return nkx_class_is(x->cls, vm->classes[NKX_CLS_AssertionError]) ? NKX_E216 : NKX_E224;
}

static void report(nkx_vm *vm, nkx_value exc)
{
    const nkx_instance *x = NKX_AS(nkx_instance, exc);
    nkx_buf text = {0};
    if (!nkx_str_of(vm, exc, &text)) nkx_exception_clear(vm);
    char *rest = text.at == NULL ? NULL : strchr(text.at, '\n');
    if (rest != NULL) *rest++ = '\0';
    bool empty = text.at == NULL || text.at[0] == '\0';
    nkx_diag *g = nkx_diag_add(vm->diags, code_of(vm, x), x->exc->span, "%s%s%s",
                               x->cls->name->text, empty ? "" : ": ", empty ? "" : text.at);
    for (uint32_t i = 0; i < x->exc->n_notes; i++) {
        nkx_diag_note(vm->diags, g, x->exc->note_spans[i], "%s", x->exc->notes[i]);
    }
    report_chain(vm, g, x->exc);
    if (x->exc->hint != NULL) nkx_diag_hint(vm->diags, g, "%s", x->exc->hint);
    if (rest != NULL && *rest != '\0') nkx_diag_detail(vm->diags, g, rest);
    nkx_buf_fini(&text);
}

static void report_exit(nkx_vm *vm, const nkx_instance *x)
{
    const nkx_tuple *t = NKX_AS(nkx_tuple, x->exc->args);
    int64_t code = 0;
    vm->exited = true;
    if (t->n > 0 && t->at[0].type != NKX_V_NONE && !nkx_is_int(t->at[0], &code)) {
        nkx_buf b = {0};
        code = 1;
        if (nkx_str_of(vm, t->at[0], &b)) {
            nkx_buf_char(&b, '\n');
            nkx_vm_write(vm, 2, b.at, b.len);
        }
        nkx_buf_fini(&b);
    }
    vm->exit_code = (int)(code & 0xff);
}

bool nkx_vm_report(nkx_vm *vm)
{
    if (vm->exception.type != NKX_V_INSTANCE) return false;
    nkx_value exc = nkx_exception_take(vm);
    const nkx_instance *x = NKX_AS(nkx_instance, exc);
    vm->in_report = true;
    if (nkx_class_is(x->cls, vm->classes[NKX_CLS_SystemExit])) {
        report_exit(vm, x);
    } else if (!x->exc->diagnosed) {
        report(vm, exc);
    }
    vm->in_report = false;
    nkx_drop(exc);
    return true;
}

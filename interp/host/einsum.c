/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Einstein sums. Operands are taken two at a time: letters that occur nowhere else are summed out
 * of their operand first, then the pair becomes one batched matrix product. Layer host.
 */
#include "interp/host/linalg.h"
#include "interp/host/reduce.h"
#include "interp/host/shape.h"

#include <stdlib.h>
#include <string.h>

#define DOTS      ((int)1) /* letters of ellipsis dimensions: 1, 2, ... below any printable one */
#define MAX_TERMS 16

/* A tensor with a letter a dimension. */
typedef struct term {
    nkx_ndarray *a;
    int n;
    int letter[NKX_ND_MAX];
} term;

static int find(const term *t, int letter)
{
    for (int d = 0; d < t->n; d++) {
        if (t->letter[d] == letter) return d;
    }
    return -1;
}

/* Reads one operand's letters; `dots` dimensions stand for an ellipsis. */
static bool read_letters(const char *s, const char *end, int dots, term *t, nkx_nd_error *e)
{
    t->n = 0;
    for (; s < end; s++) {
        int count = 1, letter = *s;
        if (*s == ' ') continue;
        if (*s == '.') {
            if (end - s < 3 || s[1] != '.' || s[2] != '.')
                return nkx_nd_fail(e, "ValueError",
                                   "einstein sum subscripts string contains a '.' that is not part "
                                   "of an ellipsis ('...')");
            s += 2;
            count = dots;
            letter = DOTS;
        } else if (!((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z'))) {
            return nkx_nd_fail(e, "ValueError",
                               "invalid subscript '%c' in einstein sum subscripts string, "
                               "subscripts must be letters",
                               *s);
        }
        for (int k = 0; k < count; k++) {
            if (t->n == NKX_ND_MAX)
                return nkx_nd_fail(e, "ValueError", "too many subscripts in einsum");
            /* the ellipsis is counted from its end, so that shorter ones line up */
            t->letter[t->n++] = letter == DOTS ? DOTS + count - 1 - k : letter;
        }
    }
    return true;
}

/* Diagonal where a letter repeats within one operand. */
static bool take_diagonals(term *t, nkx_nd_error *e)
{
    for (int d = 0; d < t->n; d++) {
        for (int k = d + 1; k < t->n; k++) {
            if (t->letter[k] != t->letter[d]) continue;
            if (t->a->shape[k] != t->a->shape[d]) {
                return nkx_nd_fail(
                    e, "ValueError",
                    "dimensions in operand for collapsing index '%c' don't match (%lld != %lld)",
                    t->letter[d], (long long)t->a->shape[d], (long long)t->a->shape[k]);
            }
            nkx_ndarray *v = nkx_nd_diagonal(t->a, 0, d, k, e);
            int letter = t->letter[d];
            if (v == NULL) return false;
            nkx_nd_drop(t->a);
            t->a = v;
            for (int i = k; i + 1 < t->n; i++) t->letter[i] = t->letter[i + 1];
            for (int i = d; i + 1 < t->n; i++) t->letter[i] = t->letter[i + 1];
            t->letter[t->n - 2] = letter; /* the diagonal stands last */
            t->n--;
            return take_diagonals(t, e);
        }
    }
    return true;
}

/* Sums out letters that nobody else wants. */
static bool sum_out(term *t, bool (*wanted)(const void *user, int letter), const void *user,
                    nkx_nd_error *e)
{
    nkx_axes ax = {0, false};
    int n = 0;
    for (int d = 0; d < t->n; d++) {
        if (!wanted(user, t->letter[d])) ax.mask |= 1u << d;
    }
    if (ax.mask == 0) return true;
    nkx_ndarray *r = nkx_nd_sum(t->a, ax, (int)t->a->dtype, e);
    if (r == NULL) return false;
    for (int d = 0; d < t->n; d++) {
        if (!(ax.mask & 1u << d)) t->letter[n++] = t->letter[d];
    }
    nkx_nd_drop(t->a);
    t->a = r;
    t->n = n;
    return true;
}

typedef struct plan {
    term *terms; /* those still to come */
    int n;
    term *mate; /* the other of the pair, or NULL */
    term out;
} plan;

static bool wanted_by(const void *user, int letter)
{
    const plan *p = user;
    if (find(&p->out, letter) >= 0 || (p->mate != NULL && find(p->mate, letter) >= 0)) return true;
    for (int k = 0; k < p->n; k++) {
        if (find(&p->terms[k], letter) >= 0) return true;
    }
    return false;
}

static bool wanted_later(const plan *p, int letter)
{
    plan rest = *p;
    rest.mate = NULL;
    return wanted_by(&rest, letter);
}

/* Transposed to the given letters and reshaped to (batch, rows, cols). */
static nkx_ndarray *as_matrix(const term *t, const int *order, const int64_t *shape,
                              nkx_nd_error *e)
{
    int64_t axes[NKX_ND_MAX];
    for (int d = 0; d < t->n; d++) axes[d] = find(t, order[d]);
    nkx_ndarray *v = nkx_nd_transpose(t->a, axes, t->n, e);
    nkx_ndarray *m = v != NULL ? nkx_nd_reshape(v, 3, shape, 'C', e) : NULL;
    nkx_nd_drop(v);
    return m;
}

/* A letter of size 1 on one side repeats on the other: give it up there. */
static bool drop_ones(term *a, const term *b, nkx_nd_error *e)
{
    for (int d = a->n - 1; d >= 0; d--) {
        int k = find(b, a->letter[d]);
        if (k < 0 || a->a->shape[d] == b->a->shape[k]) continue;
        if (a->a->shape[d] != 1) {
            if (b->a->shape[k] == 1) continue;
            return nkx_nd_fail(e, "ValueError",
                               "operands could not be broadcast together with remapped shapes in "
                               "einsum: dimension '%c' has sizes %lld and %lld",
                               a->letter[d] < ' ' ? '.' : a->letter[d], (long long)a->a->shape[d],
                               (long long)b->a->shape[k]);
        }
        int64_t ax = d;
        nkx_ndarray *s = nkx_nd_squeeze(a->a, &ax, 1, e);
        if (s == NULL) return false;
        nkx_nd_drop(a->a);
        a->a = s;
        for (int i = d; i + 1 < a->n; i++) a->letter[i] = a->letter[i + 1];
        a->n--;
    }
    return true;
}

/* a and b become one: batch letters stay on both, inner ones are contracted. */
static bool contract(const plan *p, term *a, term *b, term *out, nkx_nd_error *e)
{
    int oa[NKX_ND_MAX], ob[NKX_ND_MAX], batch[NKX_ND_MAX], inner[NKX_ND_MAX], fa[NKX_ND_MAX],
        fb[NKX_ND_MAX];
    int nb = 0, ni = 0, na = 0, nn = 0, n;
    int64_t sb = 1, sk = 1, sm = 1, sn = 1, shape[2 * NKX_ND_MAX];
    for (int d = 0; d < a->n; d++) {
        int letter = a->letter[d];
        if (find(b, letter) < 0) {
            fa[na++] = letter;
            sm *= a->a->shape[d];
        } else if (wanted_later(p, letter)) {
            batch[nb++] = letter;
            sb *= a->a->shape[d];
        } else {
            inner[ni++] = letter;
            sk *= a->a->shape[d];
        }
    }
    for (int d = 0; d < b->n; d++) {
        if (find(a, b->letter[d]) >= 0) continue;
        fb[nn++] = b->letter[d];
        sn *= b->a->shape[d];
    }
    out->n = 0;
    if (nb + na + nn > NKX_ND_MAX)
        return nkx_nd_fail(e, "ValueError", "too many subscripts in einsum");
    for (int i = 0; i < nb; i++) oa[i] = ob[i] = out->letter[out->n++] = batch[i];
    for (int i = 0; i < na; i++) oa[nb + i] = out->letter[out->n++] = fa[i];
    for (int i = 0; i < ni; i++) oa[nb + na + i] = ob[nb + i] = inner[i];
    for (int i = 0; i < nn; i++) ob[nb + ni + i] = out->letter[out->n++] = fb[i];
    for (n = 0; n < out->n; n++) {
        int d = find(a, out->letter[n]);
        shape[n] = d >= 0 ? a->a->shape[d] : b->a->shape[find(b, out->letter[n])];
    }
    nkx_ndarray *ma = as_matrix(a, oa, (int64_t[]){sb, sm, sk}, e),
                *mb = as_matrix(b, ob, (int64_t[]){sb, sk, sn}, e), *r = NULL;
    if (ma != NULL && mb != NULL) r = nkx_nd_matmul(ma, mb, e);
    nkx_nd_drop(ma);
    nkx_nd_drop(mb);
    out->a = r != NULL ? nkx_nd_reshape(r, n, shape, 'C', e) : NULL;
    nkx_nd_drop(r);
    return out->a != NULL;
}

/* The letters that occur once, in order, when the arrow is not written; ellipsis first. */
static void implicit_output(const term *terms, int n, int dots, term *out)
{
    out->n = 0;
    for (int k = dots - 1; k >= 0; k--) out->letter[out->n++] = DOTS + k;
    for (int c = 'A'; c <= 'z'; c++) {
        int count = 0;
        for (int k = 0; k < n; k++) {
            for (int d = 0; d < terms[k].n; d++) count += terms[k].letter[d] == c;
        }
        if (count == 1 && out->n < NKX_ND_MAX) out->letter[out->n++] = c;
    }
}

/* Splits the text and reads all operands. */
static bool read_spec(const char *spec, int n, nkx_ndarray *const *in, term *terms, term *out,
                      nkx_nd_error *e)
{
    const char *arrow = strstr(spec, "->"), *end = arrow != NULL ? arrow : spec + strlen(spec),
               *s = spec;
    int dots_most = 0;
    for (int k = 0; k < n; k++) {
        const char *comma = memchr(s, ',', (size_t)(end - s)), *stop = comma != NULL ? comma : end;
        int named = 0, dots = 0;
        if (k + 1 < n && comma == NULL)
            return nkx_nd_fail(e, "ValueError",
                               "more operands provided to einstein sum function than specified in "
                               "the subscripts string");
        if (k + 1 == n && comma != NULL)
            return nkx_nd_fail(e, "ValueError",
                               "fewer operands provided to einstein sum function than specified in "
                               "the subscripts string");
        for (const char *c = s; c < stop; c++) {
            named += *c != ' ' && *c != '.';
            if (*c == '.') dots = 1;
        }
        dots = dots ? in[k]->ndim - named : 0;
        if (dots < 0 ||
            (dots == 0 && named != in[k]->ndim && memchr(s, '.', (size_t)(stop - s)) == NULL)) {
            return nkx_nd_fail(
                e, "ValueError",
                "einstein sum subscripts string contains %s subscripts for operand %d",
                named > in[k]->ndim ? "too many" : "too few", k);
        }
        if (!read_letters(s, stop, dots, &terms[k], e)) return false;
        dots_most = dots > dots_most ? dots : dots_most;
        s = stop + 1;
    }
    if (arrow == NULL) {
        implicit_output(terms, n, dots_most, out);
        return true;
    }
    if (!read_letters(arrow + 2, arrow + strlen(arrow), dots_most, out, e)) return false;
    for (int d = 0; d < out->n; d++) {
        bool known = false;
        for (int k = 0; k < n; k++) known = known || find(&terms[k], out->letter[d]) >= 0;
        if (!known)
            return nkx_nd_fail(e, "ValueError",
                               "einstein sum subscripts string included output subscript '%c' "
                               "which never appeared in an input",
                               out->letter[d]);
        for (int k = 0; k < d; k++) {
            if (out->letter[k] == out->letter[d])
                return nkx_nd_fail(
                    e, "ValueError",
                    "einstein sum subscripts string includes output subscript '%c' multiple times",
                    out->letter[d]);
        }
    }
    return true;
}

static nkx_ndarray *run(plan *p, term *terms, int n, nkx_nd_error *e)
{
    term cur = terms[0];
    terms[0].a = NULL;
    p->terms = terms + 1;
    p->n = n - 1;
    bool ok = take_diagonals(&cur, e);
    while (ok && p->n > 0) {
        term next = p->terms[0], joined = {0};
        p->terms[0].a = NULL;
        p->terms++;
        p->n--;
        ok = take_diagonals(&next, e);
        p->mate = &next;
        ok = ok && sum_out(&cur, wanted_by, p, e);
        p->mate = &cur;
        ok = ok && sum_out(&next, wanted_by, p, e);
        ok = ok && drop_ones(&cur, &next, e) && drop_ones(&next, &cur, e) &&
             contract(p, &cur, &next, &joined, e);
        nkx_nd_drop(cur.a);
        nkx_nd_drop(next.a);
        cur = joined;
    }
    p->mate = NULL;
    ok = ok && sum_out(&cur, wanted_by, p, e);
    nkx_ndarray *r = NULL;
    if (ok) {
        int64_t axes[NKX_ND_MAX];
        for (int d = 0; d < cur.n; d++) axes[d] = find(&cur, p->out.letter[d]);
        r = nkx_nd_transpose(cur.a, axes, cur.n, e);
    }
    nkx_nd_drop(cur.a);
    return r;
}

nkx_ndarray *nkx_nd_einsum(const char *spec, int n, nkx_ndarray *const *in, nkx_nd_error *e)
{
    term terms[MAX_TERMS] = {0};
    plan p = {0};
    nkx_dtype t;
    if (n < 1)
        return nkx_nd_null(e, "ValueError",
                           "must provide at least an operand and a subscripts list to einsum");
    if (n > MAX_TERMS)
        return nkx_nd_null(e, "ValueError", "einsum of more than %d operands", MAX_TERMS);
    if (!read_spec(spec, n, in, terms, &p.out, e)) return NULL;
    t = (nkx_dtype)in[0]->dtype;
    for (int k = 1; k < n; k++) t = nkx_promote(t, (nkx_dtype)in[k]->dtype);
    /* Small floats are summed in float32, as their products are. */
    bool small = nkx_dtype_is_float(t) && t != NKX_DT_FP64 && t != NKX_DT_FP32;
    for (int k = 0; k < n; k++) terms[k].a = nkx_nd_as(in[k], small ? NKX_DT_FP32 : t);
    nkx_ndarray *r = run(&p, terms, n, e);
    for (int k = 0; k < n; k++) nkx_nd_drop(terms[k].a);
    if (r == NULL) return NULL;
    nkx_ndarray *typed = n == 1 && r->dtype == t ? nkx_nd_ref(r) : nkx_nd_astype(r, t);
    nkx_nd_drop(r);
    return nkx_nd_to_scalar_take(typed);
}

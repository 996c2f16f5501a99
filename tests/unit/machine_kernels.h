/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The four steps of a tiled matrix product as instruction streams: [K,M] x [K,N] to [M,N], from
 * tile by tile to blocked in all three dimensions. For tests of the machine layer.
 */
#ifndef NKX_TESTS_MACHINE_KERNELS_H
#define NKX_TESTS_MACHINE_KERNELS_H

#include "tests/unit/machine_support.h"

enum { TK = 128, TM = 128, TN = 512, MOST_TILES = 512 };

typedef struct mm_problem {
    mach *m;
    int64_t M, K, N, bytes; /* of an element */
    nkx_storage *lhs, *rhs, *out;
    nkx_engine copy_engine; /* of PSUM to SBUF */
} mm_problem;

static inline void mm_begin(mm_problem *p, mach *m, int64_t M, int64_t K, int64_t N, int64_t bytes)
{
    *p = (mm_problem){m, M, K, N, bytes, NULL, NULL, NULL, NKX_ACT};
    p->lhs = nkx_storage_external(&m->core, NULL, K, M * bytes, (nkx_span){0}, "lhsT", "");
    p->rhs = nkx_storage_external(&m->core, NULL, K, N * bytes, (nkx_span){0}, "rhs", "");
    p->out = mach_tile(m, NKX_SPACE_SHARED_HBM, M, N * bytes, "out");
}

static inline void mm_end(mm_problem *p)
{
    nkx_storage_drop(p->lhs);
    nkx_storage_drop(p->rhs);
    nkx_storage_drop(p->out);
}

static inline nkx_storage *mm_load(mm_problem *p, nkx_storage *from, int64_t row, int64_t col,
                                   int64_t cols, uint32_t at)
{
    nkx_storage *t = mach_tile(p->m, NKX_SPACE_SBUF, TK, cols * p->bytes, "tile");
    int64_t b = p->bytes;
    assert_true(mach_dma(p->m, mach_all(t, true, "dst"),
                         mach_rect(from, row, row + TK, col * b, (col + cols) * b, false, "src"),
                         at));
    return t;
}

static inline void mm_multiply(mm_problem *p, nkx_storage *ps, nkx_storage *l, int64_t lc,
                               nkx_storage *r, int64_t rc, uint32_t at)
{
    int64_t b = p->bytes;
    assert_true(mach_matmul(p->m, mach_all(ps, true, "dst"),
                            mach_rect(l, 0, TK, lc * b, (lc + TM) * b, false, "stationary"),
                            mach_rect(r, 0, TK, rc * b, (rc + TN) * b, false, "moving"), TK, TM, TN,
                            p->bytes == 4, at));
}

static inline void mm_store(mm_problem *p, nkx_storage *ps, int64_t m, int64_t n, uint32_t at)
{
    int64_t b = p->bytes;
    nkx_storage *t = mach_tile(p->m, NKX_SPACE_SBUF, TM, TN * b, "result");
    nkx_region src = mach_all(ps, false, "src");
    assert_true(mach_work(p->m, "tensor_copy", p->copy_engine, NKX_COST_ACT_COPY, TN,
                          mach_all(t, true, "dst"), &src, 1, at));
    assert_true(mach_dma(
        p->m, mach_rect(p->out, m * TM, (m + 1) * TM, n * TN * b, (n + 1) * TN * b, true, "dst"),
        mach_all(t, false, "src"), at + 1));
    nkx_storage_drop(t);
}

static inline void mm_tiled(mm_problem *p)
{
    for (int64_t m = 0; m < p->M / TM; m++) {
        for (int64_t n = 0; n < p->N / TN; n++) {
            nkx_storage *ps = mach_tile(p->m, NKX_SPACE_PSUM, TM, TN * 4, "psum");
            for (int64_t k = 0; k < p->K / TK; k++) {
                nkx_storage *l = mm_load(p, p->lhs, k * TK, m * TM, TM, 10);
                nkx_storage *r = mm_load(p, p->rhs, k * TK, n * TN, TN, 11);
                mm_multiply(p, ps, l, 0, r, 0, 12);
                nkx_storage_drop(l);
                nkx_storage_drop(r);
            }
            mm_store(p, ps, m, n, 13);
            nkx_storage_drop(ps);
        }
    }
}

static inline void mm_drop_all(nkx_storage **t, int64_t n)
{
    for (int64_t i = 0; i < n; i++) nkx_storage_drop(t[i]);
}

/* Blocks of bm x bn tiles of the result; whole columns of K stay in SBUF. 1 x 1: loads hoisted
 * only. */
static inline void mm_blocked_free(mm_problem *p, int64_t bm, int64_t bn)
{
    int64_t kt = p->K / TK;
    nkx_storage *l[MOST_TILES], *r[MOST_TILES];
    for (int64_t m = 0; m < p->M / TM; m += bm) {
        for (int64_t i = 0; i < bm * kt; i++)
            l[i] = mm_load(p, p->lhs, i % kt * TK, (m + i / kt) * TM, TM, 20);
        for (int64_t n = 0; n < p->N / TN; n += bn) {
            for (int64_t i = 0; i < bn * kt; i++)
                r[i] = mm_load(p, p->rhs, i % kt * TK, (n + i / kt) * TN, TN, 21);
            for (int64_t i = 0; i < bm * bn; i++) {
                nkx_storage *ps = mach_tile(p->m, NKX_SPACE_PSUM, TM, TN * 4, "psum");
                for (int64_t k = 0; k < kt; k++)
                    mm_multiply(p, ps, l[i / bn * kt + k], 0, r[i % bn * kt + k], 0, 22);
                mm_store(p, ps, m + i / bn, n + i % bn, 23);
                nkx_storage_drop(ps);
            }
            mm_drop_all(r, bn * kt);
        }
        mm_drop_all(l, bm * kt);
    }
}

typedef struct mm_block {
    int64_t m, n, k; /* tiles in a block */
} mm_block;

static inline void mm_block_products(mm_problem *p, mm_block b, nkx_storage **tmp, nkx_storage **l,
                                     nkx_storage **r)
{
    for (int64_t n = 0; n < b.n; n++) {
        for (int64_t m = 0; m < b.m; m++) {
            nkx_storage *ps = mach_tile(p->m, NKX_SPACE_PSUM, TM, TN * 4, "psum");
            nkx_storage *t = tmp[m * b.n + n];
            for (int64_t k = 0; k < b.k; k++) mm_multiply(p, ps, l[k], m * TM, r[k], n * TN, 32);
            nkx_region src[2] = {mach_all(t, false, "data1"), mach_all(ps, false, "data2")};
            assert_true(mach_work(p->m, "tensor_tensor", NKX_DVE, NKX_COST_DVE, TN,
                                  mach_all(t, true, "dst"), src, 2, 33));
            nkx_storage_drop(ps);
        }
    }
}

static inline void mm_block_store(mm_problem *p, mm_block b, nkx_storage **tmp, int64_t m,
                                  int64_t n)
{
    int64_t by = p->bytes;
    for (int64_t i = 0; i < b.m; i++) {
        nkx_storage *packed = mach_tile(p->m, NKX_SPACE_SBUF, TM, b.n * TN * 4, "packed");
        for (int64_t k = 0; k < b.n; k++) {
            nkx_region src = mach_all(tmp[i * b.n + k], false, "src");
            assert_true(mach_work(
                p->m, "tensor_copy", NKX_DVE, NKX_COST_DVE, TN,
                mach_rect(packed, 0, TM, k * TN * 4, (k + 1) * TN * 4, true, "dst"), &src, 1, 34));
        }
        nkx_region src = mach_all(packed, false, "src");
        int64_t row = (m * b.m + i) * TM;
        assert_true(mach_dma(p->m,
                             mach_rect(p->out, row, row + TM, n * b.n * TN * by,
                                       (n + 1) * b.n * TN * by, true, "dst"),
                             src, 35));
        nkx_storage_drop(packed);
    }
}

/* Blocked in all dimensions: partial sums of a whole column of blocks stay in SBUF. */
static inline void mm_blocked(mm_problem *p, mm_block b)
{
    int64_t nm = p->M / TM / b.m, per = b.m * b.n;
    nkx_storage *tmp[MOST_TILES], *l[MOST_TILES], *r[MOST_TILES];
    for (int64_t n = 0; n < p->N / TN / b.n; n++) {
        for (int64_t i = 0; i < nm * per; i++) {
            tmp[i] = mach_tile(p->m, NKX_SPACE_SBUF, TM, TN * p->bytes, "sum");
            assert_true(mach_work(p->m, "memset", NKX_DVE, NKX_COST_DVE,
                                  p->bytes == 2 ? TN / 2 : TN, mach_all(tmp[i], true, "dst"), NULL,
                                  0, 30));
        }
        for (int64_t k = 0; k < p->K / TK / b.k; k++) {
            for (int64_t i = 0; i < b.k; i++)
                r[i] = mm_load(p, p->rhs, (k * b.k + i) * TK, n * b.n * TN, b.n * TN, 31);
            for (int64_t m = 0; m < nm; m++) {
                for (int64_t i = 0; i < b.k; i++)
                    l[i] = mm_load(p, p->lhs, (k * b.k + i) * TK, m * b.m * TM, b.m * TM, 31);
                mm_block_products(p, b, tmp + m * per, l, r);
                mm_drop_all(l, b.k);
            }
            mm_drop_all(r, b.k);
        }
        for (int64_t m = 0; m < nm; m++) {
            mm_block_store(p, b, tmp + m * per, m, n);
            mm_drop_all(tmp + m * per, per);
        }
    }
}

#endif

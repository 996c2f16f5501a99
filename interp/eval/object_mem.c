/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of counted values. Layer eval. Objects of up to 512 bytes live in slabs of 64 KiB that
 * hold cells of one size; a slab begins with the VM it belongs to, so that dropping the last
 * reference needs no argument. Freed cells go to a free list of the VM. The slabs are also the list
 * of live objects: a cell with references is one.
 */
#include "interp/eval/objects.h"

#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#define NKX_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define NKX_ASAN 1
#endif
#endif
#ifdef NKX_ASAN
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(p, n)   ((void)(p), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#endif

enum { SLAB_BYTES = 65536, CELL_STEP = 16, MAX_CELL = 512, MAX_FREE_DEPTH = 200 };

typedef struct nkx_slab {
    nkx_vm *vm;
    struct nkx_slab *next;
    uint32_t cell, n;
    uint64_t pad;
} nkx_slab;

typedef struct nkx_large {
    nkx_vm *vm;
    struct nkx_large *next, *prev;
    size_t bytes;
} nkx_large;

/* A free cell: refs is 0, and the next free one follows the head. */
typedef struct free_cell {
    nkx_obj head;
    struct free_cell *next;
} free_cell;

static nkx_slab *slab_of(const nkx_obj *o)
{
    return (nkx_slab *)((uintptr_t)o & ~(uintptr_t)(SLAB_BYTES - 1)); /* NOLINT */
}

static nkx_large *large_of(const nkx_obj *o)
{
    return (nkx_large *)(uintptr_t)((const char *)o - sizeof(nkx_large)); /* NOLINT */
}

nkx_vm *nkx_obj_vm(const nkx_obj *o)
{
    return o->cls != 0 ? slab_of(o)->vm : large_of(o)->vm;
}

static void add_slab(nkx_vm *vm, unsigned cls)
{
    nkx_slab *s = aligned_alloc(SLAB_BYTES, SLAB_BYTES);
    if (s == NULL) nkx_fatal(__FILE__, __LINE__, "out of memory");
    s->vm = vm;
    s->cell = cls * CELL_STEP;
    s->n = (uint32_t)((SLAB_BYTES - sizeof *s) / s->cell);
    s->next = vm->slabs[cls];
    vm->slabs[cls] = s;
    char *at = (char *)(s + 1);
    free_cell *list = NULL;
    for (uint32_t i = s->n; i-- > 0;) {
        free_cell *c = (free_cell *)(void *)(at + (size_t)i * s->cell);
        c->head = (nkx_obj){0};
        c->head.cls = (uint16_t)cls;
        c->next = list;
        list = c;
    }
    vm->free[cls] = &list->head;
}

static void *new_large(nkx_vm *vm, nkx_vtype type, size_t size)
{
    nkx_large *l = nkx_alloc(sizeof *l + size);
    l->vm = vm;
    l->bytes = size;
    l->next = vm->large;
    if (vm->large != NULL) vm->large->prev = l;
    vm->large = l;
    nkx_obj *o = (nkx_obj *)(void *)(l + 1);
    o->refs = 1;
    o->type = (uint8_t)type;
    vm->n_live++;
    vm->bytes += size;
    return o;
}

/* Small cells by stores of a known length: a call of memset costs more than the rest. */
static inline void zero(void *c, unsigned cls)
{
    switch (cls) {
    case 1: memset(c, 0, CELL_STEP); return;
    case 2: memset(c, 0, 2 * (size_t)CELL_STEP); return;
    case 3: memset(c, 0, 3 * (size_t)CELL_STEP); return;
    case 4: memset(c, 0, 4 * (size_t)CELL_STEP); return;
    default: memset(c, 0, cls * (size_t)CELL_STEP); return;
    }
}

void *nkx_obj_new(nkx_vm *vm, nkx_vtype type, size_t size)
{
    if (size > MAX_CELL) return new_large(vm, type, size);
    unsigned cls = (unsigned)((size + CELL_STEP - 1) / CELL_STEP);
    if (vm->free[cls] == NULL) add_slab(vm, cls);
    free_cell *c = (free_cell *)(void *)vm->free[cls];
    ASAN_UNPOISON_MEMORY_REGION((char *)c + sizeof(free_cell), cls * CELL_STEP - sizeof(free_cell));
    vm->free[cls] = (nkx_obj *)c->next;
    zero(c, cls);
    c->head = (nkx_obj){.refs = 1, .type = (uint8_t)type, .cls = (uint16_t)cls};
    vm->n_live++;
    vm->bytes += cls * (size_t)CELL_STEP;
    return c;
}

static void free_cell_of(nkx_vm *vm, nkx_obj *o)
{
    vm->n_live--;
    if (o->cls == 0) {
        nkx_large *l = large_of(o);
        if (l->prev != NULL) l->prev->next = l->next;
        if (l->next != NULL) l->next->prev = l->prev;
        if (vm->large == l) vm->large = l->next;
        vm->bytes -= l->bytes;
        free(l);
        return;
    }
    free_cell *c = (free_cell *)(void *)o;
    unsigned cls = o->cls;
    vm->bytes -= cls * (size_t)CELL_STEP;
    o->refs = 0;
    c->next = (free_cell *)(void *)vm->free[cls];
    vm->free[cls] = o;
    ASAN_POISON_MEMORY_REGION((char *)c + sizeof(free_cell), cls * CELL_STEP - sizeof(free_cell));
}

/*
 * A long chain of objects is freed in a loop, not by recursion: past a depth the rest waits in
 * the VM's list until the outermost call is back.
 */
void nkx_obj_free(nkx_obj *o)
{
    nkx_vm *vm = nkx_obj_vm(o);
    if (o->type == NKX_V_TENSOR) { /* the most frequent: holds no values */
        nkx_obj_clear(o);
        free_cell_of(vm, o);
        return;
    }
    if (vm->free_depth >= MAX_FREE_DEPTH) {
        nkx_push(&vm->to_free, o);
        return;
    }
    vm->free_depth++;
    nkx_obj_clear(o);
    free_cell_of(vm, o);
    vm->free_depth--;
    if (vm->free_depth != 0) return;
    while (vm->to_free.n > 0) {
        nkx_obj *next = vm->to_free.at[--vm->to_free.n];
        vm->free_depth++;
        nkx_obj_clear(next);
        free_cell_of(vm, next);
        vm->free_depth--;
    }
}

/* Calls fn for every live object. fn may free objects only through drops that leave others alive.
 */
static void each_live(nkx_vm *vm, void (*fn)(nkx_vm *vm, nkx_obj *o))
{
    for (unsigned cls = 0; cls < NKX_COUNT(vm->slabs); cls++) {
        for (nkx_slab *s = vm->slabs[cls]; s != NULL; s = s->next) {
            for (uint32_t i = 0; i < s->n; i++) {
                nkx_obj *o = (nkx_obj *)(void *)((char *)(s + 1) + (size_t)i * s->cell);
                if (o->refs != 0) fn(vm, o);
            }
        }
    }
    for (nkx_large *l = vm->large, *next; l != NULL; l = next) {
        next = l->next;
        fn(vm, (nkx_obj *)(void *)(l + 1));
    }
}

static void hold(nkx_vm *vm, nkx_obj *o)
{
    (void)vm;
    o->refs++;
}

static void clear(nkx_vm *vm, nkx_obj *o)
{
    (void)vm;
    nkx_obj_clear(o);
}

static void release(nkx_vm *vm, nkx_obj *o)
{
    free_cell_of(vm, o);
}

/* Rings: everything alive is held, then emptied. The shells stay until nkx_obj_release_memory. */
void nkx_obj_sweep(nkx_vm *vm)
{
    each_live(vm, hold);
    each_live(vm, clear);
}

void nkx_obj_release_memory(nkx_vm *vm)
{
    each_live(vm, release);
    for (unsigned cls = 0; cls < NKX_COUNT(vm->slabs); cls++) {
        for (nkx_slab *s = vm->slabs[cls], *next; s != NULL; s = next) {
            next = s->next;
            ASAN_UNPOISON_MEMORY_REGION(s, SLAB_BYTES);
            free(s);
        }
    }
    nkx_vec_fini(&vm->to_free);
}

bool nkx_reserve(nkx_vm *vm, uint64_t bytes)
{
    uint64_t limit = vm->o.limits.max_bytes;
    if (limit == 0 || (bytes <= limit && vm->bytes <= limit - bytes)) return true;
    return nkx_raise(vm, NKX_E250, "MemoryError",
                     "%llu more bytes of host values on top of %llu pass the limit of %llu",
                     (unsigned long long)bytes, (unsigned long long)vm->bytes,
                     (unsigned long long)limit);
}

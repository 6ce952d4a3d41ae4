/* Kernels for short sums, which add in the lanes of vector registers, on arrays of any stride and
 * length: terms with a stride are gathered in blocks, and long arrays are shared out to threads.
 * The sums of blocks and shares are known but for some units, and are joined. */
#ifndef ACCORDI_EXACT_DIRECT_LANES_H
#define ACCORDI_EXACT_DIRECT_LANES_H

#include "base/environment.h"
#include "base/parallel.h"
#include "exact/direct/direct.h"
#include "exact/direct/sample.h"
#include "exact/kernels/kernels.h"
#include <stdatomic.h>

enum {
    GATHERED = 512,       /* terms of a block */
    RANGE = 1 << 15,      /* terms: less is not worth a thread … */
    LONG_RANGE = 1 << 17, /* … and kernels fetch ahead what comes from memory in such ranges */
    WORKERS = 64
};

/* The environment of kernels, for those that need one (kernels.h). To read the flags twice takes as
 * long as some dozen terms. */
typedef struct surroundings {
    bool entered;
    accordi_environment before;
} surroundings;

static inline surroundings enter_kernels(void)
{
    bool (*is_calm)(void) = accordi_exact_kernels_best()->is_calm;
    surroundings s = {.entered = !is_calm || !is_calm()};
    if (s.entered)
        s.before = accordi_environment_enter();
    return s;
}

static inline void leave_kernels(surroundings s)
{
    if (s.entered)
        accordi_environment_leave(s.before);
}

static const accordi_exact_close nothing = {0, 0, 0, INT32_MIN / 2};

static const void *gather(const source *s, const char *x, ptrdiff_t step, char *to)
{
    if (step == size_of(s->l))
        return x;
    for (size_t i = 0; i < s->n; i++, x += step)
        if (size_of(s->l) == 8)
            memcpy(to + 8 * i, x, 8);
        else
            memcpy(to + 4 * i, x, 4);
    return to;
}

static source part_of(const source *s, size_t from, size_t n)
{
    source part = *s;
    part.n = n;
    part.x += (ptrdiff_t)from * s->step_x;
    if (s->product)
        part.y += (ptrdiff_t)from * s->step_y;
    return part;
}

/* Kernels want a few terms at least, also in the last block. */
static __attribute__((noinline)) bool run_gathered(const source *s,
                                                   accordi_exact_short_kernel *kernel, int folds,
                                                   accordi_exact_close *out)
{
    _Alignas(64) char block[2][GATHERED * sizeof(double)];
    *out = nothing;
    for (size_t from = 0, count; from < s->n; from += count) {
        count = s->n - from;
        if (count > GATHERED)
            count = count - GATHERED < 64 ? GATHERED / 2 : GATHERED;
        source part = part_of(s, from, count);
        accordi_exact_close sum = nothing;
        if (!kernel(count, gather(&part, part.x, s->step_x, block[0]),
                    s->product ? gather(&part, part.y, s->step_y, block[1]) : NULL, folds, &sum))
            return false;
        accordi_exact_join_close(out, sum);
    }
    return true;
}

/* In the environment of kernels, as are those that call it. */
static bool run_short_kernel(const source *s, accordi_exact_short_kernel *kernel, int folds,
                             accordi_exact_close *out)
{
    return is_plain(s) ? kernel(s->n, s->x, s->y, folds, out) : run_gathered(s, kernel, folds, out);
}

typedef struct shares {
    const source *s;
    accordi_exact_short_kernel *kernel;
    int folds;
    size_t terms; /* of a share */
    atomic_bool failed;
    accordi_exact_close sum[WORKERS];
} shares;

static void run_share(void *context, size_t item, int worker)
{
    shares *all = context;
    size_t terms = all->terms, from = item * terms, left = all->s->n - from;
    source part = part_of(all->s, from, left < 2 * terms ? left : terms); /* last: the rest */
    accordi_exact_close sum = nothing;
    if (atomic_load(&all->failed))
        return;
    surroundings before = enter_kernels(); /* of this thread */
    bool found = run_short_kernel(&part, all->kernel, all->folds, &sum);
    leave_kernels(before);
    if (found)
        accordi_exact_join_close(all->sum + worker, sum);
    else
        atomic_store(&all->failed, true);
}

static __attribute__((noinline)) bool run_shares(const source *s,
                                                 accordi_exact_short_kernel *kernel, int folds,
                                                 int threads, accordi_exact_close *out)
{
    shares all = {s, kernel, folds, .terms = s->n < LONG ? RANGE : LONG_RANGE};
    if (threads > WORKERS)
        threads = WORKERS;
    for (int i = 0; i < threads; i++)
        all.sum[i] = nothing;
    accordi_parallel(s->n / all.terms, threads, run_share, &all);
    if (atomic_load(&all.failed))
        return false;
    *out = nothing;
    for (int i = 0; i < threads; i++)
        accordi_exact_join_close(out, all.sum[i]);
    return true;
}

#endif

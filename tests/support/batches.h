/* Random batches whose sums are known: small whole numbers, so that every order gives the same. */
#ifndef BATCHES_H
#define BATCHES_H

#include "base/base.h"
#include <accord/target.h>
#include <unistd.h>

/* The folder this was built in, the one above this program's own. */
static inline const char *build_folder(void)
{
    static char folder[4096];
    const char *named = getenv("ACCORD_BUILD");
    ssize_t length = readlink("/proc/self/exe", folder, sizeof folder - 1);
    folder[length < 0 ? 0 : length] = '\0';
    for (int up = 0; up < 2; up++)
        if (strrchr(folder, '/'))
            *strrchr(folder, '/') = '\0';
    return named ? named : folder;
}

typedef struct random_batch {
    accord_batch batch;
    uint32_t *start, *index;
    double *value;
    double *expected; /* one for each probe, by a second implementation */
} random_batch;

/* The terms of probe p of a sparse batch: what the header says, word by word, in a fresh row. */
static inline void expected_terms(const accord_batch *b, size_t n, size_t p, double *x)
{
    for (size_t k = 0; k < n; k++)
        x[k] = b->fill;
    for (size_t q = 0; q <= p; q++)
        for (uint32_t w = b->start[2 * q]; w < b->start[2 * q + 1]; w++)
            x[b->index[w]] = b->value[w];
    for (uint32_t w = b->start[2 * p + 1]; w < b->start[2 * p + 2]; w++)
        x[b->index[w]] = b->value[w];
}

static inline double expected_sum(const accord_batch *b, size_t n, size_t p)
{
    double *x = accordi_alloc(n, sizeof *x), sum = 0;
    expected_terms(b, n, p, x);
    for (size_t k = 0; k < n; k++)
        sum += x[k];
    free(x);
    return sum;
}

static inline random_batch random_batch_new(accordi_rng *rng, size_t n, size_t probes)
{
    random_batch r = {0};
    r.start = accordi_alloc(2 * probes + 1, sizeof *r.start);
    r.index = accordi_alloc(8 * probes, sizeof *r.index);
    r.value = accordi_alloc(8 * probes, sizeof *r.value);
    r.expected = accordi_alloc(probes, sizeof *r.expected);
    uint32_t count = 0;
    for (size_t s = 0; s < 2 * probes; s++) {
        r.start[s] = count;
        for (uint64_t w = accordi_rng_below(rng, 4); w > 0; w--) {
            r.index[count] = (uint32_t)accordi_rng_below(rng, n);
            r.value[count++] = (double)accordi_rng_below(rng, 17) - 8;
        }
    }
    r.start[2 * probes] = count;
    r.batch = (accord_batch){.probes = probes,
                             .fill = (double)accordi_rng_below(rng, 3),
                             .start = r.start,
                             .index = r.index,
                             .value = r.value};
    for (size_t p = 0; p < probes; p++)
        r.expected[p] = expected_sum(&r.batch, n, p);
    return r;
}

static inline void random_batch_free(random_batch *r)
{
    free(r->start);
    free(r->index);
    free(r->value);
    free(r->expected);
}

#endif

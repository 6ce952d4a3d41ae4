/* The table of kernels and the choice among its rows. */
#include "exact/kernels/kernels.h"
#include <accord/exact_blas.h>

/* The first one that the machine can run is used; the last one is for tests. */
static const accordi_exact_kernels *const rows[] = {
#if defined __x86_64__ && defined __GNUC__
    &accordi_exact_kernels_avx512, &accordi_exact_kernels_avx2,    &accordi_exact_kernels_sse2,
#elif defined __aarch64__
    &accordi_exact_kernels_neon,
#endif
    &accordi_exact_kernels_scalar, &accordi_exact_kernels_generic,
};
enum { ROWS = sizeof rows / sizeof *rows };

/* What the compiler was allowed to use for a row. */
static const struct {
    const char *name, *needs[2];
} needs[] = {
    {"avx512", {"avx512", "fma"}},
    {"avx2", {"avx2", "fma"}},
    {"neon", {"neon", "neon"}},
    {"sse2", {"sse2", "sse2"}},
};

const accordi_exact_kernels *accordi_exact_kernels_at(size_t row)
{
    return row < ROWS ? rows[row] : NULL;
}

bool accordi_exact_kernels_usable(const accordi_exact_kernels *row)
{
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
        if (strcmp(row->name, needs[i].name) == 0)
            return accordi_cpu_has(needs[i].needs[0]) && accordi_cpu_has(needs[i].needs[1]);
    return true;
}

_Atomic(const accordi_exact_kernels *) accordi_exact_known;

/* Threads that come here at once find the same. */
const accordi_exact_kernels *accordi_exact_find_kernels(void)
{
    const accordi_exact_kernels *best = NULL;
    for (size_t i = ROWS; i-- > 0;)
        if (rows[i] && accordi_exact_kernels_usable(rows[i])) /* generic: in tests alone */
            best = rows[i];
    atomic_store_explicit(&accordi_exact_known, best, memory_order_relaxed);
    return best;
}

const char *accord_exact_kernels(void)
{
    return accordi_exact_kernels_best()->name;
}

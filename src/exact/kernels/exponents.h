/* The exponents of the terms of an array. A template: include isa_SET.h first. */
#ifndef ACCORDI_EXACT_EXPONENTS_H
#define ACCORDI_EXACT_EXPONENTS_H

#include "exact/kernels/kernels.h"

typedef struct exponents {
    int least, most; /* of the terms that are not near zero; least > most where all are */
    bool zeros;      /* or subnormal */
} exponents;

static const exponents nothing = {1024, -1024, false};

/* Of the greatest size in each lane, the least that is not near zero, less one in its upper half,
 * and the least. A call, so that compilers keep these in registers until then. */
static __attribute__((noinline)) exponents exponents_in(const uint64_t *most, const uint64_t *least,
                                                        const uint64_t *least_of_all)
{
    uint64_t m = 0, l = UINT64_MAX, z = UINT64_MAX;
    for (int i = 0; i < LANES; i++) {
        m = most[i] > m ? most[i] : m;
        l = least[i] < l ? least[i] : l;
        z = least_of_all[i] < z ? least_of_all[i] : z;
    }
    bool none = l >> 32 == 0xffffffff;
    return (exponents){none ? nothing.least : (int)((l + ((uint64_t)1 << 32)) >> 52) - 1023,
                       (int)(m >> 52) - 1023, z >> 52 == 0};
}

/* Upper halves of words tell: n >= LANES. */
ISA_FUNCTION static exponents exponents_of(const double *x, size_t n)
{
    const words size = w_splat(INT64_MAX), less = w_splat((int64_t)0xffffffff00000000);
    words most = w_splat(0), least = w_splat(-1), least_of_all = w_splat(-1);
    for (size_t i = 0; i < n; i += LANES) {
        words a = w_and(w_load(x + (i + LANES <= n ? i : n - LANES)), size);
        most = w_max32(most, a);
        least = w_min32(least, w_add32(a, less)); /* zeros are past all others */
        least_of_all = w_min32(least_of_all, a);
    }
    uint64_t m[LANES], l[LANES], z[LANES];
    w_store(m, most);
    w_store(l, least);
    w_store(z, least_of_all);
    return exponents_in(m, l, z);
}

static exponents exponents_of_both(exponents a, exponents b)
{
    return (exponents){a.least < b.least ? a.least : b.least, a.most > b.most ? a.most : b.most,
                       a.zeros || b.zeros};
}

#endif

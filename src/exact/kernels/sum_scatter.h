/* Level 2 of exact sums: every term goes into the bin of its sign and exponent. A template: include
 * isa_SET.h first.
 *
 * In: terms of f64 of any range. Out: their exact sum is in the limbs.
 *
 * Idea. A double is (-1)^s m 2^(e - 1075), m < 2^53. Its upper 12 bits, s and e, are the number of
 * one of 4096 bins: a 64-bit integer to which m is added. No branch depends on the data, and the
 * range of the data does not matter. This is the large superaccumulator of Neal (arXiv:1505.05571)
 * without its counters: the carry flag of the addition shows that a bin is full, and the carry goes
 * straight into the limbs.
 *
 * Two bins have another meaning: e = 0 (zeros and subnormals, without hidden bit) and e = 2047
 * (infinities and NaN). They are emptied after each block; within a block they cannot overflow,
 * because terms are below 2^53 and BLOCK * 2^53 = 2^64. If bin 0 is not empty, the block's terms
 * with e = 0 are counted, and as many hidden bits are subtracted. If bin 2047 is not empty, its
 * terms are added one by one.
 *
 * The table has the size of the first-level cache of many processors, 32 KB, and terms of a wide
 * range use most of it: a second one, for terms at odd places, would let additions to the same bin
 * overlap, but what is lost in the cache is more.
 *
 * At the end, each GROUP of exponents becomes one integer: bin e counts units of 2^(e - 1075), and
 * the bins are combined by Horner's rule, LANES exponents per vector, the lower and the upper 32
 * bits separately. Bound: a lane stays below 2^32 * 2^(GROUP - LANES + 1) <= 2^62. */
#ifndef ACCORDI_EXACT_SUM_SCATTER_H
#define ACCORDI_EXACT_SUM_SCATTER_H

#include "exact/kernels/fetch.h"
#include "exact/kernels/kernels.h"

enum {
    SCATTER_BLOCK = 2048,
    SCATTER_SIGN = 2048, /* bins from here on are those of negative terms */
    SCATTER_SPECIAL = 2047,
    SCATTER_BINS = 4096,
    SCATTER_GROUP = LANES <= 2 ? 16 : 32,
};

typedef struct scatter {
    uint64_t bin[SCATTER_BINS + LANES]; /* the last group of exponents goes beyond */
    accordi_exact_view sum;
    int first, end; /* exponents that there may be, in whole groups */
} scatter;

/* For terms with exponent fields `least` … `most`, and with 0 and 2047. */
static inline void scatter_open_for(scatter *s, accordi_exact_view sum, int least, int most)
{
    s->sum = sum;
    s->first = least < 1 ? 1 : least - (least - 1) % SCATTER_GROUP;
    s->end = most < 1 ? 1 : most + SCATTER_GROUP - (most - 1) % SCATTER_GROUP;
    for (int sign = 0; sign <= SCATTER_SIGN; sign += SCATTER_SIGN) {
        memset(s->bin + sign + s->first, 0, sizeof *s->bin * (size_t)(s->end - s->first));
        s->bin[sign] = s->bin[sign + SCATTER_SPECIAL] = 0;
    }
}

static inline void scatter_open(scatter *s, accordi_exact_view sum)
{
    scatter_open_for(s, sum, 0, SCATTER_SPECIAL);
}

static inline uint64_t scatter_bits(const double *x)
{
    uint64_t bits;
    memcpy(&bits, x, sizeof bits);
    return bits;
}

/* What a bin's integer lost: 2^64 units of 2^(e - 1075). */
static __attribute__((noinline, cold)) void scatter_carry(accordi_exact_view sum, uint64_t bin)
{
    const int64_t one = bin & SCATTER_SIGN ? -1 : 1;
    accordi_exact_put_lanes(sum, &one, 1, (int)(bin & (SCATTER_SIGN - 1)) - 1075 + 64);
}

/* Whether additions to bins are an addition and a store each, which is faster with AVX-512, and on
 * processors of Intel with AVX2, too; with AVX2 alone others (Zen 3) are faster with one addition
 * to memory. */
static inline bool scatter_apart(void)
{
#if defined __x86_64__ && defined __GNUC__
    return LANES == 8 || __builtin_cpu_is("intel");
#else
    return false;
#endif
}

/* Whether it carries; from C, compilers may compute the carry anew. */
static inline __attribute__((always_inline)) bool scatter_add(uint64_t *bin, uint64_t m, bool apart)
{
#if defined __x86_64__ && defined __GCC_ASM_FLAG_OUTPUTS__
    bool carry;
    if (apart)
        __asm__("addq %2, %1\n\tmovq %1, %2" : "=@ccc"(carry), "+r"(m), "+m"(*bin));
    else
        __asm__("addq %2, %1" : "=@ccc"(carry), "+m"(*bin) : "r"(m));
    return carry;
#else
    (void)apart;
    return __builtin_add_overflow(*bin, m, bin);
#endif
}

static inline __attribute__((always_inline)) void scatter_one(scatter *s, const double *x,
                                                              bool apart)
{
    const uint64_t hidden = (uint64_t)1 << 52;
    uint64_t bits = scatter_bits(x), bin = bits >> 52;
    if (__builtin_expect(scatter_add(s->bin + bin, (bits & (hidden - 1)) | hidden, apart), 0))
        scatter_carry(s->sum, bin);
}

static inline __attribute__((always_inline)) void scatter_all(scatter *s, size_t n, const double *x,
                                                              bool apart)
{
    for (; n >= 8; n -= 8, x += 8) {
        fetch_ahead(x, 8 * sizeof *x);
        for (int i = 0; i < 8; i++)
            scatter_one(s, x + i, apart);
    }
    for (; n; n--, x++)
        scatter_one(s, x, apart);
}

static void scatter_terms(scatter *s, size_t n, const double *x)
{
    if (scatter_apart())
        scatter_all(s, n, x, true);
    else
        scatter_all(s, n, x, false);
}

static uint64_t scatter_take(scatter *s, int bin)
{
    uint64_t all = s->bin[bin];
    s->bin[bin] = 0;
    return all;
}

/* How many terms have e = 0, and how many of them a sign. */
typedef struct scatter_count {
    int64_t all, negative;
} scatter_count;

ISA_FUNCTION static scatter_count scatter_count_low(size_t n, const double *x)
{
    const words field = w_splat(0x7ff0000000000000);
    words all = w_splat(0), negative = w_splat(0);
    for (; n >= LANES; n -= LANES, x += LANES) {
        words a = w_load(x), low = w_zero(w_and(a, field));
        all = w_sub(all, low);
        negative = w_add(negative, w_shr(w_and(a, low), 63));
    }
    scatter_count count = {0, 0};
    int64_t lanes[2][LANES];
    w_store(lanes[0], all);
    w_store(lanes[1], negative);
    for (int i = 0; i < LANES; i++) {
        count.all += lanes[0][i];
        count.negative += lanes[1][i];
    }
    for (size_t i = 0; i < n; i++) {
        uint64_t bits = scatter_bits(x + i);
        bool low = !(bits >> 52 & SCATTER_SPECIAL);
        count.all += low;
        count.negative += low && bits >> 63;
    }
    return count;
}

/* `all`: the sum of m of the terms with e = 0 and this sign, each with a hidden bit too many. */
static void scatter_low(accordi_exact_view sum, uint64_t all, int64_t terms, bool negative)
{
    int64_t size = (int64_t)(all - ((uint64_t)terms << 52)), term = negative ? -size : size;
    if (size)
        accordi_exact_put_lanes(sum, &term, 1, -1074);
    else
        sum.count[negative ? ACCORD_EXACT_MINUS_ZEROS : ACCORD_EXACT_PLUS_ZEROS] += terms;
}

static void scatter_specials(accordi_exact_view sum, size_t n, const double *x)
{
    for (size_t i = 0; i < n; i++)
        if ((scatter_bits(x + i) >> 52 & SCATTER_SPECIAL) == SCATTER_SPECIAL) {
            accordi_exact_terms_f64(sum, 1, x + i, 1);
            sum.count[ACCORD_EXACT_TERMS]--;
        }
}

/* At most SCATTER_BLOCK terms. */
static void scatter_block(scatter *s, size_t n, const double *x)
{
    scatter_terms(s, n, x);
    uint64_t plus = scatter_take(s, 0), minus = scatter_take(s, SCATTER_SIGN);
    if (plus | minus) {
        scatter_count low = scatter_count_low(n, x);
        scatter_low(s->sum, plus, low.all - low.negative, false);
        scatter_low(s->sum, minus, low.negative, true);
    }
    if (scatter_take(s, SCATTER_SPECIAL) | scatter_take(s, SCATTER_SIGN + SCATTER_SPECIAL))
        scatter_specials(s->sum, n, x);
    s->sum.count[ACCORD_EXACT_TERMS] += (int64_t)n;
}

/* What LANES exponents hold, halves apart. */
ISA_OP void scatter_gather(const uint64_t *bin, words *lower, words *upper)
{
    const words half = w_splat(0xffffffff);
    words plus = w_load(bin), minus = w_load(bin + SCATTER_SIGN);
    *lower = w_sub(w_add(*lower, w_and(plus, half)), w_and(minus, half));
    *upper = w_sub(w_add(*upper, w_shr(plus, 32)), w_shr(minus, 32));
}

/* Most groups, where terms lie close. */
ISA_OP bool scatter_is_empty(const uint64_t *bin)
{
    words any = w_splat(0);
    for (int i = 0; i < SCATTER_GROUP; i += LANES)
        any = w_or(any, w_or(w_load(bin + i), w_load(bin + SCATTER_SIGN + i)));
    return !w_any(any);
}

/* Bins 1 … 2046. The last group goes beyond: bin 2047 is empty, 2048 too. */
ISA_FUNCTION static void scatter_flush(scatter *s)
{
    for (int first = s->first; first < s->end; first += SCATTER_GROUP) {
        if (scatter_is_empty(s->bin + first))
            continue;
        words lower = w_splat(0), upper = w_splat(0);
        for (int bin = first + SCATTER_GROUP - LANES; bin >= first; bin -= LANES) {
            lower = w_shl(lower, LANES);
            upper = w_shl(upper, LANES);
            scatter_gather(s->bin + bin, &lower, &upper);
        }
        if (!w_any(w_or(lower, upper)))
            continue;
        int64_t low[LANES], high[LANES];
        w_store(low, lower);
        w_store(high, upper);
        accordi_exact_put_steps(s->sum, low, high, LANES, first - 1075);
    }
}

static __attribute__((noinline)) void scatter_run(accordi_exact_view sum, size_t n, const double *x)
{
    scatter s;
    scatter_open(&s, sum);
    for (size_t count; n; n -= count, x += count) {
        count = n < SCATTER_BLOCK ? n : SCATTER_BLOCK;
        scatter_block(&s, count, x);
    }
    scatter_flush(&s);
}

#endif

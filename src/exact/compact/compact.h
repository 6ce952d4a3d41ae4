/* Compact accumulators: those limbs of a superaccumulator that the data have reached. Internal.
 *
 * Idea: ordinary numbers lie within a few dozen binades, so of the 70 limbs of an accumulator (136
 * for products) all but a few stay zero. A compact accumulator is a window onto the limbs: 6 at
 * first, which is 64 bytes in all, and more when a term lies outside. Nothing is ever rounded or
 * left out, so it holds the same number as the full one, and is read through the same view
 * (accumulator/exact.h). It is for programs that hold many sums at a time, as databases do, and
 * that can also take terms away again.
 *
 * Invariants: limbs and pending carries are those of limbs.c; the last limb of the window takes
 * carries alone, so that up to ACCORDI_EXACT_PENDING terms can be added without a look at it. What
 * is no ordinary number (zeros, infinities, NaN) is only counted, behind the limbs, from the first
 * such term on; zeros are counted to the end, since a removal may leave nothing but zeros. */
#ifndef ACCORDI_COMPACT_H
#define ACCORDI_COMPACT_H

#include "exact/accumulator/exact.h"

/* Where the memory comes from: `resize` works like realloc, frees if `bytes` is 0, and
 * may leave by longjmp. */
typedef struct accordi_compact_memory {
    void *(*resize)(void *context, void *block, size_t bytes);
    void *context;
} accordi_compact_memory;

typedef struct accordi_compact {
    int64_t terms;
    int16_t first;  /* word[0] is this limb of the full accumulator */
    uint16_t limbs; /* in the window */
    uint16_t pending;
    uint8_t products; /* limbs count as in accord_exact_wide, otherwise as in accord_exact */
    uint8_t odd;      /* are there counts behind the limbs? */
    int64_t word[];   /* the limbs; then the counts of accord_exact_count but for the first */
} accordi_compact;

enum {
    ACCORDI_COMPACT_LIMBS = 6,       /* at first */
    ACCORDI_COMPACT_ODD = 5,         /* counts */
    ACCORDI_COMPACT_NOWHERE = 20000, /* `first` while there are no terms */
};

/* The sum of no terms; NULL if there is no memory. It is freed as the memory was made. */
accordi_compact *accordi_compact_new(bool products, const accordi_compact_memory *memory);
/* The same in memory of accordi_compact_size(limbs, false) bytes, with at least 4 limbs (6 for
 * products). Growing, it asks for other memory, as if this came from `resize`. */
void accordi_compact_start(accordi_compact *sum, int limbs, bool products);
/* The bytes of a struct with these limbs. */
size_t accordi_compact_size(size_t limbs, bool odd);

/* What the inline functions leave to others. All return false, with *sum as it was, if there is no
 * memory or the removal is of a term that cannot have been added. */
bool accordi_compact_add_slowly(accordi_compact **sum, uint64_t x, bool remove,
                                const accordi_compact_memory *memory);
bool accordi_compact_multiply_slowly(accordi_compact **sum, uint64_t x, uint64_t y, bool remove,
                                     const accordi_compact_memory *memory);

/* Adds the double with these bits, or takes it away, if nothing but limbs has to change; false: it
 * does not. */
static inline bool accordi_compact_put_plain(accordi_compact *sum, uint64_t bits, bool remove)
{
    unsigned field = bits >> 52 & 2047, normal = field != 0, shift = field - normal;
    uint64_t hidden = (uint64_t)1 << 52, m = (bits & (hidden - 1)) | (normal ? hidden : 0);
    unsigned place = (shift >> 5) - (unsigned)sum->first;
    if (__builtin_expect(place > sum->limbs - 3u || field == 2047 || !m ||
                             sum->pending >= ACCORDI_EXACT_PENDING,
                         0))
        return false;
    int64_t sign = -(int64_t)((bits >> 63) ^ remove);
    accordi_exact_put(sum->word + place, m, shift & 31, sign);
    sum->pending++;
    sum->terms += remove ? -1 : 1;
    return true;
}

/* Adds the double with these bits, or takes away one that was added before; not of products. */
static inline bool accordi_compact_put(accordi_compact **to, uint64_t bits, bool remove,
                                       const accordi_compact_memory *memory)
{
    return accordi_compact_put_plain(*to, bits, remove) ||
           accordi_compact_add_slowly(to, bits, remove, memory);
}

static inline uint64_t accordi_compact_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline bool accordi_compact_add(accordi_compact **sum, double x,
                                       const accordi_compact_memory *memory)
{
    return accordi_compact_put(sum, accordi_compact_bits(x), false, memory);
}

static inline bool accordi_compact_remove(accordi_compact **sum, double x,
                                          const accordi_compact_memory *memory)
{
    return accordi_compact_put(sum, accordi_compact_bits(x), true, memory);
}

/* Adds the product x * y, or takes it away again; of products alone. */
static inline bool accordi_compact_multiply(accordi_compact **to, double x, double y, bool remove,
                                            const accordi_compact_memory *memory)
{
    accordi_compact *sum = *to;
    uint64_t a = accordi_compact_bits(x), b = accordi_compact_bits(y);
    unsigned e = a >> 52 & 2047, f = b >> 52 & 2047;
    uint64_t hidden = (uint64_t)1 << 52;
    unsigned shift = e + f - 2, place = (shift >> 5) - (unsigned)sum->first;
    if (__builtin_expect(!e || !f || e == 2047 || f == 2047 || place > sum->limbs - 5u ||
                             sum->pending >= ACCORDI_EXACT_PENDING,
                         0))
        return accordi_compact_multiply_slowly(to, a, b, remove, memory);
    uint128 m = (uint128)((a & (hidden - 1)) | hidden) * ((b & (hidden - 1)) | hidden);
    int64_t sign = -(int64_t)((a ^ b) >> 63 ^ remove);
    accordi_exact_put_wide(sum->word, m, place << 5 | (shift & 31), sign);
    sum->pending++;
    sum->terms += remove ? -1 : 1;
    return true;
}

/* Adds n doubles that lie one after the other. False if there is no memory; some have been added.
 */
bool accordi_compact_add_array(accordi_compact **sum, size_t n, const double *x,
                               const accordi_compact_memory *memory);

/* Adds the terms of `other`, of the same kind. False, with *sum as it was, if there is no memory,
 * or if the result would outgrow a full accumulator: no terms do that, but forged bytes may. */
bool accordi_compact_merge(accordi_compact **sum, const accordi_compact *other,
                           const accordi_compact_memory *memory);

/* The full accumulator's view of the limbs; `count` receives the counts. Only to read. */
accordi_exact_view accordi_compact_view(const accordi_compact *sum,
                                        int64_t count[ACCORD_EXACT_COUNTS]);

/* Rounded to nearest, ties to even: the sum; the sum divided by the number of terms; and, with n
 * the number of terms, the sum of squares of distances from the mean divided by n - 1, or by n if
 * `population` (`values` holds the terms, `squares` their products with themselves). All are NaN
 * for no terms (a variance too where its divisor is 0, or a term is not finite). */
double accordi_compact_sum_f64(const accordi_compact *sum);
float accordi_compact_sum_f32(const accordi_compact *sum);
double accordi_compact_mean(const accordi_compact *sum);
double accordi_compact_variance(const accordi_compact *values, const accordi_compact *squares,
                                bool population);

/* The compact form (accord/exact.h). Zeros are counted to the end, so that the bytes of sums in
 * which there were some are other ones than those of an accord_exact of the same terms. */
enum {
    ACCORDI_COMPACT_HEAD = 16,
    ACCORDI_COMPACT_CHECK = 8,
    ACCORDI_COMPACT_BYTES = ACCORDI_COMPACT_HEAD + 8 * ACCORDI_COMPACT_ODD +
                            4 * (ACCORD_EXACT_WIDE_LIMBS + 1) + ACCORDI_COMPACT_CHECK
};
/* Returns how many bytes it wrote. */
size_t accordi_compact_write(const accordi_compact *sum,
                             unsigned char bytes[ACCORDI_COMPACT_BYTES]);
/* Reads that form. ACCORD_PARSE if the bytes are no such form, ACCORD_UNSUPPORTED for another
 * version. *out, which is written only on success, is new. */
enum accord_status accordi_compact_read(accordi_compact **out, const void *bytes, size_t length,
                                        bool products, const accordi_compact_memory *memory,
                                        accord_error *error);

#endif

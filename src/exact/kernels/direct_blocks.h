/* Short sums and dots in integers of 128 bits, one for each block of 64 exponents. A template:
 * include isa_SET.h first.
 *
 * In: contiguous terms, or factors of products. Out: their exact sum in blocks.
 *
 * Terms go into slots (direct_slots.h), or, where there are more of them, into bins
 * (direct_bins.h), and where their exponents lie close, into folds (direct_passes.h). Terms and
 * products of f32 are f64; a product of f64 is two terms, p = x y rounded and its error, which is
 * exact if |p| >= 2^-960. Factors of smaller products are scaled first. */
#ifndef ACCORDI_EXACT_DIRECT_BLOCKS_H
#define ACCORDI_EXACT_DIRECT_BLOCKS_H

#include "exact/direct/pieces.h"
#include "exact/kernels/direct_passes.h"
#include "exact/kernels/direct_slots.h"
#include "exact/kernels/kernels.h"
#ifdef ISA_FEW_BINS
#include "exact/kernels/direct_bins.h"
#endif

enum {
    BLOCKS_SCALAR = LANES <= 4, /* a few f32, which have few blocks, are faster term by term … */
    BLOCKS_PRODUCTS = 20,       /* … and so are fewer products of f64 */
#ifdef ISA_FEW_BINS
    BLOCKS_DOT_TO = ACCORDI_EXACT_BLOCKS_TERMS,
#else
    BLOCKS_DOT_TO = ACCORDI_EXACT_BLOCKS_TERMS / 2,
#endif
    BLOCKS_SPREAD = 110, /* binades; many products that lie closer are for windows */
    BLOCKS_WATCHED = 48, /* terms; to join the blocks of more takes a small part of the time */
};

/* w is of no account in sums. *below: which of the blocks below the least f64 are in use; they are
 * cleared once there is something for them. */
ISA_OP void blocks_add_some(blocks *b, words *below, bool narrow, bool product, bool watched, vec v,
                            vec w)
{
    vec p = product ? v_mul(v, w) : v;
    if (product && !narrow) {
        words whole = short_whole(v, w, p), tiny = w_xor(whole, w_splat(-1));
        if (__builtin_expect(w_any(tiny), 0))
            *below = blocks_add_tiny(b->first - SLOTS_BELOW, *below, v, w, tiny);
        v = v_of(w_and(w_of(v), whole));
        p = v_of(w_and(w_of(p), whole));
    }
    blocks_add(b, w_of(p), watched);
    if (product && !narrow)
        blocks_add(b, w_of(v_fms(v, w, p)), watched);
}

ISA_OP void blocks_add_all(blocks *b, words *below, bool narrow, bool product, bool watched,
                           size_t n, const void *x, const void *y)
{
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        blocks_add_some(b, below, narrow, product, watched, short_load(narrow, x, i),
                        short_load(narrow, product ? y : x, i));
    if (i < n)
        blocks_add_some(b, below, narrow, product, watched, short_load_some(narrow, x, i, n - i),
                        short_load_some(narrow, product ? y : x, i, n - i));
}

ISA_OP bool blocks_run(bool narrow, bool product, size_t n, const void *x, const void *y,
                       accordi_exact_integer *sum, uint64_t *used)
{
    const size_t terms = product && !narrow ? 2 * n : n;
    if (terms > PASS_TERMS && pass_span(product, n, x, y) < BLOCKS_SPREAD)
        return false; /* windows are less work (dot_window.h) */
    if (n >= PASS_FROM && terms <= PASS_TERMS && pass_all(narrow, product, n, x, y, sum, used))
        return true;
#ifdef ISA_FEW_BINS
    if (terms >= FEW_BINS_FROM)
        return few_bins_run(narrow, product, n, x, y, sum, used);
#endif
    if (BLOCKS_SCALAR && narrow && !product && n < PASS_FROM)
        return add_pieces(source_of_sum(f32, n, x, size_of(f32)), sum, used);
    if (BLOCKS_SCALAR && !narrow && product && n < BLOCKS_PRODUCTS)
        return add_pieces((source){f64, true, n, x, y, size_of(f64), size_of(f64)}, sum, used);
    _Alignas(64) slot all[SLOTS];
    words below = w_splat(0);
    blocks b = {all + SLOTS_BELOW, below, below, below};
    short_clear(b.first, SLOTS - SLOTS_BELOW);
    const bool watched = n <= BLOCKS_WATCHED;
    if (watched)
        blocks_add_all(&b, &below, narrow, product, true, n, x, y);
    else
        blocks_add_all(&b, &below, narrow, product, false, n, x, y);
    uint64_t lane[LANES];
    w_store(lane, w_or(w_shl(b.used, ACCORDI_EXACT_BLOCKS_BELOW), below));
    *used = 0;
    for (int l = 0; l < LANES; l++)
        *used |= lane[l];
    if (watched && !short_all_lanes(b.total) && blocks_vanish(all, *used))
        *used &= -*used; /* one is enough to show that terms have cancelled */
    blocks_join(all, *used, sum);
    return !w_any(w_shr(w_add(b.most, w_splat(1)), 11));
}

#define BLOCKS_KERNEL(name_, narrow_, product_)                                                    \
    ISA_FUNCTION static bool blocks_##name_(size_t n, const void *x, const void *y,                \
                                            accordi_exact_integer *sum, uint64_t *used)            \
    {                                                                                              \
        return blocks_run(narrow_, product_, n, x, y, sum, used);                                  \
    }
BLOCKS_KERNEL(sum_f64, false, false)
BLOCKS_KERNEL(sum_f32, true, false)
BLOCKS_KERNEL(dot_f64, false, true)
BLOCKS_KERNEL(dot_f32, true, true)

/* For the table (kernels.h). */
#define BLOCKS_KERNELS                                                                             \
    {                                                                                              \
        {blocks_sum_f64, blocks_sum_f32},                                                          \
        {                                                                                          \
            blocks_dot_f64, blocks_dot_f32                                                         \
        }                                                                                          \
    }

#endif

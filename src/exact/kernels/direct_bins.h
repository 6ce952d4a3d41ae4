/* All bits of a few hundred terms or more, whose exponents lie apart, by one addition for each. A
 * template: include isa_SET.h first.
 *
 * In: contiguous terms, or factors of products. Out: their exact sum in blocks (direct_blocks.h).
 *
 * Idea. A term m * 2^(e - 1075), |m| < 2^53, goes to bin e >> 3, a signed integer of 64 bits, as
 * m << (e & 7). All lanes compute what they add together; it is added by ordinary instructions, one
 * load, addition and store for each, of which the overflow flag tells when a bin is full. Terms
 * that are many for their range, which fill bins, are less work in folds. At the end, the four bins
 * of 32 exponents become one slot of direct_blocks.h: their halves, shifted by 8 bits from bin to
 * bin, are added up apart. So that this takes no shuffles, the bins of LANES slots that have the
 * same place in each lie side by side.
 *
 * Loads and stores whose addresses differ by a multiple of 4 KB are taken for the same at first; if
 * it then turns out that some more bits of the physical addresses are the same, which for two pages
 * is one case in sixteen, each costs a dozen cycles. So all that is stored in the loop lies within
 * one page.
 *
 * Bounds. A product and its error, which is at least 53 binades smaller, do not go to one slot, so
 * that products count as one term each. The lower half of a bin is below 2^32, and four of them,
 * moved by up to 24 bits, below 2^57. The upper halves come to what slots hold, less than 2^62. */
#ifndef ACCORDI_EXACT_DIRECT_BINS_H
#define ACCORDI_EXACT_DIRECT_BINS_H

#include "exact/direct/pieces.h"
#include "exact/kernels/direct_passes.h"
#include "exact/kernels/direct_slots.h"

enum {
    FEW_BINS_GROUPS = 64, /* slots, of 32 exponents */
    FEW_BINS_PLACES = 4,  /* bins of a group */
    FEW_BINS_CHUNK = 64,  /* terms whose bins are computed in advance */
    SLOTS_TINY =
        SLOTS_BELOW + 4 /* products below 2^-960 come to 2^320 of the lowest slot's least */
};

typedef struct few_bins {
    _Alignas(4096) int64_t bin[FEW_BINS_PLACES][FEW_BINS_GROUPS];
    int64_t m[FEW_BINS_CHUNK], at[FEW_BINS_CHUNK]; /* what is to be added, and where */
    int64_t spilled[FEW_BINS_GROUPS];              /* what overflowed, for the upper halves */
    bool spills;
} few_bins;

/* The least of a size and of 2^52 is the hidden bit, or a subnormal number's fraction once more: so
 * that its unit, too, is 2^(field - 1075). */
ISA_OP void few_bins_prepare(few_bins *b, words *most, int i, words bits)
{
    const words hidden = w_splat((int64_t)1 << 52);
    words size = w_and(bits, w_splat(INT64_MAX)), field = w_shr(bits, 52);
    words m = w_add(w_and(bits, w_splat(((int64_t)1 << 52) - 1)), w_min(size, hidden));
    words group = w_and(w_shr(bits, 57), w_splat(FEW_BINS_GROUPS - 1));
    *most = w_max(*most, size);
    w_store(b->m + i, w_with_sign(w_shl_each(m, w_and(field, w_splat(7))), bits));
    w_store(b->at + i,
            w_and_or(w_shr(bits, 49), w_splat((FEW_BINS_PLACES - 1) * FEW_BINS_GROUPS), group));
}

/* A bin has lost 2^64 by overflow, or -2^64. */
static __attribute__((noinline, cold)) void few_bins_spill(few_bins *b, int64_t at, int64_t m)
{
    const int group = (int)(at % FEW_BINS_GROUPS), place = (int)(at / FEW_BINS_GROUPS);
    const int64_t lost = (int64_t)1 << (32 + 8 * place);
    if (!b->spills)
        memset(b->spilled, 0, sizeof b->spilled);
    b->spills = true;
    b->spilled[group] += m < 0 ? -lost : lost;
}

INLINE void few_bins_add(few_bins *b, int64_t at, int64_t m)
{
    int64_t *bin = &b->bin[0][0] + at, sum = m;
#if defined __x86_64__ && defined __GCC_ASM_FLAG_OUTPUTS__
    bool over;
    __asm__("addq %2, %1\n\tmovq %1, %2" : "=@cco"(over), "+r"(sum), "+m"(*bin));
#else
    bool over = __builtin_add_overflow(*bin, m, &sum);
    *bin = sum;
#endif
    if (__builtin_expect(over, 0))
        few_bins_spill(b, at, m);
}

/* What has been prepared: zeros behind. */
INLINE void few_bins_add_chunk(few_bins *b, size_t n)
{
    for (size_t i = 0; i < n; i += LANES)
        UNROLL for (size_t j = 0; j < LANES; j++)
        {
            few_bins_add(b, b->at[i + j], b->m[i + j]);
        }
}

/* Slot by slot, lower and upper halves: returns a bit for each that may differ from 0. */
ISA_OP uint64_t few_bins_empty(const few_bins *b, int64_t *low, int64_t *high)
{
    const words half = w_splat(0xffffffff), sign = w_splat(INT64_MIN),
                half_sign = w_splat((int64_t)1 << 31);
    uint64_t hit = 0;
    for (int group = 0; group < FEW_BINS_GROUPS; group += LANES) {
        words any = w_splat(0), lower = any, upper = any;
        UNROLL for (int place = FEW_BINS_PLACES - 1; place >= 0; place--)
        {
            words bin = w_load(b->bin[place] + group);
            any = w_or(any, bin);
            lower = w_add(w_shl(lower, 8), w_and(bin, half));
            upper = w_add(w_shl(upper, 8), w_sub(w_shr(w_xor(bin, sign), 32), half_sign));
        }
        if (b->spills) {
            words spilled = w_load(b->spilled + group);
            upper = w_add(upper, spilled);
            any = w_or(any, spilled);
        }
        w_store(low + group, lower);
        w_store(high + group, upper);
        hit |= (uint64_t)(~w_signs(w_zero(any)) & ((1U << LANES) - 1)) << group;
    }
    return hit;
}

/* Blocks of two slots each that are hit. */
INLINE uint64_t few_bins_join(const int64_t *low, const int64_t *high, uint64_t hit,
                              accordi_exact_integer *sum)
{
    uint64_t used = 0;
    for (hit = (hit | hit >> 1) & 0x5555555555555555; hit; hit &= hit - 1) {
        const int at = __builtin_ctzll(hit);
        const uint64_t lower = (uint64_t)low[at];
        const int64_t between = high[at] + low[at + 1];
        uint64_t *to = sum[at / 2];
        to[0] = lower + ((uint64_t)between << 32);
        to[1] = (uint64_t)high[at + 1] + (uint64_t)(between >> 32) + (uint64_t)(low[at] >> 63) +
                (to[0] < lower);
        used |= (uint64_t)1 << (at / 2);
    }
    return used;
}

/* Vectors of terms, or of products and, where these have any, of their errors, from `from` on up to
 * a chunk of words, and returns how many these are. Products whose error may be lost to underflow
 * go to the slots below the least f64, of which *below says which are in use. */
ISA_OP size_t few_bins_fill(few_bins *b, words *most, slot *all, words *below, bool narrow,
                            bool product, size_t from, size_t n, const void *x, const void *y)
{
    const bool errors = product && !narrow;
    size_t to = 0;
    for (; to < FEW_BINS_CHUNK && from < n; from += LANES) {
        vec v = pass_load(narrow, x, from, n), w = product ? pass_load(narrow, y, from, n) : v;
        vec p = product ? v_mul(v, w) : v;
        if (errors) {
            words whole = short_whole(v, w, p), tiny = w_xor(whole, w_splat(-1));
            if (__builtin_expect(w_any(tiny), 0)) {
                *below = blocks_add_tiny(all, *below, v, w, tiny);
                v = v_of(w_and(w_of(v), whole));
                p = v_of(w_and(w_of(p), whole));
            }
            few_bins_prepare(b, most, (int)to, w_of(v_fms(v, w, p)));
            to += LANES;
        }
        few_bins_prepare(b, most, (int)to, w_of(p));
        to += LANES;
    }
    return to;
}

/* What slots of products whose errors might be lost hold goes to the blocks, of which the uppermost
 * may have other terms, too. `below`: in each lane, which blocks these are. */
ISA_FUNCTION static __attribute__((noinline)) void
few_bins_put_below(const slot *all, words below, accordi_exact_integer *sum, uint64_t *used)
{
    accordi_exact_integer of_slots[SLOTS_TINY / 2];
    uint64_t lane[LANES], left = 0;
    w_store(lane, below);
    for (int l = 0; l < LANES; l++)
        left |= lane[l];
    blocks_join(all, left, of_slots);
    for (; left; left &= left - 1) {
        const int i = __builtin_ctzll(left);
        if (!(*used >> i & 1))
            sum[i][0] = sum[i][1] = 0;
        add_to_block(sum[i], of_slots[i][0], of_slots[i][1]);
        *used |= (uint64_t)1 << i;
    }
}

/* Contiguous terms of f64 or f32, or factors; false where one is infinite or NaN, or a product is.
 */
ISA_OP bool few_bins_run(bool narrow, bool product, size_t n, const void *x, const void *y,
                         accordi_exact_integer *sum, uint64_t *used)
{
    few_bins b;
    int64_t low[FEW_BINS_GROUPS], high[FEW_BINS_GROUPS];
    _Alignas(64) slot all[SLOTS_TINY]; /* those below the least f64, and two above */
    const size_t step = FEW_BINS_CHUNK / (product && !narrow ? 2 : 1);
    words most = w_splat(0), below = most;
    short_clear(b.bin, sizeof b.bin / sizeof(accordi_exact_integer));
    b.spills = false;
    if (product && !narrow)
        short_clear(all + SLOTS_BELOW, SLOTS_TINY - SLOTS_BELOW); /* the others on demand */
    size_t i = 0;
    for (; i + step <= n; i += step) {
        few_bins_fill(&b, &most, all, &below, narrow, product, i, i + step, x, y);
        few_bins_add_chunk(&b, FEW_BINS_CHUNK);
    }
    few_bins_add_chunk(&b, few_bins_fill(&b, &most, all, &below, narrow, product, i, n, x, y));
    uint64_t hit = few_bins_empty(&b, low, high);
    if (!hit && w_any(most))
        hit = 1; /* shows that terms have cancelled */
    *used = few_bins_join(low, high, hit, sum + ACCORDI_EXACT_BLOCKS_BELOW)
            << ACCORDI_EXACT_BLOCKS_BELOW;
    if (w_any(below))
        few_bins_put_below(all, below, sum, used);
    return !w_any(w_shr(w_add(most, w_splat((int64_t)1 << 52)), 63));
}

#endif

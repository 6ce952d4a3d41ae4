/* What a sample of the terms shows, by which a long array is given the long way at once. Internal.
 */
#ifndef ACCORDI_EXACT_DIRECT_SAMPLE_H
#define ACCORDI_EXACT_DIRECT_SAMPLE_H

#include "exact/direct/pieces.h"

enum {
    LONG = 1 << 22,      /* terms: they come from memory, and what two folds leave over has grown */
    FAR = 1 << 22,       /* bytes: they do not come from the second-level cache … */
    FAR_BINADES = 1 << 7 /* … and a window of so many binades is as fast as they come */
};

INLINE bool is_plain(const source *s)
{
    return s->step_x == size_of(s->l) && (!s->product || s->step_y == size_of(s->l));
}

/* What a sample of the terms without stride shows: over how many binades they reach, and whether
 * there are two signs. */
typedef struct sample {
    int binades;
    bool mixed;
} sample;

INLINE sample sample_of(const source *s, size_t places, size_t each)
{
    int least = INT32_MAX, most = 0;
    bool plus = false, minus = false;
    for (size_t i = 0; i < places * each; i++) {
        ptrdiff_t at = (ptrdiff_t)(s->n / places * (i / each) + i % each) * size_of(s->l);
        uint64_t a = load(s->l, s->x + at), b = s->product ? load(s->l, s->y + at) : 0;
        int e = field_of(s->l, a), f = s->product ? field_of(s->l, b) : 1;
        bool negative = sign_of(s->l, a) ^ sign_of(s->l, b);
        minus |= negative;
        plus |= !negative;
        most = e + f > most ? e + f : most;
        least = e && f && e + f < least ? e + f : least;
    }
    return (sample){most - least, plus && minus};
}

/* Whether one core waits for what is not in its own caches: on an Intel server, a term takes 0.3 ns
 * from the third level and 0.5 to 0.6 from memory, as much as a bin (kernels/sum_scatter.h); on an
 * AMD server, a third of it. */
INLINE bool memory_is_slow(void)
{
#if defined __x86_64__ && defined __GNUC__
    return __builtin_cpu_is("intel") != 0;
#else
    return false;
#endif
}

/* Whether each of so many threads adds terms that are not in caches of its own. */
INLINE bool is_far(const source *s, int threads)
{
    const size_t each = (size_t)size_of(s->l) * (s->product ? 2 : 1);
    return s->n / (size_t)threads >= FAR / each && is_plain(s) && memory_is_slow();
}

/* Whether the long way is as fast. Then it is the better one, since it does not stop short where
 * most bits cancel. */
INLINE bool is_streamed(const source *s, int binades)
{
    if (!is_plain(s) || !(s->n >= LONG || is_far(s, 1)))
        return false;
    sample found = sample_of(s, 8, 8);
    if (s->n < LONG)
        return found.binades < binades && found.binades < FAR_BINADES;
    return found.binades < binades || (found.mixed && memory_is_slow());
}

/* The bits that are not the same in the patterns of all terms; of products, in the exclusive or of
 * both factors. */
INLINE uint64_t differing_bits(const source *s)
{
    uint64_t any = 0, all = UINT64_MAX;
    const char *x = s->x, *y = s->y;
    for (size_t i = 0; i < s->n; i++, x += s->step_x, y += s->step_y) {
        uint64_t bits = load(s->l, x) ^ (s->product ? load(s->l, y) : 0);
        any |= bits;
        all &= bits;
    }
    return any & ~all;
}

/* Whether some terms are negative and others are not: all are looked at. */
INLINE bool has_both_signs(const source *s)
{
    return sign_of(s->l, differing_bits(s));
}

/* Whether there are `least` terms, which is not 0, or more, and of both signs. */
INLINE bool is_mixed(const source *s, int least)
{
    return least && s->n >= (size_t)least && is_plain(s) && sample_of(s, 8, 1).mixed;
}

#endif

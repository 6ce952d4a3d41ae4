/* Tries which subnormal numbers count as zero, and which products of zero are left out.
 *
 * Used when all rows agree but those of tiny or zero factors. */
#include "reveal/arithmetic/search_tries.h"

/* With products of zero left out. An alpha that multiplies a sum without rounding may multiply
 * operands too, which shows only in what is left out. */
static void try_skips(accordi_search *s, accord_arithmetic a)
{
    bool hides = a.alpha_at == ACCORD_ALPHA_SUM && (a.alpha == -1 || accordi_alpha_hides(s->asker));
    a.skips_zero = true;
    for (int skips = 0; skips < 3 && !s->asker->status; skips++) {
        a.skips = (enum accord_skips)skips;
        accordi_try(s, &a, false);
        for (int at = ACCORD_ALPHA_X; hides && at <= ACCORD_ALPHA_Y; at++) {
            accord_arithmetic one = a;
            one.alpha_at = (enum accord_alpha)at;
            one.alpha_node = 0;
            one.alpha_fused = false;
            accordi_try(s, &one, false);
        }
    }
}

void accordi_try_flushed(accordi_search *s, accord_arithmetic a, unsigned first)
{
    for (unsigned way = s->e->flushes ? 4 : first; way < 8 && !s->asker->status;
         way += s->e->flushes ? 4 : 1) {
        a.flush = (way & 1 ? ACCORD_FLUSH_X | ACCORD_FLUSH_Y : 0) |
                  (way & 2 ? ACCORD_FLUSH_PRODUCTS | ACCORD_FLUSH_SUMS | ACCORD_FLUSH_RESULT : 0);
        if (way & 4)
            try_skips(s, a);
        else
            accordi_try(s, &a, false);
    }
}

/* A zero of the other sign agrees with some of what is flushed or left out. So after the zeros of
 * the best try come those that were asked for and, as a negative alpha turns signs, all. */
enum accord_status accordi_try_flushes(accordi_search *s)
{
    enum { ZEROS = 3 }; /* +0 first, nothing, +0 last */
    accord_arithmetic *best = NULL;
    if (!accordi_nearly_explained(s))
        return s->asker->status;
    if (accordi_search_copy(s, s->e->best, &best))
        return s->asker->status;
    unsigned first = (unsigned)best->negative_zero + best->zero_last;
    unsigned asked = s->e->zero_last ? 2 : s->e->negative_zero;
    for (unsigned i = 0; i < ZEROS && !s->asker->status; i++) {
        unsigned zeros = (first + i) % ZEROS;
        best->negative_zero = zeros > 0;
        best->zero_last = zeros == 2;
        if (i == 0 || zeros == asked || best->alpha < 0)
            accordi_try_flushed(s, *best, 1);
    }
    accord_arithmetic_free(best);
    return s->asker->status;
}

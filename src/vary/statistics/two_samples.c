/* Two samples: may they come from one distribution?
 *
 * Results are discrete and often few, and tests that assume a continuous distribution, or many
 * samples in each cell, then give a wrong level. So the level comes from permutations: if both
 * samples come from one distribution, every division of all results into two parts of these sizes
 * is equally likely. The share of random divisions with a statistic as large as the one seen is an
 * exact p-value, whatever the distribution (Phipson and Smyth, Permutation p-values should never be
 * zero, 2010). */
#include "base/base.h"
#include <accord/vary.h>
#include <math.h>

/* All values of both samples, ascending, and how often each occurs in all and in the first. */
typedef struct pooled {
    size_t values, all, first;
    size_t *count, *of_first;
} pooled;

enum { DIVISIONS = 9999, FEWEST = 999, DRAWS = 40000000 };

/* By how much the distribution functions differ at most, times both sizes: a whole number. */
static double distance(const pooled *p, const size_t *of_first)
{
    double largest = 0, second = (double)(p->all - p->first);
    size_t seen = 0, seen_first = 0;
    for (size_t i = 0; i < p->values; i++) {
        seen += p->count[i];
        seen_first += of_first[i];
        double apart =
            fabs((double)seen_first * second - (double)(seen - seen_first) * (double)p->first);
        largest = apart > largest ? apart : largest;
    }
    return largest;
}

/* Draws which of all results are the first sample: each with the chance that is left to it. */
static void divide(const pooled *p, accordi_rng *rng, size_t *of_first)
{
    size_t left = p->all, wanted = p->first;
    for (size_t i = 0; i < p->values; i++) {
        of_first[i] = 0;
        for (size_t k = 0; k < p->count[i]; k++) {
            bool taken = accordi_rng_below(rng, left--) < wanted;
            of_first[i] += taken;
            wanted -= taken;
        }
    }
}

static double p_value(const pooled *p, uint64_t seed, size_t *scratch)
{
    accordi_rng rng;
    size_t divisions = DRAWS / p->all, as_large = 0;
    divisions = divisions > DIVISIONS ? DIVISIONS : divisions < FEWEST ? FEWEST : divisions;
    double seen = distance(p, p->of_first);
    accordi_rng_init(&rng, seed);
    for (size_t i = 0; i < divisions; i++) {
        divide(p, &rng, scratch);
        as_large += distance(p, scratch) >= seen;
    }
    return (double)(as_large + 1) / (double)(divisions + 1);
}

/* Is the next value in order that of a, of b, or of both (0)? */
static int next_of(const accord_vary_summary *a, size_t i, const accord_vary_summary *b, size_t k)
{
    if (i == a->distinct || k == b->distinct)
        return i == a->distinct ? 1 : -1;
    double x = a->value[i].value, y = b->value[k].value;
    if (accordi_same_bits(x, y))
        return 0;
    if (isnan(x) || isnan(y))
        return isnan(x) ? 1 : -1;
    return x != y ? (x < y ? -1 : 1) : signbit(x) ? -1 : 1;
}

static void pool(const accord_vary_summary *a, const accord_vary_summary *b, pooled *p)
{
    size_t i = 0, k = 0;
    for (p->values = 0; i < a->distinct || k < b->distinct; p->values++) {
        int next = next_of(a, i, b, k);
        p->of_first[p->values] = next <= 0 ? a->value[i].count : 0;
        p->count[p->values] = p->of_first[p->values] + (next >= 0 ? b->value[k].count : 0);
        i += next <= 0;
        k += next >= 0;
    }
}

/* The sum of p log(p / q) over the values; INFINITY where q is 0 and p is not. */
static double divergence(const double *p, const double *q, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        if (p[i] > 0)
            sum += q[i] > 0 ? p[i] * log(p[i] / q[i]) : INFINITY;
    return sum > 0 ? sum : 0;
}

static void compare_shares(const pooled *p, double *a, double *b, double *middle,
                           accord_vary_comparison *out)
{
    double first = (double)p->first, second = (double)(p->all - p->first);
    for (size_t i = 0; i < p->values; i++) {
        a[i] = (double)p->of_first[i] / first;
        b[i] = (double)(p->count[i] - p->of_first[i]) / second;
        middle[i] = (a[i] + b[i]) / 2;
        out->shared += p->of_first[i] > 0 && p->of_first[i] < p->count[i];
    }
    out->divergence_ab = divergence(a, b, p->values);
    out->divergence_ba = divergence(b, a, p->values);
    out->divergence_js = (divergence(a, middle, p->values) + divergence(b, middle, p->values)) / 2;
}

enum accord_status accord_vary_compare(const accord_vary_summary *a, const accord_vary_summary *b,
                                       uint64_t seed, accord_vary_comparison *out,
                                       accord_error *error)
{
    size_t most = a->distinct + b->distinct;
    pooled p = {.all = a->count + b->count, .first = a->count};
    size_t *counts = accordi_calloc(3 * most, sizeof *counts);
    double *shares = accordi_calloc(3 * most, sizeof *shares);
    accord_vary_comparison made = {0};
    if (counts && shares) {
        p.count = counts;
        p.of_first = counts + most;
        pool(a, b, &p);
        made.distance = distance(&p, p.of_first) / ((double)a->count * (double)b->count);
        made.p = p_value(&p, seed, counts + 2 * most);
        compare_shares(&p, shares, shares + most, shares + 2 * most, &made);
        *out = made;
    }
    enum accord_status status = counts && shares ? ACCORD_OK : accordi_nomem(error);
    free(counts);
    free(shares);
    return status;
}

/* What a mask and many units give in a given order.
 *
 * On the way from the mask to the root of the tree, what is added to it are whole sums of other
 * terms. These are exact, since they are of a few units; each is rounded to a whole number of last
 * places when it meets the mask, and the excess is the sum of these numbers. It is known for all
 * places onto which the next term can be added in time proportional to the number of terms: if the
 * mask is at that term, by a walk down from the root, which adds what is met on the way; else a
 * unit at that term changes one of those numbers, or none. */
#include "reveal/nonnegative/expect.h"
#include <math.h>

bool accordi_expected_init(accordi_expected *x, const accordi_growth *g, uint32_t n, double unit)
{
    *x = (accordi_expected){.g = g};
    x->rounded = accordi_alloc((size_t)n + 1, sizeof *x->rounded);
    x->node = accordi_alloc(2 * (size_t)n, sizeof *x->node);
    x->place = accordi_alloc(2 * (size_t)n, sizeof *x->place);
    x->up = accordi_alloc(2 * (size_t)n, sizeof *x->up);
    x->inside = accordi_alloc(2 * (size_t)n, sizeof *x->inside);
    x->met = accordi_alloc(2 * (size_t)n, sizeof *x->met);
    x->at = accordi_alloc(2 * (size_t)n, sizeof *x->at);
    if (!x->rounded || !x->node || !x->place || !x->up || !x->inside || !x->met || !x->at)
        return accordi_expected_clear(x), false;
    for (uint32_t k = 0; k <= n; k++)
        x->rounded[k] =
            (accordi_excess){(uint32_t)ceil(k * unit - 0.5), (uint32_t)floor(k * unit + 0.5)};
    return true;
}

void accordi_expected_clear(accordi_expected *x)
{
    free(x->rounded);
    free(x->node);
    free(x->place);
    free(x->up);
    free(x->inside);
    free(x->met);
    free(x->at);
    *x = (accordi_expected){.g = NULL};
}

/* The finalizer of SplitMix64 (Steele, Lea, Flood 2014). */
static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

/* Which of 64 terms are so many away from the mask as the question says. */
static uint64_t terms_apart(const accordi_rounding *q, uint32_t block)
{
    uint32_t step = (uint32_t)1 << q->apart, first = (q->mask - 64 * block) & (step - 1);
    uint64_t terms = 0;
    for (uint32_t k = first; k < 64; k += step)
        terms |= (uint64_t)1 << k;
    return terms;
}

/* Which of 64 terms were drawn: each halves their number. */
static uint64_t draw_units(const accordi_rounding *q, uint32_t block)
{
    uint64_t drawn = q->apart ? terms_apart(q, block) : UINT64_MAX;
    for (unsigned k = 0; k < q->thin && drawn; k++)
        drawn &= mix(q->seed + ((uint64_t)block << 8 | k) * UINT64_C(0x9E3779B97F4A7C15));
    return drawn;
}

bool accordi_rounding_has_unit(const accordi_rounding *q, uint32_t term)
{
    bool also = term == q->also[0] || term == q->also[1];
    return term != q->mask && (also || draw_units(q, term / 64) >> term % 64 & 1);
}

uint32_t accordi_expected_sibling(uint32_t k)
{
    return ((k - 1) ^ 1) + 1;
}

/* Sums are numbered as they are met from the root down, and with them their two children. */
void accordi_expected_read(accordi_expected *x)
{
    const accordi_growth *g = x->g;
    uint32_t nodes = 2 * g->count, *child = x->inside, root = 0;
    memset(child, 0xff, nodes * sizeof *child);
    for (uint32_t v = 0; v < nodes; v += 1 + (v == 0)) {
        uint32_t sum = g->parent[v];
        if (sum)
            child[child[2 * sum] == UINT32_MAX ? 2 * sum : 2 * sum + 1] = v;
        else
            root = v;
    }
    x->node[0] = root;
    x->up[0] = 0;
    x->count = 1;
    for (uint32_t k = 0; k < x->count; k++) {
        uint32_t v = x->node[k];
        x->place[v] = k;
        for (uint32_t c = v - 1; v & 1 && c <= v; c++) {
            x->up[x->count] = k;
            x->node[x->count++] = child[c];
        }
    }
}

static accordi_excess plus(accordi_excess a, accordi_excess b)
{
    return (accordi_excess){a.low + b.low, a.high + b.high};
}

static accordi_excess minus(accordi_excess a, accordi_excess b)
{
    return (accordi_excess){a.low - b.low, a.high - b.high};
}

static void count_units(accordi_expected *x, const accordi_rounding *q)
{
    uint32_t terms = x->g->count;
    for (uint32_t i = 0; i < terms; i += 64) {
        uint64_t drawn = draw_units(q, i / 64);
        for (uint32_t k = i; k < i + 64 && k < terms; k++, drawn >>= 1)
            x->inside[x->place[2 * k]] = drawn & 1;
    }
    for (int k = 0; k < 2; k++)
        if (q->also[k] < terms)
            x->inside[x->place[2 * q->also[k]]] = 1;
    if (q->mask < terms)
        x->inside[x->place[2 * q->mask]] = 0;
    for (uint32_t k = x->count - 1; k > 0; k -= 2) /* siblings stand side by side */
        x->inside[x->up[k]] = x->inside[k] + x->inside[k - 1];
}

static accordi_excess excess_from(const accordi_expected *x, uint32_t mask)
{
    accordi_excess sum = {0, 0};
    for (uint32_t k = x->place[2 * mask]; k > 0; k = x->up[k])
        sum = plus(sum, x->rounded[x->inside[accordi_expected_sibling(k)]]);
    return sum;
}

accordi_excess accordi_expected_sum(accordi_expected *x, const accordi_rounding *q)
{
    count_units(x, q);
    return excess_from(x, q->mask);
}

/* The mask is the next term: what it meets above a place, and then what it is added onto. */
static void put_mask(accordi_expected *x)
{
    x->at[0] = (accordi_excess){0, 0};
    for (uint32_t k = 1; k < x->count; k++)
        x->at[k] = plus(x->at[x->up[k]], x->rounded[x->inside[accordi_expected_sibling(k)]]);
    for (uint32_t k = 0; k < x->count; k++)
        x->at[k] = plus(x->at[k], x->rounded[x->inside[k]]);
}

/* The next term has a unit, or none. Under a sum that meets the mask it changes that one alone. */
static void put_unit(accordi_expected *x, const accordi_rounding *q, uint32_t units)
{
    accordi_excess sum = excess_from(x, q->mask), alone = plus(sum, x->rounded[units]);
    memset(x->met, 0, x->count * sizeof *x->met);
    x->at[0] = alone;
    for (uint32_t k = x->place[2 * q->mask]; k > 0; k = x->up[k]) {
        uint32_t other = accordi_expected_sibling(k), inside = x->inside[other];
        x->met[k] = x->met[other] = true;
        x->at[k] = alone;
        x->at[other] = plus(minus(sum, x->rounded[inside]), x->rounded[inside + units]);
    }
    for (uint32_t k = 1; k < x->count; k++)
        if (!x->met[k])
            x->at[k] = x->at[x->up[k]];
}

void accordi_expected_places(accordi_expected *x, const accordi_rounding *q)
{
    count_units(x, q);
    if (q->mask == x->g->count)
        put_mask(x);
    else
        put_unit(x, q, accordi_rounding_has_unit(q, x->g->count));
}

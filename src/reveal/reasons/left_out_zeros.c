/* Tests whether the order depends on which terms are 0, as in sums that leave out zeros before they
 * add the rest (sparse sums).
 *
 * Idea. A mask, its negative and a unit are put beside terms that are all 0, and then beside terms
 * that are so small that all of them together are less than an eighth of the unit. In one fixed
 * tree of additions they make no difference: the unit is kept in both cases or lost in both. There
 * is one exception: where the unit is half of a last place of the mask, small terms decide how this
 * tie is rounded. A unit that is a quarter as large is no tie then, so the difference counts only
 * if both units show it for the same three terms. And the same questions must give the same bits
 * each time: an order that changes by chance, or as ranks come late, shows the same. */
#include "reveal/reasons/ordinary_sums.h"
#include <math.h>

enum { UNITS = 2, TRIPLES = 64, LEAST_TERMS = 4, TURNS = 8 };

typedef struct sizes {
    double mask, unit[UNITS], small;
} sizes;

/* The greatest masks and the least units that leave room for small terms; false: there is none. */
static bool choose_sizes(const accordi_asker *asker, sizes *s)
{
    const accord_format_info *in = accord_format_get(asker->format);
    const accord_format_info *out = accord_format_get(asker->target->output);
    accordi_exponents range = accordi_ask_exponents(asker, asker->format);
    int bits = 0, precision = in->precision > out->precision ? in->precision : out->precision;
    while (asker->n >> bits)
        bits++;
    *s = (sizes){.mask = ldexp(1, range.most - 3), .small = ldexp(1, range.least)};
    for (int u = 0; u < UNITS; u++)
        s->unit[u] = ldexp(1, range.least + bits + 3 + 2 * u);
    return ldexp(s->unit[UNITS - 1], precision + 1) <= s->mask;
}

/* What the units become by themselves, and beside the masks of each triple. */
typedef struct answers {
    double alone[UNITS], beside[TRIPLES][UNITS];
} answers;

static bool ask(accordi_asker *asker, const sizes *s, double others, uint32_t triple[TRIPLES][3],
                answers *a)
{
    accordi_ask_begin(asker, others);
    for (int t = 0; t < TRIPLES; t++)
        for (int u = 0; u < UNITS; u++) {
            accordi_ask_own(asker, triple[t][0], s->mask);
            accordi_ask_own(asker, triple[t][1], -s->mask);
            accordi_ask_own(asker, triple[t][2], s->unit[u]);
            accordi_ask_end(asker);
        }
    for (int u = 0; u < UNITS; u++) {
        accordi_ask_own(asker, triple[0][2], s->unit[u]);
        accordi_ask_end(asker);
    }
    if (accordi_ask_run(asker))
        return false;
    memcpy(a->beside, asker->result, sizeof a->beside);
    memcpy(a->alone, asker->result + TRIPLES * UNITS, sizeof a->alone);
    return true;
}

/* 1: kept, 0: lost, -1: neither. */
static int is_kept(double result, double alone)
{
    double share = result / alone;
    return fabs(share - 1) < 0.25 ? 1 : fabs(share) < 0.25 ? 0 : -1;
}

static bool differs(const answers *zeros, const answers *small, int triple)
{
    for (int u = 0; u < UNITS; u++) {
        int before = is_kept(zeros->beside[triple][u], zeros->alone[u]);
        int after = is_kept(small->beside[triple][u], zeros->alone[u]);
        if (before < 0 || after < 0 || before == after ||
            is_kept(small->alone[u], zeros->alone[u]) != 1)
            return false;
    }
    return true;
}

/* Is there no other answer to any question, when all are asked again in turn? Where there is, the
 * error says so. */
static bool come_again(accordi_asker *asker, const sizes *s, uint32_t triple[TRIPLES][3],
                       const answers *zeros, const answers *small)
{
    for (int turn = 0; turn < 2 * TURNS; turn++) {
        answers again;
        const answers *before = turn % 2 ? small : zeros;
        if (!ask(asker, s, turn % 2 ? s->small : 0, triple, &again))
            return false;
        for (int i = 0; i < TRIPLES * UNITS; i++) {
            double one = before->beside[i / UNITS][i % UNITS];
            double other = again.beside[i / UNITS][i % UNITS];
            if (!accordi_same_bits(one, other)) {
                accordi_unable(asker->error, ACCORD_REASON_NONDETERMINISTIC,
                               "the same terms gave %.17g at one time and %.17g at another", one,
                               other);
                return false;
            }
        }
    }
    return true;
}

bool accordi_leaves_out_zeros(const accordi_ordinary *o)
{
    accordi_asker *asker = o->asker;
    sizes s;
    answers zeros, small;
    uint32_t triple[TRIPLES][3];
    if (asker->n < LEAST_TERMS || !choose_sizes(asker, &s))
        return false;
    for (int t = 0; t < TRIPLES; t++)
        accordi_ask_pick(asker, triple[t], 3);
    if (!ask(asker, &s, 0, triple, &zeros) || !ask(asker, &s, s.small, triple, &small))
        return false;
    for (int t = 0; t < TRIPLES; t++) {
        if (!differs(&zeros, &small, t))
            continue;
        if (!come_again(asker, &s, triple, &zeros, &small))
            return !asker->status;
        bool kept = is_kept(zeros.beside[t][0], zeros.alone[0]) == 1;
        accordi_unable(asker->error, ACCORD_REASON_DATA_DEPENDENT,
                       "the order depends on which terms are 0: if term %u is %g and term %u is "
                       "%g, term %u is %s if all other terms are 0, but %s if they are %g",
                       triple[t][0], s.mask, triple[t][1], -s.mask, triple[t][2],
                       kept ? "kept" : "lost", kept ? "lost" : "kept", s.small);
        return true;
    }
    return false;
}

/* Reasons found after the proof, if replays do not confirm the order: sorting and compensation. */
#include "reveal/prove/certificate.h"
#include <math.h>

/* One lone mask of either sign at a random term, the same small amount of that sign elsewhere. */
static enum accord_status lone_mask(accordi_asker *asker, double amount, bool *vanish)
{
    accordi_ask_begin(asker, amount);
    for (int i = 0; i < 4; i++) {
        accordi_ask_own(asker, (uint32_t)accordi_rng_below(&asker->rng, asker->n),
                        amount < 0 ? -asker->mask : asker->mask);
        accordi_ask_end(asker);
    }
    if (accordi_ask_run(asker))
        return asker->status;
    double mask = (amount < 0 ? -asker->mask : asker->mask) * asker->scale;
    for (int i = 0; i < 4; i++)
        *vanish = *vanish && asker->result[i] == mask;
    return ACCORD_OK;
}

/* The least power of two that comes through between a mask and its negative, at random places. */
static enum accord_status find_quantum(accordi_asker *asker, double *quantum)
{
    enum { STEPS = 60 };
    accordi_ask_begin(asker, 0);
    for (int k = 1; k <= STEPS; k++) {
        accordi_ask_triple(asker, 0, 1, 2, ldexp(asker->mask, -k));
        if (ldexp(asker->mask, -k - 3) < asker->unit)
            break;
    }
    *quantum = 0;
    if (accordi_ask_run(asker))
        return asker->status;
    size_t kept = 0;
    while (kept < asker->probes && asker->result[kept] != 0)
        kept++;
    if (kept > 0 && kept < asker->probes)
        *quantum = ldexp(asker->mask, -(int)kept);
    return ACCORD_OK;
}

enum accord_status accordi_sorts(accordi_asker *asker, bool *yes)
{
    *yes = false;
    double quantum = 0;
    if (asker->n < 3 || find_quantum(asker, &quantum) || quantum == 0)
        return asker->status;
    /* Less than a quantum: one alone is lost, several together are not. (With three terms two are
     * too few at 7/16, which is lost under any rounding; 3/4 is lost where terms are cut off.) */
    double amount = quantum * (asker->n == 3 ? 0.75 : 0.4375);
    bool vanish = true;
    if (lone_mask(asker, amount, &vanish) || lone_mask(asker, -amount, &vanish))
        return asker->status;
    *yes = !vanish;
    return ACCORD_OK;
}

/* The likely format whose precision was measured at a node (compensation adds a bit to what is
 * seen). */
static enum accord_format measured_format(const accordi_asker *asker,
                                          const accordi_certificate *certificate)
{
    enum accord_format likely[ACCORDI_ACCUMULATORS];
    size_t count = accordi_accumulators(asker, likely);
    for (int less = 0; less < 2; less++)
        for (size_t i = 0; i < count; i++)
            if (accord_format_get(likely[i])->precision == certificate->accumulator_bits - less)
                return likely[i];
    return certificate->arithmetic->operation->format;
}

/* Whether probes saw sums of several widths: what one of them loses another one keeps. */
static bool is_mixed(const accord_arithmetic *found)
{
    bool mixed = false;
    for (size_t i = 0; i < found->operations; i++)
        mixed = mixed || found->operation[i].stored != ACCORD_F64 ||
                found->operation[i].format != found->operation[0].format;
    return mixed;
}

/* A probe with the mask at one leaf and the small term on the others, but on at most so many that
 * their sum stays below the mask; returns on how many, and the values in x. */
static size_t put_smalls(accordi_asker *asker, double *x, uint32_t at, double small, size_t most)
{
    size_t n = asker->n, count = n - 1 < most ? n - 1 : most;
    for (size_t i = 0; i < n; i++)
        x[i] = count == n - 1 ? small : 0;
    x[at] = asker->mask;
    for (size_t put = 0; put < count && count < n - 1;) {
        size_t i = accordi_rng_below(&asker->rng, n);
        put += x[i] == 0;
        x[i] = x[i] == 0 ? small : x[i];
    }
    accordi_ask_begin(asker, 0);
    for (size_t i = 0; i < n; i++)
        if (x[i] != 0)
            accordi_ask_own(asker, (uint32_t)i, x[i]);
    accordi_ask_end(asker);
    return count;
}

/* A mask at one leaf and, on others, terms of 3/4 of what it swallows one by one. Plain
 * arithmetic along the tree loses those that meet the mask alone; a compensated sum keeps them,
 * wherever the mask stands (a wider accumulator at some nodes keeps them for some leaves only).
 * Only inputs on which plain arithmetic falls short can tell: it never falls short of a fused sum
 * that truncates, but may well round up where that one is right. */
enum accord_status accordi_compensates(accordi_asker *asker, const accord_tree *tree,
                                       const accordi_certificate *certificate, bool *yes)
{
    enum { TRIALS = 24 };
    size_t n = asker->n;
    int kept = 0, lost = 0;
    *yes = false;
    if (is_mixed(certificate->arithmetic))
        return ACCORD_OK;
    if (certificate->accumulator_bits < 2)
        return ACCORD_OK;
    double *x = accordi_ask_alloc(asker, n, sizeof *x), plain = 0;
    if (!x)
        return asker->status;
    enum accord_format format = measured_format(asker, certificate);
    int precision = accord_format_get(format)->precision;
    double ulp = ldexp(asker->mask, 1 - precision), small = 0.375 * ulp;
    size_t most = precision < 20 ? (size_t)1 << (precision - 1) : n;
    accord_arithmetic *arithmetic = NULL;
    asker->status = accord_arithmetic_plain(ACCORD_TERM_VALUE, format, format,
                                            asker->target->output, &arithmetic, asker->error);
    const accord_model model = {tree, arithmetic};
    const void *const row[] = {x};
    for (int trial = 0; trial < TRIALS && !lost && !asker->status; trial++) {
        uint32_t at = (uint32_t)(trial < (int)n ? trial : (int)accordi_rng_below(&asker->rng, n));
        size_t smalls = put_smalls(asker, x, at, small, most);
        double exact = accord_format_round(asker->target->output, ACCORD_NEAREST_EVEN,
                                           asker->mask + (double)smalls * small);
        if (accordi_ask_run(asker))
            break;
        asker->status =
            accord_model_replay(&model, &(accord_rows){.rows = 1, .x = row}, &plain, asker->error);
        double got = asker->result[0] / asker->scale;
        /* nothing is lost that could be kept, or no more than rounding a scale makes up for */
        if (exact - plain < (asker->scale == 1 ? 1 : 3) * ulp)
            continue;
        if (fabs(got - exact) <= ulp && got > plain)
            kept++;
        else if (exact - plain >= 2 * ulp)
            lost++;
    }
    free(x);
    accord_arithmetic_free(arithmetic);
    *yes = kept > 0 && !lost;
    return asker->status;
}

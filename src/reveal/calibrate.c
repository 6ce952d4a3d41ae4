/* Calibration: which mask swallows which unit is asked of the target, never taken from the format
 * of its input, since accumulators may be wider or narrower than that.
 *
 * A *mask* M is a term so large that M + x = M for any sum x of the *units* in play; sums of fewer
 * than 2^bits units are exact. Formats with a wide range (f64, f32, bf16, tf32) have room for both
 * whatever the accumulator. In narrow ones (f16, fp8) the largest value that M swallows is found
 * by bisection over triples of terms: of (M, -M, x) in three rotations, a tree swallows x in two,
 * a fused node in all three, an exact sum in none. */
#include "reveal/ask.h"
#include <math.h>

enum { TRIPLES = 3, MANY_TRIPLES = 32, WIDE_GAP = 200, GUARD_BITS = 116 };

typedef struct range {
    int high, low, least; /* exponents of the greatest, least normal, least subnormal term */
} range;

/* Of terms, as far as the result can hold them: products reach further than that. */
static range term_range(const accord_target *target)
{
    const accord_format_info *info = accord_format_get(target->format);
    const accord_format_info *out = accord_format_get(target->output);
    int wide = target->wide_terms ? 2 : 1;
    range r = {info->max_exponent * wide, info->min_exponent * wide,
               (info->min_exponent - info->precision + 1) * wide};
    int least = out->min_exponent - out->precision + 1;
    r.high = r.high < out->max_exponent ? r.high : out->max_exponent;
    r.low = r.low > out->min_exponent ? r.low : out->min_exponent;
    r.least = r.least > least ? r.least : least;
    return r;
}

static void pick(accordi_asker *asker, uint32_t *leaves, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool again = true;
        while (again) {
            leaves[i] = (uint32_t)accordi_rng_below(&asker->rng, asker->n);
            again = false;
            for (size_t j = 0; j < i; j++)
                again = again || leaves[i] == leaves[j];
        }
    }
}

/* One probe: masks at a and -b, x at c, zero elsewhere. */
static void triple(accordi_asker *asker, uint32_t a, uint32_t b, uint32_t c, double x)
{
    accordi_ask_own(asker, a, asker->mask);
    accordi_ask_own(asker, b, -asker->mask);
    accordi_ask_own(asker, c, x);
    accordi_ask_end(asker);
}

/* Three terms: any, or (as machines fuse what stands together) a term, one a small power of two
 * further on, and any third. */
static void pick_three(accordi_asker *asker, bool near, uint32_t k[3])
{
    size_t step = (size_t)1 << accordi_rng_below(&asker->rng, 4);
    pick(asker, k, 3);
    if (!near || step >= asker->n)
        return;
    while (k[2] == k[0] || k[2] == (k[0] + step) % asker->n)
        k[2] = (uint32_t)accordi_rng_below(&asker->rng, asker->n);
    k[1] = (uint32_t)((k[0] + step) % asker->n);
}

/* Does the mask swallow x wherever a tree must? Else *failed is a triple where it does not. */
static enum accord_status swallows(accordi_asker *asker, uint32_t (*k)[3], size_t triples, double x,
                                   bool *yes, size_t *failed)
{
    *yes = true;
    if (asker->n < 3)
        return ACCORD_OK;
    accordi_ask_begin(asker, 0);
    for (size_t t = 0; t < triples; t++)
        for (int turn = 0; turn < 3; turn++)
            triple(asker, k[t][turn], k[t][(turn + 1) % 3], k[t][(turn + 2) % 3], x);
    if (accordi_ask_run(asker))
        return asker->status;
    for (size_t t = 0; t < triples; t++) {
        int gone = 0;
        for (int turn = 0; turn < 3; turn++) {
            double raw = asker->result[3 * t + turn];
            if (!isfinite(raw))
                return accordi_unable(asker->error, ACCORD_REASON_NOT_FINITE,
                                      "masks of 2^%d gave %g: the accumulator overflows",
                                      asker->mask_exponent, raw);
            gone += raw == 0;
        }
        if (gone < 2) {
            *yes = false;
            *failed = t;
        }
    }
    return ACCORD_OK;
}

/* The scale: what one unit becomes, at several terms; the value held by most, of equals the
 * smaller (one term of two lost, or counted twice). */
static enum accord_status find_scale(accordi_asker *asker)
{
    uint32_t leaf[5];
    double seen[5];
    size_t count = asker->n < 5 ? asker->n : 5, votes = 0;
    pick(asker, leaf, count);
    accordi_ask_begin(asker, 0);
    for (size_t i = 0; i < count; i++) {
        accordi_ask_own(asker, leaf[i], asker->unit);
        accordi_ask_end(asker);
    }
    if (accordi_ask_run(asker))
        return asker->status;
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(asker->result[i]))
            return accordi_unable(asker->error, ACCORD_REASON_NOT_FINITE,
                                  "a single term of %g among zeros gave %g", asker->unit,
                                  asker->result[i]);
        seen[i] = asker->result[i] / asker->unit;
    }
    asker->scale = 0;
    for (size_t i = 0; i < count; i++) {
        size_t same = 0;
        for (size_t j = 0; j < count; j++)
            same += seen[i] == seen[j];
        bool smaller = same == votes && fabs(seen[i]) < fabs(asker->scale);
        if (seen[i] != 0 && (same > votes || smaller)) {
            votes = same;
            asker->scale = seen[i];
        }
    }
    return ACCORD_OK;
}

/* Do sums of `bits` bits come back exactly? Powers of two on terms
 * drawn at random, twice. */
static enum accord_status counts(accordi_asker *asker, bool *yes)
{
    int bits = asker->bits;
    *yes = true;
    for (int trial = 0; trial < 2 && *yes; trial++) {
        accordi_ask_begin(asker, 0);
        int used = (size_t)bits < asker->n ? bits : (int)asker->n;
        uint32_t leaf[64];
        pick(asker, leaf, (size_t)used);
        double due = 0;
        for (int i = 0; i < used; i++) { /* the last one is 1: all bits are needed */
            double weight = i + 1 < used ? ldexp(1, bits - 1 - i) : 1;
            accordi_ask_own(asker, leaf[i], asker->unit * weight);
            due += weight;
        }
        accordi_ask_end(asker);
        if (accordi_ask_run(asker))
            return asker->status;
        double got = asker->result[0] / (asker->unit * asker->scale);
        *yes = asker->scale == 1 ? got == due : rint(got) == due;
    }
    return ACCORD_OK;
}

/* The first of a falling list of precisions at which sums are exact. */
static enum accord_status find_bits(accordi_asker *asker, int most)
{
    static const int precisions[] = {53, 48, 40, 32, 24, 22, 14, 13, 12, 11, 9, 8, 6, 4, 3, 2, 1};
    for (size_t i = 0; i < sizeof precisions / sizeof *precisions; i++) {
        if (precisions[i] > most && i + 1 < sizeof precisions / sizeof *precisions &&
            precisions[i + 1] >= most)
            continue;
        asker->bits = precisions[i] < most ? precisions[i] : most;
        bool yes = false;
        enum accord_status status = counts(asker, &yes);
        if (status || yes)
            return status;
    }
    return accordi_unable(asker->error, ACCORD_REASON_NOT_A_TREE,
                          "sums of two small exact terms do not come back exactly");
}

/* Names a term whose unit does not come back as one unit. Two bits a term: 0 lost, 2 twice. */
static enum accord_status name_bad_term(accordi_asker *asker)
{
    size_t each = asker->bits >= 4 ? (size_t)asker->bits / 2 : 1;
    for (size_t at = 0; at < asker->n; at += each) {
        accordi_ask_begin(asker, 0);
        size_t count = asker->n - at < each ? asker->n - at : each;
        for (size_t i = 0; i < count; i++)
            accordi_ask_own(asker, (uint32_t)(at + i), asker->unit * ldexp(1, 2 * (int)i));
        accordi_ask_end(asker);
        if (accordi_ask_run(asker))
            return asker->status;
        double got = asker->result[0] / (asker->unit * asker->scale);
        for (size_t i = 0; i < count; i++) {
            int digit = (int)fmod(floor(got * ldexp(1, -2 * (int)i)), 4);
            if (got != floor(got) || digit > 2)
                return accordi_unable(asker->error, ACCORD_REASON_NOT_A_TREE,
                                      "a term from %zu to %zu does not enter with factor 1 "
                                      "(%.17g units came back)",
                                      at, at + count - 1, got);
            if (digit == 0)
                return accordi_unable(asker->error, ACCORD_REASON_TERM_LOST,
                                      "term %zu is lost: it does not reach the result", at + i);
            if (digit == 2)
                return accordi_unable(asker->error, ACCORD_REASON_TERM_TWICE,
                                      "term %zu is counted twice", at + i);
        }
    }
    return accordi_unable(asker->error, ACCORD_REASON_DATA_DEPENDENT,
                          "every term counts alone, but not all of them together");
}

/* Every term counts once: random weights (two draws where there is room), in as many probes as
 * exact sums need. */
static enum accord_status check_terms(accordi_asker *asker)
{
    uint64_t capacity = accordi_ask_capacity(asker);
    uint64_t most = capacity / asker->n;
    int precision = accord_format_get(asker->target->format)->precision;
    if (most > ((uint64_t)1 << precision))
        most = (uint64_t)1 << precision;
    if (most > 65536)
        most = 65536;
    int draws = most > 1 ? 2 : 1;
    for (int draw = 0; draw < draws; draw++) {
        for (size_t at = 0; at < asker->n;) {
            uint64_t due = 0;
            accordi_ask_begin(asker, 0);
            while (at < asker->n && due + (most ? most : 1) <= capacity) {
                uint64_t weight = most > 1 ? 1 + accordi_rng_below(&asker->rng, most) : 1;
                accordi_ask_own(asker, (uint32_t)at++, asker->unit * (double)weight);
                due += weight;
            }
            accordi_ask_end(asker);
            if (accordi_ask_run(asker))
                return asker->status;
            double got = asker->result[0] / (asker->unit * asker->scale);
            if ((asker->scale == 1 ? got : rint(got)) != (double)due)
                return name_bad_term(asker);
        }
    }
    return ACCORD_OK;
}

/* The same inputs again and again: terms of random significands in a few binades, whose sum is
 * rounded otherwise in almost any other order. */
static enum accord_status check_repeats(accordi_asker *asker)
{
    enum { INPUTS = 4, TIMES = 4, MOST = 256 };
    size_t terms = asker->n < MOST ? asker->n : MOST;
    accordi_ask_begin(asker, 0);
    for (int i = 0; i < INPUTS; i++)
        for (int t = 0; t < TIMES; t++) {
            for (size_t k = 0; k < terms && t == 0; k++) {
                size_t at = terms == asker->n ? k : accordi_rng_below(&asker->rng, asker->n);
                double x = ldexp(1 + accordi_rng_unit(&asker->rng), (int)(k % 4));
                x = accord_format_round(asker->target->format, ACCORD_NEAREST_EVEN,
                                        x * asker->unit);
                accordi_ask_stay(asker, (uint32_t)at, k % 3 ? x : -x);
            }
            accordi_ask_end(asker);
        }
    if (accordi_ask_run(asker))
        return asker->status;
    for (int i = 0; i < INPUTS * TIMES; i++)
        if (memcmp(&asker->result[i], &asker->result[i / TIMES * TIMES], sizeof(double)))
            return accordi_unable(asker->error, ACCORD_REASON_NONDETERMINISTIC,
                                  "the same input gave %.17g and %.17g",
                                  asker->result[i / TIMES * TIMES], asker->result[i]);
    return ACCORD_OK;
}

/* Nothing is swallowed. An exact sum keeps a unit under any masks; a compensated one keeps it
 * under one mask, and loses it under a mask that a larger mask covers. In a narrow range any wide
 * accumulator is exact. */
static enum accord_status exact_or_compensated(accordi_asker *asker, bool narrow)
{
    bool kept = true, cancel = true;
    double middle = ldexp(1, (int)((asker->mask_exponent + ilogb(asker->unit)) / 2));
    accordi_ask_begin(asker, 0);
    for (int i = 0; i < TRIPLES; i++) {
        uint32_t k[2];
        pick(asker, k, 2);
        accordi_ask_own(asker, k[0], asker->mask);
        accordi_ask_own(asker, k[1], -asker->mask);
        accordi_ask_end(asker);
    }
    if (accordi_ask_run(asker))
        return asker->status;
    for (int i = 0; i < TRIPLES; i++)
        cancel = cancel && asker->result[i] == 0;
    if (!cancel)
        return accordi_unable(asker->error, ACCORD_REASON_NOT_A_TREE,
                              "this is no sum: two terms that are each other's negative do not "
                              "cancel");
    if (asker->n >= 5) {
        accordi_ask_begin(asker, 0);
        for (int i = 0; i < 16; i++) {
            uint32_t k[5];
            pick(asker, k, 5);
            accordi_ask_own(asker, k[0], asker->unit);
            accordi_ask_own(asker, k[1], middle);
            accordi_ask_own(asker, k[2], asker->mask);
            accordi_ask_own(asker, k[3], -asker->mask);
            accordi_ask_own(asker, k[4], -middle);
            accordi_ask_end(asker);
        }
        if (accordi_ask_run(asker))
            return asker->status;
        for (int i = 0; i < 16; i++)
            kept = kept && asker->result[i] == asker->unit * asker->scale;
    }
    if (!kept)
        return accordi_unable(asker->error, ACCORD_REASON_COMPENSATED,
                              "the sum is compensated: what a mask swallows is added back later");
    if (narrow)
        return accordi_unable(asker->error, ACCORD_REASON_OUT_OF_RANGE,
                              "the range of %s is too narrow for this accumulator: 2^%d swallows "
                              "no other term",
                              accord_format_get(asker->target->format)->name, asker->mask_exponent);
    return accordi_unable(asker->error, ACCORD_REASON_EXACT,
                          "the sum is exact, or independent of the order: no mask swallows a unit");
}

/* None of the terms that gave the scale reaches the result. */
static enum accord_status none_counts(accordi_asker *asker)
{
    asker->scale = 1;
    asker->bits = 2;
    return name_bad_term(asker);
}

static enum accord_status calibrate_wide(accordi_asker *asker, range r, int most)
{
    int spread = 2;
    while (((size_t)1 << spread) < asker->n)
        spread++;
    asker->mask_exponent = r.high - spread - 1;
    asker->headroom = ldexp(1, spread);
    int unit = asker->mask_exponent - GUARD_BITS - most;
    if (unit > 0)
        unit = 0;
    asker->mask = ldexp(1, asker->mask_exponent);
    asker->unit = ldexp(1, unit);
    enum accord_status status = find_scale(asker);
    if (status)
        return status;
    if (asker->scale == 0)
        return none_counts(asker);
    if (asker->scale != 1)
        most -= 2;
    if ((status = check_repeats(asker)) || (status = find_bits(asker, most)))
        return status;
    bool yes = false;
    size_t failed = 0;
    uint32_t k[TRIPLES][3];
    for (int t = 0; t < TRIPLES && asker->n >= 3; t++)
        pick_three(asker, false, k[t]);
    if ((status = swallows(asker, k, TRIPLES, asker->unit * ldexp(1, asker->bits), &yes, &failed)))
        return status;
    return yes ? ACCORD_OK : exact_or_compensated(asker, false);
}

/* The least drop d above `low` such that 2^(mask_exponent - d) is swallowed in all of the triples;
 * deepest + 1 when none is. */
static enum accord_status bisect_drop(accordi_asker *asker, uint32_t (*k)[3], size_t triples,
                                      int low, int deepest, int *drop)
{
    int high = deepest + 1; /* not swallowed at low, swallowed at high */
    while (high - low > 1) {
        int middle = (low + high) / 2;
        bool yes = false;
        size_t failed = 0;
        enum accord_status status =
            swallows(asker, k, triples, ldexp(1, asker->mask_exponent - middle), &yes, &failed);
        if (status)
            return status;
        if (yes)
            high = middle;
        else
            low = middle;
    }
    *drop = high;
    return ACCORD_OK;
}

/* The same for all triples: of a few first, then of those that many more bring up. Three terms of
 * one fused sum may ask for more than any others, and may be rare. 0 when there is none. */
static enum accord_status find_drop(accordi_asker *asker, int deepest, int *drop)
{
    uint32_t k[MANY_TRIPLES][3];
    for (int t = 0; t < MANY_TRIPLES && asker->n >= 3; t++)
        pick_three(asker, t % 4 != 0, k[t]);
    enum accord_status status = bisect_drop(asker, k, TRIPLES, 0, deepest, drop);
    while (!status && *drop <= deepest) {
        bool yes = false;
        size_t failed = 0;
        status =
            swallows(asker, k, MANY_TRIPLES, ldexp(1, asker->mask_exponent - *drop), &yes, &failed);
        if (yes || status)
            return status;
        status = bisect_drop(asker, &k[failed], 1, *drop, deepest, drop);
    }
    if (*drop > deepest)
        *drop = 0;
    return status;
}

static enum accord_status calibrate_narrow(accordi_asker *asker, range r, int most)
{
    asker->mask_exponent = r.high;
    asker->mask = ldexp(1, asker->mask_exponent);
    asker->headroom = 1;
    asker->unit = ldexp(1, r.low > -14 ? r.low : -14);
    enum accord_status status = find_scale(asker);
    if (status)
        return status;
    if (asker->scale == 0)
        return none_counts(asker);
    int drop = 0;
    if ((status = check_repeats(asker)) ||
        (status = find_drop(asker, asker->mask_exponent - r.least, &drop)))
        return status;
    if (drop == 0)
        return exact_or_compensated(asker, true);
    /* Units are normal numbers where that leaves enough of them (flush to zero). */
    int ceiling = asker->mask_exponent - drop; /* units in play stay below 2^ceiling */
    int unit = ceiling - r.low >= (most < 6 ? most : 6) ? r.low : r.least;
    if (ceiling - unit < 1)
        return accordi_unable(asker->error, ACCORD_REASON_OUT_OF_RANGE,
                              "the range of %s has no room for a unit below its mask",
                              accord_format_get(asker->target->format)->name);
    if (ceiling - unit < most)
        most = ceiling - unit;
    asker->unit = ldexp(1, unit);
    if ((status = find_bits(asker, asker->scale == 1 || most < 3 ? most : most - 2)))
        return status;
    /* What room is left over lets masks be added up. */
    int spare = ceiling - unit - asker->bits;
    for (; spare > 0 && asker->headroom < (double)asker->n; spare--) {
        asker->headroom *= 2;
        asker->mask /= 2;
        asker->mask_exponent--;
    }
    return ACCORD_OK;
}

/* What looks strange may come from a single term: then that is what to say. */
static enum accord_status blame_a_term(accordi_asker *asker, enum accord_status status)
{
    accord_error *error = asker->error, other = {.status = ACCORD_OK};
    if (status != ACCORD_UNABLE ||
        (error->reason != ACCORD_REASON_NOT_A_TREE && error->reason != ACCORD_REASON_EXACT &&
         error->reason != ACCORD_REASON_COMPENSATED && error->reason != ACCORD_REASON_OUT_OF_RANGE))
        return status;
    asker->error = &other;
    asker->bits = 2;
    asker->status = ACCORD_OK;
    name_bad_term(asker);
    asker->error = error;
    if (other.status == ACCORD_UNABLE && other.reason != ACCORD_REASON_DATA_DEPENDENT)
        *error = other;
    return status;
}

enum accord_status accordi_calibrate(accordi_asker *asker)
{
    asker->stage = "calibrating";
    range r = term_range(asker->target);
    int most = accord_format_get(asker->target->output)->precision;
    enum accord_status status = r.high - r.low >= WIDE_GAP ? calibrate_wide(asker, r, most)
                                                           : calibrate_narrow(asker, r, most);
    if (!status)
        status = check_terms(asker);
    return asker->status = blame_a_term(asker, status);
}

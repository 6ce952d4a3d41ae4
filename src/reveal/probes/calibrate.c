/* Finds by probes how large a term (a mask) must be to absorb small ones (units).
 *
 * The format of the input does not tell, since accumulators may be wider or narrower than that.
 *
 * A *mask* M is a term so large that M + x = M for any sum x of the *units* in play; sums of fewer
 * than 2^bits units are exact. Formats with a wide range (f64, f32, bf16, tf32) have room for both
 * whatever the accumulator. In narrow ones (f16, fp8) the largest value that M swallows is found
 * by bisection over triples of terms: of (M, -M, x) in three rotations, a tree swallows x in two,
 * a fused node in all three, an exact sum in none. */
#include "reveal/reasons/in_calibration.h"
#include <math.h>

enum {
    TRIPLES = 3,
    FEW_TERMS = 24,
    MANY_TRIPLES = 32,
    WIDE_GAP = 200,
    GUARD_BITS = 116,
    DROP_GUARD = 3
};

typedef struct range {
    int high, low, least; /* exponents of the greatest, least normal, least subnormal term */
} range;

/* Of terms, as far as the result can hold them: products reach further than that. */
static range term_range(const accordi_asker *asker)
{
    const accord_target *target = asker->target;
    const accord_format_info *info = accord_format_get(asker->format);
    const accord_format_info *out = accord_format_get(target->output);
    int wide = target->wide_terms || asker->factors ? 2 : 1;
    range r = {info->max_exponent * wide, info->min_exponent * wide,
               (info->min_exponent - info->precision + 1) * wide};
    int least = out->min_exponent - out->precision + 1;
    r.high = r.high < out->max_exponent ? r.high : out->max_exponent;
    r.low = r.low > out->min_exponent ? r.low : out->min_exponent;
    r.least = r.least > least ? r.least : least;
    r.least = asker->factors == ACCORDI_NORMAL_FACTORS ? r.low : r.least;
    return r;
}

/* Three terms: any, or (as machines fuse what stands together) a term, one a small power of two
 * further on, and any third. */
static void pick_three(accordi_asker *asker, bool near, uint32_t k[3])
{
    size_t step = (size_t)1 << accordi_rng_below(&asker->rng, 4);
    accordi_ask_pick(asker, k, 3);
    if (!near || step >= asker->n)
        return;
    while (k[2] == k[0] || k[2] == (k[0] + step) % asker->n)
        k[2] = (uint32_t)accordi_rng_below(&asker->rng, asker->n);
    k[1] = (uint32_t)((k[0] + step) % asker->n);
}

/* Does the mask swallow x wherever a tree must? Else *failed is a triple where it does not. */
static enum accord_status ask_swallowed(accordi_asker *asker, uint32_t (*k)[3], size_t triples,
                                        double x, bool *yes, size_t *failed)
{
    *yes = true;
    if (asker->n < 3)
        return ACCORD_OK;
    accordi_ask_begin(asker, 0);
    for (size_t t = 0; t < triples; t++)
        for (int turn = 0; turn < 3; turn++)
            accordi_ask_triple(asker, k[t][turn], k[t][(turn + 1) % 3], k[t][(turn + 2) % 3], x);
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

/* Single large terms, which leave room for one that counts twice; then zeros alone, and the last
 * term with the other sign. */
typedef struct singles {
    size_t count;
    uint32_t leaf[5];
    double term[5], raw[6], negative;
} singles;

/* The first has all bits that terms may have, unless it is known which of them come through. */
static enum accord_status ask_singles(accordi_asker *asker, singles *s)
{
    s->count = asker->n < 5 ? asker->n : 5;
    accordi_ask_pick(asker, s->leaf, s->count);
    accordi_ask_begin(asker, 0);
    for (size_t i = 0; i <= s->count; i++) {
        if (i < s->count) {
            s->term[i] = asker->mask / 4;
            s->term[i] *= i == 0 && !asker->kept_known ? accordi_whole_term(asker) : 1;
            accordi_ask_own(asker, s->leaf[i], s->term[i]);
        }
        accordi_ask_end(asker);
    }
    bool signs = asker->may_be_positive && asker->n > 2;
    if (signs) {
        accordi_ask_own(asker, s->leaf[s->count - 1], -s->term[s->count - 1]);
        accordi_ask_end(asker);
    }
    if (accordi_ask_run(asker))
        return asker->status;
    memcpy(s->raw, asker->result, (s->count + 1) * sizeof *s->raw);
    s->negative = signs ? asker->result[s->count + 1] : 0;
    return asker->status;
}

/* Terms that may never be negative are asked in another way: what calibration finds of them is that
 * this is no sum, and why takes calls for each term. */
static enum accord_status check_signs(accordi_asker *asker, const singles *s)
{
    double last = s->raw[s->count - 1];
    asker->mirrored = last > 0 && s->negative == last; /* squares may overflow */
    return asker->mirrored ? accordi_unable(asker->error, ACCORD_REASON_NOT_A_TREE,
                                            "this is not a sum: terms of %g and %g both give %g",
                                            s->term[s->count - 1], -s->term[s->count - 1], last)
                           : ACCORD_OK;
}

/* Has it come through whole? It is compared with the others, and where it is like none of them,
 * with the same term without those bits. */
static enum accord_status ask_whole(accordi_asker *asker, singles *s, bool *whole)
{
    *whole = asker->kept_known;
    for (size_t i = 1; i < s->count && !*whole; i++)
        *whole =
            fabs(s->raw[0] / s->raw[i] - 1) < 0.5 && accordi_is_whole(asker, s->raw[0], s->raw[i]);
    if (*whole)
        return ACCORD_OK;
    s->term[0] = asker->mask / 4;
    accordi_ask_begin(asker, 0);
    accordi_ask_own(asker, s->leaf[0], s->term[0]);
    accordi_ask_end(asker);
    if (accordi_ask_run(asker))
        return asker->status;
    *whole = accordi_is_whole(asker, s->raw[0], asker->result[0]);
    s->raw[0] = asker->result[0];
    return ACCORD_OK;
}

/* Unless terms do not come through whole: the scale, what a large term becomes, at several places;
 * the value held by most, of equals the smaller (one term of two lost, or counted twice). */
static enum accord_status find_scale(accordi_asker *asker, bool *whole)
{
    singles s;
    double seen[5];
    enum accord_status status = ask_singles(asker, &s);
    if (status || (status = check_signs(asker, &s)) || (status = ask_whole(asker, &s, whole)) ||
        !*whole)
        return status;
    size_t count = s.count, votes = 0;
    if (s.raw[count] != 0 && isfinite(s.raw[count]))
        return accordi_unable(asker->error, ACCORD_REASON_NOT_A_TREE, "zeros add up to %g",
                              s.raw[count]);
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(s.raw[i]))
            return accordi_unable(asker->error, ACCORD_REASON_NOT_FINITE,
                                  "a single term of %g among zeros gave %g", s.term[i], s.raw[i]);
        seen[i] = s.raw[i] / s.term[i];
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
    int precision = accord_format_get(asker->target->output)->precision;
    /* The significand of the first term may use all bits; its product is then rounded. */
    if (count == 2 && fabs(seen[0] / seen[1] - 1) < ldexp(1, 1 - precision))
        asker->scale = seen[1];
    /* As near to a mean as the result's format can tell is a mean. */
    if (fabs(asker->scale * (double)asker->n - 1) < ldexp(1, 1 - precision))
        asker->scale = 1 / (double)asker->n;
    return ACCORD_OK;
}

/* Do sums of `bits` bits come back exactly? Powers of two are put on random terms, twice. */
static enum accord_status counts_exactly(accordi_asker *asker, bool *yes)
{
    int bits = asker->bits;
    *yes = true;
    for (int trial = 0; trial < 2 && *yes; trial++) {
        accordi_ask_begin(asker, 0);
        int used = (size_t)bits < asker->n ? bits : (int)asker->n;
        uint32_t leaf[64];
        accordi_ask_pick(asker, leaf, (size_t)used);
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

/* Do they beside any term, too? A partial sum that is stored in a narrow format loses bits only of
 * the terms that meet in it. Beside a large term, units on about half of the others: those in its
 * part are lost where they are odd in number, and the rest counts. Where single terms come through
 * whole, this is rare, and is asked after a contradiction. */
static enum accord_status units_count(accordi_asker *asker, bool *yes)
{
    enum { LARGE = 16, MOST = 4096 };
    double large = ldexp(1, asker->bits - 1), due[LARGE];
    size_t most = asker->n - 1 < MOST ? asker->n - 1 : MOST;
    bool likely = asker->format != asker->target->format || asker->attempt > 0;
    if (!likely || asker->n < 2 || asker->bits < 3)
        return asker->status;
    if ((double)most > large / 2)
        most = (size_t)(large / 2);
    accordi_ask_begin(asker, 0);
    for (int i = 0; i < LARGE; i++) {
        uint32_t at = (uint32_t)accordi_rng_below(&asker->rng, asker->n);
        size_t step = (asker->n - 1) / most;
        due[i] = large;
        accordi_ask_own(asker, at, asker->unit * large);
        for (size_t k = 0; k < most; k++) {
            if (accordi_rng_below(&asker->rng, 2))
                continue;
            accordi_ask_own(asker, (uint32_t)((at + 1 + k * step) % asker->n), asker->unit);
            due[i]++;
        }
        accordi_ask_end(asker);
    }
    if (accordi_ask_run(asker))
        return asker->status;
    for (int i = 0; i < LARGE; i++)
        *yes = *yes && rint(asker->result[i] / (asker->unit * asker->scale)) == due[i];
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
        enum accord_status status = counts_exactly(asker, &yes);
        if (!status && yes)
            status = units_count(asker, &yes);
        if (status || yes)
            return status;
    }
    return accordi_unable(asker->error, ACCORD_REASON_NOT_A_TREE,
                          "sums of two small exact terms are not exact");
}

/* What a mask swallows in a format with a wide range: as much as sums as wide as the result do, or
 * else as little as units are beside it. The last terms are asked for, too, since a remainder may
 * have wider sums of its own. Of few terms no order is verified, which is what more is good for.
 * *yes: the mask swallows units. */
static enum accord_status find_wide_drop(accordi_asker *asker, bool *yes)
{
    size_t failed = 0;
    uint32_t k[TRIPLES][3];
    for (int t = 0; t < TRIPLES && asker->n >= 3; t++)
        pick_three(asker, false, k[t]);
    for (uint32_t i = 0; i < 3 && asker->n >= 3; i++)
        k[0][i] = (uint32_t)asker->n - 1 - i;
    asker->drop = asker->bits + DROP_GUARD;
    enum accord_status status = ACCORD_OK;
    if (asker->n >= FEW_TERMS)
        status = ask_swallowed(asker, k, TRIPLES, ldexp(asker->mask, -asker->drop), yes, &failed);
    if (status || *yes)
        return status;
    asker->drop = ACCORDI_WIDE_DROP;
    return ask_swallowed(asker, k, TRIPLES, asker->unit * ldexp(1, asker->bits), yes, &failed);
}

static enum accord_status calibrate_wide(accordi_asker *asker, range r, int most, bool *whole)
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
    enum accord_status status = find_scale(asker, whole);
    if (status || !*whole)
        return status;
    if (asker->scale == 0)
        return accordi_none_counts(asker);
    if (asker->scale != 1)
        most -= 2;
    if ((status = accordi_check_repeats(asker)) || (status = find_bits(asker, most)))
        return status;
    /* Results then hold moves of masks beside the units: the fewer units, the more moves. */
    int room = accord_format_get(asker->target->output)->precision / (asker->attempt ? 3 : 2);
    if (asker->moves == ACCORDI_MOVES_COUNTED && asker->bits > room)
        asker->bits = room;
    bool yes = false;
    if ((status = find_wide_drop(asker, &yes)))
        return status;
    return yes ? ACCORD_OK : accordi_exact_or_compensated(asker, false);
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
        enum accord_status status = ask_swallowed(
            asker, k, triples, ldexp(1, asker->mask_exponent - middle), &yes, &failed);
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
        status = ask_swallowed(asker, k, MANY_TRIPLES, ldexp(1, asker->mask_exponent - *drop), &yes,
                               &failed);
        if (yes || status)
            return status;
        status = bisect_drop(asker, &k[failed], 1, *drop, deepest, drop);
    }
    if (*drop > deepest)
        *drop = 0;
    return status;
}

/* A mask so large that it leaves room for a few bits of units alone: what sums it up in a wider
 * format than most of the others do loses them as well. */
static int deepest_drop(const accordi_asker *asker, range r, int most)
{
    enum { BITS = 11 };
    return asker->mask_exponent - r.least - (most < BITS ? most : BITS);
}

static enum accord_status calibrate_narrow(accordi_asker *asker, range r, int most, bool *whole)
{
    asker->mask_exponent = r.high;
    asker->mask = ldexp(1, asker->mask_exponent);
    asker->drop = ACCORDI_WIDE_DROP; /* more than there is room for */
    asker->headroom = 1;
    asker->unit = ldexp(1, r.low > -14 ? r.low : -14);
    enum accord_status status = find_scale(asker, whole);
    if (status || !*whole)
        return status;
    if (asker->scale == 0)
        return accordi_none_counts(asker);
    /* A mean of many terms makes little of each: units must be larger by as much. */
    int lift = fabs(asker->scale) < 1 ? (int)ceil(-log2(fabs(asker->scale))) : 0;
    r.low += lift;
    r.least += lift;
    asker->unit = ldexp(asker->unit, lift);
    int drop = 0;
    if ((status = accordi_check_repeats(asker)) ||
        (status = find_drop(asker, asker->mask_exponent - r.least, &drop)))
        return status;
    if (drop == 0)
        return accordi_exact_or_compensated(asker, true);
    if (asker->attempt == 1 && drop < deepest_drop(asker, r, most))
        drop = deepest_drop(asker, r, most);
    /* Units are normal numbers where that leaves enough of them (flush to zero). */
    int ceiling = asker->mask_exponent - drop; /* units in play stay below 2^ceiling */
    int unit = ceiling - r.low >= (most < 6 ? most : 6) ? r.low : r.least;
    if (ceiling - unit < 1)
        return accordi_unable(
            asker->error, ACCORD_REASON_OUT_OF_RANGE,
            "the range of %s%s is too narrow for a mask and a unit that vanishes beside it",
            accord_format_get(asker->format)->name, accordi_kept_words(asker));
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

/* With the format that probes are written in. *whole: false if terms lose bits of it, and then
 * nothing else is known. */
static enum accord_status calibrate_format(accordi_asker *asker, bool *whole)
{
    range r = term_range(asker);
    int most = accord_format_get(asker->target->output)->precision;
    *whole = true;
    asker->narrow = r.high - r.low < WIDE_GAP;
    return asker->narrow ? calibrate_narrow(asker, r, most, whole)
                         : calibrate_wide(asker, r, most, whole);
}

/* A partial sum that is stored in a narrow format counts less far than the term that was asked:
 * where every term counts alone but not all together, with as many bits as f16 has, then bf16. */
static enum accord_status check_counts(accordi_asker *asker)
{
    static const int fewer[] = {11, 8};
    enum accord_status status = accordi_check_terms(asker);
    for (size_t i = 0; i < sizeof fewer / sizeof *fewer && status == ACCORD_UNABLE; i++) {
        enum accord_reason reason = asker->error->reason;
        bool likely = reason == ACCORD_REASON_DATA_DEPENDENT || reason == ACCORD_REASON_TERM_LOST;
        if (!likely || asker->bits <= fewer[i])
            continue;
        asker->bits = fewer[i];
        asker->status = ACCORD_OK;
        status = accordi_check_terms(asker);
    }
    return status;
}

enum accord_status accordi_calibrate(accordi_asker *asker)
{
    bool whole;
    asker->stage = "calibrating";
    enum accord_status status = calibrate_format(asker, &whole);
    if (!whole && !(status = accordi_find_kept(asker)))
        status = calibrate_format(asker, &whole);
    if (!status)
        status = check_counts(asker);
    return asker->status = asker->mirrored ? status : accordi_blame_a_term(asker, status);
}

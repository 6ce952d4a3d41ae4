/* Reasons of targets that no order fits, seen from single terms and repeated inputs before the
 * search begins; what replays show later is in after_proof.c. */
#include "reveal/reasons/in_calibration.h"
#include <math.h>

enum { PAIRS = 3 };

enum accord_status accordi_blame(accordi_asker *asker, size_t term, bool twice)
{
    asker->blamed = (uint32_t)term;
    return twice ? accordi_unable(asker->error, ACCORD_REASON_TERM_TWICE,
                                  "term %zu is counted twice", term)
                 : accordi_unable(asker->error, ACCORD_REASON_TERM_LOST,
                                  "term %zu is lost: it does not contribute to the result", term);
}

static enum accord_status counts_alone(accordi_asker *asker)
{
    return accordi_unable(
        asker->error, ACCORD_REASON_DATA_DEPENDENT,
        "each term counts when it stands alone, but not all of them count together");
}

/* A unit was lost or came back twice. Alone it may come back as it is; or it is subnormal, and
 * counts as zero, or has fewer bits than its format, while a mask is as it should be. */
static enum accord_status blame_alone(accordi_asker *asker, size_t term, bool twice)
{
    const accord_format_info *in = accord_format_get(asker->format),
                             *out = accord_format_get(asker->target->output);
    int least = in->min_exponent > out->min_exponent ? in->min_exponent : out->min_exponent;
    accordi_ask_begin(asker, 0);
    for (int large = 0; large < 2; large++) {
        accordi_ask_own(asker, (uint32_t)term, large ? asker->mask : asker->unit);
        accordi_ask_end(asker);
    }
    if (accordi_ask_run(asker))
        return asker->status;
    if (asker->result[0] == asker->unit * asker->scale)
        return counts_alone(asker);
    double large = asker->result[1] / (asker->mask * asker->scale);
    if (large > 0.5 && large < 1.5 && asker->unit < ldexp(1, least))
        return accordi_unable(
            asker->error, ACCORD_REASON_OUT_OF_RANGE,
            "the range of %s is too narrow for this arithmetic: probes need terms "
            "of %g, and such a term alone gives %g",
            accord_format_get(asker->unit < ldexp(1, in->min_exponent) ? asker->format
                                                                       : asker->target->output)
                ->name,
            asker->unit, asker->result[0] / asker->scale);
    return accordi_blame(asker, term, twice);
}

/* All terms alike, alone, gave this: as near to what is due as the result's format has numbers, as
 * in the mean of a narrow format, whose results cannot tell so many terms from each other; or not,
 * as where narrow sums are multiplied. */
static enum accord_status name_odd_size(accordi_asker *asker, double got)
{
    const accord_format_info *out = accord_format_get(asker->target->output);
    double due = asker->unit * asker->scale;
    bool nearest = got == accord_format_round(asker->target->output, ACCORD_NEAREST_EVEN, due);
    if (nearest && (double)asker->n >= ldexp(1, out->precision - 3))
        return accordi_unable(asker->error, ACCORD_REASON_OUT_OF_RANGE,
                              "results of %s have too few bits to count terms that are multiplied "
                              "by %.9g: each term of %g that was asked for alone gives %.17g",
                              out->name, asker->scale, asker->unit, got);
    if (nearest)
        return counts_alone(asker);
    return accordi_unable(asker->error, ACCORD_REASON_NOT_A_TREE,
                          "results are not in proportion to their terms: each term of %g that was "
                          "asked for alone gives %.17g, not %.17g",
                          asker->unit, got, due);
}

/* One term of some that are not all of weight 1, unless all of them, and the next one, have the
 * same weight: then it is the size of terms that matters. */
static enum accord_status name_odd_weight(accordi_asker *asker, size_t first, size_t count)
{
    bool alike = asker->n > count;
    accordi_ask_begin(asker, 0);
    for (size_t i = 0; i < count + alike; i++) {
        accordi_ask_own(asker, (uint32_t)((first + i) % asker->n), asker->unit);
        accordi_ask_end(asker);
    }
    if (accordi_ask_run(asker))
        return asker->status;
    for (size_t i = 1; i < asker->probes; i++)
        alike = alike && asker->result[i] == asker->result[0];
    if (alike && isfinite(asker->result[0]) && asker->result[0] != asker->unit * asker->scale)
        return name_odd_size(asker, asker->result[0]);
    for (size_t i = 0; i < count; i++) {
        double weight = asker->result[i] / (asker->unit * asker->scale);
        if (weight == 1)
            continue;
        asker->blamed = (uint32_t)(first + i);
        return accordi_unable(asker->error, ACCORD_REASON_NOT_A_TREE,
                              "term %zu does not have the same weight as the others: alone, it "
                              "contributes %.17g times what is expected",
                              first + i, weight);
    }
    return accordi_unable(asker->error, ACCORD_REASON_NOT_A_TREE,
                          "this is not a sum: terms %zu to %zu have the weight 1 each, but not "
                          "together",
                          first, first + count - 1);
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
            double digit = fmod(floor(got * ldexp(1, -2 * (int)i)), 4);
            if (!isfinite(got) || got != floor(got) || digit > 2)
                return name_odd_weight(asker, at, count);
            if (digit != 1)
                return blame_alone(asker, at + i, digit == 2);
        }
    }
    return counts_alone(asker);
}

/* Of whole units no fraction comes back, whatever the order depends on; of multiples of them, none
 * that is more than rounding. */
static enum accord_status name_bad_sum(accordi_asker *asker, double got, double due)
{
    enum accord_status status = name_bad_term(asker);
    double rounding = asker->scale == 1 ? 0 : 1.0 / 64, part = fabs(got - rint(got));
    if (status != ACCORD_UNABLE || asker->error->reason != ACCORD_REASON_DATA_DEPENDENT ||
        part <= rounding)
        return status;
    return accordi_unable(
        asker->error, ACCORD_REASON_NOT_A_TREE,
        "this is not a sum: small terms whose exact sum is %.17g units gave %.17g units", due, got);
}

/* Puts `count` terms from `first` on, with random weights up to `most`, and returns their sum. */
static uint64_t put_weights(accordi_asker *asker, size_t first, size_t count, uint32_t most)
{
    uint32_t weight[1024];
    uint64_t sum = 0;
    for (size_t done = 0, some; done < count; done += some) {
        some = sizeof weight / sizeof *weight;
        some = count - done < some ? count - done : some;
        sum += accordi_rng_weights(&asker->rng, weight, some, most);
        accordi_ask_stay_run(asker, (uint32_t)(first + done), false, weight, some, asker->unit);
    }
    return sum;
}

/* Every term counts once: random weights (two draws where there is room), in as many probes as
 * exact sums need, and as memory allows. */
enum accord_status accordi_check_terms(accordi_asker *asker)
{
    enum { TERMS_A_PROBE = 1 << 20, MOST = 1 << 16 };
    uint64_t capacity = accordi_ask_capacity(asker), most = capacity / asker->n;
    int precision = accord_format_get(asker->format)->precision;
    if (most > ((uint64_t)1 << precision))
        most = (uint64_t)1 << precision;
    most = most > MOST ? MOST : most < 1 ? 1 : most;
    size_t fit = capacity / most < TERMS_A_PROBE ? (size_t)(capacity / most) : TERMS_A_PROBE;
    int draws = most > 1 ? 2 : 1;
    for (int draw = 0; draw < draws; draw++) {
        for (size_t at = 0, some; at < asker->n; at += some) {
            some = asker->n - at < fit ? asker->n - at : fit;
            accordi_ask_begin(asker, 0);
            double due = (double)put_weights(asker, at, some, (uint32_t)most);
            accordi_ask_end(asker);
            if (accordi_ask_run(asker))
                return asker->status;
            double got = asker->result[0] / (asker->unit * asker->scale);
            if ((asker->scale == 1 ? got : rint(got)) != due)
                return name_bad_sum(asker, got, due);
        }
    }
    return ACCORD_OK;
}

enum accord_status accordi_check_same(accordi_asker *asker, size_t times)
{
    for (size_t i = 0; i < asker->probes; i++) {
        double first = asker->result[i / times * times];
        if (memcmp(&asker->result[i], &first, sizeof first))
            return accordi_unable(asker->error, ACCORD_REASON_NONDETERMINISTIC,
                                  "the same input gave %.17g at one time and %.17g at another",
                                  first, asker->result[i]);
    }
    return ACCORD_OK;
}

/* The same inputs again and again: terms of random significands in a few binades, whose sum is
 * rounded otherwise in almost any other order. A few: the answers are all asked for twice. */
enum accord_status accordi_check_repeats(accordi_asker *asker)
{
    enum { INPUTS = 4, TIMES = 3, MOST = 256 };
    size_t terms = asker->n < MOST ? asker->n : MOST;
    accordi_ask_begin(asker, 0);
    for (int i = 0; i < INPUTS; i++)
        for (int t = 0; t < TIMES; t++) {
            for (size_t k = 0; k < terms && t == 0; k++) {
                size_t at = terms == asker->n ? k : accordi_rng_below(&asker->rng, asker->n);
                double x = ldexp(1 + accordi_rng_unit(&asker->rng), (int)(k % 4));
                x = accord_format_round(asker->format, ACCORD_NEAREST_EVEN, x * asker->unit);
                accordi_ask_stay(asker, (uint32_t)at, k % 3 ? x : -x);
            }
            accordi_ask_end(asker);
        }
    if (accordi_ask_run(asker))
        return asker->status;
    return accordi_check_same(asker, TIMES);
}

/* Rounding up moves M + u, rounding down or toward zero M - u, however small u is and wherever it
 * stands: then no mask swallows units of both signs, and no probe of accord works. */
static enum accord_status check_direction(accordi_asker *asker)
{
    enum { TURNS = 3 }; /* the mask alone, plus a unit, minus a unit */
    bool up = true, down = true;
    accordi_ask_begin(asker, 0);
    for (int i = 0; i < PAIRS * TURNS; i++) {
        static const int units[TURNS] = {0, 1, -1};
        uint32_t k[2];
        accordi_ask_pick(asker, k, 2);
        for (int turn = 0; turn < TURNS; turn++) {
            accordi_ask_own(asker, k[0], asker->mask / 2);
            accordi_ask_own(asker, k[1], units[turn] * asker->unit);
            accordi_ask_end(asker);
        }
    }
    if (accordi_ask_run(asker))
        return asker->status;
    for (size_t i = 0; i < asker->probes; i += TURNS) {
        const double *r = asker->result + i;
        int bits = accord_format_get(asker->target->output)->precision;
        double last = ldexp(fabs(r[0]), 2 - bits); /* a place or two, not a term counted twice */
        up = up && r[1] > r[0] && r[1] <= r[0] + last && r[2] == r[0];
        down = down && r[2] < r[0] && r[2] >= r[0] - last && r[1] == r[0];
    }
    return up == down ? ACCORD_OK
                      : accordi_unable(asker->error, ACCORD_REASON_NOT_PLAIN,
                                       "sums are not rounded to nearest: beside a large positive "
                                       "term every small %s term changes the sum, and no small %s "
                                       "term does, as where sums are rounded %s; probes need terms "
                                       "that vanish beside others, whatever their sign",
                                       up ? "positive" : "negative", up ? "negative" : "positive",
                                       up ? "up" : "down or toward zero");
}

static enum accord_status check_cancelling(accordi_asker *asker)
{
    accordi_ask_begin(asker, 0);
    for (int i = 0; i < PAIRS; i++) {
        uint32_t k[2];
        accordi_ask_pick(asker, k, 2);
        accordi_ask_masks(asker, k[0], k[1]);
    }
    if (accordi_ask_run(asker))
        return asker->status;
    for (int i = 0; i < PAIRS; i++)
        if (asker->result[i] != 0)
            return accordi_unable(asker->error, ACCORD_REASON_NOT_A_TREE,
                                  "this is not a sum: a term and its negative do not cancel");
    return ACCORD_OK;
}

/* A sum either keeps or loses a unit beside a mask and its negative; any other answer shows that
 * the target is not a sum. */
static enum accord_status check_keeping(accordi_asker *asker, bool *all)
{
    enum { TRIPLES = 32 };
    int precision = accord_format_get(asker->target->output)->precision;
    double due = asker->unit * asker->scale;
    double most = asker->scale == 1 ? 0 : ldexp(fabs(due), 2 - precision);
    size_t kept = 0;
    accordi_ask_begin(asker, 0);
    for (int i = 0; i < TRIPLES && asker->n >= 3; i++) {
        uint32_t k[3];
        accordi_ask_pick(asker, k, 3);
        accordi_ask_triple(asker, k[0], k[1], k[2], asker->unit);
    }
    if (accordi_ask_run(asker))
        return asker->status;
    for (size_t i = 0; i < asker->probes; i++) {
        double got = asker->result[i];
        kept += got != 0;
        if (got != 0 && !(fabs(got - due) <= most))
            return accordi_unable(asker->error, ACCORD_REASON_NOT_A_TREE,
                                  "beside two large terms that cancel, a small term is neither "
                                  "kept nor lost: %g became %g, so this is not a sum, or it is one "
                                  "that rounds small terms up where it aligns them with large ones",
                                  asker->unit, got / asker->scale);
    }
    *all = kept == asker->probes;
    return ACCORD_OK;
}

/* Under one mask, and under a larger one that covers it? */
static enum accord_status check_nested(accordi_asker *asker, bool *kept)
{
    enum { TIMES = 64 };
    double middle = ldexp(1, (int)((asker->mask_exponent + ilogb(asker->unit)) / 2));
    accordi_ask_begin(asker, 0);
    for (int i = 0; i < TIMES && asker->n >= 5; i++) {
        uint32_t k[5];
        accordi_ask_pick(asker, k, 5);
        accordi_ask_own(asker, k[0], asker->unit);
        accordi_ask_own(asker, k[1], middle);
        accordi_ask_own(asker, k[2], asker->mask);
        accordi_ask_own(asker, k[3], -asker->mask);
        accordi_ask_own(asker, k[4], -middle);
        accordi_ask_end(asker);
    }
    if (accordi_ask_run(asker))
        return asker->status;
    *kept = true;
    for (size_t i = 0; i < asker->probes; i++)
        *kept = *kept && asker->result[i] == asker->unit * asker->scale;
    return ACCORD_OK;
}

/* Somewhere nothing is swallowed. An exact sum keeps a unit under any masks; a compensated one
 * keeps it under one mask, and loses it under a mask that a larger mask covers. In a narrow range
 * any wide accumulator is exact. */
enum accord_status accordi_exact_or_compensated(accordi_asker *asker, bool narrow)
{
    bool all = true, nested = true;
    enum accord_status status = asker->n >= 2 && !narrow ? check_direction(asker) : ACCORD_OK;
    if (status || (status = check_cancelling(asker)) || (status = check_keeping(asker, &all)))
        return status;
    if (!all)
        return accordi_unable(
            asker->error, ACCORD_REASON_NOT_A_TREE,
            "a large term absorbs a small one at some positions but not at others, which no tree "
            "of additions in one precision does: some additions are wider, exact or compensated, "
            "or the order depends on the values");
    if ((status = check_nested(asker, &nested)))
        return status;
    if (!nested)
        return accordi_unable(
            asker->error, ACCORD_REASON_COMPENSATED,
            "the sum is compensated: what is lost beside a large term is added back later");
    if (narrow)
        return accordi_unable(asker->error, ACCORD_REASON_OUT_OF_RANGE,
                              "the range of %s%s is too narrow for this accumulator: even a term "
                              "of 2^%d absorbs no other term",
                              accord_format_get(asker->format)->name, accordi_kept_words(asker),
                              asker->mask_exponent);
    return accordi_unable(
        asker->error, ACCORD_REASON_EXACT,
        "the sum is exact, or independent of the order: no large term absorbs a small one");
}

/* What terms are rounded to may saturate, and be known to. */
enum accord_status accordi_check_bound(accordi_asker *asker)
{
    enum { MANY_TERMS = 1 << 12 };
    int most = accordi_ask_exponents(asker, asker->target->format).most;
    double known = accord_format_get(asker->format)->greatest * fabs(asker->scale);
    if (asker->n < MANY_TERMS ||
        (asker->term != ACCORD_TERM_VALUE && asker->term != ACCORD_TERM_PRODUCT))
        return asker->status;
    accordi_ask_begin(asker, 0);
    for (int i = 2; i <= 3; i++) {
        accordi_ask_own(asker, 0, ldexp(i, most - 2));
        accordi_ask_end(asker);
    }
    if (accordi_ask_run(asker))
        return asker->status;
    double one = asker->result[0], more = asker->result[1];
    if (isfinite(one) && one != 0 && one == more && fabs(one) != known)
        return accordi_ask_unable(asker, ACCORD_REASON_LIMITED,
                                  "a single term of 2^%d gives %.9g, and so does a greater one",
                                  most - 1, one);
    return ACCORD_OK;
}

/* None of the terms that were to give the scale reaches the result. */
enum accord_status accordi_none_counts(accordi_asker *asker)
{
    asker->scale = 1;
    asker->bits = 2;
    return name_bad_term(asker);
}

/* What looks strange may come from a single term: then that is what to say. */
enum accord_status accordi_blame_a_term(accordi_asker *asker, enum accord_status status)
{
    accord_error *error = asker->error, other = {.status = ACCORD_OK};
    if (status != ACCORD_UNABLE ||
        (error->reason != ACCORD_REASON_NOT_A_TREE && error->reason != ACCORD_REASON_EXACT &&
         error->reason != ACCORD_REASON_COMPENSATED && error->reason != ACCORD_REASON_OUT_OF_RANGE))
        return status;
    asker->error = &other;
    asker->bits = 2;
    asker->status = ACCORD_OK;
    if (!accordi_check_bound(asker))
        name_bad_term(asker);
    asker->error = error;
    bool no_news = other.reason == ACCORD_REASON_OUT_OF_RANGE && error->reason == other.reason;
    if (other.status == ACCORD_UNABLE && other.reason != ACCORD_REASON_DATA_DEPENDENT && !no_news)
        *error = other;
    return status;
}

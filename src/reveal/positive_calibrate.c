/* Calibration for terms that cannot be negative: what a term is, whether every term counts once,
 * and how wide the accumulator is. All is asked of the target. */
#include "reveal/oddities.h"
#include "reveal/positive.h"
#include <math.h>

enum { THREES = 6, A_THREE = 9 };

double accordi_positive_sum(const accordi_positive_asker *p, double result)
{
    double sum = result / p->asker->scale;
    return p->root ? sum * sum : sum;
}

/* What a term is, of f(1), f(-1), f(2) at one term, and whether it is the root, of f(1, 1). */
static enum accord_status identify_term(accordi_positive_asker *p, const double *one, double both)
{
    accordi_asker *asker = p->asker;
    double twice = one[2] / one[0], pair = both / one[0];
    bool linear = fabs(twice - 2) < 1e-2, square = fabs(twice - 4) < 1e-2;
    bool root = linear && fabs(pair - sqrt(2)) < 1e-2, sum = fabs(pair - 2) < 1e-2;
    if (one[0] != one[1] || !(linear || square) || !(root || sum))
        return asker->status = accordi_unable(
                   asker->error, ACCORD_REASON_NOT_A_TREE,
                   "this is no sum of absolute values or squares, nor its root: 1 gives %.9g, "
                   "-1 %.9g, 2 %.9g, two terms of 1 %.9g",
                   one[0], one[1], one[2], both);
    p->term = square || root ? ACCORD_TERM_SQUARE : ACCORD_TERM_ABSOLUTE;
    p->root = root;
    asker->scale = one[0];
    return ACCORD_OK;
}

static enum accord_status identify(accordi_positive_asker *p)
{
    static const double values[] = {1, -1, 2};
    accordi_asker *asker = p->asker;
    uint32_t k[2] = {0, 0};
    size_t count = asker->n < 2 ? asker->n : 2;
    accordi_ask_pick(asker, k, count);
    accordi_ask_begin(asker, 0);
    for (int i = 0; i < 3; i++) {
        accordi_ask_own(asker, k[0], values[i]);
        accordi_ask_end(asker);
    }
    accordi_ask_end(asker);
    for (size_t i = 0; i < count; i++)
        accordi_ask_own(asker, k[i], 1);
    accordi_ask_end(asker);
    if (accordi_ask_run(asker))
        return asker->status;
    const double *r = asker->result;
    for (int i = 0; i < 5; i++)
        if (!isfinite(r[i]))
            return asker->status =
                       accordi_unable(asker->error, ACCORD_REASON_NOT_FINITE,
                                      "one or two terms of 1 or 2 among zeros gave %g", r[i]);
    if (r[3] != 0)
        return asker->status = accordi_unable(asker->error, ACCORD_REASON_NOT_A_TREE,
                                              "zeros add up to %g", r[3]);
    if (r[0] == 0)
        return asker->status =
                   accordi_unable(asker->error, ACCORD_REASON_TERM_LOST,
                                  "term %u is lost: it does not reach the result", k[0]);
    return identify_term(p, r,
                         count == 2                                     ? r[4]
                         : p->asker->target->term == ACCORD_TERM_SQUARE ? r[0] * sqrt(2)
                                                                        : r[0] * 2);
}

/* The results of random threes: for each of its terms in turn the mask alone, with a unit, with
 * two. */
static enum accordi_pattern judge(const double *result, size_t threes, size_t *like_a_tree)
{
    size_t kept = 0, shown = 0, lost = 0, single = 0, all = 0;
    *like_a_tree = 0;
    for (size_t t = 0; t < threes; t++) {
        const double *r = result + t * A_THREE;
        size_t exceed = 0;
        for (int turn = 0; turn < 3; turn++) {
            if (r[3 * turn] != result[0] || r[3 * turn + 1] < result[0] ||
                r[3 * turn + 2] < result[0])
                return ACCORDI_MIXED;
            single += r[3 * turn + 1] != result[0];
            exceed += r[3 * turn + 2] != result[0];
        }
        kept += exceed == 3;
        shown += exceed == 1;
        lost += exceed == 0;
        all += exceed;
    }
    *like_a_tree = shown;
    return kept == threes                   ? ACCORDI_KEPT
           : shown == threes && single == 0 ? ACCORDI_SHOWS
           : lost == threes && single == 0  ? ACCORDI_LOST
           : 2 * all >= 3 * threes          ? ACCORDI_MOSTLY
                                            : ACCORDI_MIXED;
}

enum accord_status accordi_positive_pattern(accordi_positive_asker *p, int width,
                                            enum accordi_pattern *out)
{
    accordi_asker *asker = p->asker;
    accordi_operands operands;
    *out = ACCORDI_NO_OPERANDS;
    if (!accordi_positive_operands(p, width, &operands))
        return ACCORD_OK;
    size_t threes = asker->n == 3 ? 1 : THREES;
    accordi_ask_begin(asker, 0);
    for (size_t t = 0; t < threes; t++) {
        uint32_t k[3];
        accordi_ask_pick(asker, k, 3);
        for (int turn = 0; turn < 3; turn++) {
            const uint32_t terms[3] = {k[turn], k[(turn + 1) % 3], k[(turn + 2) % 3]};
            for (int units = 0; units <= 2; units++)
                accordi_positive_probe(p, &operands, terms, units);
        }
    }
    if (accordi_ask_run(asker))
        return asker->status;
    for (size_t i = 0; i < asker->probes; i++)
        if (!isfinite(asker->result[i]))
            return asker->status = accordi_unable(asker->error, ACCORD_REASON_NOT_FINITE,
                                                  "terms of at most %g gave %g", operands.mask,
                                                  asker->result[i]);
    *out = judge(asker->result, threes, &p->like_a_tree);
    if (*out == ACCORDI_SHOWS) {
        p->operands = operands;
        p->base = asker->result[0];
    }
    return ACCORD_OK;
}

/* The first width above (or below) the result's at which rounding shows the order. */
static enum accord_status try_widths(accordi_positive_asker *p, int precision, bool above,
                                     bool *found)
{
    static const int widths[] = {53, 64, 113, 24, 11, 8};
    *found = false;
    for (size_t i = 0; i < sizeof widths / sizeof *widths && !*found; i++) {
        enum accordi_pattern pattern;
        if (widths[i] == precision || (widths[i] > precision) != above)
            continue;
        if (accordi_positive_pattern(p, widths[i], &pattern))
            return p->asker->status;
        *found = pattern == ACCORDI_SHOWS;
    }
    return ACCORD_OK;
}

static enum accord_status find_width(accordi_positive_asker *p)
{
    accordi_asker *asker = p->asker;
    int precision = accord_format_get(asker->target->output)->precision;
    enum accordi_pattern pattern;
    bool found = false;
    if (accordi_positive_pattern(p, precision, &pattern))
        return asker->status;
    if (pattern == ACCORDI_SHOWS)
        return ACCORD_OK;
    if (pattern == ACCORDI_MIXED || pattern == ACCORDI_MOSTLY)
        return accordi_positive_not_binary(p, p->like_a_tree == 0);
    if (pattern == ACCORDI_NO_OPERANDS)
        return asker->status =
                   accordi_unable(asker->error, ACCORD_REASON_OUT_OF_RANGE,
                                  "%s has no terms whose rounding shows the order of terms that "
                                  "cannot be negative",
                                  accord_format_get(asker->target->format)->name);
    if (try_widths(p, precision, pattern == ACCORDI_KEPT, &found) || found)
        return asker->status;
    return pattern == ACCORDI_KEPT ? accordi_positive_all_kept(p) : accordi_positive_all_lost(p);
}

/* Every term counts once: random weights of random signs, as many to a probe as sums are exact. */
static enum accord_status check_terms(accordi_positive_asker *p)
{
    accordi_asker *asker = p->asker;
    bool square = p->term == ACCORD_TERM_SQUARE;
    double capacity = ldexp(1, asker->bits > 40 ? 36 : asker->bits - 4);
    int precision = accord_format_get(asker->target->format)->precision;
    double most = floor(square ? sqrt(capacity / (double)asker->n) : capacity / (double)asker->n);
    most = most < 1 ? 1 : most > 256 ? 256 : most;
    most = precision < 8 ? 1 : most;
    double greatest = square ? most * most : most;
    for (size_t at = 0; at < asker->n;) {
        double due = 0;
        accordi_ask_begin(asker, 0);
        while (at < asker->n && (due == 0 || due + greatest <= capacity)) {
            double weight = 1 + (double)accordi_rng_below(&asker->rng, (uint64_t)most);
            bool minus = accordi_rng_next(&asker->rng) >> 63;
            accordi_ask_own(asker, (uint32_t)at++, minus ? -weight : weight);
            due += square ? weight * weight : weight;
        }
        accordi_ask_end(asker);
        if (accordi_ask_run(asker))
            return asker->status;
        if (rint(accordi_positive_sum(p, asker->result[0])) == due)
            continue;
        if (accordi_positive_bad_term(p))
            return asker->status;
        return asker->status =
                   accordi_unable(asker->error, ACCORD_REASON_DATA_DEPENDENT,
                                  "every term counts alone, but not all of them together");
    }
    return ACCORD_OK;
}

/* What looks strange may come from a single term. */
static enum accord_status blame_a_term(accordi_positive_asker *p)
{
    accordi_asker *asker = p->asker;
    accord_error *error = asker->error, other = {.status = ACCORD_OK};
    if (asker->status != ACCORD_UNABLE || error->reason == ACCORD_REASON_NOT_FINITE)
        return asker->status;
    asker->error = &other;
    asker->status = ACCORD_OK;
    accordi_positive_bad_term(p);
    asker->error = error;
    asker->status = ACCORD_UNABLE;
    if (other.status == ACCORD_UNABLE)
        *error = other;
    return asker->status;
}

/* Operands far apart in size, again and again. */
static enum accord_status check_repeats(accordi_positive_asker *p)
{
    enum { TIMES = 8 };
    accordi_asker *asker = p->asker;
    asker->unit = 1;
    enum accord_status repeats = accordi_check_repeats(asker);
    if (repeats)
        return asker->status = repeats;
    accordi_operands o;
    int precision = accord_format_get(asker->target->output)->precision;
    if (asker->n < 3 || !accordi_positive_operands(p, precision, &o))
        return ACCORD_OK;
    accordi_ask_begin(asker, 0);
    uint32_t k[THREES][3];
    for (int t = 0; t < THREES; t++) {
        accordi_ask_pick(asker, k[t], 3);
        for (int i = 0; i < TIMES; i++)
            accordi_positive_probe(p, &o, k[t], 2);
    }
    if (accordi_ask_run(asker))
        return asker->status;
    for (int i = 0; i < THREES * TIMES; i++)
        if (memcmp(&asker->result[i], &asker->result[i / TIMES * TIMES], sizeof(double)))
            return asker->status =
                       accordi_unable(asker->error, ACCORD_REASON_NONDETERMINISTIC,
                                      "the same input gave %.17g and %.17g",
                                      asker->result[i / TIMES * TIMES], asker->result[i]);
    return ACCORD_OK;
}

enum accord_status accordi_positive_calibrate(accordi_asker *asker, accordi_positive_asker *p)
{
    int precision = accord_format_get(asker->target->output)->precision;
    *p = (accordi_positive_asker){.asker = asker, .operands = {precision, 1, 1, 0}};
    asker->stage = "calibrating";
    asker->scale = 1;
    if (!identify(p) && !check_repeats(p) && asker->n > 2 && !accordi_positive_check_sums(p))
        find_width(p);
    if (blame_a_term(p))
        return asker->status;
    asker->mask = p->operands.mask;
    asker->unit = p->operands.unit;
    asker->headroom = 1;
    asker->bits = p->operands.width < precision ? p->operands.width : precision;
    return check_terms(p);
}

enum accord_status accordi_positive_needed(accordi_asker *asker, bool *needed,
                                           enum accord_term *term)
{
    enum accord_term told = asker->target->term;
    *needed = told == ACCORD_TERM_ABSOLUTE || told == ACCORD_TERM_SQUARE;
    if (*needed)
        *term = told;
    if (told != ACCORD_TERM_VALUE)
        return ACCORD_OK;
    uint32_t k = (uint32_t)accordi_rng_below(&asker->rng, asker->n);
    accordi_ask_begin(asker, 0);
    for (int i = 0; i < 2; i++) {
        accordi_ask_own(asker, k, i ? -1 : 1);
        accordi_ask_end(asker);
    }
    if (accordi_ask_run(asker))
        return asker->status;
    const double *r = asker->result;
    if (!(r[0] == r[1] && r[0] > 0 && isfinite(r[0])))
        return ACCORD_OK;
    accordi_positive_asker p = {.asker = asker};
    accord_error *error = asker->error, ignored;
    double scale = asker->scale;
    asker->error = &ignored;
    enum accord_status status = identify(&p);
    asker->error = error;
    asker->scale = scale;
    if (status == ACCORD_UNABLE) /* no such sum: not for us to tell */
        asker->status = ACCORD_OK;
    else if (status && error)
        *error = ignored;
    *needed = status == ACCORD_OK;
    *term = *needed ? p.term : *term;
    return asker->status;
}

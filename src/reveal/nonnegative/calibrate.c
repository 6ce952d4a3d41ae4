/* Calibration for terms that cannot be negative: asks the target how wide its accumulator is. */
#include "reveal/nonnegative/nonnegative.h"
#include "reveal/reasons/in_calibration.h"

enum { THREES = 6 }; /* that are asked for again */

static const int widths[] = {53, 64, 113, 24, 11, 8};
enum { WIDTHS = sizeof widths / sizeof *widths };

/* The first width above (or below) the result's at which rounding shows the order. */
static enum accord_status try_widths(accordi_positive_asker *p, int precision, bool above,
                                     bool *found)
{
    *found = false;
    for (size_t i = 0; i < WIDTHS && !*found; i++) {
        enum accordi_pattern pattern;
        if (widths[i] == precision || (widths[i] > precision) != above)
            continue;
        if (accordi_positive_pattern(p, widths[i], &pattern))
            return p->asker->status;
        *found = pattern == ACCORDI_SHOWS;
    }
    return ACCORD_OK;
}

/* The first width, from the result's up, at which rounding shows the order beside a sum at which
 * the result takes a step. */
static enum accord_status try_steps(accordi_positive_asker *p, int precision, bool *found)
{
    static const int upward[] = {0, 8, 11, 24, 53, 64};
    *found = false;
    for (size_t i = 0; i < sizeof upward / sizeof *upward && !*found; i++) {
        accordi_operands operands;
        enum accordi_pattern pattern;
        int width = i == 0 ? precision : upward[i];
        if ((i > 0 && width <= precision) || accordi_positive_step(p, width, &operands, found) ||
            !*found)
            continue;
        if (accordi_positive_judge(p, &operands, &pattern))
            break;
        *found = pattern == ACCORDI_SHOWS;
    }
    return p->asker->status;
}

/* Where sums are rounded toward zero, more is lost beside a mask; *found is false elsewhere. What
 * is rounded in one direction, and shows no order, is told so. */
static enum accord_status try_toward_zero(accordi_positive_asker *p, int precision, bool *found)
{
    enum accordi_direction direction;
    enum accordi_pattern pattern = ACCORDI_NO_OPERANDS;
    if (accordi_positive_direction(p, &direction) || direction == ACCORDI_TO_NEAREST)
        return p->asker->status;
    p->toward_zero = direction == ACCORDI_TO_ZERO;
    if (p->toward_zero && accordi_positive_pattern(p, precision, &pattern))
        return p->asker->status;
    *found = pattern == ACCORDI_SHOWS;
    return *found ? ACCORD_OK : accordi_positive_directed(p, direction);
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
    bool mixed = pattern == ACCORDI_MIXED || pattern == ACCORDI_MOSTLY;
    size_t like_a_tree = p->like_a_tree;
    if (!mixed && pattern != ACCORDI_NO_OPERANDS &&
        (try_widths(p, precision, pattern == ACCORDI_KEPT, &found) || found))
        return asker->status;
    if (try_steps(p, precision, &found) || found || try_toward_zero(p, precision, &found) || found)
        return asker->status;
    if (mixed)
        return accordi_positive_not_binary(p, 2 * like_a_tree < THREES);
    if (pattern == ACCORDI_NO_OPERANDS)
        return accordi_ask_unable(
            asker, ACCORD_REASON_OUT_OF_RANGE,
            "%s has no terms whose rounding would show the order of non-negative terms",
            accord_format_get(asker->target->format)->name);
    return pattern == ACCORDI_KEPT ? accordi_positive_all_kept(p) : accordi_positive_all_lost(p);
}

/* Operands far apart in size, again and again. */
static enum accord_status check_repeats(accordi_positive_asker *p)
{
    enum { TIMES = 8, FEW_THREES = 1, FEW_TIMES = 3 };
    int times = p->brief ? FEW_TIMES : TIMES, threes = p->brief ? FEW_THREES : THREES;
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
    for (int t = 0; t < threes; t++) {
        accordi_ask_pick(asker, k[t], 3);
        for (int i = 0; i < times; i++)
            accordi_positive_probe(p, &o, k[t], 2);
    }
    if (accordi_ask_run(asker))
        return asker->status;
    return asker->status = accordi_check_same(asker, (size_t)times);
}

static enum accord_status calibrate_all(accordi_positive_asker *p)
{
    accordi_asker *asker = p->asker;
    asker->scale = 1;
    if (!accordi_positive_identify(p) && !check_repeats(p) && asker->n > 1 &&
        !accordi_positive_check_sums(p) && asker->n > 2) {
        if (asker->two_widths)
            accordi_positive_narrow(p);
        else
            find_width(p);
    }
    return asker->status;
}

/* A few questions may not suffice to tell why there is no order, or find none by chance. */
static bool needs_more(const accordi_positive_asker *p)
{
    const accordi_asker *asker = p->asker;
    return p->brief && asker->status == ACCORD_UNABLE &&
           asker->error->reason != ACCORD_REASON_NONDETERMINISTIC &&
           asker->error->reason != ACCORD_REASON_NOT_FINITE;
}

enum accord_status accordi_positive_calibrate(accordi_asker *asker, bool brief,
                                              accordi_positive_asker *p)
{
    int precision = accord_format_get(asker->target->output)->precision;
    const accordi_positive_asker begin = {
        .asker = asker, .brief = brief, .operands = {.width = precision, .mask = 1, .unit = 1}};
    *p = begin;
    asker->stage = "calibrating";
    calibrate_all(p);
    if (needs_more(p)) {
        *p = begin;
        p->brief = false;
        asker->status = ACCORD_OK;
        calibrate_all(p);
    }
    if (accordi_positive_blame(p))
        return asker->status;
    asker->toward_zero = p->toward_zero;
    asker->mask = p->operands.mask;
    asker->unit = p->operands.unit;
    asker->headroom = 1;
    asker->bits = p->operands.width < precision ? p->operands.width : precision;
    return accordi_positive_check_terms(p);
}

enum accord_status accordi_positive_as_if(accordi_asker *asker, accordi_positive_asker *p)
{
    int precision = accord_format_get(asker->target->output)->precision;
    *p = (accordi_positive_asker){.asker = asker,
                                  .brief = true,
                                  .term = ACCORD_TERM_ABSOLUTE,
                                  .operands = {.width = precision, .mask = 1, .unit = 1}};
    return find_width(p);
}

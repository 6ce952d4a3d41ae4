/* Measures directly how many bits a machine keeps and where its alignment stops. */
#include "reveal/machine/candidates.h"
#include <math.h>

enum { FARTHEST = 160 }; /* more bits than a machine keeps */

/* Scales of 2^exponent for the block of a slot; there is no such scale without blocks. */
static void scale_by(accordi_space *space, accordi_question *q, size_t step, size_t slot,
                     int exponent)
{
    if (space->share)
        accordi_question_set_scales(
            space, q, accordi_question_block(space, step * space->steps->terms + slot), exponent,
            false);
}

/* Beside products that share scales with them terms can lie no lower. */
static int reach(const accordi_space *space, bool of_c)
{
    if (!space->share)
        return FARTHEST;
    bool apart = of_c || space->places > space->share;
    int most = apart ? space->high - space->lowest : space->element_top - space->element_grain;
    return most < FARTHEST ? most : FARTHEST;
}

/* P and -P, and x far below them: one question for each distance and sign. `over`: scales are so
 * much less than P. */
static void ask_distance(accordi_space *space, int anchor, int below, bool of_c, int over)
{
    for (int sign = 0; sign < 2; sign++) {
        accordi_question *q = accordi_question_new(space);
        if (!q)
            return;
        size_t test = space->test, third = space->places > 2 && space->share != 2 ? 2 : 1;
        bool two = space->places > 2 || of_c;
        size_t slot = of_c ? 0 : accordi_space_apart(space, space->places > 4 ? 4 : 1);
        bool same = !of_c && space->share && slot < space->share;
        if (of_c || !same)
            scale_by(space, q, of_c ? test - 1 : test, slot, anchor - below);
        scale_by(space, q, test, 0, same ? anchor - space->element_top : anchor - over);
        accordi_question_put(space, q, test, 0, anchor, false, true);
        if (two)
            accordi_question_put(space, q, test, third, anchor, false, false);
        else
            accordi_question_put(space, q, test - 1, 0, anchor, false, false);
        accordi_question_put(space, q, of_c ? test - 1 : test, slot, anchor - below, false,
                             sign == 1);
    }
}

int accordi_measure_floor(const accordi_space *space, bool flush)
{
    const accord_format_info *out = accord_format_get(space->result);
    int least = flush ? out->min_exponent : out->min_exponent - (out->precision - 1);
    int grain = flush ? space->bottom : space->lowest;
    return grain > least ? grain : least;
}

static int measure_kept(accordi_space *space, bool of_c, int floor, int over, bool *capped)
{
    size_t terms = space->places;
    int anchor = space->high;
    bool can = terms > 2 || (terms == 2 && space->has_c);
    if (!can || (of_c && !space->has_c))
        return -1;
    size_t from = space->questions;
    int most = anchor - floor < FARTHEST ? anchor - floor : FARTHEST;
    most = most < reach(space, of_c) ? most : reach(space, of_c);
    for (int k = 1; k <= most; k++)
        ask_distance(space, anchor, k, of_c, over);
    if (accordi_space_ask(space) != ACCORD_OK)
        return -1;
    int kept = 0;
    for (size_t q = from; q + 1 < space->questions; q += 2, kept++) {
        double due = ldexp(1, anchor - (kept + 1));
        if (space->question[q].answer != due || space->question[q + 1].answer != -due)
            break;
    }
    *capped = kept == most;
    return kept;
}

int accordi_measure_kept(accordi_space *space, bool of_c, int floor, bool *capped)
{
    return measure_kept(space, of_c, floor, 0, capped);
}

/* What scales alone align is kept further down beside a product that is greater than they are. */
int accordi_measure_blocks(accordi_space *space, int floor)
{
    enum { OVER = 2 };
    bool apart = space->places > space->share, capped = false, capped_over = false;
    if (!apart && !space->has_c)
        return -1;
    int kept = measure_kept(space, !apart, floor, 0, &capped);
    int over = measure_kept(space, !apart, floor, OVER, &capped_over);
    return kept < 0 || over < 0 || capped || capped_over ? -1 : over > kept;
}

int accordi_measure_below_scales(accordi_space *space, int floor, bool *capped)
{
    size_t from = space->questions;
    int kept = 0, most = -space->element_grain;
    most = most < space->high - floor ? most : space->high - floor;
    for (int k = 1; k <= most; k++)
        for (int sign = 0; sign < 2; sign++) {
            accordi_question *q = accordi_question_new(space);
            if (!q)
                return 0;
            scale_by(space, q, space->test, 0, space->high);
            accordi_question_put(space, q, space->test, 0, space->high - k, false, sign == 1);
        }
    if (accordi_space_ask(space) != ACCORD_OK)
        return 0;
    for (size_t q = from; q + 1 < space->questions; q += 2, kept++) {
        double due = ldexp(1, space->high - (kept + 1));
        if (space->question[q].answer != due || space->question[q + 1].answer != -due)
            break;
    }
    *capped = kept == most;
    return kept;
}

/* P and x below it, which does not cancel: bits kept up to those of a result. */
int accordi_measure_pair(accordi_space *space, int floor, bool *capped)
{
    const accord_format_info *out = accord_format_get(space->result);
    size_t from = space->questions, test = space->test;
    int anchor = space->high, most = anchor - floor, kept = 0;
    most = most < out->precision - 1 ? most : out->precision - 1;
    bool in_one = space->places > 1;
    for (int k = 1; k <= most && (in_one || space->has_c); k++)
        for (int sign = 0; sign < 2; sign++) {
            accordi_question *q = accordi_question_new(space);
            if (!q)
                return 0;
            accordi_question_put(space, q, in_one ? test : test - 1, 0, anchor, false, false);
            accordi_question_put(space, q, test, in_one, anchor - k, false, sign == 1);
        }
    if (accordi_space_ask(space) != ACCORD_OK)
        return 0;
    for (size_t q = from; q + 1 < space->questions; q += 2, kept++) {
        double great = ldexp(1, anchor), small = ldexp(1, anchor - (kept + 1));
        if (space->question[q].answer != great + small ||
            space->question[q + 1].answer != great - small)
            break;
    }
    *capped = kept == most;
    return kept;
}

/* Whether all the bits that are kept elsewhere are kept beside terms of this exponent. */
static bool keeps(accordi_space *space, int anchor)
{
    size_t from = space->questions;
    ask_distance(space, anchor, space->kept, false, 0);
    if (accordi_space_ask(space) != ACCORD_OK)
        return true;
    double due = ldexp(1, anchor - space->kept);
    return space->question[from].answer == due && space->question[from + 1].answer == -due;
}

int accordi_measure_least(accordi_space *space, bool flush)
{
    const accord_format_info *out = accord_format_get(space->result);
    int floor = accordi_measure_floor(space, flush);
    floor =
        floor > out->min_exponent ? floor : out->min_exponent; /* its fraction is not known yet */
    floor += space->kept;
    if (space->places < 3 || space->kept < 1 || floor > space->high)
        return space->grain;
    int cut = floor - 1, kept = space->high; /* what is kept at `high` is kept above it */
    if (!keeps(space, kept))
        return kept + 1;
    while (kept - cut > 1) {
        int middle = cut + (kept - cut) / 2;
        if (keeps(space, middle))
            kept = middle;
        else
            cut = middle;
    }
    return kept == floor ? space->grain : kept;
}

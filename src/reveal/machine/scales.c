/* Block scales in questions to a machine.
 *
 * The products of a block share a pair of scales, so they lie as close together as the elements
 * allow; elements of few bits have no room for a mask beside a small term. Terms far apart are
 * therefore put into different blocks, whose scales do what exponents of operands do elsewhere: a
 * scale is as good a mask as a great number. The first product of a block chooses its scales, and
 * later ones come as near to what is wanted as the elements let them. */
#include "reveal/machine/candidates.h"
#include <math.h>

static int within(int x, int least, int most)
{
    return x < least ? least : x > most ? most : x;
}

size_t accordi_question_block(const accordi_space *space, size_t place)
{
    return (place - space->first * space->steps->terms) / space->share;
}

static bool is_set(const accordi_question *question, size_t block)
{
    return question->scale[0][block] != 0;
}

static int exponent_of(const accordi_question *question, size_t block)
{
    return ilogb(question->scale[0][block]) + ilogb(question->scale[1][block]);
}

/* A significand that a scale may have. */
static double draw_scale_significand(accordi_space *space)
{
    int steps = 1 << (accord_format_get(space->scale)->precision - 1);
    return 1 + (double)accordi_drawn(space, 0, steps - 1) / steps;
}

void accordi_question_set_scales(accordi_space *space, accordi_question *question, size_t block,
                                 int exponent, bool rough)
{
    const accord_format_info *row = accord_format_get(space->scale);
    int least = row->min_exponent, most = row->max_exponent;
    exponent = within(exponent, 2 * least, 2 * most);
    int first = within(exponent / 2 + accordi_drawn(space, -3, 3),
                       exponent - most > least ? exponent - most : least,
                       exponent - least < most ? exponent - least : most);
    for (int i = 0; i < 2; i++) {
        double by = rough && accordi_chance(space, 50) ? draw_scale_significand(space) : 1;
        double scale = ldexp(by, i ? exponent - first : first);
        question->scale[i][block] = scale > row->greatest ? row->greatest : scale;
    }
}

void accordi_question_lift(accordi_space *space, accordi_question *question, size_t step,
                           size_t slot, int exponent)
{
    if (!space->share)
        return;
    size_t block = accordi_question_block(space, step * space->steps->terms + slot);
    if (!is_set(question, block))
        accordi_question_set_scales(space, question, block, exponent - space->element_top, false);
}

/* Mostly the exponent of the first product of a block; else the elements have a part in it. */
static int draw_scale_exponent(accordi_space *space, int exponent)
{
    if (space->whole || accordi_chance(space, 60))
        return exponent;
    return exponent - accordi_drawn(space, space->element_bottom, space->element_top);
}

bool accordi_question_reaches(const accordi_space *space, const accordi_question *question,
                              size_t place, int exponent)
{
    size_t block = space->share ? accordi_question_block(space, place) : 0;
    if (!space->share || !is_set(question, block))
        return true;
    exponent -= exponent_of(question, block);
    return exponent >= space->element_bottom && exponent <= space->element_top;
}

int accordi_question_unscale(accordi_space *space, accordi_question *question, size_t place,
                             int exponent, bool rough)
{
    if (!space->share)
        return exponent;
    size_t block = accordi_question_block(space, place);
    if (!is_set(question, block)) /* a rough product need not have rough scales */
        accordi_question_set_scales(space, question, block, draw_scale_exponent(space, exponent),
                                    rough);
    return within(exponent - exponent_of(question, block), space->element_grain,
                  space->element_top);
}

size_t accordi_space_apart(const accordi_space *space, size_t slot)
{
    return space->share && space->places > space->share ? space->share : slot;
}

/* Orders of terms that cannot be negative, where some sums are wider than the result: pairs that
 * are added in f64 and enter a chain in f32, or a chain in f64 over what lanes in f32 leave.
 *
 * In: the question ab|c of nonnegative.h. Out: its answer, and whether the sum of a and b is wide.
 *
 * Idea: with a mask and units for the result's width, let x be the two of three terms that meet
 * first. If their sum is rounded to that width on its way to the third, the mask is exceeded at
 * the third term alone. If it is wider all the way, a mask and a unit keep each other, and the
 * mask is exceeded wherever it stands. So *at c, but not at a* means ab|c, whatever the widths: if
 * b and c met first, units there would exceed a mask at a, and if a and c did, the masks at either
 * would fare alike.
 *
 * Where it is exceeded everywhere the three terms meet in wide nodes alone. The operands for three
 * terms (questions.c, `beside`) show the order of those, and of three terms there are six ways to
 * place them. A node is confirmed only if exactly the two with the mask at c are not exceeded. No
 * other tree answers so, whatever its widths: let b and c meet first, at width w, and a join at
 * width v. The mask at c, `beside` at b and the unit at a are not exceeded, so v loses the unit
 * beside them. It then loses twice the unit as well, since that is a tie beside an even sum. And
 * twice the unit is the most that `beside` at b and the unit at c are rounded up by at any w; so
 * the mask at a is not exceeded by them, but it should be.
 *
 * Bound: three probes for a question, six for a wide node. */
#include "reveal/nonnegative/nonnegative.h"
#include <math.h>

enum { PLACES = 6 };

/* In bits, those that models know. */
static const int widths[] = {53, 24};
enum { WIDTHS = sizeof widths / sizeof *widths };

bool accordi_positive_may_widen(const accordi_asker *asker)
{
    return asker->n > 3 && accord_format_get(asker->target->output)->precision < widths[0];
}

enum accord_status accordi_positive_narrow(accordi_positive_asker *p)
{
    accordi_operands operands;
    enum accordi_pattern ignored;
    int precision = accord_format_get(p->asker->target->output)->precision;
    /* a scale that is no power of two rounds the sum once more, and may hide what exceeds it */
    bool fit = accordi_is_power_of_two(p->asker->scale) &&
               accordi_positive_operands(p, precision, &operands);
    if (fit && accordi_positive_judge(p, &operands, &ignored))
        return p->asker->status;
    if (!fit || !p->one_or_all)
        return accordi_positive_not_binary(p, false);
    p->operands = operands;
    p->base = p->asker->result[0];
    return ACCORD_OK;
}

static enum accord_status ask_wide(const accordi_positive_asker *p, accordi_rooted *rooted,
                                   size_t count)
{
    accordi_positive_asker wide = *p;
    wide.operands = p->wide;
    wide.base = p->wide_base;
    return accordi_positive_ask(&wide, rooted, count);
}

/* All places of the three operands; *mask: the term that alone has those where the sum is not
 * exceeded (0, 1, 2 for a, b, c), or -1. */
static enum accord_status ask_places(const accordi_positive_asker *p, const accordi_rooted *three,
                                     int *mask)
{
    const uint32_t term[3] = {three->a, three->b, three->c};
    accordi_rooted places[PLACES];
    *mask = -1;
    for (int i = 0; i < PLACES; i++) {
        int c = i / 2, a = (c + 1 + i % 2) % 3;
        places[i] = (accordi_rooted){.a = term[a], .b = term[3 - a - c], .c = term[c]};
    }
    if (ask_wide(p, places, PLACES))
        return p->asker->status;
    int met = 0;
    for (int i = 0; i < PLACES; i++)
        met += places[i].meet;
    for (int c = 0; met == 2 && c < 3; c++)
        if (places[2 * c].meet && places[2 * c + 1].meet)
            *mask = c;
    return ACCORD_OK;
}

/* Without the unit. */
static enum accord_status ask_base(accordi_positive_asker *p, const accordi_rooted *three)
{
    const uint32_t terms[3] = {three->a, three->b, three->c};
    accordi_ask_begin(p->asker, 0);
    accordi_positive_probe(p, &p->wide, terms, 1);
    if (!accordi_ask_run(p->asker))
        p->wide_base = p->asker->result[0];
    return p->asker->status;
}

/* The first width at which three terms in wide nodes show their order. */
static enum accord_status find_wide(accordi_positive_asker *p, const accordi_rooted *three)
{
    int precision = accord_format_get(p->asker->target->output)->precision, mask = -1;
    int variants = p->root ? ACCORDI_VARIANTS : 1;
    for (int i = 0; i < WIDTHS * variants && mask < 0; i++) {
        int width = widths[i / variants];
        if (width <= precision || !accordi_positive_three(p, width, i % variants, &p->wide))
            continue;
        if (ask_base(p, three) || ask_places(p, three, &mask))
            return p->asker->status;
    }
    return mask < 0 ? accordi_positive_not_binary(p, false) : ACCORD_OK;
}

enum accord_status accordi_positive_confirm_wide(accordi_positive_asker *p,
                                                 const accordi_rooted *three, bool *meet)
{
    int mask = -1;
    *meet = false;
    if ((p->wide.width == 0 && find_wide(p, three)) || ask_places(p, three, &mask))
        return p->asker->status;
    *meet = mask == 2;
    return ACCORD_OK;
}

enum accord_status accordi_positive_ask_wide(accordi_positive_asker *p, accordi_rooted *rooted,
                                             size_t count)
{
    if (count > 0 && (p->wide.width > 0 || !find_wide(p, &rooted[0])))
        ask_wide(p, rooted, count);
    return p->asker->status;
}

/* Of the questions that a mask at c exceeds, those that a mask at a exceeds too: to the front of
 * `other`, with their numbers in `index`. */
static enum accord_status keep_wide(accordi_positive_asker *p, const accordi_rooted *rooted,
                                    size_t count, accordi_rooted *other, size_t *index,
                                    size_t *wide)
{
    size_t met = 0;
    *wide = 0;
    for (size_t i = 0; i < count; i++)
        if (rooted[i].meet) {
            index[met] = i;
            other[met++] = (accordi_rooted){.a = rooted[i].b, .b = rooted[i].c, .c = rooted[i].a};
        }
    if (accordi_positive_ask(p, other, met))
        return p->asker->status;
    for (size_t k = 0; k < met; k++)
        if (other[k].meet) {
            index[*wide] = index[k];
            other[(*wide)++] = rooted[index[k]];
        }
    return ACCORD_OK;
}

enum accord_status accordi_positive_ask_widths(accordi_positive_asker *p, accordi_rooted *rooted,
                                               size_t count)
{
    accordi_asker *asker = p->asker;
    accordi_rooted *other = accordi_ask_alloc(asker, count + 1, sizeof *other);
    size_t *index = accordi_ask_alloc(asker, count + 1, sizeof *index), wide = 0;
    if (!asker->status && !accordi_positive_ask(p, rooted, count) &&
        !keep_wide(p, rooted, count, other, index, &wide) && wide > 0 &&
        (p->wide.width > 0 || !find_wide(p, &other[0])))
        ask_wide(p, other, wide);
    for (size_t k = 0; k < wide && !asker->status; k++)
        rooted[index[k]].meet = other[k].meet;
    free(other);
    free(index);
    return asker->status;
}

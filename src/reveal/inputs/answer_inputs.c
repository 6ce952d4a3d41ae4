/* The inputs whose results records keep as answers; they do not depend on the seed.
 *
 * Input i is row i of the generator in random_inputs.c, one row of a kind after the other, so that
 * the first few are of all kinds. They are drawn in the narrowest type that holds the format: a
 * target that takes f16 as double gets the same numbers as one that takes them as float. */
#include "reveal/inputs/answer_inputs.h"
#include "reveal/inputs/kinds.h"

enum { MOST = 1000, LEAST = 64, LONG = 100000 };
static const uint64_t answers_seed = 0x616E7377657273u;

size_t accordi_answers_count(size_t n)
{
    size_t count = n <= LONG ? MOST : (size_t)MOST * LONG / n;
    return count < LEAST ? LEAST : count;
}

static accordi_draw draw_of(const accordi_draw *like)
{
    return (accordi_draw){.n = like->n,
                          .seed = answers_seed,
                          .format = like->format,
                          .is_f32 = like->format != ACCORD_F64,
                          .products = like->products,
                          .block = 1};
}

void accordi_answers_draw(const accordi_draw *like, size_t input, void *x, void *y)
{
    const accordi_draw draw = draw_of(like);
    bool wider = draw.is_f32 && !like->is_f32;
    accordi_draw_rows(&draw, input, 1, x, y);
    if (wider)
        accordi_draw_widen(x, draw.n);
    if (wider && y)
        accordi_draw_widen(y, draw.n);
}

enum accordi_draw_kind accordi_answers_kind_of(const accordi_draw *like, size_t input)
{
    const accordi_draw draw = draw_of(like);
    return accordi_draw_kind_of(&draw, input);
}

/* Kinds take turns, so those of a kind stand ACCORDI_DRAW_KINDS apart. */
void accordi_answers_order(size_t count, uint32_t *input)
{
    size_t at = 0;
    for (size_t kind = 0; kind < ACCORDI_DRAW_KINDS; kind++)
        for (size_t i = kind; i < count; i += ACCORDI_DRAW_KINDS)
            input[at++] = (uint32_t)i;
}

/* Sends questions about the parameters of a machine, and predicts the answers of a machine. */
#include "reveal/machine/candidates.h"
#include "reveal/probes/dense_rows.h"
#include <math.h>

static void measure_range(accordi_space *space)
{
    const accord_target *target = space->asker->target;
    const accord_format_info *row = accord_format_get(target->format);
    const accord_format_info *out = accord_format_get(target->output);
    int twice = space->products ? 2 : 1;
    space->top = space->element_top = twice * row->max_exponent;
    space->bottom = space->element_bottom = twice * row->min_exponent;
    space->grain = space->element_grain = twice * (row->min_exponent - (row->precision - 1));
    if (space->share) {
        const accord_format_info *scale = accord_format_get(space->scale);
        space->least_scale = ldexp(1, scale->min_exponent);
        space->top = 2 * scale->max_exponent + space->element_top;
        space->bottom = 2 * scale->min_exponent + space->element_bottom;
        space->grain = 2 * (scale->min_exponent - (scale->precision - 1)) + space->element_grain;
    }
    space->lowest = space->share
                        ? 2 * accord_format_get(space->scale)->min_exponent + space->element_grain
                        : space->grain;
    int high = out->max_exponent - 8;
    space->high = space->top - 1 < high ? space->top - 1 : high;
    space->high = space->high > 100 ? 100 : space->high; /* products stay below 2^128 */
    int most = space->share ? 2 * accord_format_get(space->scale)->max_exponent : space->high;
    space->high = space->high > most ? most : space->high; /* scales alone are as great */
}

void accordi_space_test(accordi_space *space, size_t step)
{
    size_t before = step * space->steps->terms, left = space->steps->n - before;
    space->test = step;
    space->places = left < space->steps->terms ? left : space->steps->terms;
    space->has_c = step > 0;
}

enum accord_status accordi_space_init(accordi_space *space, accordi_asker *asker,
                                      const accordi_steps *steps, bool short_last)
{
    *space = (accordi_space){.asker = asker, .steps = steps};
    space->products = asker->target->term == ACCORD_TERM_PRODUCT;
    space->result = asker->target->output;
    space->share = asker->target->scale_block;
    space->scale = asker->target->scale;
    measure_range(space);
    size_t used = steps->terms == 1 ? ACCORDI_TAIL : 3, last = steps->count - 1;
    space->first = steps->count > used ? steps->count - used : 0;
    size_t held = steps->n - last * steps->terms;
    bool enough = last == 0 || held == steps->terms || held >= 8;
    accordi_space_test(space, enough || short_last ? last : last - 1);
    return asker->status;
}

void accordi_space_clear(accordi_space *space)
{
    free(space->machine);
    free(space->question);
    space->machine = NULL;
    space->question = NULL;
}

accordi_question *accordi_question_new(accordi_space *space)
{
    if (!accordi_ask_grow(space->asker, (void **)&space->question, &space->question_capacity,
                          space->questions + 1, sizeof *space->question))
        return NULL;
    accordi_question *question = &space->question[space->questions++];
    question->entries = 0;
    memset(question->scale, 0, sizeof question->scale);
    return question;
}

static size_t blocks_from(const accordi_space *space, size_t step)
{
    size_t left = space->steps->n - step * space->steps->terms;
    return space->share ? (left + space->share - 1) / space->share : 0;
}

/* Blocks before the first step that is used are like those that were not chosen. */
static void fill_scales(const accordi_space *space, const accordi_dense *d, size_t row,
                        const accordi_question *question)
{
    size_t used = blocks_from(space, space->first), all = blocks_from(space, 0);
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < all; k++)
            *accordi_dense_scale(d, row, i, k) =
                k < all - used ? space->least_scale
                               : accordi_question_scale(space, question, (int)i, k - (all - used));
}

static void fill_row(const accordi_space *space, const accordi_dense *d, size_t row,
                     const accordi_question *question)
{
    accordi_dense_fill(d, row, 0);
    if (space->share)
        fill_scales(space, d, row, question);
    for (size_t e = 0; e < question->entries; e++) {
        const accordi_entry *entry = &question->entry[e];
        accordi_dense_put(d, row, space->steps->leaf[entry->place], entry->a, entry->b);
    }
}

static enum accord_status ask_question_rows(accordi_space *space, accordi_dense *d)
{
    for (size_t i = 0; i < d->rows; i++)
        fill_row(space, d, i, &space->question[space->answered + i]);
    if (accordi_dense_ask(d))
        return space->asker->status;
    for (size_t i = 0; i < d->rows; i++)
        space->question[space->answered++].answer = d->seen[i];
    return space->asker->status;
}

enum accord_status accordi_space_ask(accordi_space *space)
{
    accordi_asker *asker = space->asker;
    size_t most = ((size_t)1 << 21) / space->steps->n;
    accordi_dense d;
    most = most > 64 ? 64 : most < 1 ? 1 : most;
    accordi_dense_init(&d, asker, most, space->products);
    while (!asker->status && space->answered < space->questions) {
        size_t left = space->questions - space->answered;
        d.rows = left < most ? left : most;
        ask_question_rows(space, &d);
    }
    accordi_dense_clear(&d);
    return asker->status;
}

/* Chains that hold nothing but zeros give +0, and -0 + 0 is +0. */
double accordi_space_result(const accordi_space *space, double sum)
{
    double result = accord_format_round(space->result, ACCORD_NEAREST_EVEN, sum);
    return space->steps->joined ? result + 0.0 : result;
}

/* A step of a machine to which zeros make a difference. */
static double simulate_whole(const accord_fused *machine, const accordi_products *of, double c)
{
    double a[ACCORDI_FUSED_MOST] = {0}, b[ACCORDI_FUSED_MOST];
    bool zeros = machine->zeros && of->count;
    size_t count = of->given ? of->product[of->given - 1].place + 1 : 0;
    count = zeros ? of->count : count;
    for (size_t i = 0; i < count; i++)
        b[i] = 1;
    for (size_t i = 0; i < of->given; i++) {
        a[of->product[i].place] = of->product[i].a;
        b[of->product[i].place] = of->product[i].b;
    }
    accord_fused_step(machine, count, a, b, of->scale_a, of->scale_b, c, &c, NULL);
    return c;
}

double accordi_space_simulate(accordi_space *space, const accord_fused *machine,
                              const accordi_question *question)
{
    size_t terms = space->steps->terms, e = 0, n = space->steps->n;
    double scale[2][ACCORDI_BLOCKS], c = 0;
    bool sparse = accordi_fused_leaves_zeros(machine);
    size_t blocks = blocks_from(space, space->first);
    for (size_t k = 0; k < blocks; k++)
        for (int i = 0; i < 2; i++)
            scale[i][k] = accordi_question_scale(space, question, i, k);
    space->simulations++;
    for (size_t step = space->first; step < space->steps->count; step++) {
        accordi_product product[ACCORDI_FUSED_MOST];
        accordi_products of = {.product = product};
        for (; e < question->entries && question->entry[e].place / terms == step; e++)
            product[of.given++] = (accordi_product){question->entry[e].place % terms,
                                                    question->entry[e].a, question->entry[e].b};
        size_t block = space->share ? (step - space->first) * terms / space->share : 0;
        of.count = n - step * terms < terms ? n - step * terms : terms;
        of.scale_a = space->share ? scale[0] + block : NULL;
        of.scale_b = space->share ? scale[1] + block : NULL;
        bool counts = of.given || machine->zeros || machine->block;
        if (counts || c != 0 || signbit(c)) /* an empty step makes +0 of -0 */
            c = (sparse ? accordi_fused_sparse : simulate_whole)(machine, &of, c);
    }
    return accordi_space_result(space, c);
}

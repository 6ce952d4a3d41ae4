/* Confirms the parameters of a machine on dense random inputs, of narrow and wide ranges of
 * exponents, with terms that cancel and terms at the ends of the range. */
#include "reveal/machine/candidates.h"
#include "reveal/probes/dense_rows.h"
#include "reveal/probes/draw_blocks.h"
#include <math.h>

typedef struct replay {
    accordi_space *space;
    double *a, *b; /* a row, in the order of the steps */
    double *scale[2];
    accordi_dense dense;
} replay;

static double draw_dense_operand(accordi_space *space, enum accord_format format, int middle,
                                 int spread)
{
    accordi_rng *rng = &space->asker->rng;
    int e = middle - spread / 2 + (int)accordi_rng_below(rng, (uint64_t)spread + 1);
    return accord_format_round(format, ACCORD_TOWARD_ZERO, ldexp(accordi_rng_normal(rng), e));
}

/* The middle of exponents: mostly that of harmless sums, often an end. */
static int middle_of(accordi_space *space, size_t trial)
{
    const accord_format_info *row = accord_format_get(space->asker->target->format);
    const accord_format_info *out = accord_format_get(space->result);
    int high = space->high / (space->products ? 2 : 1) - 2;
    switch (trial % 5) {
    case 0:
        return 0;
    case 1:
        return row->min_exponent + (int)accordi_rng_below(&space->asker->rng, 8);
    case 2:
        return (out->min_exponent - 8) / (space->products ? 2 : 1);
    case 3: /* between these two */
        return accordi_drawn(space, row->min_exponent,
                             (out->min_exponent - 8) / (space->products ? 2 : 1));
    default:
        return high;
    }
}

/* Of products of about 2^middle, as far as there are such scales. */
static void draw_scales(replay *r, int middle, int spread)
{
    accordi_space *space = r->space;
    for (size_t k = 0; k < r->dense.blocks; k++) {
        double pair[2];
        int whole = middle - spread / 2 + accordi_drawn(space, 0, spread);
        accordi_draw_scales(&space->asker->rng, space->scale, whole, pair);
        r->scale[0][k] = pair[0];
        r->scale[1][k] = pair[1];
    }
}

static void draw_row(replay *r, size_t trial)
{
    accordi_space *space = r->space;
    accordi_rng *rng = &space->asker->rng;
    enum accord_format format = space->asker->target->format;
    static const int spreads[] = {0, 3, 12, 24, 60};
    int middle = middle_of(space, trial), spread = spreads[accordi_rng_below(rng, 5)];
    size_t n = space->steps->n;
    bool one_sign = accordi_rng_below(rng, 8) == 0; /* whose sums are the longest */
    if (space->share) {
        draw_scales(r, 2 * middle, 2 * spread);
        middle = 0;
        spread = spreads[accordi_rng_below(rng, 3)];
    }
    for (size_t i = 0; i < n; i++) {
        r->a[i] = draw_dense_operand(space, format, middle, spread);
        r->b[i] = space->products ? draw_dense_operand(space, format, middle, spread) : 1;
        if (one_sign) {
            r->a[i] = fabs(r->a[i]);
            r->b[i] = fabs(r->b[i]);
        } else if (i > 0 && accordi_rng_below(rng, 4) == 0) {
            size_t twin = accordi_rng_below(rng, i);
            r->a[i] = -r->a[twin];
            r->b[i] = r->b[twin];
        }
    }
}

static void put_row(replay *r, size_t row)
{
    const accordi_steps *steps = r->space->steps;
    if (steps->joined)
        accordi_dense_fill(&r->dense, row, 0);
    for (size_t i = 0; i < steps->n; i++)
        accordi_dense_put(&r->dense, row, steps->leaf[i], r->a[i], r->b[i]);
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < r->dense.blocks; k++)
            *accordi_dense_scale(&r->dense, row, i, k) = r->scale[i][k];
}

/* An input that contradicts the machine. */
static void keep_contradiction(replay *r, size_t row)
{
    accordi_space *space = r->space;
    const accordi_steps *steps = space->steps;
    const accordi_dense *d = &r->dense;
    if (space->first > 0 || steps->n > ACCORDI_ENTRIES)
        return;
    accordi_question *question = accordi_question_new(space);
    if (!question)
        return;
    for (size_t i = 0; i < steps->n; i++) {
        double a = accordi_dense_get(d, d->x, row, steps->leaf[i]);
        double b = d->y ? accordi_dense_get(d, d->y, row, steps->leaf[i]) : 1;
        question->entry[question->entries++] =
            (accordi_entry){.place = (uint32_t)i, .a = a, .b = b};
    }
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < d->blocks; k++)
            question->scale[i][k] = *accordi_dense_scale(d, row, i, k);
    question->answer = r->dense.seen[row];
    space->answered++;
}

/* What a sum of -0 alone becomes is a question about where sums start, not about the machine. */
static bool is_minus_zero_alone(const replay *r)
{
    for (size_t i = 0; i < r->space->steps->n; i++) {
        double product = r->a[i] * r->b[i];
        if ((r->a[i] != 0 && r->b[i] != 0) || product != 0 || !signbit(product))
            return false;
    }
    return true;
}

static enum accord_status ask_random_rows(replay *r, size_t from, size_t *agreed)
{
    accordi_space *space = r->space;
    accordi_dense *d = &r->dense;
    for (size_t row = 0; row < d->rows; row++) {
        do
            draw_row(r, from + row);
        while (is_minus_zero_alone(r));
        put_row(r, row);
        accord_fused_dot(&space->machine[0], space->steps->n, r->a, r->b,
                         space->share ? r->scale[0] : NULL, space->share ? r->scale[1] : NULL,
                         &d->due[row], NULL);
        d->due[row] = accordi_space_result(space, d->due[row]);
    }
    accordi_dense_ask(d);
    for (size_t row = 0; row < d->rows && !space->asker->status; row++) {
        bool same = accordi_same(space, d->due[row], d->seen[row]);
        *agreed += same;
        if (!same)
            keep_contradiction(r, row);
    }
    return space->asker->status;
}

enum accord_status accordi_space_replay(accordi_space *space, size_t count, size_t *agreed)
{
    accordi_asker *asker = space->asker;
    size_t n = space->steps->n, rows = ((size_t)1 << 21) / n;
    rows = rows > 64 ? 64 : rows < 1 ? 1 : rows;
    replay r = {.space = space, .a = accordi_ask_alloc(asker, 4 * n, sizeof *r.a)};
    r.b = r.a ? r.a + n : NULL;
    r.scale[0] = r.a ? r.a + 2 * n : NULL; /* no more blocks than terms */
    r.scale[1] = r.a ? r.a + 3 * n : NULL;
    *agreed = 0;
    accordi_dense_init(&r.dense, asker, rows, space->products);
    for (size_t i = 0; i < count && !asker->status; i += rows) {
        r.dense.rows = count - i < rows ? count - i : rows;
        ask_random_rows(&r, i, agreed);
    }
    free(r.a);
    accordi_dense_clear(&r.dense);
    return asker->status;
}

/* Operands as a model sees them: turned into lanes, rounded into the format of the input, then into
 * a narrower one, flushed, multiplied by alpha, left out. Most models need the first of these only.
 */
#include "format/format.h"
#include "model/replay/replay.h"
#include "model/replay/scalar.h"
#include "model/replay/walk.h"
#include "model/scaling.h"
#include "model/words.h"
#include <math.h>

/* Turned rows: `count` values, of float or double. */
typedef struct values {
    void *at;
    size_t count;
    bool f32;
} values;

static void copy_row(const void *row, bool is_f32, const values *to)
{
    if (is_f32 == to->f32)
        memcpy(to->at, row, to->count * (is_f32 ? sizeof(float) : sizeof(double)));
    else if (is_f32)
        for (size_t i = 0; i < to->count; i++)
            ((double *)to->at)[i] = (double)((const float *)row)[i];
    else
        for (size_t i = 0; i < to->count; i++)
            ((float *)to->at)[i] = (float)((const double *)row)[i];
}

/* A single row is a group of one lane. */
static void transpose_rows(const void *const *row, size_t rows, bool is_f32, bool single,
                           const values *to)
{
    static accordi_turner *const turners[2][2] = {{accordi_turn_f64_f64, accordi_turn_f64_f32},
                                                  {accordi_turn_f32_f64, accordi_turn_f32_f32}};
    if (single) {
        copy_row(row[0], is_f32, to);
        return;
    }
    size_t lanes = to->f32 ? ACCORDI_LANES_F32 : ACCORDI_LANES_F64;
    turners[is_f32][to->f32](row, rows, to->count / lanes, to->at);
}

/* `flush`: what of these operands is flushed. */
static double dressed(const accord_arithmetic *a, unsigned flush, bool scaled, double x)
{
    x = accord_format_round(a->input, ACCORD_NEAREST_EVEN, x);
    x = accord_format_round(a->operand, a->operand_rounding, x);
    if (flush & (ACCORD_FLUSH_X | ACCORD_FLUSH_Y))
        x = accordi_flushed(accordi_operand_format(a), x);
    if (scaled)
        x = accordi_round_product(a->input, ACCORD_NEAREST_EVEN, x, a->alpha);
    return scaled && (flush & ACCORD_FLUSH_PRODUCTS) ? accordi_flushed(a->input, x) : x;
}

static void round_each(enum accord_format format, const values *v)
{
    if (v->f32)
        accordi_round_each_f32(format, v->at, v->count);
    else
        accordi_round_each(format, v->at, v->count);
}

/* `at`: the scaling that multiplies these operands, of each leaf or (alpha_at) of all. */
static void dress(const accordi_plan *plan, enum accord_scaling at, bool is_f32, const values *v)
{
    const accord_arithmetic *a = plan->arithmetic;
    size_t terms = plan->tree->leaves - accordi_has_start(a);
    size_t lanes = terms ? v->count / terms : 1;
    enum accord_alpha all = at == ACCORD_SCALED_X ? ACCORD_ALPHA_X : ACCORD_ALPHA_Y;
    bool scaled = a->alpha_at == all, some = a->alpha_at == ACCORD_ALPHA_NODES;
    bool held = a->input == ACCORD_F64 || (a->input == ACCORD_F32 && (is_f32 || v->f32));
    unsigned own = at == ACCORD_SCALED_X ? ACCORD_FLUSH_X : ACCORD_FLUSH_Y;
    unsigned flush = a->flush & (own | ACCORD_FLUSH_PRODUCTS);
    if (!(scaled || some || (flush & own) || a->operand != ACCORD_F64)) {
        if (!held)
            round_each(a->input, v);
        return;
    }
    for (size_t i = 0; i < v->count; i++) {
        bool here = scaled || (some && plan->scaled[i / lanes] == at);
        bool kept = plan->kept && plan->kept[i / lanes];
        accordi_set_number(
            v->at, v->f32, i,
            dressed(a, kept ? 0 : flush, here, accordi_get_number(v->at, v->f32, i)));
    }
}

/* Each becomes what its node does not notice. */
static void leave_out_zeros(const accordi_plan *plan, const values *x, const values *y)
{
    const accord_arithmetic *a = plan->arithmetic;
    size_t terms = plan->tree->leaves - accordi_has_start(a), lanes = terms ? x->count / terms : 1;
    for (size_t i = 0; i < x->count; i++)
        if ((a->skips != ACCORD_SKIPS_Y && accordi_get_number(x->at, x->f32, i) == 0) ||
            (a->skips != ACCORD_SKIPS_X && y->at && accordi_get_number(y->at, y->f32, i) == 0)) {
            bool down = plan->down && plan->down[i / lanes];
            accordi_set_number(x->at, x->f32, i, down ? 0.0 : -0.0);
            if (y->at)
                accordi_set_number(y->at, y->f32, i, 1);
        }
}

static void load_second(const accordi_plan *plan, const accord_rows *rows, size_t first,
                        size_t count, bool single, const values *x, const values *y)
{
    const accord_arithmetic *a = plan->arithmetic;
    bool is_product = a->term == ACCORD_TERM_PRODUCT;
    if (a->term == ACCORD_TERM_SQUARE) {
        memcpy(y->at, x->at, x->count * (x->f32 ? sizeof(float) : sizeof(double)));
        return;
    }
    if (is_product && rows->y)
        transpose_rows(rows->y + first, count, rows->is_f32, single, y);
    else
        for (size_t i = 0; i < y->count; i++)
            accordi_set_number(y->at, y->f32, i, 1);
    if (is_product)
        dress(plan, ACCORD_SCALED_Y, rows->is_f32, y);
}

static void load_start(const accordi_plan *plan, const accord_rows *rows, size_t first,
                       size_t count, size_t lanes, const values *x, const values *y)
{
    const accord_arithmetic *a = plan->arithmetic;
    bool kept = plan->kept && plan->kept[plan->tree->leaves - 1];
    bool flush = (a->flush & ACCORD_FLUSH_X) && !kept;
    const accord_model model = {plan->tree, a};
    double factor = accordi_start_factor(&model);
    for (size_t l = 0; l < lanes; l++) {
        size_t r = first + (l < count ? l : count - 1);
        double start = rows->start ? rows->start[r] : 0;
        start = accord_format_round(a->output, ACCORD_NEAREST_EVEN, start);
        accordi_set_number(x->at, x->f32, x->count + l,
                           flush ? accordi_flushed(a->output, start) : start);
        accordi_set_number(y->at, y->f32, x->count + l, factor);
    }
}

/* Products in place of the first factors. */
static void fold(const accordi_plan *plan, size_t count, void *x, const void *y)
{
    if (plan->f32)
        for (size_t i = 0; i < count; i++)
            ((float *)x)[i] *= ((const float *)y)[i];
    else if (plan->step[0].product32)
        for (size_t i = 0; i < count; i++)
            ((double *)x)[i] = (double)(float)(((double *)x)[i] * ((const double *)y)[i]);
    else
        for (size_t i = 0; i < count; i++)
            ((double *)x)[i] *= ((const double *)y)[i];
}

void accordi_load(const accordi_plan *plan, const accord_rows *rows, size_t first, size_t count,
                  bool single, void *x, void *y)
{
    const accord_arithmetic *a = plan->arithmetic;
    size_t lanes = single ? 1 : plan->f32 ? ACCORDI_LANES_F32 : ACCORDI_LANES_F64;
    size_t leaves = plan->tree->leaves, terms = leaves - accordi_has_start(a);
    const values vx = {x, terms * lanes, plan->f32}, vy = {y, terms * lanes, plan->f32};
    transpose_rows(rows->x + first, count, rows->is_f32, single, &vx);
    dress(plan, ACCORD_SCALED_X, rows->is_f32, &vx);
    for (size_t i = 0; a->term == ACCORD_TERM_ABSOLUTE && i < vx.count; i++)
        accordi_set_number(vx.at, vx.f32, i, fabs(accordi_get_number(vx.at, vx.f32, i)));
    if (plan->has_y)
        load_second(plan, rows, first, count, single, &vx, &vy);
    if (a->skips_zero && a->term == ACCORD_TERM_PRODUCT)
        leave_out_zeros(plan, &vx, &vy);
    if (accordi_has_start(a))
        load_start(plan, rows, first, count, lanes, &vx, &vy);
    if (plan->folded)
        fold(plan, leaves * lanes, x, y);
}

bool accordi_needs_no_load(const accordi_plan *plan, const accord_rows *rows)
{
    const accord_arithmetic *a = plan->arithmetic;
    bool held = a->input == ACCORD_F64 || (a->input == ACCORD_F32 && rows->is_f32);
    bool as_is = a->term == ACCORD_TERM_VALUE || a->term == ACCORD_TERM_PRODUCT;
    return rows->is_f32 == plan->f32 && held && as_is && a->operand == ACCORD_F64 &&
           !(a->flush & (ACCORD_FLUSH_X | ACCORD_FLUSH_Y)) && !a->skips_zero &&
           !accordi_has_start(a) &&
           (a->alpha_at == ACCORD_ALPHA_ONE || a->alpha_at == ACCORD_ALPHA_SUM) &&
           plan->has_y == (rows->y != NULL);
}

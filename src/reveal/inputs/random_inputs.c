/* Random inputs: rows of every kind that people sum, and of some that tell orders apart best.
 *
 * A row is a function of the version, the seed, n, the format and its own number, the same on every
 * platform. A kind says how its values arise (by bit patterns, or by a formula), what is then
 * changed in them, and what the second factors are where terms are products. Values are inexact
 * wherever the kind allows it: sums that no order changes tell nothing about the order. */
#include "reveal/inputs/kinds.h"

typedef struct operand {
    accordi_formula *formula; /* NULL: a pattern of */
    enum accordi_width width;
    enum accordi_sign sign;
    accordi_change *change; /* may be NULL */
    uint32_t share;         /* of terms that are zero, in 2^32ths */
} operand;

enum { BOTH_SIGNS = -1000 };

typedef struct input_kind {
    const char *name;
    int top;    /* many terms of one sign stand together, less than 2^top; or BOTH_SIGNS */
    bool moves; /* in half of the rows a random power of two is a factor of all terms */
    operand first, second;
} input_kind;

/* clang-format off */
#define PATTERN(width, sign)         {NULL, ACCORDI_##width, ACCORDI_##sign, NULL, 0}
#define CHANGED(width, change)       {NULL, ACCORDI_##width, ACCORDI_EITHER, accordi_change_##change, 0}
#define ZEROS(width, hundredths)     {NULL, ACCORDI_##width, ACCORDI_EITHER, accordi_change_zeros, \
                                      (uint32_t)((UINT64_C(hundredths) << 32) / 100)}
#define FORMULA(name)                {accordi_draw_##name, ACCORDI_USUAL, ACCORDI_EITHER, NULL, 0}
#define USUAL                        PATTERN(USUAL, EITHER)
#define WIDE                         PATTERN(WIDE, EITHER)
#define CONSTANT                     {NULL, ACCORDI_USUAL, ACCORDI_PLUS, accordi_change_equal, 0}

static void accordi_draw_ones(accordi_row *row)
{
    for (size_t i = 0; i < row->draw->n; i++)
        accordi_row_put(row, i, 1);
}

static const input_kind kinds[ACCORDI_DRAW_KINDS] = {
    [ACCORDI_DRAW_USUAL] =       {"usual", BOTH_SIGNS, true, USUAL, USUAL},
    [ACCORDI_DRAW_WIDE] =        {"wide", BOTH_SIGNS, true, WIDE, WIDE},
    [ACCORDI_DRAW_CANCELLING] =  {"cancelling", BOTH_SIGNS, true, CHANGED(USUAL, mirror),
                                  CHANGED(USUAL, mirror)},
    [ACCORDI_DRAW_TIES] =        {"ties", BOTH_SIGNS, false, FORMULA(ties), FORMULA(ones)},
    [ACCORDI_DRAW_POSITIVE] =    {"positive", 1, true, PATTERN(USUAL, PLUS), PATTERN(USUAL, PLUS)},
    [ACCORDI_DRAW_UNIT] =        {"unit-interval", 0, false, FORMULA(unit), FORMULA(unit)},
    [ACCORDI_DRAW_NORMAL] =      {"normal", BOTH_SIGNS, true, FORMULA(normal), FORMULA(normal)},
    [ACCORDI_DRAW_WIDE_CANCELLING] = {"wide-cancelling", BOTH_SIGNS, true, CHANGED(WIDE, mirror),
                                  CHANGED(WIDE, mirror)},
    [ACCORDI_DRAW_INTEGERS] =    {"integers", BOTH_SIGNS, false, FORMULA(integers),
                                  FORMULA(integers)},
    [ACCORDI_DRAW_HALF_ZEROS] =  {"zeros-50", BOTH_SIGNS, true, ZEROS(WIDE, 50), WIDE},
    [ACCORDI_DRAW_90_ZEROS] =    {"zeros-90", BOTH_SIGNS, true, ZEROS(USUAL, 90), USUAL},
    [ACCORDI_DRAW_99_ZEROS] =    {"zeros-99", BOTH_SIGNS, true, ZEROS(USUAL, 99), USUAL},
    [ACCORDI_DRAW_ZERO_RUNS] =   {"zero-runs", BOTH_SIGNS, true, CHANGED(USUAL, zero_runs), USUAL},
    [ACCORDI_DRAW_ONE_HUGE] =    {"one-huge", BOTH_SIGNS, false, CHANGED(USUAL, huge), USUAL},
    [ACCORDI_DRAW_EQUAL] =       {"equal", 1, true, CHANGED(USUAL, equal), CHANGED(USUAL, equal)},
    [ACCORDI_DRAW_SORTED_UP] =   {"sorted-up", 0, true, FORMULA(sorted), CONSTANT},
    [ACCORDI_DRAW_SORTED_DOWN] = {"sorted-down", 0, true, {accordi_draw_sorted, ACCORDI_USUAL,
                                  ACCORDI_EITHER, accordi_change_negate, 0}, CONSTANT},
    [ACCORDI_DRAW_ZERO_SUM] =    {"zero-sum", BOTH_SIGNS, true, CHANGED(USUAL, rotate),
                                  CHANGED(USUAL, rotate)},
    [ACCORDI_DRAW_RAMP] =        {"ramp", 0, false, FORMULA(ramp), CONSTANT},
    [ACCORDI_DRAW_SINE] =        {"sine", 0, true, FORMULA(sine), USUAL},
    [ACCORDI_DRAW_IMAGE] =       {"image", 0, false, FORMULA(image), USUAL},
    [ACCORDI_DRAW_LOG_NORMAL] =  {"log-normal", 1, true, FORMULA(log_normal), FORMULA(log_normal)},
    [ACCORDI_DRAW_MIXED_ZEROS] = {"mixed-zeros", BOTH_SIGNS, true, CHANGED(USUAL, mixed_zeros),
                                  CHANGED(USUAL, mixed_zeros)},
    [ACCORDI_DRAW_NEGATIVE] =    {"negative", 1, true, PATTERN(USUAL, MINUS), PATTERN(USUAL, PLUS)},
    [ACCORDI_DRAW_TINY] =        {"tiny", BOTH_SIGNS, false, PATTERN(TINY, EITHER),
                                  PATTERN(TINY, EITHER)},
    [ACCORDI_DRAW_OFFSET] =      {"offset", BOTH_SIGNS, false, FORMULA(offset), FORMULA(unit)},
};
/* clang-format on */

const char *accordi_draw_name(enum accordi_draw_kind kind)
{
    return kinds[kind].name;
}

enum accordi_draw_kind accordi_draw_kind_of(const accordi_draw *draw, size_t row)
{
    size_t block = draw->block ? draw->block : 1;
    return draw->plain ? ACCORDI_DRAW_USUAL
                       : (enum accordi_draw_kind)(row / block % ACCORDI_DRAW_KINDS);
}

size_t accordi_draw_block(size_t rows)
{
    size_t block = 16;
    while (block > 1 && block * ACCORDI_DRAW_KINDS > rows)
        block /= 2;
    return block;
}

/* Narrow formats have products far inside their accumulators' range, and few binades to spare. */
static int how_much_lower(const accord_format_info *info, int top, int log2_n, bool products)
{
    int most = info->max_exponent > 100 ? 0 : info->precision > 4 ? 7 : 2;
    int lower = log2_n + top + products - info->max_exponent;
    return lower < 0 ? 0 : lower < most ? lower : most;
}

/* What people sum may be of any size, and a target may choose by that. Narrow formats have no room
 * for large ones where many are added, and the narrowest none for small ones either. */
static int how_much_higher(const accordi_row *row)
{
    enum { FAR = 16, NEAR = 4, MARGIN = 3 };
    const accord_format_info *info = row->info;
    bool roomy = info->max_exponent > 100, narrow = info->precision <= 4;
    int room = (info->max_exponent - row->log2_n - MARGIN - row->draw->products) / 2;
    int up = roomy ? FAR : room < 0 ? 0 : room < NEAR ? room : NEAR, down = roomy ? FAR : NEAR;
    accordi_rng size;
    accordi_rng_init(&size, row->seed ^ 0x73697a65u);
    if (row->draw->plain || narrow || accordi_rng_next(&size) >> 63)
        return 0;
    return (int)accordi_rng_below(&size, (uint64_t)(up + down) + 1) - down;
}

static void draw_operand(accordi_row *row, const operand *how)
{
    enum accordi_width width = how->width;
    row->share = how->share;
    if (width == ACCORDI_TINY && row->draw->products)
        width = ACCORDI_FACTOR;
    if (how->formula)
        how->formula(row);
    else
        accordi_draw_pattern(row, width, how->sign);
    if (how->change)
        how->change(row);
}

static void draw_row(const accordi_draw *draw, size_t number, void *x, void *y)
{
    const input_kind *kind = &kinds[accordi_draw_kind_of(draw, number)];
    accordi_row row = {.draw = draw, .info = accord_format_get(draw->format), .x = x};
    while ((size_t)1 << row.log2_n < draw->n)
        row.log2_n++;
    row.seed = draw->seed + number;
    row.lower = how_much_lower(row.info, kind->top, row.log2_n, draw->products);
    row.lower -= kind->moves ? how_much_higher(&row) : 0;
    accordi_rng_init(&row.choice, row.seed ^ 0x63686f696365u);
    accordi_rng choice = row.choice;
    draw_operand(&row, &kind->first);
    if (!draw->products)
        return;
    row.choice = choice;
    row.seed = ~draw->seed + number;
    row.lower = 0;
    row.second = true;
    row.x = y;
    draw_operand(&row, &kind->second);
}

void accordi_draw_rows(const accordi_draw *draw, size_t first, size_t rows, void *x, void *y)
{
    size_t bytes = draw->n * (draw->is_f32 ? sizeof(float) : sizeof(double));
    for (size_t r = 0; r < rows; r++)
        draw_row(draw, first + r, (char *)x + r * bytes, y ? (char *)y + r * bytes : NULL);
}

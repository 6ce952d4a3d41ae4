/* Are "exact" and "compensated" borne out by ordinary numbers? Both are read off masks and units. A
 * target that sorts large terms, say, looks exact there and adds plainly elsewhere.
 *
 * Exact, or independent of the order: then random permutations of rows of every kind change (next
 * to) nothing. Compensated: then more rows are rounded correctly than by any of a few plain
 * orders, unless these are right nearly always too. */
#include "reveal/certify.h"
#include <math.h>

enum {
    ROWS_OF_KIND = 6,
    ROWS = ROWS_OF_KIND * ACCORDI_DRAW_KINDS,
    MANY = 40 * ACCORDI_DRAW_KINDS,
    PLAIN = 3,
    MOST = 1 << 16
};

typedef struct bench {
    accordi_asker *asker;
    accordi_draw draw;
    size_t size; /* of a value */
    char *x, *y; /* a row; y: products only */
    double *term;
} bench;

static double get(const bench *b, const char *row, size_t i)
{
    return b->draw.is_f32 ? (double)((const float *)row)[i] : ((const double *)row)[i];
}

static double ask(bench *b)
{
    double result = 0;
    accord_batch batch = {.probes = 1, .dense = b->x, .dense_second = b->y};
    if (!b->asker->status && accordi_ask_goes_on(b->asker))
        b->asker->status = accord_target_run(b->asker->target, &batch, &result, b->asker->error);
    return result;
}

static bool same_bits(double a, double b)
{
    return a == b ? signbit(a) == signbit(b) : a != a && b != b;
}

/* Exchanges terms of both operands; a start value stays. */
static void permute(bench *b)
{
    char spare[sizeof(double)], *operand[] = {b->x, b->y};
    for (size_t i = b->draw.n - b->asker->target->has_start; i > 1; i--) {
        size_t j = accordi_rng_below(&b->asker->rng, i);
        for (int o = 0; o < 2 && operand[o]; o++) {
            memcpy(spare, operand[o] + (i - 1) * b->size, b->size);
            memcpy(operand[o] + (i - 1) * b->size, operand[o] + j * b->size, b->size);
            memcpy(operand[o] + j * b->size, spare, b->size);
        }
    }
}

static bool is_independent(bench *b)
{
    size_t other = 0;
    for (size_t row = 0; row < ROWS && !b->asker->status; row++) {
        accordi_draw_rows(&b->draw, row, 1, b->x, b->y);
        double before = ask(b);
        permute(b);
        other += !same_bits(before, ask(b));
    }
    return other <= ROWS / 75;
}

/* To about 106 bits: TwoSum cascaded. */
static double careful_sum(const double *term, size_t n)
{
    double high = 0, low = 0;
    for (size_t i = 0; i < n; i++) {
        double sum = high + term[i], back = sum - high;
        low += (high - (sum - back)) + (term[i] - back);
        high = sum;
    }
    return high + low;
}

static double add(enum accord_format format, double a, double b)
{
    return accord_format_add(format, ACCORD_NEAREST_EVEN, a, b);
}

/* From the front, from the back, in four lanes. */
static double plain_sum(enum accord_format format, const double *term, size_t n, int how)
{
    double lane[4] = {0, 0, 0, 0};
    for (size_t i = 0; i < n; i++) {
        size_t at = how == 1 ? n - 1 - i : i, l = how == 2 ? i % 4 : 0;
        lane[l] = add(format, lane[l], term[at]);
    }
    for (int l = 1; l < 4; l++)
        lane[0] = add(format, lane[0], lane[l]);
    return lane[0];
}

/* Only rows of plain terms and of one size tell. */
static bool is_better_than_plain(bench *b)
{
    enum accord_format format = b->asker->target->output;
    size_t n = b->draw.n, rows = 0, right = 0, plain[PLAIN] = {0}, best = 0;
    for (size_t row = 0; row < MANY && !b->asker->status; row++) {
        enum accordi_draw_kind kind = accordi_draw_kind_of(&b->draw, row);
        if (kind != ACCORDI_DRAW_USUAL && kind != ACCORDI_DRAW_POSITIVE &&
            kind != ACCORDI_DRAW_UNIT && kind != ACCORDI_DRAW_NORMAL && kind != ACCORDI_DRAW_WIDE &&
            kind != ACCORDI_DRAW_LOG_NORMAL)
            continue;
        accordi_draw_rows(&b->draw, row, 1, b->x, b->y);
        for (size_t i = 0; i < n; i++)
            b->term[i] = get(b, b->x, i) * (b->y ? get(b, b->y, i) : 1);
        double due = accord_format_round(format, ACCORD_NEAREST_EVEN, careful_sum(b->term, n));
        right += ask(b) == due;
        rows++;
        for (int how = 0; how < PLAIN; how++)
            plain[how] += plain_sum(format, b->term, n, how) == due;
    }
    for (int how = 0; how < PLAIN; how++)
        best = plain[how] > best ? plain[how] : best;
    return right > best || 10 * best >= 9 * rows;
}

enum accord_status accordi_borne_out(accordi_asker *asker, enum accord_reason reason, bool *yes)
{
    const accord_target *target = asker->target;
    bool products = asker->term == ACCORD_TERM_PRODUCT;
    bool plain = asker->alpha == 1 && asker->scale == 1 && !target->has_start && !products;
    bench b = {.asker = asker,
               .draw = {.n = asker->n,
                        .seed = accordi_rng_next(&asker->rng),
                        .format = target->format,
                        .is_f32 = target->storage_f32,
                        .products = products,
                        .block = 1},
               .size = target->storage_f32 ? sizeof(float) : sizeof(double)};
    *yes = true;
    if (asker->n < 3 || asker->n > MOST || (reason == ACCORD_REASON_COMPENSATED && !plain))
        return asker->status;
    b.x = accordi_alloc(asker->n, b.size);
    b.y = products ? accordi_alloc(asker->n, b.size) : NULL;
    b.term = accordi_alloc(asker->n, sizeof *b.term);
    if (!b.x || !b.term || (products && !b.y))
        asker->status = accordi_nomem(asker->error);
    else
        *yes = reason == ACCORD_REASON_EXACT ? is_independent(&b) : is_better_than_plain(&b);
    free(b.x);
    free(b.y);
    free(b.term);
    return asker->status;
}

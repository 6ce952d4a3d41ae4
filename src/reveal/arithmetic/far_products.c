/* Products that random inputs seldom have. A step of a machine with one or two products looks like
 * one addition, but differs from it on such products:
 *   - products so far below another that alignment drops them, while an addition still takes them
 *     into account when it rounds; they are asked for at every distance;
 *   - the same beside half of a last bit, where a sum that is rounded twice loses them;
 *   - products that cancel though each of them is too large for the format;
 *   - zeros that take part in alignment. */
#include "reveal/probes/dense_rows.h"
#include "reveal/prove/certificate.h"
#include <math.h>

enum { ZEROS = 8, FARTHEST = 72, FEW = 4, TIMES = 4, SPARSE = 3 };
enum far { MANY, TIE, HALF, FAR };
enum { BELOW = 24, TURNS = 6 };
enum { MOST = 2 + ZEROS + TIMES * FAR * FARTHEST + 2 * TURNS * BELOW };

typedef struct far_rows {
    accordi_asker *asker;
    const accord_format_info *in, *out;
    accordi_dense dense;
} far_rows;

/* A product of the row that is being filled; false if the format has not its factors. */
static bool put_far_product(const far_rows *e, size_t place, double x, double y)
{
    enum accord_format format = e->asker->target->format;
    if (accord_format_round(format, ACCORD_NEAREST_EVEN, x) != x ||
        accord_format_round(format, ACCORD_NEAREST_EVEN, y) != y)
        return false;
    accordi_dense_put(&e->dense, e->dense.rows, place, x, y);
    return true;
}

/* a b 2^exponent */
static bool put_scaled_product(const far_rows *e, size_t place, double a, double b, int exponent)
{
    return put_far_product(e, place, ldexp(a, exponent / 2), ldexp(b, exponent - exponent / 2));
}

/* A number of so many bits, or fewer; odd if it can be. */
static double draw_odd_number(far_rows *e, int bits)
{
    return bits < 1 ? 1 : (double)(accordi_rng_below(&e->asker->rng, (uint64_t)1 << bits) | 1);
}

/* The greatest products, one less another: each alone may be too large. */
static void fill_cancelling(far_rows *e)
{
    const double greatest = e->in->greatest, factors[] = {2, greatest};
    uint32_t place[2];
    for (int i = 0; i < 2; i++) {
        accordi_dense_fill(&e->dense, e->dense.rows, 0);
        accordi_ask_pick(e->asker, place, 2);
        e->dense.rows += put_far_product(e, place[0], greatest, factors[i]) &&
                         put_far_product(e, place[1], -greatest, i ? greatest : 1);
    }
}

/* Zero times the greatest number beside a product of any size: alignment may count it. */
static void fill_beside_zero(far_rows *e)
{
    int least = e->in->min_exponent, p = e->in->precision;
    uint64_t span = (uint64_t)(e->out->max_exponent - least);
    uint32_t place[2];
    for (int i = 0; i < ZEROS; i++) {
        int exponent = least - p + (int)accordi_rng_below(&e->asker->rng, span);
        double a = draw_odd_number(e, p), b = draw_odd_number(e, p);
        accordi_dense_fill(&e->dense, e->dense.rows, 0);
        accordi_ask_pick(e->asker, place, 2);
        e->dense.rows += put_scaled_product(e, place[0], i % 2 ? -a : a, b, exponent) &&
                         put_far_product(e, place[1], 0, e->in->greatest);
    }
}

/* Great products that end in half a last bit of results, if there are any. */
static bool draw_tie(far_rows *e, double *a, double *b)
{
    int p = e->in->precision, due = e->out->precision + 1;
    for (int tries = 0; tries < 64 && 2 * p >= due; tries++) {
        int length = 0;
        *a = draw_odd_number(e, p < due ? p : due);
        *b = draw_odd_number(e, due < p ? 0 : due - p + 1);
        frexp(*a * *b, &length);
        if (length == due)
            return true;
    }
    return false;
}

/* An exponent near the greatest that leaves room below it. */
static int draw_exponent(far_rows *e)
{
    int twice = 2 * e->in->max_exponent;
    int most = (twice < e->out->max_exponent ? twice : e->out->max_exponent) - 4;
    most = most > 90 ? 90 : most;
    int least = most > 40 ? 40 : most;
    return least + (int)accordi_rng_below(&e->asker->rng, (uint64_t)(most - least + 1));
}

/* A great product and a small one, so many bits below it, at places of their own. The great one has
 * many bits, or is a tie; or the small one is half a last bit of the other, and a little more or
 * less. */
static void fill_far(far_rows *e, enum far kind, int distance)
{
    int exponent = draw_exponent(e), p = e->in->precision, length = 0;
    uint64_t chance = accordi_rng_below(&e->asker->rng, 32);
    double few = chance & 16 ? 3 : 1; /* of 3 the product of significands is above 2 */
    double a = kind == HALF ? few : draw_odd_number(e, p),
           b = kind == HALF ? few : draw_odd_number(e, p);
    double beyond = kind == HALF ? ldexp(chance & 8 ? -1 : 1, -distance) : 0, small = 1 + beyond;
    uint32_t place[2];
    if ((kind == TIE && !draw_tie(e, &a, &b)) || (kind == HALF && distance >= p))
        return;
    /* below a power of two numbers are closer */
    bool opposite = few == 1 && (chance >> 1 & 1) != (chance >> 2 & 1);
    distance = e->out->precision + (kind == HALF ? opposite : distance - 2);
    frexp(a * b, &length);
    accordi_dense_fill(&e->dense, e->dense.rows, 0);
    accordi_ask_pick(e->asker, place, 2);
    e->dense.rows +=
        put_scaled_product(e, place[chance & 1], chance & 2 ? -a : a, b, exponent - length) &&
        put_scaled_product(e, place[~chance & 1], chance & 4 ? -small : small, 1,
                           exponent - 1 - distance);
}

/* A great product, half a last bit of numbers of so many bits, and a product so far below that; the
 * great one comes last, first, or anywhere. */
static void fill_twice(far_rows *e, int turn, int bits, int below)
{
    int exponent = draw_exponent(e);
    uint32_t place[3], great = 0;
    double sign = accordi_rng_below(&e->asker->rng, 2) ? -1 : 1;
    accordi_dense_fill(&e->dense, e->dense.rows, 0);
    accordi_ask_pick(e->asker, place, 3);
    for (uint32_t i = 1; i < 3 && turn / 2 < 2; i++)
        great = (place[i] > place[great]) == (turn / 2 == 0) ? i : great;
    e->dense.rows += put_scaled_product(e, place[great], sign, 1, exponent) &&
                     put_scaled_product(e, place[(great + 1) % 3], sign, 1, exponent - bits) &&
                     put_scaled_product(e, place[(great + 2) % 3], turn % 2 ? -sign : sign, 1,
                                        exponent - bits - below);
}

/* For machines: other rows distinguish additions from such sums. */
static void fill_all_twice(far_rows *e, const accord_arithmetic *how)
{
    const int kept = how->has_machine ? how->machine.output_fraction : 0;
    const int bits[2] = {e->out->precision, kept ? kept + 1 : 0};
    for (int i = 0; i < 2 * TURNS && e->asker->n >= 3 && how->has_machine; i++)
        for (int below = 1; below <= BELOW && bits[i / TURNS]; below++)
            fill_twice(e, i % TURNS, bits[i / TURNS], below);
}

static void fill_all_rows(far_rows *e, const accord_arithmetic *how)
{
    size_t n = e->asker->n;
    int times = n <= FEW ? TIMES : 1, step = n <= FEW ? 1 : SPARSE;
    if (n < 2)
        return;
    fill_cancelling(e);
    fill_beside_zero(e);
    fill_all_twice(e, how);
    for (int i = 0; i < FAR * times; i++)
        for (int d = 1; d <= FARTHEST - e->out->precision; d += step)
            fill_far(e, (enum far)(i % FAR), d);
}

enum accord_status accordi_far_agree(accordi_asker *asker, const accord_tree *tree,
                                     const accord_arithmetic *how, bool *agree)
{
    far_rows e = {.asker = asker,
                  .in = accord_format_get(asker->target->format),
                  .out = accord_format_get(asker->target->output)};
    const accord_model model = {tree, how};
    *agree = true;
    if (!accordi_dense_init(&e.dense, asker, MOST, true)) {
        fill_all_rows(&e, how);
        if (!accordi_dense_replay(&e.dense, &model))
            accordi_dense_ask(&e.dense);
    }
    for (size_t i = 0; i < e.dense.rows && !asker->status; i++) {
        double due = e.dense.due[i], seen = e.dense.seen[i];
        bool zeros = due == 0 && seen == 0; /* signs: see range_edges.c, rivals.c */
        *agree = *agree && (accordi_dense_agrees(&e.dense, i) || zeros || seen != seen);
    }
    accordi_dense_clear(&e.dense);
    return asker->status;
}

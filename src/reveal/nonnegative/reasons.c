/* Reasons why the order of terms that cannot be negative cannot be revealed. */
#include "exact/routines/quotient.h"
#include "reveal/nonnegative/nonnegative.h"
#include <math.h>

/* Three terms added in the order given, in the format of the result. */
static double sum_of(const accordi_positive_asker *p, const double *x)
{
    enum accord_format format = p->asker->target->output;
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        double term = p->term == ACCORD_TERM_ABSOLUTE ? fabs(x[i]) : x[i] * x[i];
        term = accord_format_round(format, ACCORD_NEAREST_EVEN, term);
        sum = accord_format_add(format, ACCORD_NEAREST_EVEN, sum, term);
    }
    return accord_format_round(format, ACCORD_NEAREST_EVEN, p->root ? sqrt(sum) : sum);
}

/* The exact sum of the terms, or its root, rounded once. */
static double best_sum_of(const accordi_positive_asker *p, const double *x)
{
    static const double one = 1;
    bool squares = p->term == ACCORD_TERM_SQUARE;
    enum accord_format format = p->asker->target->output;
    accord_exact_wide sum;
    accord_exact_wide_init(&sum);
    accordi_exact_view view = accordi_exact_of_wide(&sum);
    accordi_exact_products_f64(view, 3, x, 1, squares ? x : &one, squares);
    return p->root ? accordi_exact_root_value(view, format, ACCORD_NEAREST_EVEN)
                   : accordi_exact_value(view, format, ACCORD_NEAREST_EVEN);
}

enum { SORT_INPUTS = 256 };

static void draw_three(accordi_asker *asker, int size, double x[3])
{
    uint32_t k[3];
    accordi_ask_pick(asker, k, 3);
    for (int j = 0; j < 3; j++) {
        double significand = 1 + accordi_rng_unit(&asker->rng);
        x[j] = ldexp(significand, size - (int)accordi_rng_below(&asker->rng, 3));
        x[j] = accord_format_round(asker->target->format, ACCORD_NEAREST_EVEN, x[j]);
        accordi_ask_own(asker, k[j], x[j]);
    }
    accordi_ask_end(asker);
}

/* Do random threes of about 2^size, wherever they stand, give the sum from the least up, or from
 * the greatest down? In a fixed order many of them differ from each, in a wide one too. */
static enum accord_status sorts_of(accordi_positive_asker *p, int size, bool *yes)
{
    accordi_asker *asker = p->asker;
    double x[SORT_INPUTS][3];
    accordi_ask_begin(asker, 0);
    for (int i = 0; i < SORT_INPUTS; i++)
        draw_three(asker, size, x[i]);
    if (accordi_ask_run(asker))
        return asker->status;
    int up = 0, down = 0, up_wrong = 0, down_wrong = 0;
    for (int i = 0; i < SORT_INPUTS; i++) {
        qsort(x[i], 3, sizeof(double), accordi_by_value);
        const double back[3] = {x[i][2], x[i][1], x[i][0]};
        double least = sum_of(p, x[i]), greatest = sum_of(p, back), best = best_sum_of(p, x[i]);
        up += asker->result[i] == least * asker->scale;
        down += asker->result[i] == greatest * asker->scale;
        up_wrong += least != best && least != greatest;
        down_wrong += greatest != best && least != greatest;
    }
    *yes = (up == SORT_INPUTS && up_wrong > 2) || (down == SORT_INPUTS && down_wrong > 2);
    return ACCORD_OK;
}

/* A target may choose its arithmetic by how large the terms are. */
static enum accord_status sorts(accordi_positive_asker *p, bool *yes)
{
    static const int sizes[] = {0, -3, -10, 10};
    *yes = false;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && !*yes && !p->asker->status; i++)
        sorts_of(p, sizes[i], yes);
    return p->asker->status;
}

/* How large whole numbers may be (at most 25) whose terms, and sums of that many, are exact in the
 * formats of operands and result. */
static double greatest_whole(const accordi_positive_asker *p, int terms)
{
    const accord_target *target = p->asker->target;
    int input = accord_format_get(target->format)->precision;
    int output = accord_format_get(target->output)->precision;
    double each = ldexp(1, input < output ? input : output) / terms;
    double most = floor(p->term == ACCORD_TERM_SQUARE ? sqrt(each) : each);
    return most < 1 ? 1 : most > 25 ? 25 : most;
}

/* |root - sqrt(square)|, to a few bits less than a double has: square - root^2 is exact but for its
 * last bits (fma), and is that difference times the sum of both roots. */
static double error_of_root(double root, double square)
{
    return fabs(fma(root, root, -square) / (root + sqrt(square)));
}

/* Sums of whole numbers so small that they are exact in any accumulator, in any order, fused or
 * not: squares of odd numbers, or of powers of two. Any error is one of scaling, or of the root, or
 * of fewer bits than the result has. *worst: the greatest, relative. */
static enum accord_status small_sums(accordi_positive_asker *p, bool powers, size_t *wrong,
                                     double *worst)
{
    enum { INPUTS = 64, FEW_INPUTS = 6 };
    accordi_asker *asker = p->asker;
    int inputs = p->brief ? FEW_INPUTS : INPUTS;
    double due[INPUTS] = {0};
    int terms = asker->n < 3 ? 2 : 3;
    double greatest = greatest_whole(p, terms);
    uint64_t exponents = 1 + (uint64_t)ilogb(greatest < 8 ? greatest : 8);
    uint64_t odds = (uint64_t)(greatest + 1) / 2;
    accordi_ask_begin(asker, 0);
    for (int i = 0; i < inputs; i++) {
        uint32_t k[3];
        accordi_ask_pick(asker, k, (size_t)terms);
        for (int j = 0; j < terms; j++) {
            double x = powers ? ldexp(1, (int)accordi_rng_below(&asker->rng, exponents))
                              : 1 + 2 * (double)accordi_rng_below(&asker->rng, odds);
            accordi_ask_own(asker, k[j], x);
            due[i] += p->term == ACCORD_TERM_SQUARE ? x * x : x;
        }
        accordi_ask_end(asker);
    }
    if (accordi_ask_run(asker))
        return asker->status;
    int precision = accord_format_get(asker->target->output)->precision;
    for (int i = 0; i < inputs; i++) {
        double got = asker->result[i] / asker->scale;
        /* a root may be rounded twice, a mean and its scale are too: half a unit and a little, or a
         * few */
        double most = ldexp(asker->scale == 1 ? 0.5005 : 4, ilogb(got) + 1 - precision);
        double exact = p->root ? sqrt(due[i]) : due[i];
        double error = p->root ? error_of_root(got, due[i]) : fabs(got - due[i]);
        double off = error / exact;
        *wrong += p->root || asker->scale != 1 ? !(error <= most) : got != due[i];
        *worst = off > *worst ? off : *worst;
    }
    return ACCORD_OK;
}

enum accord_status accordi_positive_check_sums(accordi_positive_asker *p)
{
    enum { PLACES = 16 }; /* of the last one, that scaling may be off by */
    size_t wrong = 0, powers_wrong = 0;
    double worst = 0, ignored = 0;
    int precision = accord_format_get(p->asker->target->output)->precision;
    if (small_sums(p, false, &wrong, &worst) || wrong == 0)
        return p->asker->status;
    if (small_sums(p, true, &powers_wrong, &ignored))
        return p->asker->status;
    if (powers_wrong == 0 && worst > ldexp(PLACES, -precision))
        return accordi_ask_unable(
            p->asker, ACCORD_REASON_OUT_OF_RANGE,
            "terms or sums are rounded to fewer bits than the result has: results for small "
            "integers are off by up to %.2g of their sum, whereas those for powers of two are "
            "exact; accord cannot reveal the order of such sums of non-negative terms",
            worst);
    if (powers_wrong == 0 && p->term == ACCORD_TERM_SQUARE)
        return accordi_ask_unable(p->asker, ACCORD_REASON_DATA_DEPENDENT,
                                  "the terms are scaled before they are added, by a factor that "
                                  "depends on their values: powers of two give the square root of "
                                  "the sum of their squares, but small integers do not");
    return accordi_ask_unable(p->asker, ACCORD_REASON_NOT_A_TREE,
                              "this is not a sum of non-negative terms: small integers do not add "
                              "up to the expected value");
}

static enum accord_status say_sorted(accordi_positive_asker *p)
{
    return accordi_ask_unable(p->asker, ACCORD_REASON_DATA_DEPENDENT,
                              "the order depends on the values: three terms are added in the order "
                              "of their sizes, whatever their positions");
}

/* Units are kept to nearly twice the bits of the result, and not beyond. */
static enum accord_status compensates(accordi_positive_asker *p, bool *yes)
{
    int precision = accord_format_get(p->asker->target->output)->precision;
    enum accordi_pattern near, far;
    *yes = false;
    if (accordi_positive_pattern(p, 2 * precision - 6, &near) ||
        accordi_positive_pattern(p, 2 * precision + 3, &far))
        return p->asker->status;
    *yes = (near == ACCORDI_KEPT || near == ACCORDI_MOSTLY) && far == ACCORDI_LOST;
    return ACCORD_OK;
}

static enum accord_status say_compensated(accordi_positive_asker *p)
{
    return accordi_ask_unable(
        p->asker, ACCORD_REASON_COMPENSATED,
        "the sum is compensated: it keeps about twice the bits of its result");
}

/* A scale that is not a power of two rounds the sum once more: three terms then show that rounding,
 * and not what the sum keeps. */
static bool is_hidden(accordi_positive_asker *p)
{
    if (accordi_is_power_of_two(p->asker->scale))
        return false;
    accordi_ask_unable(
        p->asker, ACCORD_REASON_OUT_OF_RANGE,
        "the result is %.9g times the %s, and that multiplication is rounded again, which hides "
        "the differences that would show the order of non-negative terms",
        p->asker->scale, p->root ? "square root of the sum" : "sum");
    return true;
}

enum accord_status accordi_positive_not_binary(accordi_positive_asker *p, bool likely)
{
    bool yes = false;
    if (is_hidden(p))
        return p->asker->status;
    if (likely && (sorts(p, &yes) || yes))
        return yes ? say_sorted(p) : p->asker->status;
    if (likely && (compensates(p, &yes) || yes))
        return yes ? say_compensated(p) : p->asker->status;
    return accordi_ask_unable(
        p->asker, ACCORD_REASON_OUT_OF_RANGE,
        "sums of three terms are rounded as in no tree of additions of one precision: the "
        "accumulator may be wider at some nodes, nodes may add more than two terms, or rounding "
        "errors may be carried along; accord cannot reveal the order of such sums of non-negative "
        "terms");
}

enum accord_status accordi_positive_directed(accordi_positive_asker *p,
                                             enum accordi_direction direction)
{
    bool sorted = false;
    if (sorts(p, &sorted) || sorted)
        return sorted ? say_sorted(p) : p->asker->status;
    if (is_hidden(p))
        return p->asker->status;
    return accordi_ask_unable(p->asker, ACCORD_REASON_OUT_OF_RANGE,
                              "sums, or the result, are rounded %s, and accord cannot reveal the "
                              "order of such sums of non-negative terms",
                              direction == ACCORDI_UPWARD ? "up" : "toward zero");
}

/* Exact sums keep a unit at any distance. */
enum accord_status accordi_positive_all_kept(accordi_positive_asker *p)
{
    accordi_asker *asker = p->asker;
    int precision = accord_format_get(asker->target->output)->precision;
    enum accordi_pattern pattern;
    bool yes = false;
    if (sorts(p, &yes) || yes)
        return yes ? say_sorted(p) : asker->status;
    if (is_hidden(p))
        return asker->status;
    if (asker->n > 3 && (compensates(p, &yes) || yes))
        return yes ? say_compensated(p) : asker->status;
    if (accordi_positive_pattern(p, 2 * precision + 60, &pattern))
        return asker->status;
    if (pattern == (asker->n > 3 ? ACCORDI_KEPT : ACCORDI_LOST)) /* of three: always exceeded */
        return accordi_ask_unable(
            asker, ACCORD_REASON_EXACT,
            "the sum is exact, or independent of the order: no large term absorbs a small one");
    return accordi_ask_unable(asker, ACCORD_REASON_OUT_OF_RANGE,
                              "the accumulator is wider than the result%s, so the order of "
                              "non-negative terms does not show",
                              asker->n == 3 ? ", or all three terms are added at once" : "");
}

enum accord_status accordi_positive_all_lost(accordi_positive_asker *p)
{
    bool sorted = false;
    if (sorts(p, &sorted))
        return p->asker->status;
    if (sorted)
        return say_sorted(p);
    if (is_hidden(p))
        return p->asker->status;
    return accordi_ask_unable(p->asker, ACCORD_REASON_OUT_OF_RANGE,
                              "small terms vanish beside a large one at every position: either the "
                              "terms are scaled by the greatest or the result is rounded again, so "
                              "the order of non-negative terms does not show");
}

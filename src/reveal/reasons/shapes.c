/* Recognizes sums whose terms, or whose result, are changed by a function (clamped, rectified), and
 * results that are the bits of another type. */
#include "reveal/reasons/ordinary_sums.h"
#include <math.h>

enum { AT_EACH_BOUND = 3, UNBOUND = 3, SAME_SUMS = 12, RESULTS = 3 };

static double clamp_value(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

enum where { AT_RESULT, AT_TERMS, AT_STEPS, PLACES };

typedef struct clamp {
    enum where where;
    double low, high;
} clamp;

static double clamped_sum(const double *x, size_t n, const void *hypothesis)
{
    const clamp *c = hypothesis;
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum = c->where == AT_RESULT  ? sum + x[i]
              : c->where == AT_TERMS ? sum + clamp_value(x[i], c->low, c->high)
                                     : clamp_value(sum + x[i], c->low, c->high);
    return c->where == AT_RESULT ? clamp_value(sum, c->low, c->high) : sum;
}

/* Rows in which the clamp is felt; 0 if one contradicts, or too few tell. */
static size_t count_clamped(const accordi_ordinary *o, const clamp *c, double *x)
{
    size_t felt = 0, free = 0;
    for (size_t r = 0; r < o->rows; r++) {
        const accordi_row *row = &o->row[r];
        if (!row->exact)
            continue;
        accordi_ordinary_terms(o, row, x);
        if (row->result != clamped_sum(x, o->asker->n, c))
            return 0;
        felt += row->result != row->sum;
        free += row->result == row->sum && row->sum != 0;
    }
    return felt >= AT_EACH_BOUND && free >= UNBOUND ? felt : 0;
}

/* The bounds: the least and greatest result, or what a single term becomes; without those that no
 * more than the inputs themselves set. */
static clamp find_bounds(const accordi_ordinary *o, enum where where)
{
    double least = INFINITY, most = -INFINITY, low = INFINITY, high = -INFINITY;
    for (size_t r = 0; r < o->rows; r++) {
        const accordi_row *row = &o->row[r];
        double in = row->sum;
        if (!row->exact || (where == AT_TERMS && (row->count != 1 || row->fill != 0)))
            continue;
        least = in < least ? in : least;
        most = in > most ? in : most;
        low = row->result < low ? row->result : low;
        high = row->result > high ? row->result : high;
    }
    return (clamp){where, low == least ? -INFINITY : low, high == most ? INFINITY : high};
}

static void say_clamped(const accordi_ordinary *o, const clamp *c, size_t felt)
{
    static const char *const what[PLACES] = {"the result is clamped", "each term is clamped",
                                             "the running sum is clamped"};
    static const enum accord_reason reasons[PLACES] = {
        ACCORD_REASON_CLAMPED_RESULT, ACCORD_REASON_CLAMPED_TERMS, ACCORD_REASON_SATURATING};
    char bounds[80];
    if (isinf(c->low))
        snprintf(bounds, sizeof bounds, "to at most %.9g", c->high);
    else if (isinf(c->high))
        snprintf(bounds, sizeof bounds, "to at least %.9g", c->low);
    else
        snprintf(bounds, sizeof bounds, "to the range from %.9g to %.9g", c->low, c->high);
    accordi_unable(o->asker->error, reasons[c->where],
                   "%s %s: this explains the results for all inputs of small integers, %zu of "
                   "which the clamping changes",
                   what[c->where], bounds, felt);
}

bool accordi_is_clamped(const accordi_ordinary *o)
{
    double *x = accordi_alloc(o->asker->n, sizeof *x);
    bool found = false;
    for (int where = 0; x && where < PLACES && !found; where++) {
        clamp c = find_bounds(o, (enum where)where);
        size_t felt = count_clamped(o, &c, x);
        found = felt > 0 && c.low < c.high &&
                !(where == AT_RESULT && c.low == 0 && isinf(c.high)) &&
                accordi_agrees_in_quarters(o, clamped_sum, &c);
        if (found)
            say_clamped(o, &c, felt);
    }
    free(x);
    return found;
}

/* Large terms come back too. */
static bool is_unbounded(const accordi_ordinary *o)
{
    accordi_asker *asker = o->asker;
    static const int exponents[] = {4, 5, 6, 8, 10, 12, 16, 24, 32, 48, 64, 96, 120};
    int in = accord_format_get(asker->target->format)->max_exponent;
    int out = accord_format_get(asker->target->output)->max_exponent;
    accordi_ask_begin(asker, 0);
    for (size_t i = 0; i < sizeof exponents / sizeof *exponents; i++)
        if (exponents[i] < (in < out ? in : out)) {
            accordi_ask_own(asker, o->term[0], ldexp(1, exponents[i]));
            accordi_ask_end(asker);
        }
    if (accordi_ask_run(asker))
        return false;
    for (size_t i = 0; i < asker->probes; i++)
        if (asker->result[i] != asker->value[i])
            return false;
    return true;
}

bool accordi_is_rectified(const accordi_ordinary *o)
{
    const clamp positive = {AT_RESULT, 0, INFINITY};
    double *x = accordi_alloc(o->asker->n, sizeof *x);
    size_t felt = x ? count_clamped(o, &positive, x) : 0;
    free(x);
    if (felt > 0 && !(is_unbounded(o) && accordi_agrees_in_quarters(o, clamped_sum, &positive)))
        return false;
    if (felt > 0)
        accordi_unable(o->asker->error, ACCORD_REASON_RECTIFIED,
                       "the result is the sum if that is positive, and 0 otherwise: %zu of the "
                       "inputs of small integers have negative sums, and all of them gave 0",
                       felt);
    return felt > 0;
}

/* ---- a function of the sum ---- */

static double result_of_sum(const accordi_ordinary *o, double sum)
{
    for (size_t r = 0; r < o->rows; r++)
        if (o->row[r].exact && o->row[r].sum == sum)
            return o->row[r].result;
    return NAN;
}

/* Negative sums come back as much above 0 as a number is above them. */
static bool is_remainder(const accordi_ordinary *o, double *modulus)
{
    size_t negative = 0;
    *modulus = result_of_sum(o, -1) + 1;
    for (size_t r = 0; r < o->rows; r++) {
        const accordi_row *row = &o->row[r];
        double due = row->sum - *modulus * floor(row->sum / *modulus);
        if (row->exact && row->result != due)
            return false;
        negative += row->exact && row->sum < 0 && due != row->sum;
    }
    return *modulus > 1 && negative >= SAME_SUMS;
}

static void say_of_the_sum(const accordi_ordinary *o, bool magnitude)
{
    double modulus;
    if (magnitude)
        accordi_unable(o->asker->error, ACCORD_REASON_ABSOLUTE_RESULT,
                       "the result is the absolute value of the sum: terms of 2 and -1 count with "
                       "their signs, but a sum of -3 gives 3");
    else if (is_remainder(o, &modulus))
        accordi_unable(o->asker->error, ACCORD_REASON_MODULO,
                       "the result is the remainder of the sum divided by %.9g: a sum of -1 gives "
                       "%.9g, and a sum of -2 gives %.9g",
                       modulus, result_of_sum(o, -1), result_of_sum(o, -2));
    else
        accordi_unable(o->asker->error, ACCORD_REASON_OF_THE_SUM,
                       "the result is a function of the sum, not the sum itself: sums of -1, 0, 1, "
                       "2 and 3 give %.9g, %.9g, %.9g, %.9g and %.9g",
                       result_of_sum(o, -1), result_of_sum(o, 0), result_of_sum(o, 1),
                       result_of_sum(o, 2), result_of_sum(o, 3));
}

static bool is_new(double seen[RESULTS], size_t count, double result)
{
    for (size_t i = 0; i < count; i++)
        if (seen[i] == result)
            return false;
    if (count < RESULTS)
        seen[count] = result;
    return count < RESULTS;
}

/* Small sums may come back as they are where a term that was not tested is not counted as it is. */
static bool bends_sums(const accordi_ordinary *o)
{
    bool yes = false;
    for (int sum = -1; sum <= 3; sum++)
        yes = yes || result_of_sum(o, sum) != sum;
    return yes;
}

/* Different terms of the same sum always give the same result, and three such results differ. */
bool accordi_is_of_the_sum(const accordi_ordinary *o)
{
    size_t pairs = 0, results = 0;
    double seen[RESULTS];
    bool magnitude = true;
    for (size_t r = 0; r < o->rows; r++) {
        const accordi_row *a = &o->row[r];
        if (!a->exact)
            continue;
        for (size_t s = 0; s < r; s++) {
            const accordi_row *b = &o->row[s];
            if (!b->exact || a->sum != b->sum)
                continue;
            if (memcmp(&a->result, &b->result, sizeof a->result))
                return false;
            pairs++;
            results += a->fill == 0 && b->fill == 0 && is_new(seen, results, a->result);
        }
        magnitude = magnitude && a->result == fabs(a->sum);
    }
    if (pairs < SAME_SUMS || results < RESULTS || !bends_sums(o))
        return false;
    say_of_the_sum(o, magnitude);
    return true;
}

/* ---- a function of each term ---- */

static double of_amount(const accordi_ordinary *o, double x)
{
    return o->amount[(int)x + ACCORDI_GREATEST_AMOUNT] - o->zeros;
}

/* Terms that count as themselves, but for rounding, are not a function of themselves. */
static bool bends_terms(const accordi_ordinary *o)
{
    bool yes = false;
    for (int v = -ACCORDI_GREATEST_AMOUNT; v <= ACCORDI_GREATEST_AMOUNT; v++)
        yes = yes || fabs(of_amount(o, v) - v * of_amount(o, 1)) > 0.0625 * fabs(of_amount(o, v));
    return yes;
}

bool accordi_is_of_terms(const accordi_ordinary *o)
{
    size_t tells = 0;
    for (size_t r = 0; r < o->rows; r++) {
        const accordi_row *row = &o->row[r];
        double each = of_amount(o, row->fill), others = (double)(o->asker->n - row->count);
        double due = o->zeros + others * each, size = others * fabs(each);
        for (size_t i = 0; i < row->count; i++) {
            due += of_amount(o, row->value[i]);
            size += fabs(of_amount(o, row->value[i]));
        }
        /* what zeros give may be many roundings, too */
        double slack =
            accordi_ordinary_slack(o, row) * (size + fabs(o->zeros)) +
            (o->zeros == 0 ? 0 : ldexp((double)o->asker->n * fabs(o->zeros), 1 - o->precision));
        if (row->fill != 0 && !row->exact)
            continue;
        if (!(fabs(row->result - due) <= slack))
            return false;
        tells += row->count > 1 && slack < 0.125 * size;
    }
    if (tells < SAME_SUMS || !bends_terms(o))
        return false;
    accordi_unable(
        o->asker->error, ACCORD_REASON_OF_TERMS,
        "a function of each term is added, not the term itself: zeros alone give %.9g, and single "
        "terms of -2, -1, 1, 2 and 3 among zeros give %.9g, %.9g, %.9g, %.9g and %.9g",
        o->zeros, of_amount(o, -2) + o->zeros, of_amount(o, -1) + o->zeros,
        of_amount(o, 1) + o->zeros, of_amount(o, 2) + o->zeros, of_amount(o, 3) + o->zeros);
    return true;
}

/* ---- bits of another type ---- */

typedef struct hidden {
    enum accord_format format; /* of the number */
    enum accord_format half;   /* whose low half its bits are, unless it is an integer */
    bool integer;              /* that has its bits */
    const char *is;
} hidden;

static double hidden_number(const hidden *h, double result)
{
    int width = accord_format_get(h->format)->bits;
    if (!h->integer)
        return accord_format_decode(
            h->format, accord_format_encode(
                           h->half, accord_format_round(h->half, ACCORD_NEAREST_EVEN, result)));
    bool fits = fabs(result) < ldexp(1, width < 64 ? width : 63);
    return accord_format_decode(h->format, fits ? (uint64_t)(int64_t)result : 0);
}

/* Numbers of many bits pass through a narrower result: a few of the last ones may be lost. */
bool accordi_is_bits(const accordi_ordinary *o)
{
    static const hidden ways[] = {
        {ACCORD_F32, ACCORD_F64, false, "the low half of its bits is an f32 number"},
        {ACCORD_F16, ACCORD_F32, false, "the low half of its bits is an f16 number"},
        {ACCORD_BF16, ACCORD_F32, false, "the low half of its bits is a bf16 number"},
        {ACCORD_F64, 0, true, "it is the integer that has the bits of an f64 number"},
        {ACCORD_F32, 0, true, "it is the integer that has the bits of an f32 number"},
        {ACCORD_F16, 0, true, "it is the integer that has the bits of an f16 number"},
        {ACCORD_BF16, 0, true, "it is the integer that has the bits of a bf16 number"},
    };
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        size_t rows = 0;
        bool good = true;
        for (size_t r = 0; r < o->rows && good; r++) {
            const accordi_row *row = &o->row[r];
            if (!row->exact)
                continue;
            good =
                fabs(hidden_number(&ways[w], row->result) - row->sum) <= ldexp(fabs(row->sum), -6);
            rows += row->sum != 0;
        }
        if (!good || rows < SAME_SUMS)
            continue;
        /* what is read of a function is never an encoding */
        bool so = strcmp(o->asker->target->kind->name, "so") == 0;
        accordi_unable(o->asker->error, ACCORD_REASON_OTHER_BITS,
                       "the result has another type than was specified: %s, and that number is the "
                       "sum of the terms (for all %zu inputs); %s",
                       ways[w].is, rows,
                       so ? "let the function give float, or double for f64 (also with :encoded)"
                          : "correct the type of the result");
        return true;
    }
    return false;
}

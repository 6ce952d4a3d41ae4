/* Operands and questions for terms that cannot be negative.
 *
 * Where the accumulator is as wide as the result, or narrower, the mask alone is the base of all
 * questions, and one more unit in its last place is seen in the result. Where it is wider, a helper
 * on a further term puts the sum just where the result rounds down, so that one more unit in the
 * accumulator's last place makes it round up:
 *   |x|: mask 1, helper half a unit in the last place of the result (a tie, and 1 is even);
 *   x*x: the same, with what is a square;
 *   sqrt of x*x: r = sqrt(mask^2 + helper^2) half way between two results. r = (q^2 + 1)/2 gives
 *     r^2 = (r - 1)^2 + q^2, all whole numbers, and r - 1 is even for odd q. This needs 2p + 2 bits
 *     for results of p; for 64 and 53 bits there is a pair of numbers found by search.
 * The helper is far above the accumulator's last place, and small beside the mask: sums of it and
 * of units are exact, so it does not matter when it joins.
 *
 * Of three terms in all none is left for a helper. There the mask at c and a second large operand
 * at a make the sum where the result rounds down, and the unit at b is a little more than half of
 * the last bit of that. It rounds the sum up, unless it meets a before c: rounded to the last bit
 * of a, which is smaller, it becomes half of the last bit of the sum, a tie, and the sum is even.
 */
#include "reveal/nonnegative/nonnegative.h"
#include <math.h>

/* The last bit of a sum that holds the mask is 2^grid: an operand whose term is 3/8 of that or a
 * little more, a square where it must be one. */
static double unit_of(enum accord_term term, int grid)
{
    if (term == ACCORD_TERM_ABSOLUTE)
        return ldexp(0.375, grid);
    int half = (int)floor(grid / 2.0);
    return grid % 2 == 0 ? ldexp(0.625, half) : ldexp(0.875, half); /* 25/64 and 49/128 */
}

static void add_helper(accordi_operands *o, double helper)
{
    o->helper[o->helpers++] = helper;
}

static bool absolute_operands(int precision, int width, accordi_operands *o)
{
    o->mask = 1;
    if (width > precision)
        add_helper(o, ldexp(1, -precision));
    o->unit = unit_of(ACCORD_TERM_ABSOLUTE, 1 - width);
    return true;
}

/* Half of the last bit of the result must be a square itself. */
static bool square_operands(int precision, int width, accordi_operands *o)
{
    bool odd = width > precision ? precision % 2 != 0 : true;
    o->mask = odd ? 1.5 : 1;
    if (width > precision)
        add_helper(o, ldexp(1, odd ? (1 - precision) / 2 : -precision / 2));
    o->unit = unit_of(ACCORD_TERM_SQUARE, odd ? 2 - width : 1 - width);
    return true;
}

/* The sum lies in [2, 4): there its last bit shows in the root. */
static bool root_operands(int precision, int width, accordi_operands *o)
{
    *o = (accordi_operands){.mask = 1.5};
    if (width > precision && width >= 2 * precision + 2) {
        double q = 2 * floor(sqrt(1.7 * ldexp(1, precision + 1)) / 2) + 1;
        o->mask = ldexp((q * q - 1) / 2, -precision);
        add_helper(o, ldexp(q, -precision));
    } else if (width == 64 && precision == 53) {
        o->mask = ldexp(3697993861, -31);
        add_helper(o, ldexp(42, -31));
    } else if (width > precision) {
        return false;
    }
    o->unit = unit_of(ACCORD_TERM_SQUARE, 2 - width);
    return true;
}

/* An operand of so many bits whose square is a little more than 2^exponent. */
static double root_above(int exponent, int bits)
{
    int half = (int)floor(exponent / 2.0);
    if (exponent % 2 == 0)
        return ldexp(bits > 9 ? 1 + 0x1p-9 : 1 + 0x1p-7, half);
    return bits > 10 ? ldexp(1449, half - 10) : ldexp(182, half - 7);
}

/* mask^2 + beside^2 = r^2 as above, with beside^2 at least 1/128 of it. */
static bool three_root_operands(int precision, int width, int bits, accordi_operands *o)
{
    static const struct {
        int least, most, precision;
        double mask, beside;
        int scale;
    } table[] = {
        {50, 1000, 24, 31775788, 4852965, 24},
        {64, 64, 53, 3833436523, 515773689, 31},
        {108, 1000, 53, 17438459560014592, 3734726334909375, 53},
    };
    o->unit = root_above(1 - width, bits);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].precision == precision && width >= table[i].least && width <= table[i].most) {
            o->mask = ldexp(table[i].mask, -table[i].scale);
            o->beside = ldexp(table[i].beside, -table[i].scale);
            return true;
        }
    return false;
}

static bool three_operands(const accordi_positive_asker *p, int width, accordi_operands *o)
{
    int precision = accord_format_get(p->asker->target->output)->precision;
    int bits = accord_format_get(p->asker->target->format)->precision;
    if (p->root)
        return three_root_operands(precision, width, bits, o);
    if (p->term == ACCORD_TERM_ABSOLUTE) {
        o->mask = 1;
        o->beside = 0.5 + ldexp(1, -precision);
        o->unit = ldexp(bits > 10 ? 1 + 0x1p-10 : 1 + 0x1p-7, -width);
        return true;
    }
    /* squares of about 2.25 and 1/16, or 1.5625 and 1/16 */
    bool odd = precision % 2 != 0;
    o->mask = odd ? 1.5 : 1.25;
    o->beside = 0.25 + ldexp(1, -(precision / 2));
    o->unit = root_above(odd ? 1 - width : -width, bits);
    return true;
}

static bool format_holds(const accord_target *target, double x)
{
    const accord_format_info *info = accord_format_get(target->format);
    return x == 0 || (x >= ldexp(1, info->min_exponent) && x <= info->greatest &&
                      accord_format_round(target->format, ACCORD_NEAREST_EVEN, x) == x);
}

/* Squares of units are to be normal numbers too. */
static bool operands_fit(const accordi_positive_asker *p, const accordi_operands *o)
{
    const accord_target *target = p->asker->target;
    const accord_format_info *output = accord_format_get(target->output);
    double unit = p->term == ACCORD_TERM_SQUARE ? o->unit * o->unit : o->unit;
    for (int i = 0; i < o->helpers; i++)
        if (!format_holds(target, o->helper[i]))
            return false;
    return format_holds(target, o->mask) && format_holds(target, o->unit) &&
           format_holds(target, o->beside) && unit >= ldexp(1, output->min_exponent) &&
           p->asker->n >= 3 + (size_t)o->helpers;
}

/* Narrow formats: as far up as there is room. */
static bool lift(const accordi_positive_asker *p, accordi_operands *o)
{
    const accord_format_info *info = accord_format_get(p->asker->target->format);
    for (int up = 0; up < info->max_exponent - 1 && !operands_fit(p, o) && up < 16; up++) {
        o->mask *= 2;
        o->unit *= 2;
        o->beside *= 2;
        for (int i = 0; i < o->helpers; i++)
            o->helper[i] *= 2;
    }
    return operands_fit(p, o);
}

bool accordi_positive_plain(const accordi_positive_asker *p, int width, double mask, int exponent,
                            accordi_operands *out, double *factor)
{
    *out = (accordi_operands){
        .width = width, .mask = mask, .unit = unit_of(p->term, exponent + 1 - width)};
    bool fit = lift(p, out);
    *factor = out->mask / mask;
    return fit;
}

bool accordi_positive_three(const accordi_positive_asker *p, int width, int variant,
                            accordi_operands *out)
{
    accordi_positive_asker like = *p;
    int precision = accord_format_get(p->asker->target->output)->precision;
    like.root = p->root && variant == 0;
    *out = (accordi_operands){.width = width};
    if (!three_operands(&like, width, out))
        return false;
    out->beside += ldexp(2 * variant, -(precision / 2));
    return lift(p, out);
}

bool accordi_positive_operands(const accordi_positive_asker *p, int width, accordi_operands *out)
{
    accordi_operands o = {0};
    int precision = accord_format_get(p->asker->target->output)->precision;
    bool three = p->asker->n == 3 && width > precision;
    bool made = three                             ? three_operands(p, width, &o)
                : p->term == ACCORD_TERM_ABSOLUTE ? absolute_operands(precision, width, &o)
                : p->root                         ? root_operands(precision, width, &o)
                                                  : square_operands(precision, width, &o);
    if (!made)
        return false;
    if (p->toward_zero) { /* two of them are more than one last place, each is less */
        int exponent = ilogb(p->term == ACCORD_TERM_SQUARE ? o.mask * o.mask : o.mask);
        o.unit = unit_of(p->term, exponent + 2 - width);
    }
    o.width = width;
    if (!lift(p, &o))
        return false;
    *out = o;
    return true;
}

void accordi_positive_probe(const accordi_positive_asker *p, const accordi_operands *operands,
                            const uint32_t terms[3], int units)
{
    accordi_asker *asker = p->asker;
    accordi_ask_own(asker, terms[2], operands->mask);
    if (operands->beside != 0)
        accordi_ask_own(asker, terms[0], operands->beside);
    for (int i = operands->beside != 0; i < units; i++)
        accordi_ask_own(asker, terms[i], operands->unit);
    uint32_t taken[3 + ACCORDI_HELPERS] = {terms[0], terms[1], terms[2]};
    for (int i = 0; i < operands->helpers; i++) {
        bool again = true;
        while (again) {
            taken[3 + i] = (uint32_t)accordi_rng_below(&asker->rng, asker->n);
            again = false;
            for (int k = 0; k < 3 + i; k++)
                again = again || taken[k] == taken[3 + i];
        }
        accordi_ask_own(asker, taken[3 + i], operands->helper[i]);
    }
    accordi_ask_end(asker);
}

static enum accord_status ask_some(accordi_positive_asker *p, accordi_rooted *rooted, size_t count)
{
    accordi_asker *asker = p->asker;
    accordi_ask_begin(asker, 0);
    for (size_t i = 0; i < count; i++) {
        const uint32_t terms[3] = {rooted[i].a, rooted[i].b, rooted[i].c};
        accordi_positive_probe(p, &p->operands, terms, 2);
    }
    if (accordi_ask_run(asker))
        return asker->status;
    for (size_t i = 0; i < count; i++) {
        double got = asker->result[i];
        if (!(got >= p->base) || isinf(got))
            return accordi_ask_unable(
                asker, isfinite(got) ? ACCORD_REASON_NOT_A_TREE : ACCORD_REASON_NOT_FINITE,
                "non-negative terms give %.17g, which is less than the %.17g that some of them "
                "give alone",
                got, p->base);
        rooted[i].meet = (got > p->base) != (p->operands.beside != 0);
    }
    return ACCORD_OK;
}

enum accord_status accordi_positive_ask(accordi_positive_asker *p, accordi_rooted *rooted,
                                        size_t count)
{
    enum { PROBES_A_BATCH = 8192 };
    for (size_t at = 0; at < count && !p->asker->status; at += PROBES_A_BATCH)
        ask_some(p, rooted + at, count - at < PROBES_A_BATCH ? count - at : PROBES_A_BATCH);
    return p->asker->status;
}

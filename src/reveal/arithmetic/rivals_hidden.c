/* Inputs in which a narrow result shows the order of wider sums. Where sums have more bits than the
 * result, most orders give the same result for nearly all inputs, so code that adds otherwise for
 * some of them (all terms negative, say) would hardly be seen.
 *
 * Idea: two terms that meet before all others make a tie M of the result. Each of the others is
 * half of the last place of M in the format of sums, so that M swallows it if it comes alone. In
 * the tree that was found one of them stands under each sibling on M's way to the root, and all
 * come alone: the result is the tie, rounded. Wherever two of them meet before they come to M, or M
 * is not yet whole, the tie is broken, and the result is its neighbor. */
#include "format/format.h"
#include "model/operation.h"
#include "reveal/arithmetic/rivals.h"
#include <math.h>

/* The precision of all sums; 0 where the result shows them anyway, or such a tie is not kept. */
static int precision_of_sums(const accordi_purpose *p)
{
    const accord_arithmetic *how = p->how;
    int precision = how->operations ? accord_format_get(how->operation[0].format)->precision : 0;
    bool plain = !how->has_machine && !p->has_start && how->alpha == 1 &&
                 how->finish == ACCORD_FINISH_NONE && how->operand == ACCORD_F64 &&
                 (how->term == ACCORD_TERM_VALUE || how->term == ACCORD_TERM_PRODUCT) &&
                 p->tree->inner + 1 == p->tree->leaves && p->tree->inner > 1;
    for (size_t i = 0; i < how->operations && plain; i++) {
        const accord_operation *op = &how->operation[i];
        plain = accord_format_get(op->format)->precision == precision &&
                op->rounding == ACCORD_NEAREST_EVEN &&
                (op->stored == ACCORD_F64 || op->stored == op->format);
    }
    return plain && precision > accord_format_get(how->output)->precision ? precision : 0;
}

/* The last bit of the result decides which way a tie is rounded. */
static double head_of(accordi_rng *rng, int precision, int bits)
{
    uint64_t coins = accordi_rng_next(rng), some = 7, all = (UINT64_C(1) << (bits - 1)) - 1;
    double last = (double)(coins >> 1 & some & all);
    return precision >= bits && coins & 1 ? 1 + ldexp(last, 1 - bits) : 1;
}

/* Half of the time at one end of the range. */
static int exponent_of(accordi_rng *rng, int low, int high)
{
    enum { NEAR = 3 };
    int range = high - low, near = range < NEAR ? range : NEAR;
    uint64_t coins = accordi_rng_next(rng) & 3;
    if (coins > 1)
        return low + (int)accordi_rng_below(rng, (uint64_t)range + 1);
    int in = (int)accordi_rng_below(rng, (uint64_t)near + 1);
    return coins ? high - in : low + in;
}

/* A leaf under the node. */
static uint32_t some_leaf(const accord_tree *tree, accordi_rng *rng, uint32_t node)
{
    while (node >= tree->leaves)
        node = tree->child[tree->first[node - tree->leaves] + (accordi_rng_next(rng) >> 63)];
    return node;
}

bool accordi_rival_hidden(const accordi_purpose *purpose, size_t number, void *x, void *y)
{
    enum { SINGLE = 85 };
    const accordi_draw *draw = purpose->draw;
    const accord_tree *tree = purpose->tree;
    const accord_format_info *in = accord_format_get(draw->format),
                             *out = accord_format_get(purpose->how->output);
    int sums = precision_of_sums(purpose), bits = out->precision;
    int low = in->min_exponent - in->precision + 1, high = in->max_exponent - 1;
    low = (low > out->min_exponent ? low : out->min_exponent) + sums;
    high = high < out->max_exponent - 1 ? high : out->max_exponent - 1;
    if (sums == 0 || low > high)
        return false;
    accordi_rng rng;
    accordi_rng_init(&rng, (draw->seed ^ 0x68696464u) + 0x9e3779b97f4a7c15 * (number + 1));
    double unit = ldexp(1, exponent_of(&rng, low, high));
    double half = ldexp(unit, -sums), tie = ldexp(unit, -bits);
    uint64_t coins = accordi_rng_next(&rng);
    double sign = coins & 1 ? -1 : 1;
    bool alike = coins & 2, one = coins & 4; /* terms of one sign; M comes from either child */
    accordi_ask_repeat(x, draw->n, draw->is_f32, coins & 8 ? sign * 0.0 : 0.0);
    if (y)
        accordi_ask_repeat(y, draw->n, draw->is_f32, 1);
    uint32_t node = tree->leaves + tree->inner - 1;
    for (;;) {
        const uint32_t *child = tree->child + tree->first[node - tree->leaves];
        uint32_t leaf[2] = {child[0] < tree->leaves, child[1] < tree->leaves};
        if (leaf[0] && leaf[1]) {
            accordi_set_number(x, draw->is_f32, child[one], sign * tie);
            accordi_set_number(x, draw->is_f32, child[!one],
                               sign * unit * head_of(&rng, in->precision, bits));
            return true;
        }
        bool turn = leaf[0] || (!leaf[1] && accordi_rng_next(&rng) >> 63);
        double other = alike || accordi_rng_next(&rng) >> 63 ? sign : -sign;
        if (accordi_rng_below(&rng, 100) < SINGLE)
            accordi_set_number(x, draw->is_f32, some_leaf(tree, &rng, child[!turn]), other * half);
        node = child[turn];
    }
}

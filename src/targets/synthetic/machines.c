/* The targets that compute like a machine of fused/machines.c: a dot product by its model.
 *
 * A term is a product of two numbers of the input format, so its exponent ranges twice as far as
 * that of one operand. Asked without second factors the target splits each term itself: a power of
 * two of about half the exponent, and what is left, which carries the significand. */
#include "fused/fused.h"
#include "model/line/line.h"
#include "targets/synthetic/synthetic.h"
#include <math.h>

typedef struct factors {
    double x, y;
} factors;

static factors split_into_factors(const accord_format_info *row, enum accord_format format,
                                  double term)
{
    if (term == 0 || !isfinite(term))
        return (factors){term, 1};
    int e, least = row->min_exponent, lowest = least - (row->precision - 1);
    frexp(term, &e);
    int half = --e / 2;
    if (e - half < least) /* a subnormal power of two loses nothing */
        half = e - least < lowest ? lowest : e - least;
    half = half > row->max_exponent ? row->max_exponent : half;
    double x = accord_format_round(format, ACCORD_NEAREST_EVEN, ldexp(term, -half));
    return (factors){x, ldexp(1, half)};
}

static double dot(const accordi_synthetic *s, const double *a, const double *b)
{
    double sum = NAN;
    enum accord_status status =
        accord_fused_dot(s->machine, s->n, a, b, s->scale[0], s->scale[1], &sum, NULL);
    return status == ACCORD_OK ? sum : NAN;
}

double accordi_sum_machine(accordi_synthetic *s)
{
    const accord_format_info *row = accord_format_get(s->terms);
    double *a = s->scratch, *b = s->scratch + s->n;
    if (!s->splits)
        return dot(s, s->x, s->y);
    for (size_t i = 0; i < s->n; i++) {
        bool again = i && s->x[i] == s->x[i - 1]; /* units come in runs */
        factors f =
            again ? (factors){a[i - 1], b[i - 1]} : split_into_factors(row, s->terms, s->x[i]);
        a[i] = f.x;
        b[i] = f.y;
    }
    return dot(s, a, b);
}

/* ---- their trees ---- */

/* Halves of `terms` places, of which the first `count` are taken. */
static uint32_t pairs(accordi_order *order, uint32_t *node, size_t terms, size_t count)
{
    for (; terms > 1; terms /= 2) {
        for (size_t i = 0; 2 * i < count; i++)
            node[i] = 2 * i + 1 < count
                          ? accordi_builder_join(&order->tree, node[2 * i], node[2 * i + 1])
                          : node[2 * i];
        count = (count + 1) / 2;
    }
    return node[0];
}

static void turn_around(uint32_t *node, size_t count)
{
    for (size_t i = 0; 2 * i + 1 < count; i++) {
        uint32_t kept = node[i];
        node[i] = node[count - 1 - i];
        node[count - 1 - i] = kept;
    }
}

static uint32_t even_and_odd(accordi_order *order, const uint32_t *node, size_t count)
{
    uint32_t chain[2][ACCORDI_FUSED_MOST], sum[2];
    for (size_t i = 0; i < count; i++)
        chain[i % 2][i / 2] = node[i];
    for (size_t i = 0; i < 2 && i < count; i++)
        sum[i] = accordi_builder_chain(&order->tree, chain[i], (count + 1 - i) / 2);
    return count < 2 ? sum[0] : accordi_builder_join(&order->tree, sum[0], sum[1]);
}

/* node[0] is the sum so far unless this is the first step. The aligned schemes make one node of a
 * step, however many parts they add it in: all terms are cut by the exponent of the largest, even
 * if it cancels. */
static uint32_t link_step(accordi_order *order, const accord_fused *machine, uint32_t *node,
                          size_t count, bool first)
{
    uint32_t *term = first ? node : node + 1, c = node[0], sum;
    size_t terms = first ? count : count - 1;
    switch (machine->scheme) {
    case ACCORD_FUSED_CHAIN:
        return accordi_builder_chain(&order->tree, node, count);
    case ACCORD_FUSED_LAST_FIRST:
        turn_around(term, terms);
        return accordi_builder_chain(&order->tree, node, count);
    case ACCORD_FUSED_PAIRWISE:
        sum = pairs(order, term, (size_t)machine->terms, terms);
        break;
    case ACCORD_FUSED_EVEN_ODD:
        sum = even_and_odd(order, term, terms);
        break;
    default:
        return accordi_builder_join_all(&order->tree, node, count);
    }
    return first ? sum : accordi_builder_join(&order->tree, c, sum);
}

static void make_machine_order(accordi_order *order)
{
    const accord_fused *machine = order->context;
    uint32_t node[ACCORDI_FUSED_MOST + 1];
    for (size_t i = 0; i < order->n;) {
        bool first = i == 0;
        size_t count = first ? 0 : 1;
        for (int k = 0; k < machine->terms && i < order->n; k++)
            node[count++] = (uint32_t)i++;
        node[0] = link_step(order, machine, node, count, first);
    }
}

enum accord_status accordi_machine_tree(const accord_fused *machine, size_t n, accord_tree **out,
                                        accord_error *error)
{
    accordi_order order = {.n = n, .context = machine};
    return accordi_order_build(&order, make_machine_order, out, error);
}

/* ---- their arithmetic ---- */

unsigned accordi_machine_flushes(const accord_fused *machine)
{
    if (!machine->flush)
        return 0;
    return ACCORD_FLUSH_ALL | (machine->flush_tiny ? ACCORD_FLUSH_TINY_AFTER : 0);
}

/* What is below a node: in which step and in which of its two chains, if all is. */
enum { SEVERAL = 0, BOTH = 2 };
typedef struct part {
    size_t step, lane, leaves; /* steps count from 1 */
} part;

static part part_of_leaf(const accord_fused *machine, uint32_t leaf)
{
    uint32_t terms = (uint32_t)machine->terms;
    return (part){1 + leaf / terms, leaf % terms % 2, 1};
}

static part both_parts(const part *a, const part *b)
{
    return (part){a->step == b->step ? a->step : SEVERAL, a->lane == b->lane ? a->lane : BOTH,
                  a->leaves + b->leaves};
}

/* A step begins with the sum so far, and the first one with +0. The last one has `rest` products,
 * unless that is 0; +0 is added for those that it lacks. */
static void last_first_at(const part *a, const part *b, size_t rest, size_t n, accord_operation *op)
{
    bool begins = a->leaves == 1 && b->leaves == 1;
    bool turned = begins && a->step == b->step;
    op->fused = begins ? !turned : a->leaves > 1;
    op->zero = rest && a->leaves + b->leaves == n - rest ? ACCORD_ZERO_ADDED
               : begins                                  ? ACCORD_ZERO_FUSED
                                                         : ACCORD_ZERO_NONE;
}

static void even_odd_at(const part *a, const part *b, size_t rest, size_t steps,
                        accord_operation *op)
{
    bool one_step = a->step == b->step, one_chain = one_step && a->lane == b->lane;
    bool fills = rest % 2 && b->step == steps; /* a pair, with +0 */
    bool begins = a->leaves == 1 && b->leaves == 1;
    op->fused = one_chain ? 1 : -1;
    op->zero = begins ? ACCORD_ZERO_FUSED : ACCORD_ZERO_NONE;
    if (one_chain && fills && a->lane == 1 && a->leaves + b->leaves == rest / 2)
        op->zero = ACCORD_ZERO_ADDED;
    else if (!one_chain && one_step && a->step == 1 && steps > 1)
        op->zero = ACCORD_ZERO_ADDED; /* to the first c */
    else if (!one_chain && fills)
        op->zero = ACCORD_ZERO_ROUNDED; /* one product alone, in a lane or in the step */
}

static void set_operations(const accord_fused *machine, const accord_tree *tree, part *below,
                           accord_operation plain, accord_arithmetic *how)
{
    size_t n = tree->leaves, terms = (size_t)machine->terms, rest = n % terms;
    for (uint32_t k = 0; k < tree->inner; k++) {
        part side[2];
        accord_operation op = plain;
        for (uint32_t i = 0; i < 2; i++) {
            uint32_t child = tree->child[tree->first[k] + i];
            side[i] = child < n ? part_of_leaf(machine, child) : below[child - n];
        }
        below[k] = both_parts(&side[0], &side[1]);
        if (machine->scheme == ACCORD_FUSED_LAST_FIRST)
            last_first_at(&side[0], &side[1], rest, n, &op);
        else
            even_odd_at(&side[0], &side[1], rest, (n + terms - 1) / terms, &op);
        accordi_set_operation(how, k, &op);
    }
}

enum accord_status accordi_machine_operations(const accord_fused *machine, const accord_tree *tree,
                                              accord_arithmetic *how, accord_error *error)
{
    enum { MOST = 8 }; /* kinds of nodes: fused or not, and which zero is added */
    size_t nodes = tree->inner ? tree->inner : 1;
    part *below = accordi_alloc(nodes, sizeof *below);
    accord_operation *room = accordi_alloc(MOST, sizeof *room);
    uint8_t *of_node = accordi_calloc(nodes, 1);
    if (!below || !room || !of_node) {
        free(below);
        free(room);
        free(of_node);
        return accordi_nomem(error);
    }
    room[0] = how->operation[0];
    free(how->operation);
    free(how->of_node);
    how->operation = room;
    how->of_node = of_node;
    how->operations = tree->inner ? 0 : 1;
    set_operations(machine, tree, below, room[0], how);
    free(below);
    how->negative_zero = tree->inner > 0; /* zeros are added at nodes */
    how->zero_last = machine->scheme == ACCORD_FUSED_EVEN_ODD && tree->inner > 0 &&
                     tree->leaves <= (size_t)machine->terms;
    return ACCORD_OK;
}

/* The targets that compute like a machine of fused/machines.c: a dot product by its model.
 *
 * A term is a product of two numbers of the input format, so its exponent ranges twice as far as
 * that of one operand. Asked without second factors the target splits each term itself: a power of
 * two of about half the exponent, and what is left, which carries the significand. */
#include "fused/fused.h"
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

/* node[0] is the sum so far unless this is the first step. The aligned schemes make one node of a
 * step, however many parts they add it in: all terms are cut by the exponent of the largest, even
 * if it cancels. */
static uint32_t link_step(accordi_order *order, const accord_fused *machine, uint32_t *node,
                          size_t count, bool first)
{
    if (machine->scheme == ACCORD_FUSED_CHAIN)
        return accordi_builder_chain(&order->tree, node, count);
    if (machine->scheme != ACCORD_FUSED_PAIRWISE)
        return accordi_builder_join_all(&order->tree, node, count);
    uint32_t *term = first ? node : node + 1, c = node[0];
    size_t terms = first ? count : count - 1;
    uint32_t sum = pairs(order, term, (size_t)machine->terms, terms);
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

/* A second replay, slow and plain, for tests of the first: every node is computed with MPFR at
 * 4500 bits, which holds any product and any sum of doubles exactly, and rounded once, by rounding
 * to an integer number of steps of the format. It shares nothing with the library but its tables
 * and the steps of machines. */
#ifndef ORACLE_H
#define ORACLE_H

#include <accord/accord.h>
#include <math.h>
#include <mpfr.h>
#include <stdlib.h>

enum { ORACLE_BITS = 4500, ORACLE_MOST = 400 };

/* Finite: the exact value in `exact` and the sign that it has as a zero; else `odd`. */
typedef struct oracle_value {
    mpfr_t exact;
    bool finite, negative;
    double odd;
} oracle_value;

static inline mpfr_rnd_t oracle_direction(enum accord_rounding rounding)
{
    static const mpfr_rnd_t all[ACCORD_ROUNDING_COUNT] = {MPFR_RNDN, MPFR_RNDZ, MPFR_RNDD,
                                                          MPFR_RNDU, MPFR_RNDN};
    return all[rounding];
}

static inline double oracle_overflow(const accord_format_info *row, enum accord_rounding rounding,
                                     bool negative)
{
    bool nearest = rounding == ACCORD_NEAREST_EVEN || rounding == ACCORD_NEAREST_AWAY;
    bool away = nearest || rounding == (negative ? ACCORD_DOWN : ACCORD_UP);
    double size = !away ? row->greatest : row->has_infinity ? (double)INFINITY : (double)NAN;
    return negative ? -size : size;
}

/* A finite value, rounded. `negative`: the sign of an exact zero. */
static inline double oracle_round(enum accord_format format, enum accord_rounding rounding,
                                  const mpfr_t exact, bool negative)
{
    const accord_format_info *row = accord_format_get(format);
    if (mpfr_zero_p(exact))
        return negative ? -0.0 : 0.0;
    negative = mpfr_sgn(exact) < 0;
    long e = mpfr_get_exp(exact) - 1;
    e = e < row->min_exponent ? row->min_exponent : e;
    long q = e - (row->precision - 1);
    mpfr_t steps;
    mpfr_init2(steps, ORACLE_BITS);
    mpfr_mul_2si(steps, exact, -q, MPFR_RNDN);
    if (rounding == ACCORD_NEAREST_AWAY)
        mpfr_round(steps, steps);
    else
        mpfr_rint(steps, steps, oracle_direction(rounding));
    mpfr_mul_2si(steps, steps, q, MPFR_RNDN);
    bool over = mpfr_cmp_d(steps, row->greatest) > 0 || mpfr_cmp_d(steps, -row->greatest) < 0;
    double x = mpfr_get_d(steps, MPFR_RNDN);
    mpfr_clear(steps);
    return over ? oracle_overflow(row, rounding, negative) : copysign(x, negative ? -1 : 1);
}

static inline double oracle_flush(const accord_arithmetic *how, unsigned what,
                                  enum accord_format format, double x)
{
    double least = ldexp(1, accord_format_get(format)->min_exponent);
    return how->flush & what && fabs(x) < least ? copysign(0, x) : x;
}

static inline void oracle_times(oracle_value *out, double a, double b)
{
    mpfr_t other;
    mpfr_init2(other, ORACLE_BITS);
    mpfr_init2(out->exact, ORACLE_BITS);
    out->finite = isfinite(a) && isfinite(b);
    out->negative = (signbit(a) != 0) != (signbit(b) != 0);
    out->odd = out->finite ? 0 : a * b;
    mpfr_set_d(out->exact, out->finite ? a : 0, MPFR_RNDN);
    mpfr_set_d(other, out->finite ? b : 0, MPFR_RNDN);
    mpfr_mul(out->exact, out->exact, other, MPFR_RNDN);
    mpfr_clear(other);
}

/* The value rounded; infinities and NaN as the format has them. */
static inline double oracle_value_round(enum accord_format format, enum accord_rounding rounding,
                                        const oracle_value *v)
{
    if (v->finite)
        return oracle_round(format, rounding, v->exact, v->negative);
    return accord_format_get(format)->has_infinity ? v->odd : (double)NAN;
}

/* One replay. */
typedef struct oracle {
    const accord_tree *tree;
    const accord_arithmetic *how;
    double *x, *y; /* operands of leaves as the model sees them */
    double *sum;   /* of inner nodes */
    uint32_t *parent;
} oracle;

static inline bool oracle_is_start(const oracle *o, uint32_t leaf)
{
    return o->how->beta != 0 && leaf == o->tree->leaves - 1;
}

/* Is `node` alpha_node, or does it hang off the path from there to the root? */
static inline bool oracle_scaled(const oracle *o, uint32_t node)
{
    uint32_t at = o->how->alpha_node;
    if (o->how->alpha_at == ACCORD_ALPHA_NODES)
        return o->how->alpha_of[node] >= ACCORD_SCALED_ROUNDED;
    if (o->how->alpha_at != ACCORD_ALPHA_SUM || oracle_is_start(o, node))
        return false;
    if (node == at)
        return true;
    while (o->parent[at] != ACCORD_TREE_NO_NODE) {
        if (o->parent[node] == o->parent[at] && node != at)
            return true;
        at = o->parent[at];
        if (at == node)
            return false;
    }
    return false;
}

static inline double oracle_round_product(const oracle *o, enum accord_format format,
                                          enum accord_rounding rounding, double a, double b,
                                          unsigned flush)
{
    oracle_value v;
    oracle_times(&v, a, b);
    double x = oracle_value_round(format, rounding, &v);
    mpfr_clear(v.exact);
    return oracle_flush(o->how, flush, format, x);
}

static inline unsigned oracle_what(const accord_operation *op, unsigned what)
{
    return op->keeps ? 0 : what;
}

/* Is something done with the last sum before it is the result? */
static inline bool oracle_goes_on(const oracle *o)
{
    return o->how->finish != ACCORD_FINISH_NONE || (o->how->zero_last && o->tree->inner > 0) ||
           oracle_scaled(o, o->tree->leaves + o->tree->inner - 1);
}

/* The exact sum of the products, rounded once. */
static inline double oracle_sum(enum accord_format format, enum accord_rounding rounding,
                                const double *a, const double *b, uint32_t count)
{
    oracle_value sum, term;
    bool all_negative = true, some_negative = false;
    oracle_times(&sum, 0, 1);
    for (uint32_t i = 0; i < count; i++) {
        oracle_times(&term, a[i], b[i]);
        sum.odd = sum.finite ? term.odd : term.finite ? sum.odd : sum.odd + term.odd;
        sum.finite = sum.finite && term.finite;
        bool zero = term.finite && mpfr_zero_p(term.exact);
        all_negative = all_negative && zero && term.negative;
        some_negative = some_negative || (zero ? term.negative : true);
        mpfr_add(sum.exact, sum.exact, term.exact, MPFR_RNDN);
        mpfr_clear(term.exact);
    }
    sum.negative = rounding == ACCORD_DOWN ? some_negative : all_negative;
    double x = oracle_value_round(format, rounding, &sum);
    mpfr_clear(sum.exact);
    return x;
}

/* + 0 as a further term of the first, a * b. */
static inline void oracle_first(const oracle *o, const accord_operation *op, uint32_t leaf,
                                bool binary, double *a, double *b)
{
    const accord_arithmetic *how = o->how;
    bool value = how->term == ACCORD_TERM_VALUE || how->term == ACCORD_TERM_ABSOLUTE;
    if (how->negative_zero)
        return;
    if (value && !(binary && op->fused >= 0) && *a != 0) {
        *a = oracle_flush(how, oracle_what(op, ACCORD_FLUSH_SUMS), op->format, *a);
        if (*a == 0)
            return; /* the sum with +0 was flushed, and kept its sign */
    }
    bool fma =
        binary && op->fused >= 0 && op->product == op->format && o->x[leaf] != 0 && o->y[leaf] != 0;
    if (*b == 1 && !fma) {
        *a = oracle_sum(ACCORD_F64, op->rounding, (double[]){*a, 0}, (double[]){1, 1}, 2);
    } else if (!fma && (*a == 0 || *b == 0) && op->rounding != ACCORD_DOWN) {
        *a = *a * *b + 0.0;
        *b = 1;
    }
}

/* A product that alpha multiplies, and beside it the start value alone. */
static inline bool oracle_sum_of_one(const oracle *o, uint32_t k, uint32_t i)
{
    const uint32_t *child = o->tree->child + o->tree->first[k];
    return o->tree->first[k + 1] - o->tree->first[k] == 2 && child[i] < o->tree->leaves &&
           oracle_is_start(o, child[1 - i]) && oracle_scaled(o, child[i]);
}

/* Child i of a node as it enters the sum: out = a * b exactly. */
static inline void oracle_enter(const oracle *o, uint32_t k, uint32_t i, const accord_operation *op,
                                double *a, double *b)
{
    const uint32_t *child = o->tree->child + o->tree->first[k];
    bool binary = o->tree->first[k + 1] - o->tree->first[k] == 2;
    uint32_t node = child[i];
    bool leaf = node < o->tree->leaves, scaled = oracle_scaled(o, node);
    bool whole = !binary || op->fused == (int)i;
    bool product = oracle_is_start(o, node) || o->how->term == ACCORD_TERM_PRODUCT ||
                   o->how->term == ACCORD_TERM_SQUARE;
    *a = leaf ? o->x[node] : o->sum[node - o->tree->leaves];
    *b = leaf ? o->y[node] : 1;
    if (leaf && (scaled || !whole)) {
        *a = oracle_round_product(o, op->product, op->rounding, *a, *b,
                                  product ? oracle_what(op, ACCORD_FLUSH_PRODUCTS) : 0);
        *b = 1;
        /* fma(x, y, +0) of an exact product */
        bool none = o->x[node] == 0 || o->y[node] == 0 || op->zero == ACCORD_ZERO_ROUNDED;
        if (product && binary && !oracle_is_start(o, node) && op->rounding != ACCORD_DOWN &&
            *a == 0 && none && (op->zero == ACCORD_ZERO_FUSED || op->zero == ACCORD_ZERO_ROUNDED))
            *a = 0.0;
        if (oracle_sum_of_one(o, k, i))
            oracle_first(o, op, node, binary, a, b);
    }
    if (binary && !whole)
        *a = oracle_round_product(o, op->format, op->rounding, *a, 1, 0);
    if (!scaled)
        return;
    bool both = binary && oracle_scaled(o, child[1 - i]);
    bool exact = o->how->alpha_fused || (binary && whole);
    if (o->how->alpha_at == ACCORD_ALPHA_NODES) {
        exact = o->how->alpha_of[node] == ACCORD_SCALED_FUSED;
        both = false;
    }
    *b = o->how->alpha;
    if (!exact || (both && node == o->how->alpha_node)) {
        bool retaken = o->how->alpha_at == ACCORD_ALPHA_NODES &&
                       o->how->alpha_of[node] == ACCORD_SCALED_RETAKEN;
        bool sum = !leaf && binary && !retaken && op->rounding != ACCORD_DOWN;
        bool plus =
            sum && (op->zero == ACCORD_ZERO_ROUNDED || (op->zero == ACCORD_ZERO_FUSED && *a == 0));
        *a = oracle_round_product(o, op->format, op->rounding, *a, *b,
                                  oracle_what(op, ACCORD_FLUSH_PRODUCTS));
        *a = plus && *a == 0 ? 0.0 : *a;
        *b = 1;
    }
    if (o->how->alpha_at == ACCORD_ALPHA_NODES && o->how->alpha_of[node] == ACCORD_SCALED_RETAKEN)
        *a = oracle_round_product(
            o, op->format, op->rounding, *a,
            accord_format_round(o->how->output, ACCORD_NEAREST_EVEN, 1 / o->how->alpha),
            oracle_what(op, ACCORD_FLUSH_PRODUCTS));
}

static inline bool oracle_minus_zero(double a, double b)
{
    return (a == 0 || b == 0) && isfinite(a) && isfinite(b) && !signbit(a) != !signbit(b);
}

static inline double oracle_step(const oracle *o, uint32_t k)
{
    bool minus = o->how->negative_zero; /* a step of -0 alone */
    const accord_fused *m = &o->how->machine;
    double a[64], b[64], c = 0, d = 0;
    size_t products = 0;
    for (uint32_t i = o->tree->first[k]; i < o->tree->first[k + 1]; i++) {
        uint32_t node = o->tree->child[i];
        if (node >= o->tree->leaves) {
            bool scaled = oracle_scaled(o, node);
            c = oracle_round_product(o, m->output, scaled ? m->rounding : ACCORD_NEAREST_EVEN,
                                     o->sum[node - o->tree->leaves], scaled ? o->how->alpha : 1, 0);
            minus = minus && oracle_minus_zero(c, 1);
            continue;
        }
        /* Operands that were rounded to another format may not be of the machine's. */
        a[products] = accord_format_round(m->input, ACCORD_NEAREST_EVEN, o->x[node]);
        b[products] = accord_format_round(m->input, ACCORD_NEAREST_EVEN, o->y[node]);
        minus = minus && oracle_minus_zero(a[products], b[products]);
        products++;
    }
    if (minus)
        return -0.0;
    return accord_fused_step(m, products, a, b, NULL, NULL, c, &d, NULL) == ACCORD_OK ? d : NAN;
}

/* A sum in the node's format, flushed if it goes on, and so in the format it is stored in. */
static inline double oracle_stored(const oracle *o, const accord_operation *op, bool goes,
                                   double sum)
{
    unsigned what = goes ? oracle_what(op, ACCORD_FLUSH_SUMS) : 0;
    sum = oracle_flush(o->how, what, op->format, sum);
    return op->stored == ACCORD_F64
               ? sum
               : oracle_round_product(o, op->stored, op->rounding, sum, 1, what);
}

static inline double oracle_node(const oracle *o, uint32_t k)
{
    const accord_arithmetic *how = o->how;
    const accord_operation *op = &how->operation[how->of_node ? how->of_node[k] : 0];
    uint32_t count = o->tree->first[k + 1] - o->tree->first[k], inner = 0;
    const uint32_t *child = o->tree->child + o->tree->first[k];
    double a[ORACLE_MOST], b[ORACLE_MOST];
    if (how->has_machine && (count > 2 || op->fused == ACCORD_STEP))
        return oracle_step(o, k);
    for (uint32_t i = 0; i < count; i++) {
        oracle_enter(o, k, i, op, &a[i], &b[i]);
        inner += child[i] >= o->tree->leaves;
    }
    uint32_t first = count == 2 && op->fused == 0 ? 1 : 0;
    bool alone = oracle_sum_of_one(o, k, 0) || oracle_sum_of_one(o, k, 1);
    if (inner == 0 && !alone)
        oracle_first(o, op, child[first], count == 2, &a[first], &b[first]);
    bool goes = k + 1 < o->tree->inner || oracle_goes_on(o);
    double sum = oracle_stored(o, op, goes, oracle_sum(op->format, op->rounding, a, b, count));
    bool plus = op->zero == ACCORD_ZERO_ADDED && count == 2 && op->rounding != ACCORD_DOWN;
    return plus && sum == 0 ? 0.0 : sum;
}

/* A quotient, or with a divisor of 0 a square root. */
static inline double oracle_inverse(double root, double divisor, const accord_operation *op)
{
    double plain = divisor == 0 ? sqrt(root) : root / divisor;
    mpfr_t x;
    mpfr_init2(x, ORACLE_BITS);
    mpfr_set_d(x, root, MPFR_RNDZ);
    if (divisor == 0)
        mpfr_sqrt(x, x, MPFR_RNDZ); /* far more bits than it takes to see a tie */
    else
        mpfr_div_d(x, x, divisor, MPFR_RNDZ);
    if (isnan(plain) || isinf(root))
        root = accord_format_round(op->format, op->rounding, plain);
    else
        root = oracle_round(op->format, op->rounding, x, signbit(plain));
    mpfr_clear(x);
    return root;
}

static inline double oracle_finish(const oracle *o, double root, const accord_operation *op,
                                   bool at_once)
{
    const accord_arithmetic *how = o->how;
    enum accord_finish finish = how->finish;
    if (finish == ACCORD_FINISH_TIMES || finish == ACCORD_FINISH_ROOT_TIMES)
        root = oracle_round_product(o, op->format, op->rounding, root, how->factor, 0);
    if (finish == ACCORD_FINISH_OVER || finish == ACCORD_FINISH_ROOT_OVER)
        root = oracle_inverse(root, how->factor, op);
    if (finish > ACCORD_FINISH_ROOT)
        root = oracle_flush(how, oracle_what(op, ACCORD_FLUSH_SUMS), op->format, root);
    if (finish >= ACCORD_FINISH_ROOT) {
        root = oracle_round_product(o, how->radicand, how->output_rounding, root, 1, 0);
        root = oracle_inverse(root, 0, op);
    }
    if (!at_once)
        root = oracle_flush(how, ACCORD_FLUSH_RESULT, op->format, root);
    oracle_value v;
    oracle_times(&v, root, 1);
    root = oracle_flush(how, ACCORD_FLUSH_RESULT, how->output,
                        oracle_value_round(how->output, how->output_rounding, &v));
    mpfr_clear(v.exact);
    bool plus = how->zero_last && finish != ACCORD_FINISH_NONE;
    return root == 0 && plus && how->output_rounding != ACCORD_DOWN ? 0 : root;
}

static inline double oracle_root(const oracle *o)
{
    const accord_arithmetic *how = o->how;
    uint32_t inner = o->tree->inner;
    accord_operation op = {.format = how->output,
                           .rounding = how->output_rounding,
                           .product = how->output,
                           .fused = -1,
                           .stored = ACCORD_F64};
    if (how->operations)
        op = how->operation[inner && how->of_node ? how->of_node[inner - 1] : 0];
    double root;
    if (inner) {
        root = o->sum[inner - 1];
        uint32_t count = o->tree->first[inner] - o->tree->first[inner - 1];
        if (how->has_machine && (count > 2 || op.fused == ACCORD_STEP)) {
            op.format = how->machine.output;
            op.rounding = how->machine.rounding;
        }
    } else {
        bool product = oracle_is_start(o, 0) || how->term == ACCORD_TERM_PRODUCT ||
                       how->term == ACCORD_TERM_SQUARE;
        root = oracle_round_product(o, op.product, op.rounding, o->x[0], o->y[0],
                                    product ? oracle_what(&op, ACCORD_FLUSH_PRODUCTS) : 0);
        root = oracle_round_product(o, op.format, op.rounding, root, 1, 0);
        root = oracle_stored(o, &op, oracle_goes_on(o), root);
        if (root == 0 && !how->negative_zero && op.rounding != ACCORD_DOWN)
            root = 0;
    }
    uint32_t last = o->tree->leaves + inner - 1;
    bool at_once = false, fma = false; /* fma(root, alpha, +0) of a product that is not zero */
    if (oracle_scaled(o, last)) {
        bool fused = how->alpha_at == ACCORD_ALPHA_NODES
                         ? how->alpha_of[last] == ACCORD_SCALED_FUSED
                         : how->alpha_fused;
        at_once = fused && how->finish == ACCORD_FINISH_NONE;
        fma = at_once && root != 0 && how->alpha != 0;
        root = oracle_round_product(o, at_once ? how->output : op.format,
                                    at_once ? how->output_rounding : op.rounding, root, how->alpha,
                                    at_once ? 0 : oracle_what(&op, ACCORD_FLUSH_PRODUCTS));
    }
    bool ends = how->finish == ACCORD_FINISH_NONE;
    if (how->zero_last && ends && !fma && root == 0 && op.rounding != ACCORD_DOWN)
        root = 0;
    return oracle_finish(o, root, &op, at_once);
}

/* An operand as the model sees it. */
static inline double oracle_operand(const oracle *o, double x, unsigned flush, bool scaled)
{
    const accord_arithmetic *how = o->how;
    bool rounds = how->operand != ACCORD_F64;
    enum accord_format held = rounds ? how->operand : how->input;
    double least = ldexp(1, accord_format_get(held)->min_exponent);
    x = oracle_round_product(o, how->input, ACCORD_NEAREST_EVEN, x, 1, 0);
    if (rounds)
        x = oracle_round_product(o, how->operand, how->operand_rounding, x, 1, 0);
    if (how->flush & flush & (ACCORD_FLUSH_X | ACCORD_FLUSH_Y) && fabs(x) < least)
        x = copysign(0, x);
    if (scaled)
        x = oracle_round_product(o, how->input, ACCORD_NEAREST_EVEN, x, how->alpha,
                                 flush & ACCORD_FLUSH_PRODUCTS);
    return x;
}

/* The operation of the node that takes a leaf; NULL: there is none. */
static inline const accord_operation *oracle_above(const oracle *o, uint32_t leaf)
{
    const accord_arithmetic *how = o->how;
    uint32_t up = o->parent[leaf];
    bool own = up != ACCORD_TREE_NO_NODE && how->of_node;
    return how->operations ? &how->operation[own ? how->of_node[up - o->tree->leaves] : 0] : NULL;
}

static inline bool oracle_keeps(const oracle *o, uint32_t leaf)
{
    const accord_operation *op = oracle_above(o, leaf);
    return op && op->keeps;
}

/* Whether the node that takes a leaf rounds down. */
static inline bool oracle_down(const oracle *o, uint32_t leaf)
{
    const accord_operation *op = oracle_above(o, leaf);
    uint32_t up = o->parent[leaf], k = up - o->tree->leaves;
    bool wide = up != ACCORD_TREE_NO_NODE && o->tree->first[k + 1] - o->tree->first[k] > 2;
    if (op && o->how->has_machine && (wide || op->fused == ACCORD_STEP))
        return o->how->machine.rounding == ACCORD_DOWN;
    return op && op->rounding == ACCORD_DOWN;
}

static inline void oracle_leaf(oracle *o, uint32_t i, double x, double y)
{
    const accord_arithmetic *how = o->how;
    bool product = how->term == ACCORD_TERM_PRODUCT;
    bool nodes = how->alpha_at == ACCORD_ALPHA_NODES;
    int own = nodes ? how->alpha_of[i] : 0;
    unsigned what = oracle_keeps(o, i) ? 0 : ACCORD_FLUSH_PRODUCTS;
    unsigned of_x = what ? what | ACCORD_FLUSH_X : 0, of_y = what ? what | ACCORD_FLUSH_Y : 0;
    x = oracle_operand(o, x, of_x, how->alpha_at == ACCORD_ALPHA_X || own == ACCORD_SCALED_X);
    x = how->term == ACCORD_TERM_ABSOLUTE ? fabs(x) : x;
    y = product
            ? oracle_operand(o, y, of_y, how->alpha_at == ACCORD_ALPHA_Y || own == ACCORD_SCALED_Y)
            : 1;
    y = how->term == ACCORD_TERM_SQUARE ? x : y;
    bool skips[] = {x == 0 || y == 0, x == 0, y == 0}; /* by accord_skips */
    if (how->skips_zero && product && skips[how->skips]) {
        x = oracle_down(o, i) ? 0.0 : -0.0;
        y = 1;
    }
    o->x[i] = x;
    o->y[i] = y;
}

/* y may be NULL. */
static inline double oracle_replay(const accord_model *model, const double *x, const double *y,
                                   double start)
{
    const accord_arithmetic *how = model->arithmetic;
    const accord_tree *tree = model->tree;
    size_t n = tree->leaves, nodes = n + tree->inner;
    oracle o = {tree,
                how,
                calloc(n, sizeof(double)),
                calloc(n, sizeof(double)),
                calloc(n, sizeof(double)),
                calloc(nodes, sizeof(uint32_t))};
    accord_tree_parents(tree, o.parent);
    for (uint32_t i = 0; i < n; i++)
        if (!oracle_is_start(&o, i))
            oracle_leaf(&o, i, x[i], y ? y[i] : 1);
    if (how->beta != 0) {
        double least = ldexp(1, accord_format_get(how->output)->min_exponent);
        start = oracle_round_product(&o, how->output, ACCORD_NEAREST_EVEN, start, 1, false);
        bool flush = how->flush & ACCORD_FLUSH_X && !oracle_keeps(&o, (uint32_t)n - 1);
        o.x[n - 1] = flush && fabs(start) < least ? copysign(0, start) : start;
        bool whole =
            n > 1 && (how->alpha_at == ACCORD_ALPHA_SUM
                          ? how->alpha_node == nodes - 1
                          : how->alpha_at == ACCORD_ALPHA_NODES && how->alpha_of[nodes - 1]);
        o.y[n - 1] =
            whole ? accord_format_round(how->output, ACCORD_NEAREST_EVEN, how->beta / how->alpha)
                  : how->beta;
    }
    for (uint32_t k = 0; k < tree->inner; k++)
        o.sum[k] = oracle_node(&o, k);
    double result = oracle_root(&o);
    free(o.x);
    free(o.y);
    free(o.sum);
    free(o.parent);
    return result;
}

#endif

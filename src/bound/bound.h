/* What the files of room bound share. Internal.
 *
 * In: an expression (expression.c, parse.c). Out: an interval that every evaluation allowed by a
 * model lies in, and evaluations that reach its ends. Read evaluate.c first. It walks the nodes and
 * gives each a value: operations.c for one operation, group.c for sums and products that may be
 * parenthesized anew (splits.c tries all ways, long_sums.c bounds those of many terms), functions.c
 * for elementary functions, mass.c for all of them at once under FAST. witness.c keeps the
 * evaluations. */
#ifndef ACCORDI_BOUND_H
#define ACCORDI_BOUND_H

#include "base/base.h"
#include <accord/bound.h>

/* ---- expressions: expression.c ---- */

typedef struct accordi_node {
    enum accord_bound_operation operation;
    enum accord_format format;
    uint32_t operand[3];
    uint32_t uses; /* how often it is an operand */
    double low, high;
    double wide_low, wide_high; /* a constant as EXCESS may keep it: not rounded */
    bool integer;               /* in C */
    char *name;
} accordi_node;

struct accord_bound_expression {
    enum accord_format format;
    accordi_node *node;
    size_t count, capacity;
};

/* How many operands an operation takes, and its name in C. */
unsigned accordi_bound_operands(enum accord_bound_operation operation);
const char *accordi_bound_name(enum accord_bound_operation operation);
/* A function to integers, whose results are exact, such as floor; else NULL. */
double (*accordi_integer_function(enum accord_bound_operation operation))(double);
/* Is it a comparison? */
bool accordi_bound_is_truth(const accord_bound_expression *expression, uint32_t node);
/* The operation of a function in C; false where there is none of this name. */
bool accordi_bound_by_name(const char *name, size_t length, enum accord_bound_operation *out);

/* ---- constants: constants.c ---- */

typedef struct accordi_constant {
    double x, narrow; /* the nearest f64 and f32 */
    double low, high; /* hold the number itself */
    bool integer, single;
    const char *end;
} accordi_constant;

/* Reads the constant that begins here; NULL, or what is wrong with it. */
const char *accordi_bound_constant(const char *at, accordi_constant *out);

/* ---- evaluations: witness.c ---- */

/* An evaluation is a node of a growing list: an operation on evaluations made before, rounded to
 * nearest, with the value that it gives. */
typedef uint32_t accordi_way;
#define ACCORDI_NO_WAY UINT32_MAX

typedef struct accordi_step {
    enum accord_bound_operation operation;
    enum accord_format format;
    accordi_way operand[3];
    uint32_t node; /* a VALUE: which node of the expression; UINT32_MAX: a number of its own */
    double value;
} accordi_step;

typedef struct accordi_ways {
    accordi_step *step;
    size_t count, capacity;
    bool failed; /* no memory */
} accordi_ways;

/* ---- values: operations.c ---- */

/* An exact product x * y, and the evaluations that give its factors. */
typedef struct accordi_pair {
    double x, y;
    accordi_way way_x, way_y;
} accordi_pair;

/* What a node can be: any number in [low, high], none if low > high, and a NaN if `nan`. If it is a
 * product that may enter a sum unrounded, `least` and `greatest` are the extreme ones. */
typedef struct accordi_value {
    double low, high;
    accordi_way low_way, high_way;
    bool nan, product;
    bool correlated; /* a variable is used twice: the ends may be reached by no evaluation */
    bool fused;      /* a sum that a product may have entered unrounded */
    enum accord_format format;
    accordi_pair least, greatest;
} accordi_value;

/* How operations round, by the model, and what they need. */
typedef struct accordi_bounds {
    const accord_bound_expression *expression;
    accord_bound_options options;
    bool outward, flushes;          /* EXCESS, FTZ */
    bool fuses, through;            /* products enter sums; through assignments and the like */
    bool splits, permutes, reorder; /* PAREN; PERM; PERM or LOOP */
    int method;                     /* an accordi_method */
    accordi_ways ways;
    accordi_value *value; /* of the nodes so far */
} accordi_bounds;

enum accordi_method {
    ACCORDI_OPERATIONS,
    ACCORDI_SETS,
    ACCORDI_AFFINE,
    ACCORDI_PARENTHESIZATIONS,
    ACCORDI_SUBSETS,
    ACCORDI_LONG_SUMS,
    ACCORDI_MASS
};
static inline void accordi_bound_used(accordi_bounds *b, int method)
{
    b->method = b->method > method ? b->method : method;
}

/* The rounding of lower and of upper ends. */
static inline enum accord_rounding accordi_down(const accordi_bounds *b)
{
    return b->outward ? ACCORD_DOWN : ACCORD_NEAREST_EVEN;
}
static inline enum accord_rounding accordi_up(const accordi_bounds *b)
{
    return b->outward ? ACCORD_UP : ACCORD_NEAREST_EVEN;
}

/* Single operations, in the arithmetic that the caller chose: chosen.c. */
double accordi_do_add(const accordi_bounds *b, enum accord_format f, enum accord_rounding rounding,
                      double x, double y);
double accordi_do_multiply(const accordi_bounds *b, enum accord_format f,
                           enum accord_rounding rounding, double x, double y);
double accordi_do_fuse(const accordi_bounds *b, enum accord_format f, enum accord_rounding rounding,
                       double x, double y, double c);
double accordi_do_divide(const accordi_bounds *b, enum accord_format f,
                         enum accord_rounding rounding, double x, double y);
double accordi_do_root(const accordi_bounds *b, enum accord_format f, enum accord_rounding rounding,
                       double x);
double accordi_do_round(const accordi_bounds *b, enum accord_format f,
                        enum accord_rounding rounding, double x);
int accordi_do_compare(const accordi_bounds *b, double x, double y, double u, double v);

/* Appends an evaluation and computes its value. ACCORDI_NO_WAY when an operand is, or for memory.
 */
accordi_way accordi_way_apply(accordi_bounds *b, enum accord_bound_operation operation,
                              enum accord_format format, accordi_way x, accordi_way y,
                              accordi_way z);
accordi_way accordi_way_value(accordi_bounds *b, uint32_t node, double value);
/* Does the way give this end? */
bool accordi_way_reaches(const accordi_bounds *b, accordi_way way, double end);
/* The evaluation as text, and as a model where it is a sum; false for memory. */
bool accordi_way_text(const accordi_bounds *b, accordi_way way, char **text);
bool accordi_way_model(const accordi_bounds *b, accordi_way way, accord_tree **tree,
                       accord_arithmetic **arithmetic, double **x, double **y);

/* No number, but NaN. */
accordi_value accordi_value_nan(enum accord_format format);
/* Any number at all, and NaN if so said. */
accordi_value accordi_value_any(enum accord_format format, bool nan);
static inline bool accordi_value_empty(const accordi_value *v)
{
    return !(v->low <= v->high);
}
static inline bool accordi_value_point(const accordi_value *v)
{
    return v->low == v->high;
}
/* The least interval that holds both; of products it keeps none. */
void accordi_value_join(accordi_value *v, const accordi_value *more);
/* The interval grows to hold a number. */
void accordi_value_lower(accordi_value *v, double end, accordi_way way);
void accordi_value_raise(accordi_value *v, double end, accordi_way way);
/* Ends that are equal share what is known of either; subnormal ones may be flushed. */
void accordi_value_finish(const accordi_bounds *b, accordi_value *v);

accordi_value accordi_value_leaf(accordi_bounds *b, uint32_t node);
accordi_value accordi_value_negate(accordi_bounds *b, const accordi_value *v);
accordi_value accordi_value_add(accordi_bounds *b, const accordi_value *v, const accordi_value *w);
/* Products that may enter a sum. `square`: both are the same node. */
accordi_value accordi_value_multiply(accordi_bounds *b, const accordi_value *v,
                                     const accordi_value *w, bool square);
/* The extreme exact products of two intervals, neither of them empty. */
void accordi_value_corners(const accordi_bounds *b, const accordi_value *v, const accordi_value *w,
                           bool square, accordi_pair *least, accordi_pair *greatest);
/* Does 0 meet an infinity? */
bool accordi_value_zero_times_infinity(const accordi_value *v, const accordi_value *w);
/* A value from its extreme products, which are kept. */
void accordi_value_round(accordi_bounds *b, accordi_value *v);
/* An end of a product that enters a sum unrounded; and both, where they are further out. */
double accordi_bound_fuse(const accordi_bounds *b, const accordi_value *product,
                          const accordi_value *sum, bool high);
void accordi_value_fuse(accordi_bounds *b, const accordi_value *product, const accordi_value *sum,
                        accordi_value *out);
/* May infinities of opposite signs meet? */
bool accordi_value_opposite(const accordi_value *v, const accordi_value *w);
enum accord_format accordi_value_wider(const accordi_value *v, const accordi_value *w);
/* A conversion to a wider format, which is exact. */
accordi_value accordi_value_widen(const accordi_bounds *b, accordi_value v,
                                  enum accord_format format);
/* The value of a node as an operand: correlated if it is an interval that others use too. */
accordi_value accordi_value_operand(const accordi_bounds *b, uint32_t node);
accordi_value accordi_value_divide(accordi_bounds *b, const accordi_value *v,
                                   const accordi_value *w);
/* An operation that is no elementary function, on values. `format`: of a conversion. */
accordi_value accordi_value_operation(accordi_bounds *b, enum accord_bound_operation operation,
                                      enum accord_format format, const accordi_value v[3]);
/* All operations, of nodes that have values. */
accordi_value accordi_value_apply(accordi_bounds *b, const accordi_node *node);
accordi_value accordi_value_function(accordi_bounds *b, const accordi_node *node,
                                     const accordi_value v[3]);
accordi_value accordi_value_compare(accordi_bounds *b, const accordi_value *v,
                                    const accordi_value *w, enum accord_bound_operation operation);
/* v or w; a product if one of them is. */
accordi_value accordi_value_either(accordi_bounds *b, const accordi_value *v,
                                   const accordi_value *w);
/* v[0] ? v[1] : v[2] */
accordi_value accordi_value_select(accordi_bounds *b, enum accord_format f,
                                   const accordi_value v[3]);

/* One operation on values that need not be those of the nodes. */
accordi_value accordi_value_operate(accordi_bounds *b, const accordi_node *node,
                                    const accordi_value v[3]);

/* ---- products that stay products: products.c ---- */

/* A constant of the source that is 2^k or -2^k, -64 <= k <= 64; 0: it is none. */
double accordi_bound_power_of_two(const accordi_bounds *b, uint32_t node);
/* v is a product, and w is v times `scale`: the product of all three may enter a sum as well. */
void accordi_value_keep_scaled(accordi_bounds *b, const accordi_value *v, double scale,
                               accordi_value *w);
/* v * w and v / w, where `scale_v`, `scale_w` and `power` are the operands that are constants 2^k,
 * and 0 where they are not. */
accordi_value accordi_value_scale(accordi_bounds *b, const accordi_value *v, const accordi_value *w,
                                  double scale_v, double scale_w, bool square);
accordi_value accordi_value_quotient(accordi_bounds *b, const accordi_value *v,
                                     const accordi_value *w, double power);
bool accordi_value_is_zero(const accordi_value *v);
/* 1 or -1; 0: it may be another number, or operations with it are not left out. */
double accordi_value_unit(const accordi_bounds *b, const accordi_value *v);
/* `out` is v, or parts of v and of w: the products that they are. */
void accordi_product_of(const accordi_bounds *b, const accordi_value *v, accordi_value *out);
void accordi_product_of_either(accordi_bounds *b, const accordi_value *v, const accordi_value *w,
                               accordi_value *out);
/* The sum of v and w, of which one may be 0, or both may be one number. */
accordi_value accordi_product_sum(accordi_bounds *b, const accordi_value *v, const accordi_value *w,
                                  accordi_value sum);
/* fma(v, w, c) where it is a sum or a product; false: it is neither. */
bool accordi_product_fma(accordi_bounds *b, const accordi_value *v, const accordi_value *w,
                         const accordi_value *c, accordi_value *out);

/* ---- values that are used more than once: cases.c ---- */

bool accordi_bound_has_cases(const accordi_bounds *b, uint32_t last);
accordi_value accordi_bound_cases(accordi_bounds *b, uint32_t last);

/* ---- affine forms: affine.c ---- */

typedef struct accordi_affine accordi_affine;
accordi_affine *accordi_affine_new(size_t nodes, size_t limit); /* NULL: no memory */
void accordi_affine_free(accordi_affine *s);
/* Finds the form of a node that has a value, and narrows the value. `group`: of a sum or product
 * that may be parenthesized anew. */
void accordi_affine_visit(accordi_affine *s, accordi_bounds *b, uint32_t node, bool group);
/* Half a unit in the last place of numbers of this size, at most. */
double accordi_half_unit(enum accord_format format, double size);

/* ---- sums and products that may be parenthesized anew ---- */

/* Sets which nodes up to `last` are parts of a larger sum or product, and have no value of their
 * own. */
void accordi_group_mark(const accordi_bounds *b, uint32_t last, bool *inside);
/* Is it a sum or product with such parts? */
bool accordi_group_is(const accordi_bounds *b, uint32_t node);
accordi_value accordi_group_value(accordi_bounds *b, uint32_t node);
accordi_value accordi_group_sum(accordi_bounds *b, const accordi_value *term, size_t n);
/* A product, where `power` holds the factors that are constants 2^k, and 0 for the others. */
accordi_value accordi_group_product(accordi_bounds *b, const double *power, accordi_value *factor,
                                    size_t n);

accordi_value accordi_split_sum(accordi_bounds *b, const accordi_value *term, size_t n);
accordi_value accordi_split_product(accordi_bounds *b, const accordi_value *factor, size_t n);
accordi_value accordi_long_sum(accordi_bounds *b, const accordi_value *term, size_t n);
accordi_value accordi_long_product(accordi_bounds *b, const accordi_value *factor, size_t n);

/* ---- FAST: mass.c ---- */

accordi_value accordi_mass_value(accordi_bounds *b, uint32_t last);

#endif

/* Bounds: what contraction and reordering can do to the value of an expression.
 *
 * A C expression does not determine its value: a compiler may fuse a product into a sum, and with
 * some flags it may add in another order. A *model* names what it may do. For the given inputs, the
 * bounds are an interval that contains the value of every evaluation that the model allows. They
 * are proven, not estimated. If both ends are known to be reached, the evaluations that reach them
 * are given as witnesses.
 *
 * Everything here is thread-safe as long as no two threads use one expression at a time. The
 * caller's rounding mode must be to nearest, the default. The ideas are those of Bayati, Leeser, Gu
 * and Wahl, Identifying volatile numeric expressions in numeric computing applications, Mathematics
 * and Computers in Simulation 166 (2019), with the recurrences corrected (doc/bound.md). */
#ifndef ACCORD_BOUND_H
#define ACCORD_BOUND_H

#include <accord/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What an implementation is allowed to do. The flags of several models can be combined.
 *
 * WRITTEN: nothing; every operation is done as written and rounded to nearest.
 *
 * CONTRACT_EXPR: a product that is an operand of a sum or a difference may enter it unrounded (a
 * fused multiply-add), also through parentheses and a negation. Where both operands are products,
 * only one of them may. Products are not fused across assignments or conversions. This is clang's
 * -ffp-contract=on, its default since version 14 (Clang Compiler User's Manual, "Controlling
 * Floating Point Behavior"), the STDC FP_CONTRACT pragma of C (ISO C11, 6.5p8 and 7.12.2), and
 * OpenCL C's default (specification of OpenCL C, "The FP_CONTRACT Pragma").
 *
 * CONTRACT: the same, also through assignments, calls and memory, through a multiplication by or
 * division by a constant power of two (of either sign) from 2^-64 to 2^64 that is written in the
 * source, through a conversion to a wider format and through ?:; pow(x, 2) may be the product x *
 * x. A compiler also leaves out operations that give back an operand: times or divided by 1 or -1,
 * plus or minus 0 (also where these numbers are values of variables), fma with such operands, fabs,
 * copysign, fmin, fmax, ldexp, functions to integers of large integers, and a conversion to a
 * narrower format that holds the factors. x + x may be x * 2, x / 2^k a product, and a sum of
 * widened numbers that is converted back may be rounded once. This is -ffp-contract=fast: gcc's
 * default except with -std=c11 and similar options (GCC manual, "Options That Control
 * Optimization"), and nvcc's default, -fmad=true (CUDA C++ Programming Guide, "Floating-Point
 * Standard").
 *
 * PAREN: an expression between two written parentheses (or in an assignment, an operand of / or a
 * function) may be parenthesized in any way: sums and differences in the order of their terms,
 * products in that of their factors. A product may also be fused into the sum around it. This is
 * the model of Bayati et al.; gcc and clang do this only with -fassociative-math (below).
 *
 * PERM: like PAREN, with terms and factors in any order.
 *
 * LOOP: terms of a sum in any order and parenthesization, products as written, fused or not.
 * Assignments in between do not matter, as in s = s + a; s = s + b, where s is used once. This is
 * what vectorizing a reduction does: -fassociative-math -fprotect-parens, OpenMP's simd reduction.
 *
 * FAST: any evaluation that follows from the laws of associativity, commutativity and fusion, with
 * common factors taken out, a product distributed over one sum in it, which is split in two
 * ((a ± b) c becomes a c ± b c), reciprocals and reciprocal roots approximated, and wider
 * intermediate results, but without introducing terms that cancel each other. x / y * y may be x,
 * sqrt(x) * sqrt(x) may be x, pow(x, n) may be products, a reciprocal and a root, and pow(c, x) of
 * a constant c may be exp(x * log(c)). Other rewritings of elementary functions, such as
 * exp(a) * exp(b) as exp(a + b), are not covered.
 * Written parentheses do not matter. Factors are moved into a sum, or out of it, only where what is
 * left of its terms is at most 2^32 (in f32; 2^256 in f64: the fourth root of the greatest number)
 * times the larger of 1 and the sum of their sizes. This is -ffast-math (GCC manual; Clang manual),
 * nvcc's
 * --use_fast_math for these operations, and OpenCL's -cl-fast-relaxed-math. As these flags say,
 * values are assumed to be finite, and the sign of a zero is assumed not to matter.
 *
 * FAST_EXPAND: FAST, and products of sums may be expanded completely.
 *
 * EXCESS: every intermediate result and every constant of the source that is not a number of the
 * format may be kept in a wider format, and results may be rounded twice: x87 (FLT_EVAL_METHOD 2,
 * ISO C11, 5.2.4.2.2), and f16 or bf16 evaluated in f32.
 *
 * FTZ: any subnormal operand or result may be replaced by zero: -ffast-math of gcc before version
 * 13 through crtfastmath.o, nvcc's -ftz=true, OpenCL's -cl-denorms-are-zero. */
enum accord_bound_model {
    ACCORD_BOUND_CONTRACT_EXPR = 1,
    ACCORD_BOUND_CONTRACT = 2,
    ACCORD_BOUND_PAREN = 4,
    ACCORD_BOUND_PERM = 8,
    ACCORD_BOUND_LOOP = 16,
    ACCORD_BOUND_FAST = 32,
    ACCORD_BOUND_FAST_EXPAND = 64,
    ACCORD_BOUND_EXCESS = 128,
    ACCORD_BOUND_FTZ = 256,
    ACCORD_BOUND_WRITTEN = 512,
    ACCORD_BOUND_ALL = 1023
};

/* A row for each model: "contract-expr", "contract", …; NULL past the end. */
typedef struct accord_bound_model_info {
    const char *name;
    const char *about; /* one line */
    enum accord_bound_model flag;
} accord_bound_model_info;
ACCORD_API const accord_bound_model_info *accord_bound_model_at(size_t i);

/* ---- expressions ---- */

/* An expression: nodes that are numbered from 0 in the order in which they are made. A node that is
 * an operand of several others is a variable: all of them see one value. */
typedef struct accord_bound_expression accord_bound_expression;

enum accord_bound_operation {
    ACCORD_BOUND_VALUE,       /* a constant, a variable, an interval */
    ACCORD_BOUND_ADD,         /* a + b */
    ACCORD_BOUND_SUBTRACT,    /* a - b */
    ACCORD_BOUND_MULTIPLY,    /* a * b */
    ACCORD_BOUND_DIVIDE,      /* a / b */
    ACCORD_BOUND_NEGATE,      /* -a */
    ACCORD_BOUND_PARENTHESES, /* (a) */
    ACCORD_BOUND_ASSIGN,      /* a, assigned to a variable */
    ACCORD_BOUND_CONVERT,     /* a, converted to another format */
    ACCORD_BOUND_LESS,        /* a < b: 1 or 0 */
    ACCORD_BOUND_LESS_EQUAL,
    ACCORD_BOUND_GREATER,
    ACCORD_BOUND_GREATER_EQUAL,
    ACCORD_BOUND_EQUAL,
    ACCORD_BOUND_NOT_EQUAL,
    ACCORD_BOUND_FMA,     /* fma(a, b, c) as written */
    ACCORD_BOUND_SQRT,    /* correctly rounded, but not in FAST */
    ACCORD_BOUND_ABS,     /* fabs(a) */
    ACCORD_BOUND_MINIMUM, /* fmin(a, b); if one is a NaN, the other one */
    ACCORD_BOUND_MAXIMUM,
    /* Elementary functions, whose results are off by function_ulp at most; those that libraries
     * compute less well by a multiple of it (src/bound/functions.c). */
    ACCORD_BOUND_EXP,
    ACCORD_BOUND_EXP2,
    ACCORD_BOUND_EXPM1,
    ACCORD_BOUND_LOG,
    ACCORD_BOUND_LOG2,
    ACCORD_BOUND_LOG10,
    ACCORD_BOUND_LOG1P,
    ACCORD_BOUND_CBRT,
    ACCORD_BOUND_SINH,
    ACCORD_BOUND_TANH,
    ACCORD_BOUND_ASINH,
    ACCORD_BOUND_ATAN,
    ACCORD_BOUND_ASIN,
    ACCORD_BOUND_ACOS,
    ACCORD_BOUND_ERF,
    ACCORD_BOUND_SIN,
    ACCORD_BOUND_COS,
    ACCORD_BOUND_POW,
    ACCORD_BOUND_TAN,
    ACCORD_BOUND_COSH,
    ACCORD_BOUND_HYPOT,
    ACCORD_BOUND_ATAN2,
    ACCORD_BOUND_ACOSH,
    ACCORD_BOUND_ATANH,
    ACCORD_BOUND_ERFC,
    ACCORD_BOUND_EXP10,  /* of GNU's library and C23 */
    ACCORD_BOUND_LGAMMA, /* not known for negative numbers and 0, nor is tgamma */
    ACCORD_BOUND_TGAMMA,
    /* Exact: to an integer, downward, upward, toward 0, and to nearest with halves away from 0 or
     * to even. */
    ACCORD_BOUND_FLOOR,
    ACCORD_BOUND_CEIL,
    ACCORD_BOUND_TRUNC,
    ACCORD_BOUND_ROUND,
    ACCORD_BOUND_RINT,
    ACCORD_BOUND_SELECT, /* a ? b : c; both b and c are evaluated in any case */
    ACCORD_BOUND_OPERATIONS
};

/* An empty expression whose values have this format: f64, f32, f16 or bf16. Free it with
 * accord_bound_expression_free. ACCORD_ARG for other formats; ACCORD_NOMEM. */
ACCORD_API enum accord_status accord_bound_expression_new(enum accord_format format,
                                                          accord_bound_expression **out,
                                                          accord_error *error);
ACCORD_API void
accord_bound_expression_free(accord_bound_expression *expression); /* NULL is fine */

/* Makes a node for any number in [low, high]. low is rounded down and high is rounded up into the
 * format; if they are equal, they stand for one number and are rounded to nearest. Witnesses show
 * the number by its `name`, or by its value, like a constant, if that is NULL. ACCORD_ARG: an end
 * is NaN, or low > high. ACCORD_NOMEM. */
ACCORD_API enum accord_status accord_bound_value(accord_bound_expression *expression,
                                                 const char *name, double low, double high,
                                                 uint32_t *node, accord_error *error);
/* Makes a node for an operation on 1 to 3 nodes made before (as many as the operation takes; unused
 * operands are ignored). The format of the result is the widest format of the operands.
 * Comparisons among them, and the condition of SELECT, do not count, since they are integers in C.
 * ACCORD_ARG: no such operation or node, or an operand in f16 and one in bf16; ACCORD_NOMEM. */
ACCORD_API enum accord_status accord_bound_apply(accord_bound_expression *expression,
                                                 enum accord_bound_operation operation,
                                                 const uint32_t operand[3], uint32_t *node,
                                                 accord_error *error);
/* Makes a node for a conversion. */
ACCORD_API enum accord_status accord_bound_convert(accord_bound_expression *expression,
                                                   enum accord_format format, uint32_t operand,
                                                   uint32_t *node, accord_error *error);

/* A name in the text of an expression, and the interval of its values. Fixed layout. */
typedef struct accord_bound_binding {
    const char *name;
    double low, high;
} accord_bound_binding;

/* Reads a C expression of + - * / ( ) ?:, comparisons, decimal and hexadecimal constants, names
 * that are bound, casts to (float), (double), (_Float16) and (__bf16), and the functions of C of
 * the operations above: sqrt, fma, fabs, fmin, fmax, min, max, abs, exp and so on, which have the
 * format of their operands. Statements may come before it: "t = a*b; t + c", also with a type, as
 * in "float t = a*b; return t + c". Constants have the format of the expression; in an expression
 * in f64 those with the suffix f, and functions with the suffix f, are in f32. A division of
 * integers is an error. The last node made is the result. ACCORD_PARSE with the column, counted
 * from 1, in the error text; ACCORD_ARG, ACCORD_NOMEM. The expression is the caller's. */
ACCORD_API enum accord_status accord_bound_parse(const char *text, enum accord_format format,
                                                 size_t bindings,
                                                 const accord_bound_binding *binding,
                                                 accord_bound_expression **out,
                                                 accord_error *error);

/* ---- bounds ---- */

/* An arithmetic that the caller provides, for study. Its functions get finite numbers, and return
 * results that are correctly rounded into the format. A member that is NULL is an operation that
 * the arithmetic lacks. Fixed layout. */
typedef struct accord_bound_arithmetic {
    /* x * y + c; also sums, products and conversions */
    double (*fused)(enum accord_format format, enum accord_rounding rounding, double x, double y,
                    double c);
    double (*quotient)(enum accord_format format, enum accord_rounding rounding, double x,
                       double y);
    double (*root)(enum accord_format format, enum accord_rounding rounding, double x);
    int (*compare)(double x, double y, double u, double v); /* the sign of x * y - u * v */
} accord_bound_arithmetic;

typedef struct accord_bound_options {
    size_t size;           /* see accord/base.h */
    unsigned model;        /* bits of accord_bound_model; 0: CONTRACT */
    double function_ulp;   /* the greatest error of an elementary function, in units in the last
                              place of its result; 0: 1. 2 to 10 times as much for sinh, cosh,
                              tanh, asinh, acosh, atanh, atan2, log10, exp10, cbrt, erfc, lgamma and
                              tgamma, as in GNU's library; under FAST at least 4 times for all, as
                              in its functions of vectors */
    double reciprocal_ulp; /* FAST: the greatest error of a reciprocal, quotient or root; 0: 2 */
    size_t symbols;        /* affine forms of at most so many symbols take into account that values
                              depend on the same inputs (not with EXCESS, FTZ, FAST and
                              FAST_EXPAND); 0: no affine forms */
    const accord_bound_arithmetic *arithmetic; /* computes all single operations except those of
                                                  long sums and masses; NULL: the library's own,
                                                  which gives the same ends */
    bool ends_only; /* leave out the witnesses, which take most of the time */
} accord_bound_options;
static inline void accord_bound_options_init(accord_bound_options *options)
{
    ACCORD_INIT(options);
}

typedef struct accord_bound {
    /* Every value that is not NaN lies in [low, high]. Infinities are values, and +0 and -0 count
     * as the same value. If both ends are NaN, every value is NaN. */
    double low, high;
    bool may_be_nan;           /* false: no value is NaN */
    bool exact;                /* both ends are reached, by the witnesses */
    enum accord_format format; /* of the result */
    /* "operations", "sets", "affine forms", "parenthesizations", "subsets", "long sums" or "mass";
     * if several were used, the one that gives the weakest statement. Static storage. */
    const char *method;
    /* With `exact`, unless only the ends are wanted, expressions in C that reach low and high,
     * fully parenthesized, with fma where a product is fused, then the values of the intervals'
     * variables; else NULL. */
    char *low_witness, *high_witness;
    /* If a witness is a sum whose terms have at most two factors each: its order, its arithmetic,
     * and its operands x and y, one of each for every leaf, for accord_model_replay; else NULL. */
    accord_tree *low_tree, *high_tree;
    accord_arithmetic *low_arithmetic, *high_arithmetic;
    double *low_x, *low_y, *high_x, *high_y;
} accord_bound;

/* The bounds of node `node` (UINT32_MAX: the last one) under a model; free *out with
 * accord_bound_free. NULL: the default options.
 *
 * For one expression without assignments whose inputs are single numbers, each used once, and whose
 * operations are + - * with at most 16 terms in a sum (2000 under PAREN alone, any number under
 * CONTRACT) and 8 factors in a product (64 under PAREN alone), both ends are reached under
 * CONTRACT_EXPR, CONTRACT, PAREN, PERM and LOOP, and may_be_nan says exactly whether NaN is
 * possible. The one exception is a sum in parentheses that overflows, or that may be 0, and is
 * combined with a 0 or an infinity. Otherwise the bounds are valid, and `exact` says whether
 * witnesses were found. Time and memory for a sum of n terms: CONTRACT O(n); PAREN O(n^3) and
 * O(n^2), or as LOOP for more than 2000 terms; PERM and LOOP O(3^n) up to 16 terms, otherwise O(n
 * log n) and O(n); FAST O(n). ACCORD_ARG: unknown flags or an empty expression; ACCORD_UNSUPPORTED:
 * an operation that the chosen arithmetic lacks; ACCORD_NOMEM. */
ACCORD_API enum accord_status accord_bound_evaluate(const accord_bound_expression *expression,
                                                    uint32_t node,
                                                    const accord_bound_options *options,
                                                    accord_bound **out, accord_error *error);
ACCORD_API void accord_bound_free(accord_bound *bound); /* NULL is fine */

#ifdef __cplusplus
}
#endif
#endif

/* A model: a tree with the arithmetic at its nodes, enough to give the same bits elsewhere. */
#ifndef ACCORD_MODEL_H
#define ACCORD_MODEL_H

#include <accord/fused.h>
#include <accord/tree.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a term is made of the operands x and y. */
enum accord_term {
    ACCORD_TERM_VALUE,    /* x[k] */
    ACCORD_TERM_PRODUCT,  /* x[k] * y[k] */
    ACCORD_TERM_ABSOLUTE, /* |x[k]| */
    ACCORD_TERM_SQUARE    /* x[k] * x[k] */
};

/* What an inner node does with its children.
 *   - A binary node: the term of a child that is a leaf is rounded into `product` first (a value
 *     that this format holds is unchanged). The exception is child number `fused`, whose term
 *     enters unrounded, as in a fused multiply-add. Inner children and rounded terms are converted
 *     to `format` if that is narrower, and the sum is rounded into `format`.
 *   - A node of more than two children: one step of the model's machine. If the model has none: the
 *     exact sum of the children, with terms unrounded, rounded once.
 *   - A binary node with `fused` = ACCORD_STEP: a short step of the machine.
 *   - A tree of one leaf has no node: its term is rounded into `product` and then `format` of the
 *     first operation, if there is one.
 * Fixed layout, since models hold an array of operations. */
#define ACCORD_STEP (-2)

/* Zeros that are added at a node, beside where sums start (negative_zero, below). They change the
 * sign of a zero alone, and nothing at nodes that are rounded down or that have more than two
 * children. */
enum accord_zero {
    ACCORD_ZERO_NONE,
    /* Each product x * y that does not enter the sum unrounded enters as fma(x, y, +0), as in lanes
     * of one product: one that is too small for the format keeps its sign, one with a zero factor
     * is +0. So does each product of alpha and a sum that is rounded before it enters. */
    ACCORD_ZERO_FUSED,
    ACCORD_ZERO_ROUNDED, /* as before, but these products are rounded first: none of them is -0 */
    /* The sum is added to +0 before it goes on, as to an accumulator that nothing else was added
     * to: it is never -0. */
    ACCORD_ZERO_ADDED
};

typedef struct accord_operation {
    enum accord_format format;
    enum accord_rounding rounding;
    enum accord_format product;
    int fused; /* number of a child in the canonical tree, 0 or 1; -1: none; or ACCORD_STEP */
    /* The sum is rounded once more, in the same direction, into this format: the partial sum is
     * stored in a narrower format than it was added in. ACCORD_F64: it is not. Ignored at steps. */
    enum accord_format stored;
    int keeps; /* 1: nothing is flushed at this node, whatever `flush` below says; else 0 */
    enum accord_zero zero;
} accord_operation;

/* Where subnormal numbers are flushed, that is, replaced by a zero of the same sign. The first five
 * flags are independent. A processor that treats subnormal operands as zero (x86's DAZ) flushes all
 * but the result; one that flushes subnormal results (FTZ) flushes products, sums and the result.
 */
enum accord_flush {
    ACCORD_FLUSH_X = 1,        /* operands x (after they were rounded), and the start value */
    ACCORD_FLUSH_Y = 2,        /* second factors */
    ACCORD_FLUSH_PRODUCTS = 4, /* products that are rounded, but not those that enter unrounded */
    /* Sums that are used further: that of +0 and the first term too, and the last one where it goes
     * into a finish, is multiplied by alpha, or is added to +0 (zero_last). */
    ACCORD_FLUSH_SUMS = 8,
    ACCORD_FLUSH_RESULT = 16, /* the last sum, or the result of the finish, and the output */
    ACCORD_FLUSH_ALL = 31,
    /* At most one of these, together with products, sums or the result: a number that rounds to the
     * least normal number is flushed as well if it is tiny (IEEE 754-2019, section 7.5). After
     * rounding: it is less than the least normal number when it is rounded as if the range of
     * exponents were unlimited (x86's FTZ). Before rounding: its exact value is less (Arm's FZ).
     * With neither flag, numbers are rounded first. Divisions, roots and sums of more than 64
     * products are not treated in this way. */
    ACCORD_FLUSH_TINY_AFTER = 32,
    ACCORD_FLUSH_TINY_BEFORE = 64
};

/* Where a factor alpha enters. */
enum accord_alpha {
    ACCORD_ALPHA_ONE,  /* alpha is 1: nowhere */
    ACCORD_ALPHA_X,    /* x[k] is multiplied by alpha and rounded first */
    ACCORD_ALPHA_Y,    /* y[k] is multiplied by alpha and rounded first */
    ACCORD_ALPHA_SUM,  /* sums of products are multiplied by alpha; see alpha_node */
    ACCORD_ALPHA_NODES /* the parts of the tree differ in this; see alpha_of */
};

/* How alpha multiplies one node, a leaf or a sum, on its way into the node above. */
enum accord_scaling {
    ACCORD_SCALED_NOT,     /* alpha does not multiply it here, but above or below this node */
    ACCORD_SCALED_X,       /* a leaf: x[k] is multiplied and rounded first */
    ACCORD_SCALED_Y,       /* a leaf: y[k] is multiplied and rounded first */
    ACCORD_SCALED_ROUNDED, /* its value times alpha is rounded into the format of the node above */
    ACCORD_SCALED_FUSED,   /* its value times alpha enters the node above unrounded */
    /* A partial sum below a node that alpha multiplies is stored as a result and read back, as when
     * a long sum is computed in blocks. It is multiplied by alpha, rounded into the format of the
     * node above, multiplied by 1 / alpha (rounded to nearest into the output's format), and
     * rounded again. The rule that exactly one node on each path to the root is scaled does not
     * count such nodes. */
    ACCORD_SCALED_RETAKEN
};

/* Which zero factors cause a product to be left out. */
enum accord_skips {
    ACCORD_SKIPS_EITHER, /* a zero in x or in y */
    ACCORD_SKIPS_X,
    ACCORD_SKIPS_Y
};

/* What is done with the sum at the end, before it is rounded into the output. The operation is
 * exact, and is rounded once in the format and direction of the root. */
enum accord_finish {
    ACCORD_FINISH_NONE,
    ACCORD_FINISH_TIMES,      /* multiplied by `factor` */
    ACCORD_FINISH_OVER,       /* divided by `factor`: a mean */
    ACCORD_FINISH_ROOT,       /* its square root */
    ACCORD_FINISH_ROOT_TIMES, /* multiplied, rounded, and then its square root */
    ACCORD_FINISH_ROOT_OVER   /* divided, rounded, and then its square root */
};

/* The arithmetic of a tree. Values of every format are held in a double. The library makes it
 * (accord_arithmetic_plain, _copy); programs may change its members. */
typedef struct accord_arithmetic {
    enum accord_term term;
    enum accord_format input;  /* of the operands as the caller gives them */
    enum accord_format output; /* of the result; the value of the root is rounded into it */
    enum accord_rounding output_rounding; /* how the value of the root is rounded into `output` */

    /* Operands, but not the start value, are rounded into this format before anything else, as in a
     * library that takes f32 operands and computes in bf16. ACCORD_F64: they are not. */
    enum accord_format operand;
    enum accord_rounding operand_rounding;

    size_t operations; /* how many different ones, 1 to 255 (0 is allowed for a tree of one leaf) */
    accord_operation *operation;
    uint8_t *of_node; /* the operation of each of the tree->inner nodes; NULL: the first for all */
    bool has_machine;
    /* Computes the nodes that are its steps. The inner child of such a node, if any, is c. */
    accord_fused machine;

    /* Whether a sum of terms that are all -0 is -0. If so, every sum starts with its first term.
     * Otherwise each node without inner children adds its first term that is not fused to +0; a
     * single product that alpha multiplies beside the start value counts as a sum of its own and is
     * added to +0 before that. At nodes that are rounded down the two cases do not differ. A step
     * of a machine whose terms, and c if there is one, are all -0 gives -0 with this flag, else +0.
     */
    bool negative_zero;
    /* At the end the sum, times alpha, is added to +0, as in C = 0; C += sum. It is then not -0,
     * unless it is rounded down. With this flag negative_zero is set, too, because the results do
     * not show what the sum started from (unless +0 and a subnormal first value are flushed). With
     * a finish, the result is added to +0, in the output's format, as in C += sum / n. If alpha
     * multiplies the root unrounded, +0 and that product are one fused multiply-add: a product that
     * is not zero, but too small for the format, keeps its sign. */
    bool zero_last;
    unsigned flush;  /* what is flushed: bits of accord_flush */
    bool skips_zero; /* a product with a zero factor is left out, so 0 * infinity gives no NaN */
    /* Which factor must be zero for that. An operand counts as it is after alpha multiplied it. */
    enum accord_skips skips;

    /* result = alpha * (sum of products) + beta * start. With beta != 0 the last leaf of the tree
     * is the product beta * start, which is treated like any other product. The format of `start`
     * is that of the output. */
    double alpha, beta;
    enum accord_alpha alpha_at;
    /* ACCORD_ALPHA_SUM: alpha multiplies node alpha_node and every subtree that hangs off the path
     * from it to the root, except the leaf of the start value. Each of these products is rounded
     * into the format of the node that adds it, or, with alpha_fused, enters that node unrounded.
     * (alpha_node itself enters unrounded only if its sibling is the start value. Otherwise its
     * addition has two products, and one of them has to be rounded.) The root counts as a node that
     * the output adds. */
    uint32_t alpha_node;
    bool alpha_fused;
    /* If alpha multiplies the root, and so the start value with all other terms, the factor of the
     * start value is beta / alpha, rounded to nearest into the output's format. It must be finite.
     */
    /* ACCORD_ALPHA_NODES: an accord_scaling for each of the alpha_nodes = leaves + inner nodes. On
     * the path from every leaf to the root exactly one node is scaled, except for the leaf of the
     * start value. A leaf that is scaled as a product is rounded into `product` before that. */
    uint8_t *alpha_of;
    size_t alpha_nodes; /* 0 unless alpha_at is ACCORD_ALPHA_NODES */

    enum accord_finish finish;
    double factor;

    /* The f64 of products, sums and the finish stands for x87's format, which has a significand of
     * 64 bits and room for every exponent. All operations are then plain ones in f64, without
     * alpha, beta or flushing. */
    bool extended;
    /* The number whose square root is taken is first rounded into this format, in the direction of
     * the output's rounding, as where a mean is a result of its own. ACCORD_F64: it is not. */
    enum accord_format radicand;
} accord_arithmetic;

/* Plain arithmetic: products and sums are rounded to nearest even into `accumulator`, and nothing
 * is fused. The caller may then change other fields, such as `finish`. Free *out with
 * accord_arithmetic_free. ACCORD_NOMEM. */
ACCORD_API enum accord_status accord_arithmetic_plain(enum accord_term term,
                                                      enum accord_format input,
                                                      enum accord_format accumulator,
                                                      enum accord_format output,
                                                      accord_arithmetic **out, accord_error *error);
/* A copy. With nodes > 0 its of_node has that many entries, all 0 if the original has none; pass
 * tree->inner. */
ACCORD_API enum accord_status accord_arithmetic_copy(const accord_arithmetic *arithmetic,
                                                     size_t nodes, accord_arithmetic **out,
                                                     accord_error *error);
/* NULL is fine. */
ACCORD_API void accord_arithmetic_free(accord_arithmetic *arithmetic);

/* A tree and its arithmetic, both borrowed. Fixed layout. */
typedef struct accord_model {
    const accord_tree *tree;
    const accord_arithmetic *arithmetic;
} accord_model;

/* ACCORD_OK if the arithmetic fits the tree (indices are in range, `fused` names leaves, formats
 * exist), else ACCORD_ARG and an error that names what does not fit. For models that were not made
 * by this library. */
ACCORD_API enum accord_status accord_model_check(const accord_model *model, accord_error *error);

/* Describes the arithmetic in one line without a newline, such as "f32, products fused into the
 * sum". Writes at most `size` bytes, including the final zero. ACCORD_DESCRIPTION_SIZE bytes hold
 * every description whole, also those of alternatives and of differences. */
#define ACCORD_DESCRIPTION_SIZE 2048
ACCORD_API void accord_model_describe(const accord_model *model, char *text, size_t size);

/* Describes the first way in which two models on equal trees compute differently, in at most `size`
 * bytes; returns false if there is none. The words call the models A and B. Operations are compared
 * node by node; their numbers do not matter. A difference may affect no result, for example if one
 * model uses a wider format than the other. */
ACCORD_API bool accord_model_differ(const accord_model *a, const accord_model *b, char *text,
                                    size_t size);

/* The fingerprint of order and arithmetic. Like accord_tree_fingerprint, but the text that is
 * hashed consists of the brackets, a newline, and the canonical text of the arithmetic that is
 * specified in src/model/canonical.c. */
ACCORD_API enum accord_status accord_model_fingerprint(const accord_model *model,
                                                       char out[ACCORD_FINGERPRINT_SIZE],
                                                       accord_error *error);

/* Models in one line: a notation of the order (accord/notation.h) whose labels are words for what
 * nodes do, and settings behind commas, as in
 *
 *     1000: lanes 8 of 992; halves; chain {f64}; chain,terms=f32,fma
 *
 * doc/notation.md lists the words.
 *
 * Writes the canonical line: a function of the model alone, from which accord_model_line_parse
 * makes a model with the same fingerprint. *text is the caller's: accord_notation_free. regular: as
 * in accord_notation_write; may be NULL. ACCORD_UNSUPPORTED: the model does something that no word
 * says (alpha and beta, operands that are rounded first, x87's format, steps of a machine that is
 * not in the table, a finish other than a mean); ACCORD_NOMEM. */
ACCORD_API enum accord_status accord_model_line_write(const accord_model *model, char **text,
                                                      bool *regular, accord_error *error);

/* Makes the model that a line stands for.
 *   place: if not NULL, and the status is ACCORD_PARSE, *place becomes the byte of the text at
 *     which it goes wrong.
 * A line without labels and settings is an order alone: *arithmetic becomes NULL. ACCORD_PARSE,
 * also where settings contradict each other; ACCORD_NOMEM. Free with accord_tree_free and
 * accord_arithmetic_free. Both functions may be called from several threads at once. */
ACCORD_API enum accord_status accord_model_line_parse(const char *text, accord_tree **tree,
                                                      accord_arithmetic **arithmetic, size_t *place,
                                                      accord_error *error);

/* Operands, row by row; all borrowed. */
typedef struct accord_rows {
    size_t size; /* see accord/base.h */
    size_t rows;
    const void *const *x; /* for each row as many values as leaves; one fewer with beta != 0 */
    const void *const *y; /* the second factors of products; NULL: all 1 */
    const double *start;  /* with beta != 0: a start value for each row; NULL: all 0 */
    bool is_f32;          /* x and y are float, else double */
    /* Of models with a machine whose products share scales: for each row one scale of the first,
     * and of the second factors, for each machine.scale_block products (the last ones may be
     * fewer); NULL: all are 1. */
    const double *const *scale_x, *const *scale_y;
} accord_rows;

/* result[r] = what the implementation gives for row r, bit for bit if the model is right.
 * Rows are replayed side by side (SIMD over rows), so ask for many at once; a single row of 10^6
 * terms takes about ten times as long as a compiled loop. Thread-safe. The caller's rounding mode
 * and flush-to-zero flags have no effect. ACCORD_NOMEM. ACCORD_ARG: there are scales, but the model
 * has none, or a step of its machine does not take whole blocks of products that share them. Time
 * O(rows * n). */
ACCORD_API enum accord_status accord_model_replay(const accord_model *model,
                                                  const accord_rows *rows, double *result,
                                                  accord_error *error);

/* Writes a C11 function that computes what the model does; doc/emit.md states what that code
 * promises and which functions of libm it uses. ACCORD_ARG: `name` is not a C identifier, or the
 * model is not valid. ACCORD_UNSUPPORTED: C is not written for such a model; the error says for
 * which part. ACCORD_IO: the sink refused. */
ACCORD_API enum accord_status accord_model_emit_c(const accord_model *model, const char *name,
                                                  accord_sink *sink, void *context,
                                                  accord_error *error);

/* Finds an input on which two trees of the same n give different bits in plain arithmetic of
 * `format`, in which a node of more than two children first drops what is below the last bit of its
 * largest term, as accelerators do. Writes its n values to x, and the two sums to *sum_a and
 * *sum_b. ACCORD_UNABLE if the trees are equal or no such input was found. Thread-safe. */
ACCORD_API enum accord_status accord_witness(const accord_tree *a, const accord_tree *b,
                                             enum accord_format format, double *x, double *sum_a,
                                             double *sum_b, accord_error *error);

/* An input for two models. The caller provides x and y, with room for as many values as the trees
 * have leaves. With beta != 0 the last of x is the start value, and that of y is 1. Fixed layout.
 */
typedef struct accord_witness_input {
    double *x, *y;             /* y is all 1 unless the terms of both models are products */
    uint32_t terms;            /* how many are not zero, or have a second factor other than 1 */
    double result_a, result_b; /* what the models give for it */
} accord_witness_input;

/* Finds an input on which two models of the same number of terms give different bits by
 * accord_model_replay (every NaN counts as the same). It has as few nonzero terms as could be
 * found: inputs with one, two and three are tried in turn, made of selected values. Ordinary
 * numbers with finite results are tried first; then zeros of both signs, subnormal and huge
 * numbers, infinities and NaN. Either both models have a start value or neither has. ACCORD_UNABLE
 * if no such input was found, as for equal models; this does not prove that there is none.
 * Thread-safe. Takes seconds at most. */
ACCORD_API enum accord_status accord_witness_models(const accord_model *a, const accord_model *b,
                                                    accord_witness_input *out, accord_error *error);

#ifdef __cplusplus
}
#endif
#endif

/* A model: a tree with the arithmetic at its nodes, enough to give the same bits elsewhere. */
#ifndef ACCORD_MODEL_H
#define ACCORD_MODEL_H

#include <accord/fused.h>
#include <accord/tree.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a term is, of the operands x and y. */
enum accord_term {
    ACCORD_TERM_VALUE,    /* x[k] */
    ACCORD_TERM_PRODUCT,  /* x[k] * y[k] */
    ACCORD_TERM_ABSOLUTE, /* |x[k]| */
    ACCORD_TERM_SQUARE    /* x[k] * x[k] */
};

/* What an inner node does with its children. A binary node: the term of each child that is a leaf
 * enters rounded into `product` (a value that the format holds as it is), but for child `fused`,
 * whose term enters unrounded (a fused multiply-add); inner children, and rounded terms, are
 * converted to `format` if that is narrower; the sum is rounded into `format`. A node of k > 2
 * children: one step of the model's machine, or without one the exact sum of its children, terms
 * unrounded, rounded once. A binary node with `fused` = ACCORD_STEP is a step of the machine too, a
 * short one. A tree of one leaf: the term rounded into `product` and `format` of the first
 * operation, if there is one. */
#define ACCORD_STEP (-2)
typedef struct accord_operation {
    enum accord_format format;
    enum accord_rounding rounding;
    enum accord_format product;
    int fused; /* the child, 0 or 1, of the canonical tree; -1: none; or ACCORD_STEP */
    /* The sum is rounded once more, in the same way, into this format before it goes on: a partial
     * sum that is stored narrower than it was added. ACCORD_F64: it is not. Not of steps. */
    enum accord_format stored;
    int keeps; /* 1: nothing is flushed here, whatever the arithmetic's `flush` says; else 0 */
} accord_operation;

/* What counts as zero of its sign where it is subnormal. The five are independent: a processor that
 * takes subnormal operands for zero (x86's DAZ) flushes all but the result, one whose results
 * underflow to zero (FTZ) products, sums and result. */
enum accord_flush {
    ACCORD_FLUSH_X = 1,        /* operands x (when they are rounded), and the start value */
    ACCORD_FLUSH_Y = 2,        /* second factors */
    ACCORD_FLUSH_PRODUCTS = 4, /* products that are rounded, not those that enter unrounded */
    ACCORD_FLUSH_SUMS = 8,     /* sums on which another operation follows; +0 and the first value */
    ACCORD_FLUSH_RESULT = 16,  /* the last sum, or what a finish makes of it, and the output */
    ACCORD_FLUSH_ALL = 31
};

/* Where a factor alpha enters. */
enum accord_alpha {
    ACCORD_ALPHA_ONE,  /* alpha is 1: nowhere */
    ACCORD_ALPHA_X,    /* x[k] is multiplied by alpha and rounded first */
    ACCORD_ALPHA_Y,    /* y[k] is */
    ACCORD_ALPHA_SUM,  /* sums of products are; see alpha_node */
    ACCORD_ALPHA_NODES /* it differs from one part of the tree to another; see alpha_of */
};

/* How alpha multiplies one node, a leaf or a sum, on its way into the node above. */
enum accord_scaling {
    ACCORD_SCALED_NOT,     /* not here: above it, or below */
    ACCORD_SCALED_X,       /* a leaf: x[k] is multiplied and rounded first */
    ACCORD_SCALED_Y,       /* a leaf: y[k] is */
    ACCORD_SCALED_ROUNDED, /* its value times alpha is rounded into the format of the node above */
    ACCORD_SCALED_FUSED,   /* its value times alpha enters the node above unrounded */
    /* A sum below one that alpha multiplies is stored as a result and taken up again, as where a
     * long sum is made in blocks: times alpha, rounded into the format of the node above, times
     * 1 / alpha (rounded to nearest into the output's format), rounded. Where it is said that one
     * node is scaled on the way to the root, this does not count. */
    ACCORD_SCALED_RETAKEN
};

/* Products of which zero factors are left out. */
enum accord_skips {
    ACCORD_SKIPS_EITHER, /* of x or y */
    ACCORD_SKIPS_X,
    ACCORD_SKIPS_Y
};

/* What is done with the sum at the end, in the format and rounding of the root (exactly, rounded
 * once) and before it is rounded into the output. */
enum accord_finish {
    ACCORD_FINISH_NONE,
    ACCORD_FINISH_TIMES,      /* multiplied by `factor` */
    ACCORD_FINISH_OVER,       /* divided by `factor`: a mean */
    ACCORD_FINISH_ROOT,       /* its square root */
    ACCORD_FINISH_ROOT_TIMES, /* multiplied, rounded, and then its square root */
    ACCORD_FINISH_ROOT_OVER   /* divided, rounded, and then its square root */
};

/* The arithmetic of a tree. Every value is a format's, held in a double. */
typedef struct accord_arithmetic {
    enum accord_term term;
    enum accord_format input;             /* of the operands, as they are given */
    enum accord_format output;            /* of the result: the root is rounded into it … */
    enum accord_rounding output_rounding; /* … this way */

    /* Operands (but not a start value) are rounded into this format before anything else is done
     * with them, as where a library computes with f32 operands in bf16; ACCORD_F64: they are not.
     */
    enum accord_format operand;
    enum accord_rounding operand_rounding;

    size_t operations; /* different ones: 1 … 255 (0 for a tree of one leaf is fine) */
    accord_operation *operation;
    uint8_t *of_node; /* tree->inner entries: which operation; NULL: all the first */
    bool has_machine;
    accord_fused machine; /* of those nodes that are its steps; their inner child, or none, is c */

    /* A sum of -0 alone is -0: it starts with the first term. Else each node without inner
     * children adds its first term (that is not fused) to +0; a product that alpha multiplies
     * beside the start value is added to +0 before that, a sum of one product. Nodes rounded down
     * do not differ. So do steps of a machine: of -0 alone, c too if there is one, they give -0, or
     * else +0. */
    bool negative_zero;
    /* The sum, times alpha, is added to +0 last, so that it is never -0 (not rounded down): as
     * C = 0; C += sum does it. Then negative_zero is set: where the sum started does not show. With
     * a finish it is the result that is added to +0, in the output's format: C += sum / n. */
    bool zero_last;
    unsigned flush;  /* what is flushed: bits of accord_flush */
    bool skips_zero; /* a product with a zero factor is left out: 0 * infinity is no NaN … */
    enum accord_skips skips; /* … a factor of these; an operand after alpha has multiplied it */

    /* result = alpha * (sum of products) + beta * start. With beta != 0 the last leaf of the tree
     * is the product beta * start, like any other product; start is of the output's format. */
    double alpha, beta;
    enum accord_alpha alpha_at;
    /* ACCORD_ALPHA_SUM: alpha multiplies node alpha_node and every subtree that hangs off the path
     * from it to the root (but for the start's leaf), rounded into the format of the node that
     * adds it, or unrounded with alpha_fused (alpha_node only if its sibling is the start: of two
     * products one is rounded). The root itself counts as added by the output. */
    uint32_t alpha_node;
    bool alpha_fused;
    /* Where alpha multiplies the root, the start among the rest, the factor of the start is
     * beta / alpha, rounded to nearest into the output's format; it has to be finite. */
    /* ACCORD_ALPHA_NODES: an accord_scaling for each of the alpha_nodes = leaves + inner nodes.
     * From every leaf but the start's to the root exactly one node is scaled. A leaf that is
     * scaled as a product is rounded into `product` before. */
    uint8_t *alpha_of;
    size_t alpha_nodes; /* 0 elsewhere */

    enum accord_finish finish;
    double factor;

    /* f64 of products, sums and the finish stands for x87's format, with 64 bits of significand and
     * room for every exponent; all operations are plain ones in f64, without alpha, beta, flushes.
     */
    bool extended;
    /* What a root is taken of is rounded into this format before it, in the output's rounding, as
     * where the mean is a result of its own; ACCORD_F64: it is not. */
    enum accord_format radicand;
} accord_arithmetic;

/* Plain arithmetic: every node to nearest even in `accumulator`, no fusion, products rounded into
 * it, output and finish as given by the fields set afterwards. ACCORD_NOMEM. */
ACCORD_API enum accord_status accord_arithmetic_plain(enum accord_term term,
                                                      enum accord_format input,
                                                      enum accord_format accumulator,
                                                      enum accord_format output,
                                                      accord_arithmetic **out, accord_error *error);
/* With room for tree->inner entries in of_node (all 0) where `nodes` > 0. */
ACCORD_API enum accord_status accord_arithmetic_copy(const accord_arithmetic *arithmetic,
                                                     size_t nodes, accord_arithmetic **out,
                                                     accord_error *error);
/* NULL is fine. */
ACCORD_API void accord_arithmetic_free(accord_arithmetic *arithmetic);

/* A tree and its arithmetic, both borrowed. */
typedef struct accord_model {
    const accord_tree *tree;
    const accord_arithmetic *arithmetic;
} accord_model;

/* ACCORD_OK if the arithmetic fits the tree (indices in range, `fused` names leaves, formats
 * exist), else ACCORD_ARG with what does not. For models from elsewhere. */
ACCORD_API enum accord_status accord_model_check(const accord_model *model, accord_error *error);

/* The arithmetic in one line of words, without newline: "f32, products fused into the sum" …; at
 * most `size` bytes with the final zero. ACCORD_DESCRIPTION_SIZE holds every description whole,
 * also those of alternatives and of differences. */
#define ACCORD_DESCRIPTION_SIZE 2048
ACCORD_API void accord_model_describe(const accord_model *model, char *text, size_t size);

/* Writes the first way in which two models on equal trees compute differently, in words (size
 * bytes); false when there is none (operations are compared node by node, not by their numbers;
 * of differences that no input shows, those between a format and a wider one may be told). */
ACCORD_API bool accord_model_differ(const accord_model *a, const accord_model *b, char *text,
                                    size_t size);

/* The fingerprint of order and arithmetic: like accord_tree_fingerprint, of the brackets, a
 * newline, and the arithmetic in a documented canonical text (src/model/canonical.c). */
ACCORD_API enum accord_status accord_model_fingerprint(const accord_model *model,
                                                       char out[ACCORD_FINGERPRINT_SIZE],
                                                       accord_error *error);

/* Operands, row by row; all borrowed. */
typedef struct accord_rows {
    size_t rows;
    const void *const *x; /* per row: leaves values (one fewer with beta != 0) */
    const void *const *y; /* the second factors of products; NULL: all 1 */
    const double *start;  /* per row, where beta != 0; NULL: all 0 */
    bool is_f32;          /* x and y are float, else double */
} accord_rows;

/* result[r] = what the implementation gives for row r, bit for bit if the model is right.
 * Rows are replayed side by side (SIMD over rows), so ask for many at once; a single row of 10^6
 * terms takes about as long as ten times a compiled loop. Thread-safe. Independent of the
 * caller's rounding mode only if that is to nearest. ACCORD_NOMEM. Time O(rows * n). */
ACCORD_API enum accord_status accord_model_replay(const accord_model *model,
                                                  const accord_rows *rows, double *result,
                                                  accord_error *error);

/* Writes a C function (C11, libm's fma at most) that computes what the model does; the contract
 * of what is emitted: doc/emit.md. `name`: a C identifier. ACCORD_ARG, ACCORD_UNSUPPORTED (with
 * what cannot be said in C), ACCORD_IO when the sink refuses. */
ACCORD_API enum accord_status accord_model_emit_c(const accord_model *model, const char *name,
                                                  accord_sink *sink, void *context,
                                                  accord_error *error);

/* A concrete input on which two trees of the same n give different bits in plain arithmetic of
 * `format`: writes n values to x. The two sums go to *sum_a, *sum_b. ACCORD_UNABLE when the trees
 * are equal or none was found. Thread-safe. */
ACCORD_API enum accord_status accord_witness(const accord_tree *a, const accord_tree *b,
                                             enum accord_format format, double *x, double *sum_a,
                                             double *sum_b, accord_error *error);

/* An input of two models: `leaves` values each, of the caller. With beta != 0 the last of x is the
 * start value, and y is 1 there. */
typedef struct accord_witness_input {
    double *x, *y;             /* y is all 1 unless the terms of both models are products */
    uint32_t terms;            /* of them not zero (or with a second factor that is not 1) */
    double result_a, result_b; /* what the models give for it */
} accord_witness_input;

/* A concrete input on which two models of as many terms give different bits by accord_model_replay
 * (all NaN count as one), of as few terms that are not zero as were found: one, two and three are
 * tried in turn, on chosen values. Ordinary numbers with results that are finite are tried first;
 * zeros of both signs, subnormal and huge numbers, infinities and NaN where those do not tell. Both
 * models have a start value or neither. ACCORD_UNABLE
 * when none was found, as for equal models; that proves nothing. Thread-safe; seconds at most. */
ACCORD_API enum accord_status accord_witness_models(const accord_model *a, const accord_model *b,
                                                    accord_witness_input *out, accord_error *error);

#ifdef __cplusplus
}
#endif
#endif

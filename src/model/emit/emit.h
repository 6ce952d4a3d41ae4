/* C that computes what a model does: what the files of emission share. Internal.
 *
 *   - check.c: what C cannot say is refused;
 *   - labels.c and shape.c: what is done at each node, and the shapes that room pattern then finds:
 *     a regular tree has few;
 *   - plan.c and fold.c: how each shape that is needed is written, as a run, or as lanes with a
 *     fold;
 *   - text.c and words.c: lines and indices, operands and additions as C text;
 *   - vector.c and body.c: statements that fill lanes, and those of one value;
 *   - table.c: a table of steps for an order without regularity;
 *   - helpers.c, emit.c and file.c: functions that round, whole functions, whole files. */
#ifndef ACCORDI_EMIT_H
#define ACCORDI_EMIT_H

#include "base/base.h"
#include <accord/model.h>

/* ---- shapes ---- */

enum accordi_shape_kind {
    ACCORDI_VALUE,   /* a leaf x[k], |x[k]| */
    ACCORDI_PRODUCT, /* a leaf: its product rounded into `format` */
    ACCORDI_EXACT,   /* a leaf: its product as it is, an argument of fma */
    ACCORDI_START,   /* the leaf beta * start, rounded into `format` */
    ACCORDI_START_EXACT,
    ACCORDI_NODE
};

/* Sums that start with +0 and are no mere additions: the zero is added to the first term of each,
 * by fma where the terms after it are fused. */
enum { ACCORDI_FIRST_FMA = 1, ACCORDI_FIRST_SUM = 2 };
/* Of a node: its sum is added to +0; a bit beside the child. */
enum { ACCORDI_ZERO_ADDED = 4 };

/* How alpha enters a child. */
enum {
    ACCORDI_SCALED = 1,
    ACCORDI_SCALED_FUSED = 2,
    ACCORDI_RETAKEN = 3,
    ACCORDI_SCALED_ZERO = 4, /* fused with +0 before it enters */
    ACCORDI_SCALED_PLUS = 5  /* added to +0 */
};

/* A subtree up to a shift: a leaf, or a chain of `run` items, all of one shape, the first one at
 * item_at and each `stride` after the one before it, onto what `start` is. A node that continues no
 * chain is one with a single item. Parts have smaller numbers than what they are parts of. Places
 * are those of the smallest leaf under a shape, less that of the whole. */
typedef struct accordi_shape {
    uint32_t label; /* all of the next ones */
    uint8_t kind;
    uint8_t format;    /* of the value */
    uint8_t sum;       /* of nodes: of the addition */
    uint8_t stored;    /* of nodes: what that is rounded into before it goes on; ACCORD_F64: none */
    uint8_t first;     /* of leaves: how a zero before them enters; of nodes: 1 + the child that it
                          is added to once alpha has multiplied that, and ACCORDI_ZERO_ADDED */
    uint8_t scaled[2]; /* of each child, in the order of their places; of a leaf: whether alpha
                          multiplies x, and y */
    uint8_t uneven;    /* of nodes whose children alpha enters differently: which one is larger */
    uint32_t leaves;
    uint32_t span; /* greatest leaf - smallest leaf + 1 */
    uint32_t run, item, start;
    int64_t item_at, stride, start_at;
} accordi_shape;

typedef struct accordi_shapes {
    accordi_shape *shape;
    uint32_t count, root;
    bool firsts;     /* leaves say where a zero enters; else it enters at the end */
    uint32_t *label; /* of each node of the tree, leaves first */
} accordi_shapes;

/* ACCORD_UNSUPPORTED for what C cannot say (or not here), with the reason. */
enum accord_status accordi_emit_check(const accord_model *model, accord_error *error);
enum accord_status accordi_emit_refuse(accord_error *error, const char *what);

/* The label of each node of the tree, which the caller frees; *firsts as in accordi_shapes. */
enum accord_status accordi_labels_make(const accord_model *model, uint32_t **out, bool *firsts,
                                       accord_error *error);
/* What a label says. */
accordi_shape accordi_shape_labeled(uint32_t label);

enum accord_status accordi_shapes_make(const accord_model *model, accordi_shapes *out,
                                       accord_error *error);
void accordi_shapes_clear(accordi_shapes *shapes);

/* A product that is an argument of fma, and no value by itself. */
bool accordi_is_exact(const accordi_shape *s);
/* A mere addition: without alpha, and not stored. */
bool accordi_shape_plain(const accordi_shape *s);
/* A start that is not a value by itself, or one of another format than the chain stores, takes the
 * first item along. */
bool accordi_starts_with_two(const accordi_shapes *all, const accordi_shape *s);
/* Where item i of a chain is. */
int64_t accordi_item_at(const accordi_shape *s, uint32_t i);
/* A chain of single leaves at one stride from its start on, or a leaf (of length 1). */
bool accordi_shape_uniform(const accordi_shapes *s, uint32_t shape);
/* Equal but for the length of such a chain. */
bool accordi_shape_alike(const accordi_shapes *s, uint32_t a, uint32_t b);

/* ---- plans ---- */

enum accordi_fold {
    ACCORDI_FOLD_HALVES,     /* the upper half onto the lower one */
    ACCORDI_FOLD_PAIRS,      /* neighbors, level by level */
    ACCORDI_FOLD_SEQUENTIAL, /* the first, then each next one */
    ACCORDI_FOLD_REVERSE,    /* the last, then each one before it */
    ACCORDI_FOLD_OTHER       /* as onto and from say */
};

enum { ACCORDI_MOST_LANES = 512, ACCORDI_FEW_LANES = 8, ACCORDI_MOST_PLANS = 48 };

/* Like subtrees side by side, and the tree above them. */
typedef struct accordi_lanes_plan {
    uint32_t count, shape; /* the longest one where chains differ by one in length */
    uint32_t longer;       /* so many first lanes are one longer; 0: all are alike */
    int64_t stride;
    bool interleaved; /* filled in one loop; else each by a call */
    enum accordi_fold fold;
    uint8_t format;                    /* of the fold */
    uint16_t onto[ACCORDI_MOST_LANES]; /* addition i: lane from[i] onto lane onto[i], … */
    uint16_t from[ACCORDI_MOST_LANES]; /* … count - 1 of them */
} accordi_lanes_plan;

/* Tries to see a shape as lanes; false where there are none worth it. */
bool accordi_find_lanes(const accordi_shapes *s, uint32_t shape, accordi_lanes_plan *out);

typedef struct accordi_emit_plan {
    bool planned;
    bool function; /* a function of its own */
    bool no_minus; /* whose result is never -0 */
    bool called;
    uint8_t uses;
    accordi_lanes_plan *lanes; /* NULL: the run on top of the shape */
} accordi_emit_plan;

typedef struct accordi_emit_plans {
    accordi_emit_plan *of; /* per shape */
    size_t count;          /* planned shapes */
    bool small_products;
} accordi_emit_plans;

/* Plans what the root needs. *regular: false when more than ACCORDI_MOST_PLANS shapes are needed,
 * then a table is the better form. */
enum accord_status accordi_emit_plans_make(const accordi_shapes *s, bool products,
                                           accordi_emit_plans *out, bool *regular,
                                           accord_error *error);
void accordi_emit_plans_clear(const accordi_shapes *s, accordi_emit_plans *plans);
/* Short enough to be written as an expression. */
bool accordi_is_small(const accordi_shapes *s, const accordi_emit_plans *plans, uint32_t shape);
/* Several at once can be filled in one loop over lanes. */
bool accordi_is_vector(const accordi_shapes *s, const accordi_emit_plans *plans, uint32_t shape);

/* ---- words ---- */

/* How leaves are read: x[k] and y[k * y_stride]. */
typedef struct accordi_emit_operands {
    const char *x, *y;               /* names */
    const char *x_stride, *y_stride; /* variables (size_t), NULL: 1 */
    const char *start;               /* an expression for the start value, NULL: none */
} accordi_emit_operands;

/* constant + sum of stride * variable. */
typedef struct accordi_emit_place {
    int64_t constant;
    int count;
    struct {
        char name[8];
        int64_t stride;
    } term[8];
} accordi_emit_place;

typedef struct accordi_writer {
    const accord_model *model;
    const accordi_shapes *shapes;
    accordi_emit_plans *plans;
    const accordi_emit_operands *operands;
    const char *name; /* of the function; those of its parts begin with it */
    accordi_buffer *out;
    int indent;
    int sums, lanes, folds; /* variables so far */
    bool from_zero;         /* sums may start with +0 */
    const char *index;      /* type of indices */
} accordi_writer;

/* A value as text: an expression, or the two factors of an unrounded product. */
typedef struct accordi_value {
    accordi_buffer text, second; /* second: the other factor */
    uint8_t format;
    uint8_t level; /* 0: an atom, 1: a product, 2: a sum */
    bool exact;
    bool fresh;    /* a variable that nothing else uses */
    bool no_minus; /* never -0 */
} accordi_value;

const char *accordi_type(uint8_t format);
/* The format of operands as sums see them: f32 once they are rounded into anything narrower. */
uint8_t accordi_emit_input(const accord_arithmetic *arithmetic);
void accordi_place_add(accordi_emit_place *place, const char *name, int64_t stride);
accordi_emit_place accordi_place_at(const accordi_emit_place *place, int64_t more);
/* "k", "(k + 3) * ldb", … */
void accordi_put_index(const accordi_emit_place *place, const char *stride, accordi_buffer *out);
/* The loop over items first … end-1 of a chain, unless it is one item; where the item is. Item -1
 * is what stands one stride before the first one. */
accordi_emit_place accordi_open_run(accordi_writer *w, const accordi_shape *chain, int first,
                                    int end, const accordi_emit_place *place);
/* A line of code, broken where it is too long. */
void accordi_line(accordi_writer *w, const char *format, ...) ACCORDI_PRINTF(2, 3);
accordi_value accordi_leaf(const accordi_writer *w, const accordi_shape *s,
                           const accordi_emit_place *place);
/* The value of a leaf, of a short shape, or of one with a function of its own. */
accordi_value accordi_operand(accordi_writer *w, uint32_t shape, const accordi_emit_place *place);
accordi_value accordi_named(uint8_t format, const char *text, ...) ACCORDI_PRINTF(2, 3);
/* The sum of two values in a format; clears both. */
accordi_value accordi_sum(accordi_writer *w, uint8_t format, accordi_value *a, accordi_value *b);
/* Times alpha, as `scaled` says, for a node of the format; clears the value. */
accordi_value accordi_times_alpha(accordi_writer *w, int scaled, uint8_t format, accordi_value *a);
/* A node of that shape: the sum of both children, as alpha multiplies them, from zero, stored;
 * clears them. */
accordi_value accordi_node_sum(accordi_writer *w, const accordi_shape *shape,
                               accordi_value item[2]);
/* As a value of the format; clears the value. */
accordi_value accordi_converted(uint8_t format, accordi_value *a);
void accordi_value_clear(accordi_value *value);
const char *accordi_text(const accordi_writer *w, const accordi_value *value);
/* The same of the sum so far and an item, which stands before it or after it. */
accordi_value accordi_added(accordi_writer *w, const accordi_shape *shape, bool before,
                            accordi_value *sum, accordi_value *item);
/* "target += item", or what the item and the chain ask for; clears the item. */
void accordi_put_add(accordi_writer *w, const char *target, const accordi_shape *chain,
                     accordi_value *item);
/* A constant of the model, with the digits that it needs. */
void accordi_put_constant(uint8_t format, double value, accordi_buffer *out);
/* The name of the function of a shape. */
void accordi_put_name(const accordi_writer *w, uint32_t shape, accordi_buffer *out);
/* Parameters of functions over the operands, and arguments for them. */
void accordi_put_parameters(const accordi_writer *w, accordi_buffer *out);

/* ---- bodies ---- */

/* Whether a chain may as well start with zero and its start as one more item. */
bool accordi_starts_with_zero(const accordi_writer *w, uint32_t shape);
/* The start of a chain and its first item; clears the start. */
accordi_value accordi_first_added(accordi_writer *w, const accordi_shape *chain,
                                  const accordi_emit_place *place, accordi_value *start);
accordi_value accordi_put_lanes(accordi_writer *w, const accordi_lanes_plan *plan,
                                const accordi_emit_place *place);
/* First what is to be known of parts; then the statements of the root, whose value is returned as
 * text; then the functions that these call, to stand before it. */
void accordi_learn_parts(accordi_writer *w);
accordi_value accordi_put_root(accordi_writer *w);
void accordi_put_parts(accordi_writer *w);
/* The same by a table. ACCORD_NOMEM, ACCORD_UNSUPPORTED. */
enum accord_status accordi_put_table(accordi_writer *w, accordi_value *out, accord_error *error);

/* Those of the functions that round, or change a sign, which the function and its parts call. */
void accordi_put_helpers(accordi_writer *w, const accordi_buffer *function,
                         const accordi_buffer *parts);

/* Whole functions: what accord_model_emit_c and the emission of maps are made of. */
typedef struct accordi_emission {
    const char *name;
    bool is_static;
    accordi_emit_operands operands;
    const char *comment; /* lines before the function, or NULL */
} accordi_emission;
enum accord_status accordi_emit_function(const accord_model *model,
                                         const accordi_emission *emission, accordi_buffer *out,
                                         accord_error *error);
/* ACCORD_ARG unless `name` can be that of a C function. */
enum accord_status accordi_emit_name(const char *name, accord_error *error);
/* The functions with what stands before and after them in a file. */
void accordi_emit_file(const accordi_buffer *functions, accordi_buffer *out);

#endif

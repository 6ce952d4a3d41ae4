/* Models in one line: the settings behind the commas, and the words in the labels of nodes.
 * Internal; accord/model.h has the contract, and doc/notation.md lists the words. */
#ifndef ACCORDI_LINE_H
#define ACCORDI_LINE_H

#include "base/base.h"
#include <accord/model.h>

/* A row of a table of settings: a format or a word that follows an equals sign, or a flag, which
 * stands alone. */
enum { ACCORDI_SETTING_WORDS = 10 };
typedef struct accordi_setting {
    const char *name;
    enum {
        ACCORDI_SETTING_FORMAT,
        ACCORDI_SETTING_OPERAND, /* a format that operands of machines may have */
        ACCORDI_SETTING_WORD,
        ACCORDI_SETTING_FLAG
    } kind;
    size_t at, has; /* offsets of the value and, of formats, of whether it is given */
    const char *word[ACCORDI_SETTING_WORDS]; /* that may follow; none: any */
    const char *alone;                       /* what is meant where none follows; NULL: an error */
} accordi_setting;

/* Reads a setting into the struct that the offsets of `table` belong to.
 *   value: what follows the equals sign; NULL: there is none. It is kept.
 *   where: the beginning of messages.
 * *known becomes false, with ACCORD_OK, if there is no such row, or it takes a value and has none,
 * or has one and takes none. ACCORD_ARG for a value that cannot be, or for a setting that was read
 * before. */
enum accord_status accordi_setting_read(const accordi_setting *table, size_t rows, void *into,
                                        const char *name, const char *value, const char *where,
                                        bool *known, accord_error *error);

/* What the settings say of an arithmetic. All zero: nothing. */
typedef struct accordi_settings {
    bool has_terms, has_accumulator, has_product, has_output;
    enum accord_format terms, accumulator, product, output;
    bool values, products, absolute, squares, mean, zero_last;
    const char *fma, *start, *flush, *rounding, *skips, *machine;
} accordi_settings;
extern const accordi_setting accordi_setting_rows[];
extern const size_t accordi_setting_count;

/* Which child of a binary node enters unrounded. */
enum accordi_fusing {
    ACCORDI_FUSING_NONE,
    ACCORDI_FUSING_LAST,  /* a leaf beside a sum, and of two leaves the last, */
    ACCORDI_FUSING_FIRST, /* or the first, */
    ACCORDI_FUSING_INNER, /* or neither */
    ACCORDI_FUSING_STEP   /* the node is a short step of the machine */
};

/* What some nodes do: an operation, apart from the place of the child that enters unrounded. */
typedef struct accordi_line_kind {
    enum accordi_fusing fusing;
    accord_operation operation; /* without `fused` */
} accordi_line_kind;

/* The operation of a kind at inner node k. */
accord_operation accordi_line_kind_at(const accordi_line_kind *kind, const accord_tree *tree,
                                      uint32_t k);

/* The kind of nodes without a label. The machine's name must be right. */
accordi_line_kind accordi_settings_kind(const accordi_settings *settings);

/* Reads the words of a label, which change `base`, the kind of nodes without a label. ACCORD_PARSE:
 * *wrong is where, in the words. */
enum accord_status accordi_label_read(const char *words, size_t length,
                                      const accordi_line_kind *base, accordi_line_kind *out,
                                      size_t *wrong, accord_error *error);
void accordi_label_write(accordi_buffer *out, const accordi_line_kind *kind,
                         const accordi_line_kind *base);

/* An order whose labels are words. */
typedef struct accordi_order_line {
    accord_tree *tree;
    uint32_t *label;         /* of the leaves and then of the inner nodes: the number of the kind */
    accordi_line_kind *kind; /* number 0 is the kind of nodes without a label */
    size_t kinds;
} accordi_order_line;
/* ACCORD_PARSE: *place (which may be NULL) is where, in the text. Clear it in any case. */
enum accord_status accordi_order_line_read(const char *text, const accordi_line_kind *base,
                                           accordi_order_line *out, size_t *place,
                                           accord_error *error);
void accordi_order_line_clear(accordi_order_line *line);

/* The arithmetic of settings and labels. ACCORD_ARG: the settings contradict each other or the
 * order, or there is no such machine. */
enum accord_status accordi_line_arithmetic(const accordi_settings *settings,
                                           const accordi_order_line *line, accord_arithmetic **out,
                                           accord_error *error);
/* Gives inner node k of such an arithmetic an operation. False: there are 255 others already. */
bool accordi_set_operation(accord_arithmetic *arithmetic, uint32_t k, const accord_operation *op);

/* Appends the settings of a model, each after a comma; `kind`: as in accordi_order_line.
 * ACCORD_UNSUPPORTED: the model does something that no setting says. */
enum accord_status accordi_settings_write(accordi_buffer *out, const accord_model *model,
                                          const accordi_line_kind *kind, size_t kinds,
                                          accord_error *error);

#endif

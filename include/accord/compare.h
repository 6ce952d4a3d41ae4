/* Whether two records tell of the same sums. Every comparison of accord goes through here. */
#ifndef ACCORD_COMPARE_H
#define ACCORD_COMPARE_H

#include <accord/record.h>

#ifdef __cplusplus
extern "C" {
#endif

enum accord_sameness {
    ACCORD_SAME,           /* the same order and arithmetic, and no answer contradicts it */
    ACCORD_SAME_ON_INPUTS, /* not explained by any model, but the same answers on all inputs */
    ACCORD_DIFFERS,        /* another order, other arithmetic, or other answers */
    ACCORD_CANNOT_TELL     /* nothing shows whether they are the same */
};

/* What a verdict rests on. */
enum accord_ground {
    ACCORD_GROUND_MODEL,       /* the order and the arithmetic, as far as both tell */
    ACCORD_GROUND_ANSWERS,     /* the answers */
    ACCORD_GROUND_COUNT,       /* other numbers of terms */
    ACCORD_GROUND_ORDER,       /* other orders, or only one is a fixed order */
    ACCORD_GROUND_ARITHMETIC,  /* the same order, other arithmetic */
    ACCORD_GROUND_VARIES,      /* the answers of one or both differ from run to run */
    ACCORD_GROUND_QUESTION,    /* the answers are to other questions */
    ACCORD_GROUND_NOT_RECORDED /* a record has no answers */
};

/* The verdict in `sameness`, and `text`: the reason in one line without a full stop, about "A" and
 * "B". Answers count as compared where both records have them, to equal questions, and neither's
 * varied: then `inputs` says on how many of them they agree, or is 0 where they differ, and `input`
 * is the first one on which they differ, with the bits of both (as in accord_answers); -1 where
 * none does, or none of those whose bits are kept. */
typedef struct accord_comparison {
    enum accord_sameness sameness;
    enum accord_ground ground;
    int64_t inputs, input;
    uint64_t bits_a, bits_b;
    /* Its answers differ from run to run, or depend on more than its own operands. */
    bool varies_a, varies_b;
    char text[400];
} accord_comparison;

/* Questions are equal when the version of the inputs, the number of terms, their format and
 * kind, the format of the result, alpha and beta are, and so are shape, element, transposes,
 * strides, signature and alignment. With this flag the latter may differ: what counts is that the
 * element asked for has the same terms. For surveys, which vary just that. Where one record has
 * more answers than the other, those compare whose bits both keep. */
enum { ACCORD_COMPARE_TERMS = 1 };

/* The answers of two records alone. ACCORD_SAME_ON_INPUTS, ACCORD_DIFFERS or ACCORD_CANNOT_TELL,
 * which is also returned; ground ANSWERS, VARIES, QUESTION or NOT_RECORDED. `out` may be NULL.
 * Thread-safe; allocates nothing. */
ACCORD_API enum accord_sameness accord_answers_compare(const accord_record *a,
                                                       const accord_record *b, unsigned flags,
                                                       accord_comparison *out);

/* The verdict of two records as a whole: order, arithmetic and answers. A is what B is held
 * against. The answers of A vary from run to run: nothing can be held against it. Those of B alone
 * do: they differ, if A has an order or answers. Both have a proven order: another order or other
 * arithmetic differs. Equal models are the same unless their answers can be compared and differ;
 * what a record does not tell of its arithmetic (a file of brackets) cannot differ. Only one has
 * one: they differ. Otherwise (an order without an explanation, or no order at all) the answers
 * decide; where they cannot be compared nothing does. So it is where a record has left something
 * out (record->left_out), but orders differ if every node of both was confirmed. Returns
 * out->sameness; `out` may be NULL. Thread-safe. */
ACCORD_API enum accord_sameness accord_record_compare(const accord_record *a,
                                                      const accord_record *b, unsigned flags,
                                                      accord_comparison *out);

/* "same", "same-on-inputs", "differs", "cannot-tell". */
ACCORD_API const char *accord_sameness_name(enum accord_sameness sameness);

/* Two orders of different counts, by the terms that both have: the first ones, and the start value
 * where both have one (it is the last leaf). */
typedef struct accord_common {
    enum accord_sameness sameness; /* SAME, DIFFERS, or CANNOT_TELL where one is not proven */
    uint32_t common;               /* terms that both have */
    bool b_is_longer, start;
    bool same_order;       /* the longer order is the shorter one on the common terms */
    bool other_arithmetic; /* as far as words tell */
    accord_tree *induced;  /* the longer order on those terms alone */
    /* Where orders differ, as accord_tree_diff of A and B, the longer of which is `induced`. */
    bool has_node, swapped;
    accord_tree_difference node;
    /* Of the terms that only the longer order has: how many enter where all common terms have been
     * added, at sums of some of them, beside a single one; and at how many nodes. */
    uint32_t after, within, beside_terms, entries;
    char text[100]; /* the verdict in one line, without a full stop */
} accord_common;

/* Compares what two orders, of different counts or not, do with the terms that both have.
 * ACCORD_ARG where a record has no tree; ACCORD_NOMEM. `out` is untouched on failure; clear frees
 * what it holds. Thread-safe. */
ACCORD_API enum accord_status accord_common_compare(const accord_record *a, const accord_record *b,
                                                    accord_common *out, accord_error *error);
ACCORD_API void accord_common_clear(accord_common *common);
/* Where the terms that only the longer order has enter, in a sentence. */
ACCORD_API void accord_common_describe(const accord_common *common, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif

/* The notation: an order in one line, exactly.
 *
 *     1000: split to 128 by 8 ((lanes 8; pairs) of 8s; chain)
 *
 * is NumPy's order of 1000 terms. A notation names the number of terms and then the steps that turn
 * the list of terms into one sum, each of which replaces some items of the list by their sums.
 * doc/notation.md has the grammar, the meaning of each step, and the rules that choose the
 * canonical one of several notations of an order.
 *
 * Nodes may have labels, as in accord/pattern.h: numbers whose meaning is the caller's.
 *
 * All functions may be called from several threads at once. */
#ifndef ACCORD_NOTATION_H
#define ACCORD_NOTATION_H

#include <accord/tree.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Makes the tree that a notation stands for.
 *   label: if not NULL, *label becomes an array of the labels of the leaves and then of the inner
 *     nodes of *tree, which the caller frees with accord_notation_free.
 *   place: if not NULL, and the status is ACCORD_PARSE, *place becomes the byte of the text at
 *     which it goes wrong (at most its length).
 * ACCORD_PARSE if the text is no notation, or its steps do not make one sum of the terms;
 * ACCORD_NOMEM. The tree is the caller's: accord_tree_free. Time O(n) for each step. */
ACCORD_API enum accord_status accord_notation_parse(const char *text, accord_tree **tree,
                                                    uint32_t **label, size_t *place,
                                                    accord_error *error);

/* The number of terms at the beginning of a notation, or of a model in one line (accord/model.h),
 * without making its tree. Returns 0 if the text does not begin as one of them does. */
ACCORD_API uint32_t accord_notation_terms(const char *text);

/* Writes the canonical notation of a tree: a function of the tree and its labels alone, from which
 * accord_notation_parse makes the same tree with the same labels.
 *   label: the labels of the leaves and then of the inner nodes; NULL means that all are 0.
 *   regular: if not NULL, *regular becomes true if the notation consists of steps alone, and false
 *     if some terms, or all, stand there in explicit brackets.
 * *text is the caller's: accord_notation_free. A regular order of 10^7 terms takes seconds, and its
 * text is short; the text of an irregular one has some bytes for each term. ACCORD_NOMEM. */
ACCORD_API enum accord_status accord_notation_write(const accord_tree *tree, const uint32_t *label,
                                                    char **text, bool *regular,
                                                    accord_error *error);

/* What changed from one order to another, in the words of their notations: "blocks of 128 became
 * 256", "the tail of 8 moved to the front"; an empty text where the steps are the same. Compared
 * are the steps as they are written, so give canonical notations. *text is the caller's:
 * accord_notation_free. ACCORD_PARSE, ACCORD_NOMEM. */
ACCORD_API enum accord_status accord_notation_changes(const char *a, const char *b, char **text,
                                                      accord_error *error);

/* Frees what the functions of this header made, but for trees. NULL is fine. */
ACCORD_API void accord_notation_free(void *memory);

#ifdef __cplusplus
}
#endif
#endif

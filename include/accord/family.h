/* Families of orders: how an implementation adds n terms, for every n of a range.
 *
 * A family is made of orders that were asked for at some n. It has rules, each of which gives the
 * orders at many n by one *form*: a notation (accord/notation.h) without the number of terms, in
 * which numbers may be expressions in n, in square brackets:
 *
 *     (lanes 32; halves) of [n - n mod 32]; chain
 *
 * A rule holds for the n of a range, or for those of some residues modulo a number. Each n is one
 * of three things: asked, if its order is known; predicted, if a rule gives an order for it, or
 * says that there is none; or unknown, if there is no rule, or its form gives no order there. A
 * prediction is a conjecture that agrees with everything that was asked; the family says how many
 * predictions were checked. doc/family.md has the grammar, and explains how rules are found.
 *
 * Several threads may read a family at once while no thread changes it. */
#ifndef ACCORD_FAMILY_H
#define ACCORD_FAMILY_H

#include <accord/tree.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct accord_family accord_family;

enum accord_family_state { ACCORD_FAMILY_UNKNOWN, ACCORD_FAMILY_ASKED, ACCORD_FAMILY_PREDICTED };

/* A rule holds for the n from `from` to `to` with low <= n mod modulus <= high; modulus is 1 where
 * it holds for all of them. Where its form gives no order, as one with `n - 8` at n = 7, an n is
 * neither asked nor predicted; in rules of more than 2^20 n, `predicted` counts it all the same.
 * The rules are in ascending order of `from`, then of `low`; no n has two. A rule without
 * predictions may be just what was asked there. Fixed layout. */
typedef struct accord_family_rule {
    uint32_t from, to, modulus, low, high;
    uint32_t asked, predicted; /* n of the rule: how many were asked, how many are predicted */
    const char *form;          /* "" where there is no order at `from`; as long as the rules live */
} accord_family_rule;

/* A family for the n from `from` to `to`, without anything known. ACCORD_ARG: not
 * 1 <= from <= to <= 2^31 - 1. ACCORD_NOMEM. */
ACCORD_API enum accord_status accord_family_new(uint32_t from, uint32_t to, accord_family **out,
                                                accord_error *error);
/* NULL is fine. */
ACCORD_API void accord_family_free(accord_family *family);

ACCORD_API uint32_t accord_family_from(const accord_family *family);
ACCORD_API uint32_t accord_family_to(const accord_family *family);

/* Adds what was asked: the order of tree->leaves terms; or, with tree = NULL, that n terms have no
 * order, and why. The rules stay as they are until accord_family_fit. ACCORD_ARG: n is out of the
 * range or was asked before. ACCORD_NOMEM. */
ACCORD_API enum accord_status accord_family_add(accord_family *family, uint32_t n,
                                                const accord_tree *tree, const char *why,
                                                accord_error *error);

/* Finds the rules anew: the fewest that agree with all that was asked. Time: some tenths of a
 * second with a thousand orders of up to 4096 terms. ACCORD_NOMEM. */
ACCORD_API enum accord_status accord_family_fit(accord_family *family, accord_error *error);

/* The n that should be asked next, so that it becomes known where the rules change, and that every
 * rule rests on several n; at most `room` of them. Returns how many: 0 if nothing is open. What is
 * still open is unknown. */
ACCORD_API size_t accord_family_open(const accord_family *family, uint32_t *n, size_t room);

ACCORD_API size_t accord_family_rules(const accord_family *family);
/* Rule i, less than their number. */
ACCORD_API accord_family_rule accord_family_rule_at(const accord_family *family, size_t i);
/* What is known of n; *rule (may be NULL) becomes the number of its rule, or that of rules. */
ACCORD_API enum accord_family_state accord_family_at(const accord_family *family, uint32_t n,
                                                     size_t *rule);
/* The i-th n that was asked, in ascending order; 0 past the last one. */
ACCORD_API uint32_t accord_family_asked(const accord_family *family, size_t i);
/* Why there is no order at n, as was added; NULL if there is one, or n was not asked. */
ACCORD_API const char *accord_family_why(const accord_family *family, uint32_t n);

/* The notation of the order at n, by its rule, to be freed with accord_notation_free. It need not
 * be the canonical one. ACCORD_UNABLE: n is unknown, or has no order. ACCORD_NOMEM. */
ACCORD_API enum accord_status accord_family_notation(const accord_family *family, uint32_t n,
                                                     char **notation, accord_error *error);
/* A guess of the order at n, by the rule of n or by one that may reach so far, which the caller
 * frees (accord_tree_free): *tree is NULL where there is none. It rests on no more than what other
 * n let expect. ACCORD_NOMEM. */
ACCORD_API enum accord_status accord_family_expect(const accord_family *family, uint32_t n,
                                                   accord_tree **tree, accord_error *error);
/* Whether the tree, which may be of any number of terms, is what the family says of this number.
 * False if it says nothing. */
ACCORD_API bool accord_family_holds(const accord_family *family, const accord_tree *tree);

/* Adds a rule as it was written down; rules are added in their order. `rule.asked` and
 * `rule.predicted` are ignored: all n of a rule count as predicted. ACCORD_PARSE: the form is no
 * form, or gives no order at an n of the rule. ACCORD_ARG: the rule is out of the range, or not
 * behind the last one. */
ACCORD_API enum accord_status
accord_family_add_rule(accord_family *family, const accord_family_rule *rule, accord_error *error);

/* The notation that a form is at n. ACCORD_PARSE if an expression is wrong or has no value at n.
 * To be freed with accord_notation_free. */
ACCORD_API enum accord_status accord_form_at(const char *form, uint32_t n, char **notation,
                                             accord_error *error);

/* The form in plain English: "the first n - n mod 32 (in 32 lanes, then folded by halves), then one
 * after the other"; the form itself where it has brackets, or that would be too long. */
#define ACCORD_FORM_WORDS_SIZE 400
ACCORD_API void accord_form_words(const char *form, char text[ACCORD_FORM_WORDS_SIZE]);

/* Where a step of a rule has something to do. Fixed layout. */
typedef struct accord_family_use {
    uint32_t from, to; /* the first and the last n of the rule; 0 if there is none */
    bool always;       /* at all n of the rule between them */
} accord_family_use;

/* Fills in use[i] for the steps of the form of a rule that add (see accord_form_step), and returns
 * how many there are, at most 64. For rules of more than 8192 n, not all of them are looked at, but
 * more and more sparsely toward the end of the rule, and `from` is then found by bisection. */
ACCORD_API size_t accord_family_uses(const accord_family *family, size_t rule,
                                     accord_family_use use[64]);

/* The n, in ascending order, at which the pattern changes: where a rule begins, or where a
 * step of a rule has something to do for the first time and from then on; but not where it does
 * so only because its list has a second term, next to the beginning of the rule. Writes at most
 * `room` of them and returns how many there are. */
ACCORD_API size_t accord_family_changes(const accord_family *family, uint32_t *n, size_t room);

/* The steps of a form that add, in the order in which they are written: bit i of the result says
 * that step i adds something at n. With few terms some steps have nothing to do. At most 64 steps
 * count. 0 if the form gives no order at n. Time O(n). */
ACCORD_API uint64_t accord_form_uses(const char *form, uint32_t n);
/* The text of such a step, without the steps in it, such as "lanes 8 of [n - n mod 8]"; the number
 * of the step is less than 64. False if there is no such step. */
#define ACCORD_STEP_SIZE 120
ACCORD_API bool accord_form_step(const char *form, size_t step, char text[ACCORD_STEP_SIZE]);

#ifdef __cplusplus
}
#endif
#endif

/* What the files of families share (accord/family.h). Internal. */
#ifndef ACCORDI_FAMILY_H
#define ACCORDI_FAMILY_H

#include "pattern/notation.h"
#include <accord/family.h>

/* ---- expressions in n: family_expression.c ---- */

/* The value at n of the expression in text[0..length-1]. False if it is no expression, or its value
 * is no number from 0 to 2^31 - 1. */
bool accordi_expression_value(const char *text, size_t length, uint32_t n, uint32_t *value);

/* An expression that holds the value `v` at n, and other values elsewhere: from the outside in, a
 * constant plus a multiple of a quotient of n, or of (n + e) mod `a`; or n less that. */
typedef struct accordi_guess {
    bool less;          /* n - s * ((n + d) / b) + c */
    int64_t c, s, d, b; /* c + s * ((x + d) / b) */
    int64_t a, e;       /* x is (n + e) mod a; if a is 0, n */
    bool blocks;        /* plus (n + e) / a: the blocks of `a` terms, and something of the rest */
} accordi_guess;
int64_t accordi_guess_value(const accordi_guess *guess, int64_t n);
void accordi_guess_write(accordi_buffer *out, const accordi_guess *guess);

/* The simplest expression that has the value of the first of `count` pairs, and those of as many of
 * the others as any has. hint: numbers from which moduli are made. */
typedef struct accordi_pair {
    uint32_t n, v;
} accordi_pair;
accordi_guess accordi_guess_best(const accordi_pair *pair, size_t count, const uint32_t *hint,
                                 size_t hints);
/* Another expression that explains the same pairs. Where these leave open at which n a quotient
 * grows, as do tails of 1 to 7 terms of blocks of 8, it grows as late as it can, or else as early;
 * or, if not `late`, behind the whole multiples, which then end a block. A remainder of 0 becomes
 * that of a whole block, if no pair has it. If none of that is open it is the same expression. */
accordi_guess accordi_guess_other(const accordi_guess *guess, const accordi_pair *pair,
                                  size_t count, bool late);

/* ---- forms: family_form.c ---- */

/* Appends the notation at n; false if an expression has no value there. */
bool accordi_form_put(accordi_buffer *out, const char *form, uint32_t n);

/* The order of one n. */
typedef struct accordi_sample {
    uint32_t n;
    uint32_t inner;
    uint32_t *parent;   /* of the nodes; NULL where there is no order */
    uint32_t *children; /* of each inner node: how many; NULL if all have two */
    char *why;          /* why there is none */
    char *steps;        /* the canonical notation, behind the number of terms */
    bool regular;       /* whether it has no brackets */
    size_t kind;        /* number of its skeleton, which is its steps without their numbers */
    size_t serial;      /* how many samples were added before it */
    uint64_t fits;      /* forms that give this order, by their bits */
} accordi_sample;

/* Keeps the tree in a sample of this n; false without memory. */
bool accordi_sample_tree(accordi_sample *sample, const accord_tree *tree);
void accordi_sample_clear(accordi_sample *sample);

/* Whether the form gives any order of n terms: its expressions have values, and its steps leave one
 * sum. */
bool accordi_form_is_order(const char *form, uint32_t n);
/* Whether the form gives the order of the sample. */
bool accordi_form_fits(const char *form, const accordi_sample *sample);

/* Numbers in steps, but for those in brackets; at most `room` are written. */
size_t accordi_form_numbers(const char *steps, uint32_t *number, size_t room);
/* The steps with their numbers replaced by expressions; or, with NULL, by the sign #. */
void accordi_form_replace(accordi_buffer *out, const char *steps, const accordi_guess *number);

/* ---- the family ---- */

enum { ACCORDI_MOST_FORMS = 64 };

typedef struct accordi_rule {
    accord_family_rule public;
    char *form; /* owned */
    bool alone; /* just what was asked, not a form of n */
} accordi_rule;

/* A form that fitted too few of the first `samples` samples that were added. */
typedef struct accordi_failure {
    char *form; /* owned */
    size_t fitted, samples;
} accordi_failure;

struct accord_family {
    uint32_t from, to;
    accordi_sample *sample; /* ascending in n */
    size_t samples, sample_room;
    char **kind; /* skeletons */
    size_t kinds, kind_room;
    char *form[ACCORDI_MOST_FORMS];
    size_t forms;
    uint64_t tried, allowed; /* terms of samples with which forms were tried, in vain; the most */
    accordi_failure *failure;
    size_t failures, failure_room;
    accordi_rule *rule;
    size_t rules, rule_room;
};

/* Finds forms for the samples that no form fits: family_fit.c. */
enum accord_status accordi_family_find_forms(accord_family *family, accord_error *error);
/* From samples with their forms to rules: family_rules.c. */
enum accord_status accordi_family_find_rules(accord_family *family, accord_error *error);
enum accord_status accordi_family_put_rule(accord_family *family, const accord_family_rule *rule,
                                           bool alone, accord_error *error);
void accordi_family_clear_rules(accord_family *family);
/* How many n a rule is for. */
uint32_t accordi_rule_size(const accord_family_rule *rule);
/* The sample of n, or NULL. */
accordi_sample *accordi_family_sample(const accord_family *family, uint32_t n);

#endif

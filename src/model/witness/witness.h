/* The parts of the search for a witness. Two models come in; an input on which they give different
 * bits goes out. Internal; read witness.c (two orders) first, then search.c (two models). */
#ifndef ACCORDI_WITNESS_H
#define ACCORDI_WITNESS_H

#include "base/base.h"
#include <accord/model.h>

/* Three leaves that tell two trees apart: i and j are added before k meets them in one of them,
 * not in the other. i is UINT32_MAX where the trees are equal; j or k where there are no three. */
typedef struct accordi_triple {
    uint32_t i, j, k;
} accordi_triple;
enum accord_status accordi_witness_triple(const accord_tree *a, const accord_tree *b,
                                          accordi_triple *out, accord_error *error);

/* Leaves where a difference is likely to show, best first. */
enum { ACCORDI_POOL = 10 };
typedef struct accordi_pool {
    uint32_t leaf[ACCORDI_POOL];
    size_t count;
} accordi_pool;
enum accord_status accordi_witness_pool(const accord_model *a, const accord_model *b,
                                        accordi_pool *out, accord_error *error);

/* The factors of a term. */
typedef struct accordi_factors {
    double x, y;
} accordi_factors;

/* Values for a few terms on which arithmetics are likely to part, plainest first: `count` rows of
 * `terms` factors that both models can be given; `plain` ones alone, or any. */
typedef struct accordi_patterns {
    accordi_factors *row;
    size_t terms, count, room;
    bool failed; /* memory ran out */
} accordi_patterns;
void accordi_patterns_fill(accordi_patterns *out, size_t terms, bool plain, const accord_model *a,
                           const accord_model *b);
void accordi_patterns_clear(accordi_patterns *patterns);

/* The narrowest format of operands of two models; do both hold x? */
enum accord_format accordi_narrowest_input(const accord_model *a, const accord_model *b);
bool accordi_both_hold(const accord_model *a, const accord_model *b, double x);
/* Is x an ordinary number: neither zero nor near the ends of what both models can be given? */
bool accordi_is_plain(const accord_model *a, const accord_model *b, double x);
/* Are the terms of both products of two factors? */
bool accordi_both_products(const accord_model *a, const accord_model *b);

#endif

/* Discovers an order by triples of terms, if a result can count only a few units. Internal. */
#ifndef ACCORDI_ROOTED_H
#define ACCORDI_ROOTED_H

#include "reveal/prove/certificate.h"

/* Do a and b meet before c? */
typedef struct accordi_rooted {
    uint32_t a, b, c;
    bool meet;
} accordi_rooted;

/* Answers `count` such questions. */
typedef enum accord_status accordi_rooted_ask(void *context, accordi_rooted *rooted, size_t count);

/* Discovers a binary order of three terms or more by such questions (nonnegative.c); where nodes
 * have more than two children, any tree may come out. */
enum accord_status accordi_rooted_grow(accordi_asker *asker, accordi_rooted_ask *ask, void *context,
                                       accord_tree **out);

/* Whether questions about single terms take fewer probes than counts, for so few units a probe, as
 * with means; the tree has to be proven, since nodes of more than two children are not seen. */
bool accordi_rooted_pays(const accordi_asker *asker);
/* Discovery by masks, and the proof of a binary tree by n - 2 probes. A probe that contradicts the
 * tree leaves *holds false. */
enum accord_status accordi_rooted_discover(accordi_asker *asker, accord_tree **out);
enum accord_status accordi_rooted_prove(accordi_asker *asker, const accord_tree *tree,
                                        accordi_certificate *out, bool *holds);
/* A few of these probes, of nodes drawn at random, of a tree of three terms or more. */
enum accord_status accordi_rooted_glance(accordi_asker *asker, const accord_tree *tree,
                                         bool *holds);

#endif

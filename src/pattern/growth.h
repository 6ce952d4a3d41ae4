/* An order as it grows, term by term, and the rules by which it may go on. Internal.
 *
 * The order of the first i terms becomes that of the first i + 1 when term i is added onto one of
 * the nodes: a term, or a sum of some. Node 2k is term k, and node 2k + 1 is the sum that term k
 * made when it was added. So a binary order of n terms is a list of n - 1 lags: term i is added
 * onto node 2i - lag. In one lane of L, all lags are 2L - 1; what is regular about an order is
 * regular about this list. */
#ifndef ACCORDI_GROWTH_H
#define ACCORDI_GROWTH_H

#include "base/base.h"
#include <accord/tree.h>

typedef struct accordi_growth {
    uint32_t count;   /* of terms so far, at least 1 */
    uint32_t *lag;    /* of each term but the first */
    uint32_t *key;    /* the same, but 0 where the node was all that there was, and of the first */
    uint32_t *parent; /* of node 2k and 2k + 1: the term that made the sum above it, or 0 */
    uint32_t *size;   /* of the sum that a term made: the weights of all terms under it, as last
                         measured */
    uint32_t *weight; /* of each term: 1 at first; positive, and their sum below 2^32 */
    uint32_t *match;  /* room for rules */
} accordi_growth;

/* One term, with room for n. False when memory is out. */
bool accordi_growth_init(accordi_growth *g, uint32_t n);
void accordi_growth_clear(accordi_growth *g);

/* Adds the next term; false where there is no such node. */
bool accordi_growth_add(accordi_growth *g, uint32_t lag);
/* Takes back all terms but the first `count`. */
void accordi_growth_cut(accordi_growth *g, uint32_t count);

/* Takes the order of a binary tree that has no more terms than there is room for. False when memory
 * is out. */
bool accordi_growth_take(accordi_growth *g, const accord_tree *tree);

/* After measure: the weight of the terms under a node, and the least node above both of two terms.
 */
void accordi_growth_measure(accordi_growth *g);
uint32_t accordi_growth_size(const accordi_growth *g, uint32_t node);
uint32_t accordi_growth_common(const accordi_growth *g, uint32_t a, uint32_t b);
/* A term under each child of a sum: that which made it, and this one. */
uint32_t accordi_growth_other(const accordi_growth *g, uint32_t sum);

/* The tree; `turned` numbers the terms from the last one. The growth is cleared, since a large one
 * leaves no memory for the tree. */
enum accord_status accordi_growth_tree(accordi_growth *g, bool turned, accord_tree **out,
                                       accord_error *error);

/* What the next lags may be: as so many terms before; or as in the first terms, copies of which are
 * added one after the other (blocks), each lane onto all of that lane, or two by two, as wholes or
 * each lane onto its copy; or onto the next sum that was made like the one that the last term was
 * added onto, as where a narrower loop goes on with folded lanes. In a period a term that was added
 * onto all before it is like any other such term. */
typedef struct accordi_rule {
    enum { ACCORDI_BLOCKS, ACCORDI_COPIES, ACCORDI_LANES, ACCORDI_PERIOD, ACCORDI_NEXT } kind;
    uint32_t length; /* of the period, or of what is copied: the first terms */
    uint32_t lanes;  /* of blocks: terms with which these begin */
    uint32_t held;   /* of how many terms up to now it has been true */
} accordi_rule;

enum { ACCORDI_RULES = 26 };

/* The rules that were true of the last term, most convincing first; copies are tried from at most
 * five `bases`, and blocks of one lane and of so many. Returns their number, at most ACCORDI_RULES.
 */
uint32_t accordi_growth_rules(accordi_growth *g, const uint32_t *bases, uint32_t count,
                              uint32_t lanes, accordi_rule rule[ACCORDI_RULES]);
/* The lag that a rule says the next term has; 0: none. */
uint32_t accordi_rule_lag(const accordi_growth *g, const accordi_rule *rule);
/* Goes on by the rule to `count` terms, of which there are no fewer; false where it says nothing.
 */
bool accordi_growth_go_on(accordi_growth *g, const accordi_rule *rule, uint32_t count);
/* The first term before `end` of which another rule says something else, when all before it are by
 * the first; `end` if there is none. The order is left as it was. */
uint32_t accordi_growth_parting(accordi_growth *g, const accordi_rule *rule,
                                const accordi_rule *other, uint32_t end);

#endif

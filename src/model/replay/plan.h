/* What a replay needs to know about a model, computed once. Internal. */
#ifndef ACCORDI_PLAN_H
#define ACCORDI_PLAN_H

#include "base/base.h"
#include <accord/model.h>

/* How a binary node is computed in lanes. */
enum accordi_kind {
    ACCORDI_SCALAR, /* lane by lane: accordi_node */
    ACCORDI_ADD32,  /* the sum in double rounded to float: right for two floats (Figueroa 1995) */
    ACCORDI_ADD64,
    ACCORDI_FMA32,
    ACCORDI_FMA64
};

typedef struct accordi_step {
    uint8_t kind;
    uint8_t fused;     /* of FMA: the child */
    bool product32;    /* products are rounded to float, else to double */
    bool stored32;     /* the sum is rounded to float before it goes on */
    bool starts_fused; /* the first product of a sum is added to the zero as the others are */
    uint8_t zero;      /* the +0 that is added: an accord_zero */
    bool terms_zero;   /* … to terms */
} accordi_step;

enum { ACCORDI_OTHER = 255 }; /* the step that is scalar */

typedef struct accordi_plan {
    const accord_tree *tree;
    const accord_arithmetic *arithmetic;
    bool f32;            /* lanes of float, else of double */
    bool has_y;          /* terms have second factors */
    bool folded;         /* … which are multiplied in at once, all in the same way */
    double zero;         /* what a sum starts with */
    const uint8_t *code; /* of each inner node, its step; NULL: the first for all */
    uint8_t *own;        /* the memory of it, unless it is the model's */
    bool *kept;          /* of each leaf, whether its node flushes nothing; NULL: none does */
    bool *down; /* of each leaf, where some are left out, whether its node rounds down; as above */
    uint8_t *scaled;    /* of each node, leaves first, its accord_scaling; NULL: all alike */
    size_t depth, most; /* of the stack; children of a node */
    const double *scale_x, *scale_y; /* of the one row that is walked; NULL: all 1 */
    accordi_step step[256];
} accordi_plan;

/* `has_y`: rows come with second factors; `single`: they are walked one by one. ACCORD_NOMEM. */
enum accord_status accordi_plan_make(const accord_model *model, bool has_y, bool single,
                                     accordi_plan *plan, accord_error *error);
void accordi_plan_clear(accordi_plan *plan);

/* The value of inner node k from its children's, in any arithmetic. Child i is the product
 * x[i] * y[i]; of an inner child y[i] is 1. */
double accordi_node(const accordi_plan *plan, uint32_t k, const double *x, const double *y);
/* The sum of a single term. */
double accordi_lone(const accordi_plan *plan, double x, double y);
/* The result, from the root's value. */
double accordi_finish(const accordi_plan *plan, double root);

/* Whether alpha multiplies the node's value, a product or a sum. */
static inline bool accordi_scales(const accordi_plan *plan, uint32_t node)
{
    return plan->scaled && plan->scaled[node] >= ACCORD_SCALED_ROUNDED;
}

/* Whether the last leaf is the start value. */
static inline bool accordi_has_start(const accord_arithmetic *arithmetic)
{
    return arithmetic->beta != 0;
}

#endif

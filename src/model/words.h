/* The words for what an arithmetic says, in files and in lines. Internal. */
#ifndef ACCORDI_NAMES_H
#define ACCORDI_NAMES_H

#include "base/base.h"
#include "model/parameters.h"
#include <accord/model.h>

/* "value", "product", …; NULL past the end. The same for the others. */
const char *accordi_term_name(int term);         /* value product absolute square */
const char *accordi_rounding_name(int rounding); /* nearest zero down up away */
const char *accordi_alpha_name(int alpha);       /* one x y sum nodes */
const char *accordi_scaling_name(int scaling);   /* not x y rounded fused retaken */
const char *accordi_skips_name(int skips);       /* either x y */
const char *accordi_zero_name(int zero);         /* none fused rounded added */
const char *accordi_finish_name(int finish);     /* none times over root root-times root-over */
const char *accordi_finish_title(int finish);    /* nothing, a multiplication, a division, … */
const char *accordi_flush_name(int bit);         /* x y products sums result: by number of bit */
const char *accordi_scheme_name(int scheme); /* chain pairwise with-c then-c last-first even-odd */
const char *accordi_overflow_name(int overflow); /* infinite rounded greatest */
/* "to nearest, ties to even" …: for people, where the value stands alone; the first one knows the
 * roundings that only room format has, too. */
const char *accordi_rounding_title(int rounding);
const char *accordi_scheme_title(int scheme);
const char *accordi_overflow_title(int overflow);
/* "to nearest", "toward zero", … as they follow the name of a format. */
const char *accordi_rounding_words(int rounding);
/* "f32", …, of a format that is valid. */
const char *accordi_format_name(enum accord_format format);
/* By name; -1 when there is none. */
int accordi_by_name(const char *(*name)(int), const char *text);

/* accord_model_differ, with other words than "in A " before what a has, and than "; in B " before
 * what b has. */
bool accordi_model_differ(const accord_model *a, const accord_model *b, const char *first,
                          const char *second, char *text, size_t size);

/* The operation of inner node k in the one way of saying it: what cannot matter there has a fixed
 * value (product the format, fused -1), and the steps of the machine are all one operation. */
accord_operation accordi_effective(const accord_model *model, uint32_t k);
/* The same, if the node's operation were `op`. */
accord_operation accordi_effective_as(const accord_model *model, uint32_t k, accord_operation op);
/* The format that holds the operands once they are rounded. */
enum accord_format accordi_operand_format(const accord_arithmetic *a);
/* Whether every value of the one format is one of the other. */
bool accordi_contains(enum accord_format wide, enum accord_format narrow);
/* Whether the root of the tree, or what becomes of it, is divided by the factor, or multiplied;
 * whether the end is a square root. */
bool accordi_divides(enum accord_finish finish);
bool accordi_multiplies(enum accord_finish finish);
bool accordi_takes_root(enum accord_finish finish);
/* Whether every term is held exactly by the format: no rounding, and fusion means nothing. */
bool accordi_holds_terms(const accord_arithmetic *a, enum accord_format product);
bool accordi_same_operation(const accord_operation *a, const accord_operation *b);
/* What is flushed, in the one way of saying it. */
unsigned accordi_flush_bits(const accord_model *model);
/* Whether the sum starts at +0 and +0 is added last too, where the first can be seen: the sum of it
 * and a subnormal first value is flushed. */
bool accordi_twice_zero(const accord_arithmetic *a);
/* Whether inner node k is a step of the machine. */
bool accordi_is_step(const accord_model *model, uint32_t k);
/* How many products such a node takes beside so many sums: where a step takes one product, the
 * first node of two is two steps. */
uint32_t accordi_step_most(const accord_fused *machine, uint32_t sums);

/* Appends x in the shortest decimal that reads back. */
void accordi_put_real(accordi_buffer *out, double x);

#endif

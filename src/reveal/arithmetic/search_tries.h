/* What the files share that search for the arithmetic which explains replays. Internal; see
 * search.c. */
#ifndef ACCORDI_SEARCH_TRIES_H
#define ACCORDI_SEARCH_TRIES_H

#include "reveal/arithmetic/search.h"

typedef struct accordi_search {
    accordi_asker *asker;
    const accord_tree *tree;
    const accordi_replays *replays;
    accordi_explanation *e;
} accordi_search;

/* A copy, and plain arithmetic in a format; errors are the asker's status too. */
enum accord_status accordi_search_copy(const accordi_search *s, const accord_arithmetic *a,
                                       accord_arithmetic **out);
enum accord_status accordi_search_plain(const accordi_search *s, enum accord_term term,
                                        enum accord_format format, accord_arithmetic **out);
/* A copy with other operations, one a node. */
enum accord_status accordi_search_with(const accordi_search *s, const accord_arithmetic *a,
                                       const accord_operation *of_node, accord_arithmetic **out);
/* The operations of an arithmetic, one a node, to be freed by the caller. */
accord_operation *accordi_search_operations(const accordi_search *s, const accord_arithmetic *a);

/* Replays with an arithmetic, with what is known of subnormals, and keeps it if more rows agree
 * with it than with any before. Few rows are tried first, unless `whole`. Does nothing when all
 * rows agree already. */
enum accord_status accordi_try(accordi_search *s, const accord_arithmetic *a, bool whole);

/* Whether what most rows agree with may be right but for subnormals, or for zero factors: an eighth
 * of the rows is tiny. */
bool accordi_nearly_explained(const accordi_search *s);

/* Gives an arithmetic the factors of the target, and the zeros that were asked for. */
void accordi_set_factors(const accordi_asker *asker, const accordi_explanation *e,
                         accord_arithmetic *a);

/* Tries an arithmetic with every way in which a factor can enter, and a mean or a norm end. */
enum accord_status accordi_try_finishes(accordi_search *s, accord_arithmetic a, bool whole);

/* Asks where alpha enters, and tries that. */
enum accord_status accordi_try_asked_alpha(accordi_search *s, const accord_arithmetic *found);

/* Tries sums that are rounded to the output's format before alpha or a factor multiplies them. */
enum accord_status accordi_try_stored_sum(accordi_search *s, const accord_arithmetic *found);

/* Tries an arithmetic with subnormals as zero, of operands or of results, and with products of zero
 * left out; `first` is 0 if that begins with none of these. */
void accordi_try_flushed(accordi_search *s, accord_arithmetic a, unsigned first);

/* The same with the best so far, where it nearly explains the rows. */
enum accord_status accordi_try_flushes(accordi_search *s);

/* Tries sums in two formats, where the proof showed which nodes keep the wider one. */
enum accord_status accordi_try_widths(accordi_search *s);

/* Tries products that enter sums unrounded, and sums that are stored in f32. */
enum accord_status accordi_try_fusions(accordi_search *s, const enum accord_format *format,
                                       size_t formats);
/* Asks of each node which square enters it unrounded, if sums are otherwise those of `base`, and
 * tries that. */
enum accord_status accordi_try_asked_squares(accordi_search *s, const accord_arithmetic *base);
enum accord_status accordi_try_stored(accordi_search *s, const accord_arithmetic *found);

#endif

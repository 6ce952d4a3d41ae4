/* The families of functions (sum, dot, gemv, gemm, ...) that can be asked: a row adds a family.
 *
 * A row says what the family computes and how its operands lie; the other files here read it. All
 * results are elements of op(A) op(B), where op(A) is m x k and op(B) is k x n: a dot product has m
 * = n = 1, and a vector is a matrix of one row or column. */
#include "targets/foreign/foreign.h"
#include <stddef.h>

#define AT(member) offsetof(accordi_question, member)
enum { NEXT = 0 }; /* one element after the other */

const accordi_family_row accordi_families[] = {
    [ACCORDI_SUM] = {.signature = {"sum", "sum:encoded"},
                     .term = ACCORD_TERM_VALUE,
                     .operand = {{ACCORDI_VECTOR, NEXT}}},
    [ACCORDI_PRODUCTS] = {.signature = {"dot", "dot:encoded"},
                          .term = ACCORD_TERM_PRODUCT,
                          .operand = {{ACCORDI_VECTOR, NEXT}, {ACCORDI_VECTOR, NEXT}}},
    [ACCORDI_ROWS] = {.signature = {"rows", "rows:encoded"},
                      .term = ACCORD_TERM_VALUE,
                      .operand = {{ACCORDI_BY_ROWS, AT(k)}, {0}, {ACCORDI_VECTOR, NEXT}}},
    [ACCORDI_COLUMNS] = {.signature = {"columns", "columns:encoded"},
                         .term = ACCORD_TERM_VALUE,
                         .operand = {{ACCORDI_BY_COLUMNS, AT(m)}, {0}, {ACCORDI_VECTOR, NEXT}}},
    [ACCORDI_SCALED] = {.signature = {"scaled-dot", "scaled-dot:encoded"},
                        .term = ACCORD_TERM_PRODUCT,
                        .operand = {{ACCORDI_VECTOR, NEXT}, {ACCORDI_VECTOR, NEXT}}},
    [ACCORDI_DOT] = {.term = ACCORD_TERM_PRODUCT,
                     .operand = {{ACCORDI_VECTOR, AT(incx)}, {ACCORDI_VECTOR, AT(incy)}}},
    [ACCORDI_ASUM] = {.term = ACCORD_TERM_ABSOLUTE,
                      .positive = true,
                      .operand = {{ACCORDI_VECTOR, AT(incx)}}},
    [ACCORDI_NORM] = {.term = ACCORD_TERM_SQUARE,
                      .positive = true,
                      .operand = {{ACCORDI_VECTOR, AT(incx)}}},
    [ACCORDI_GEMV] = {.term = ACCORD_TERM_PRODUCT,
                      .operand = {{ACCORDI_LETTER_A, AT(lda)},
                                  {ACCORDI_VECTOR, AT(incx)},
                                  {ACCORDI_VECTOR, AT(incy)}}},
    [ACCORDI_GBMV] = {.term = ACCORD_TERM_PRODUCT,
                      .operand = {{ACCORDI_BAND_A, AT(lda)},
                                  {ACCORDI_VECTOR, AT(incx)},
                                  {ACCORDI_VECTOR, AT(incy)}}},
    [ACCORDI_GEMM] = {.term = ACCORD_TERM_PRODUCT,
                      .operand = {{ACCORDI_LETTER_A, AT(lda)},
                                  {ACCORDI_LETTER_B, AT(ldb)},
                                  {ACCORDI_BY_ROWS, AT(ldc)}}},
};
const size_t accordi_family_count = sizeof accordi_families / sizeof accordi_families[0];

bool accordi_family_is_blas(enum accordi_family family)
{
    return !accordi_families[family].signature[0];
}

bool accordi_family_is_grid(enum accordi_family family)
{
    return accordi_families[family].operand[2].lie != ACCORDI_ABSENT;
}

bool accordi_family_has_columns(enum accordi_family family)
{
    enum accordi_lie lie = accordi_families[family].operand[2].lie;
    return lie != ACCORDI_ABSENT && lie != ACCORDI_VECTOR;
}

size_t accordi_family_letters(enum accordi_family family)
{
    const accordi_operand *operand = accordi_families[family].operand;
    bool first = operand[0].lie == ACCORDI_LETTER_A || operand[0].lie == ACCORDI_BAND_A;
    return (size_t)first + (operand[1].lie == ACCORDI_LETTER_B);
}

bool accordi_has_complex_result(const accordi_question *q)
{
    return q->complex && accordi_families[q->family].term == ACCORD_TERM_PRODUCT;
}

/* A vector of results runs down the rows of its matrix, a vector of terms along them. */
static bool lies_by_rows(const accordi_question *q, size_t i)
{
    enum accordi_lie lie = accordi_families[q->family].operand[i].lie;
    return lie == ACCORDI_BY_ROWS || (lie == ACCORDI_VECTOR && i == 2) ||
           ((lie == ACCORDI_LETTER_A || lie == ACCORDI_BAND_A) && q->transpose[0] == 'N') ||
           (lie == ACCORDI_LETTER_B && q->transpose[1] == 'T');
}

/* The diagonals of a band are columns in memory: each line starts one element further left than
 * the one before, and has room for all of them. */
static accordi_extent as_band(accordi_extent e, int64_t lines, bool by_rows)
{
    e.first = lines - 1;
    e.width += lines - 1;
    *(by_rows ? &e.down : &e.along) = e.apart - 1;
    return e;
}

/* Nothing overflows: sizes and strides are ints of BLAS. */
accordi_extent accordi_operand_extent(const accordi_question *q, size_t i)
{
    const accordi_operand *o = &accordi_families[q->family].operand[i];
    bool by_rows = lies_by_rows(q, i), vector = o->lie == ACCORDI_VECTOR;
    int64_t rows = i == 1 ? q->n : q->m, columns = i == 2 ? q->n : q->k;
    int64_t lines = by_rows ? rows : columns, parts = q->complex ? 2 : 1;
    int64_t step =
        parts * (o->step ? *(const int64_t *)(const void *)((const char *)q + o->step) : 1);
    int64_t apart = step < 0 ? -step : step;
    if (o->lie == ACCORDI_ABSENT)
        return (accordi_extent){0};
    const accordi_extent e = {
        .count = vector ? (lines - 1) * apart + parts : lines * apart,
        .apart = apart,
        .width = parts * (by_rows ? columns : rows),
        .first = step < 0 ? (lines - 1) * apart : 0,
        .down = by_rows ? step : parts,
        .along = by_rows ? parts : step,
    };
    return o->lie == ACCORDI_BAND_A ? as_band(e, lines, by_rows) : e;
}

/* What the generators of random inputs share. Internal to this folder. */
#ifndef ACCORDI_DRAW_KINDS_H
#define ACCORDI_DRAW_KINDS_H

#include "reveal/inputs/random_inputs.h"

/* One operand of one row. */
typedef struct accordi_row {
    const accordi_draw *draw;
    const accord_format_info *info; /* of the format */
    uint64_t seed;                  /* of the values */
    accordi_rng choice;             /* for what is drawn once a row: the same for both operands */
    bool second;                    /* the second operand */
    int log2_n;                     /* 2^log2_n >= n */
    uint32_t share;                 /* of 2^32: the terms that a change makes zero */
    int lower; /* values are 2^-lower times what the kind says: lest a sum of one sign overflow,
                  and so that rows of a kind differ in size */
    void *x;
} accordi_row;

static inline double accordi_row_get(const accordi_row *row, size_t i)
{
    return accordi_get_number(row->x, row->draw->is_f32, i);
}

static inline void accordi_row_put(accordi_row *row, size_t i, double value)
{
    accordi_set_number(row->x, row->draw->is_f32, i, value);
}

/* Values at, at + 1, …, rounded into the format. */
void accordi_row_store(accordi_row *row, size_t at, size_t count, const double *value);

/* Sixteen small generators side by side, four in a vector: drawing is not to cost more than adding.
 * xorshift32 (Marsaglia 2003) is enough for inputs. */
enum { ACCORDI_STREAMS = 16, ACCORDI_FOURS = ACCORDI_STREAMS / 4, ACCORDI_CHUNK = 256 };
typedef uint32_t accordi_four __attribute__((vector_size(16)));
typedef struct accordi_streams {
    accordi_four s[ACCORDI_FOURS];
} accordi_streams;
void accordi_streams_init(accordi_streams *g, uint64_t seed);

static inline accordi_four accordi_streams_step(accordi_four x)
{
    x ^= x << 13;
    x ^= x >> 17;
    return x ^ x << 5;
}

/* Two words for each term of a chunk. */
typedef struct accordi_words {
    uint32_t high[ACCORDI_CHUNK], low[ACCORDI_CHUNK];
} accordi_words;

/* Words for the next `count` terms, at most a chunk; chunks before the last are whole. */
void accordi_streams_words(accordi_streams *g, size_t count, accordi_words *out);

/* Of a random word, by instructions that every processor has for vectors. */
static inline double accordi_from_word(uint32_t word)
{
    return (double)(int32_t)(word ^ UINT32_C(1) << 31) + 0x1p31;
}

/* ---- values from bits: bit_patterns.c ---- */

enum accordi_width { ACCORDI_USUAL, ACCORDI_WIDE, ACCORDI_TINY, ACCORDI_FACTOR, ACCORDI_WIDTHS };
enum accordi_sign { ACCORDI_EITHER, ACCORDI_PLUS, ACCORDI_MINUS };
void accordi_draw_pattern(accordi_row *row, enum accordi_width width, enum accordi_sign sign);
/* Turns floats into doubles where they lie. */
void accordi_draw_widen(void *x, size_t count);

/* ---- values by formula: formulas.c, series.c ---- */

typedef void accordi_formula(accordi_row *row);
accordi_formula accordi_draw_unit, accordi_draw_normal, accordi_draw_log_normal,
    accordi_draw_integers, accordi_draw_ties, accordi_draw_sorted, accordi_draw_ramp,
    accordi_draw_sine, accordi_draw_image, accordi_draw_offset;

/* Some values of a row to be made: `count` of them, the first of which is term `at`. */
typedef struct accordi_chunk {
    accordi_words words;
    size_t at, count;
    double value[ACCORDI_CHUNK];
} accordi_chunk;
/* Fills the row: `make` sets the values of one chunk after the other. */
typedef void accordi_chunk_maker(void *context, accordi_chunk *chunk);
void accordi_row_fill(accordi_row *row, accordi_chunk_maker *make, void *context);

/* ---- changes to values that are there: changes.c ---- */

typedef void accordi_change(accordi_row *row);
accordi_change accordi_change_mirror, accordi_change_rotate, accordi_change_zeros,
    accordi_change_mixed_zeros, accordi_change_zero_runs, accordi_change_huge, accordi_change_equal,
    accordi_change_negate;

#endif

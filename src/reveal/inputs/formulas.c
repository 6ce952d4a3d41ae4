/* Values that a formula makes of random words: each one by itself. Only integers, and additions,
 * multiplications and divisions of doubles, which are rounded alike everywhere. */
#include "format/format.h"
#include "reveal/inputs/kinds.h"
#include <math.h>

void accordi_streams_init(accordi_streams *g, uint64_t seed)
{
    accordi_rng rng;
    accordi_rng_init(&rng, seed);
    for (int i = 0; i < ACCORDI_FOURS; i++)
        for (int l = 0; l < 4; l++)
            g->s[i][l] = (uint32_t)accordi_rng_next(&rng) | 1;
}

void accordi_streams_words(accordi_streams *g, size_t count, accordi_words *out)
{
    for (size_t i = 0; i < count; i += ACCORDI_STREAMS)
        for (size_t k = 0; k < ACCORDI_FOURS; k++) {
            accordi_four high = accordi_streams_step(g->s[k]);
            g->s[k] = accordi_streams_step(high);
            memcpy(out->high + i + 4 * k, &high, sizeof high);
            memcpy(out->low + i + 4 * k, &g->s[k], sizeof high);
        }
}

void accordi_row_store(accordi_row *row, size_t at, size_t count, const double *value)
{
    enum accord_format format = row->draw->format;
    if (format == ACCORD_F64 && !row->draw->is_f32)
        memcpy((double *)row->x + at, value, count * sizeof *value);
    else if (format == ACCORD_F32 && row->draw->is_f32)
        for (size_t i = 0; i < count; i++)
            ((float *)row->x)[at + i] = (float)value[i];
    else
        for (size_t i = 0; i < count; i++)
            accordi_row_put(row, at + i,
                            accord_format_round(format, ACCORD_NEAREST_EVEN, value[i]));
}

void accordi_row_fill(accordi_row *row, accordi_chunk_maker *make, void *context)
{
    accordi_streams g;
    accordi_chunk chunk;
    double scale = ldexp(1, -row->lower);
    accordi_streams_init(&g, row->seed);
    for (chunk.at = 0; chunk.at < row->draw->n; chunk.at += ACCORDI_CHUNK) {
        size_t left = row->draw->n - chunk.at;
        chunk.count = left < ACCORDI_CHUNK ? left : ACCORDI_CHUNK;
        accordi_streams_words(&g, chunk.count, &chunk.words);
        make(context, &chunk);
        if (row->lower)
            for (size_t i = 0; i < chunk.count; i++)
                chunk.value[i] *= scale;
        accordi_row_store(row, chunk.at, chunk.count, chunk.value);
    }
}

static inline uint64_t both(const accordi_words *words, size_t i)
{
    return (uint64_t)words->high[i] << 32 | words->low[i];
}

/* ---- uniform, normal and log-normal ---- */

/* As many bits as the format has, as generators of random numbers give them. */
static void make_unit(void *context, accordi_chunk *c)
{
    const accordi_row *row = context;
    int p = row->info->precision;
    double step = ldexp(1, -p);
    if (p < 32)
        for (size_t i = 0; i < c->count; i++)
            c->value[i] = (double)(int32_t)(c->words.high[i] >> (32 - p)) * step;
    else
        for (size_t i = 0; i < c->count; i++)
            c->value[i] = (double)(int64_t)(both(&c->words, i) >> (64 - p)) * step;
}

void accordi_draw_unit(accordi_row *row)
{
    accordi_row_fill(row, make_unit, row);
}

static inline uint32_t ones(uint32_t x)
{
    x -= x >> 1 & 0x55555555u;
    x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0fu;
    return x * 0x01010101u >> 24;
}

/* 52 bits of a fraction in [0, 1); those of the low word come first. */
static inline double fraction(const accordi_words *words, size_t i)
{
    uint64_t bits = (uint64_t)words->low[i] << 20 | words->high[i] >> 12;
    return accordi_from_bits(UINT64_C(0x3ff) << 52 | bits) - 1;
}

/* The ones among 32 random bits are about normal, with deviation sqrt(8). */
static void make_normal(void *context, accordi_chunk *c)
{
    (void)context;
    for (size_t i = 0; i < c->count; i++)
        c->value[i] = ((double)(int)ones(c->words.high[i]) - 16.5 + fraction(&c->words, i)) * 0.25;
}

void accordi_draw_normal(accordi_row *row)
{
    accordi_row_fill(row, make_normal, NULL);
}

/* The exponent is the number of ones among 24 random bits less 12; in narrow formats, among 12
 * less 8. */
static void make_log_normal(void *context, accordi_chunk *c)
{
    const accordi_row *row = context;
    bool narrow = row->info->max_exponent < 100;
    uint32_t mask = narrow ? 0xfff : 0xffffff;
    int low = (narrow ? -8 : -12) + 1023;
    for (size_t i = 0; i < c->count; i++) {
        uint64_t exponent = (uint64_t)(low + (int)ones(c->words.high[i] & mask));
        uint64_t bits = exponent << 52 | (uint64_t)c->words.low[i] << 20 | c->words.high[i] >> 12;
        c->value[i] = accordi_from_bits(bits);
    }
}

void accordi_draw_log_normal(accordi_row *row)
{
    accordi_row_fill(row, make_log_normal, row);
}

/* ---- integers ---- */

typedef struct integers {
    int shift;    /* of the 64 random bits, the upper ones stay */
    int64_t less; /* what is taken away */
} integers;

static void make_integers(void *context, accordi_chunk *c)
{
    const integers *k = context;
    int shift = k->shift - 32;
    int64_t less = k->less;
    if (shift > 0) /* fewer than 32 bits stay */
        for (size_t i = 0; i < c->count; i++)
            c->value[i] = (double)((int32_t)(c->words.high[i] >> shift) - (int32_t)less);
    else
        for (size_t i = 0; i < c->count; i++)
            c->value[i] = (double)((int64_t)(both(&c->words, i) >> k->shift) - less);
}

/* From -2^k to 2^k - 1, or from 0; k is drawn, so that sums are exact in some rows and rounded in
 * others. In narrow formats a random walk of such steps, or a sum from 0, stays in the range. */
void accordi_draw_integers(accordi_row *row)
{
    enum { LEAST = 2 };
    int shares = row->draw->products ? 2 : 1, high = row->info->max_exponent;
    int from_zero = high - row->log2_n, walk = high - 3 - row->log2_n / 2;
    bool natural = accordi_rng_next(&row->choice) >> 63 && from_zero / shares >= LEAST;
    int most = row->info->precision < 52 ? row->info->precision : 52;
    int room = natural ? from_zero : walk;
    most = (most < room ? most : room) / shares;
    int k = LEAST;
    if (most > LEAST)
        k += (int)accordi_rng_below(&row->choice, (uint64_t)(most - LEAST) + 1);
    integers how = {.shift = 63 - k + natural, .less = natural ? 0 : (int64_t)1 << k};
    accordi_row_fill(row, make_integers, &how);
}

/* ---- ties ---- */

static void make_ties(void *context, accordi_chunk *c)
{
    static const double classes[8] = {0, 0, 0.5, 0.5, 1, -1, -0.5, -0.5};
    double unit = *(const double *)context;
    for (size_t i = 0; i < c->count; i++)
        c->value[i] = classes[c->words.high[i] >> 29] * unit;
}

/* Precisions of likely accumulators. */
static const int of_ties[ACCORD_FORMAT_COUNT][4] = {
    [ACCORD_F64] = {53, 53, 53, 24},  [ACCORD_F32] = {24, 24, 53, 11},
    [ACCORD_TF32] = {24, 24, 11, 11}, [ACCORD_BF16] = {24, 24, 8, 8},
    [ACCORD_F16] = {11, 11, 24, 24},  [ACCORD_E4M3] = {4, 4, 11, 11},
    [ACCORD_E5M2] = {3, 3, 11, 24},
};

/* A mask of 1.5 * 2^e at a random place, maybe its negative or an odd number of units more, and
 * maybe the opposite mask at another place; terms of half units elsewhere, where the unit is the
 * mask's last place in p bits. All orders of such terms differ by whole units, and often. */
void accordi_draw_ties(accordi_row *row)
{
    const accord_format_info *info = row->info;
    size_t n = row->draw->n;
    int p = of_ties[row->draw->format][accordi_rng_below(&row->choice, 4)];
    const int exponents[5] = {p - 1, 0, -10, 10, p - 1};
    int e = exponents[accordi_rng_below(&row->choice, 5)], most = info->max_exponent - 2;
    e = e < info->min_exponent + p ? info->min_exponent + p : e;
    e = e > most ? most : e;
    double unit = ldexp(1, e - p + 1), mask = ldexp(1.5, e);
    accordi_row_fill(row, make_ties, &unit);
    uint64_t how = accordi_rng_next(&row->choice);
    double more = how & 1 && info->precision >= p ? unit : 0;
    size_t at = accordi_rng_below(&row->choice, n), other = accordi_rng_below(&row->choice, n);
    if (how & 4)
        mask = -mask;
    accordi_row_put(row, at, mask + more);
    if (how & 2 && other != at)
        accordi_row_put(row, other, -mask);
}

/* Random inputs in series: sorted values, ramps, sines, rows of images. */
#include "reveal/inputs/kinds.h"
#include <math.h>

/* ---- sorted ---- */

typedef struct range {
    double n, low, size, cut;
} range;

/* One value in each of n steps: no sorting is needed. */
static void make_sorted(void *context, accordi_chunk *c)
{
    const range r = *(const range *)context;
    double first = (double)(int64_t)c->at;
    for (int i = 0; i < (int)c->count; i++) {
        double place = (first + (double)i) + accordi_from_word(c->words.high[i]) * 0x1p-32;
        double sorted = place / r.n * r.size + r.low;
        c->value[i] = fabs(sorted) < r.cut ? 0 : sorted;
    }
}

/* From 0 or from -1 up to 1; in half of the rows what is small is 0. */
void accordi_draw_sorted(accordi_row *row)
{
    bool both = accordi_rng_next(&row->choice) >> 63;
    static const double cuts[4] = {0, 0, 0.25, 0.5};
    double cut = cuts[accordi_rng_below(&row->choice, 4)];
    range r = {(double)row->draw->n, both ? -1 : 0, both ? 2 : 1, cut};
    accordi_row_fill(row, make_sorted, &r);
}

/* ---- a ramp ---- */

typedef struct line {
    double first, step;
} line;

static void make_ramp(void *context, accordi_chunk *c)
{
    const line l = *(const line *)context;
    double first = (double)(int64_t)c->at;
    for (int i = 0; i < (int)c->count; i++)
        c->value[i] = (first + (double)i) * l.step + l.first;
}

/* 0, 1, 2, … in a unit that keeps the sum in range, or from one number in (-1, 1) to another. */
void accordi_draw_ramp(accordi_row *row)
{
    bool whole = accordi_rng_next(&row->choice) >> 62 == 0;
    double from = 2 * accordi_rng_unit(&row->choice) - 1;
    double to = 2 * accordi_rng_unit(&row->choice) - 1;
    int down = 2 * row->log2_n - row->info->max_exponent;
    line l = {from, (to - from) / (double)row->draw->n};
    if (whole)
        l = (line){0, down > 0 ? ldexp(1, -down) : 1};
    accordi_row_fill(row, make_ramp, &l);
}

/* ---- a sine ---- */

typedef struct wave {
    uint32_t phase, step;
} wave;

/* The phase counts 2^32ths of a turn. Folded into a quarter of a turn t, in units of half a turn,
 * the sine is the Taylor polynomial of degree 9, each operation rounded to f64. */
static void make_sine(void *context, accordi_chunk *c)
{
    const wave *w = context;
    uint32_t step = w->step, first = w->phase + (uint32_t)c->at * step;
    for (uint32_t i = 0; i < (uint32_t)c->count; i++) {
        double t = accordi_from_word(first + i * step) * 0x1p-31 - 1; /* -1 … 1: -pi … pi */
        double above = 1 - t, below = -1 - t;
        t = t > 0.5 ? above : t < -0.5 ? below : t;
        double u = t * t, sum = 0x1.50783487ee782p-4;
        sum = sum * u - 0x1.32d2cce62bd86p-1;
        sum = sum * u + 0x1.466bc6775aae2p+1;
        sum = sum * u - 0x1.4abbce625be53p+2;
        sum = sum * u + 0x1.921fb54442d18p+1;
        c->value[i] = sum * t;
    }
}

/* Of a period from about four terms to several times n. */
void accordi_draw_sine(accordi_row *row)
{
    uint64_t random = accordi_rng_next(&row->choice);
    int longer = 2 + (int)accordi_rng_below(&row->choice, (uint64_t)row->log2_n + 2);
    longer = longer < 30 ? longer : 30;
    wave w = {(uint32_t)(random >> 32), ((uint32_t)random | 0x80000000u) >> longer};
    accordi_row_fill(row, make_sine, &w);
}

/* ---- a row of an image ---- */

typedef struct image {
    int level;
    double whole; /* what a level is; 0: a 255th */
} image;

/* 8-bit gray levels that drift by up to 3, and jump once in 32 terms. */
static void make_image(void *context, accordi_chunk *c)
{
    image *im = context;
    for (size_t i = 0; i < c->count; i++) {
        uint32_t word = c->words.high[i];
        int drift = (int)((word >> 8) % 7) - 3;
        bool jump = word >> 27 == 0 || c->at + i == 0;
        int level = jump ? (int)(word & 255) : im->level + drift;
        im->level = level < 0 ? 0 : level > 255 ? 255 : level;
        c->value[i] = im->whole > 0 ? im->level * im->whole : im->level / 255.0;
    }
}

void accordi_draw_image(accordi_row *row)
{
    bool whole = accordi_rng_next(&row->choice) >> 63;
    int down = row->log2_n + 8 - row->info->max_exponent;
    image im = {.whole = whole ? ldexp(1, down > 0 ? -down : 0) : 0};
    accordi_row_fill(row, make_image, &im);
}

/* ---- numbers near another ---- */

static void make_offset(void *context, accordi_chunk *c)
{
    const line l = *(const line *)context;
    for (size_t i = 0; i < c->count; i++)
        c->value[i] = accordi_from_word(c->words.high[i]) * l.step + l.first;
}

/* From c up to c (1 + 2^-b), as temperatures and prices are; c has either sign, and may be as large
 * as the sum allows. */
void accordi_draw_offset(accordi_row *row)
{
    enum { FAR = 16, NEAR = 8, NARROWEST = 8 };
    const accord_format_info *info = row->info;
    int most = info->max_exponent - row->log2_n - 1, least = info->min_exponent + 2;
    most = most > FAR ? FAR : most;
    int down = info->max_exponent > 100 ? 2 * FAR : NEAR;
    least = least < most - down ? most - down : least;
    least = least > most ? most : least;
    uint64_t random = accordi_rng_next(&row->choice);
    int e = least + (int)accordi_rng_below(&row->choice, (uint64_t)(most - least) + 1);
    int b = 1 + (int)accordi_rng_below(&row->choice, NARROWEST);
    double c = ldexp(1 + accordi_rng_unit(&row->choice), e);
    c = random >> 63 ? -c : c;
    line l = {c, ldexp(c, -32 - b)};
    accordi_row_fill(row, make_offset, &l);
}

/* Random inputs made by changing given ones: zeros, a huge term, halves that cancel. */
#include "reveal/inputs/kinds.h"
#include <math.h>

/* Term n-1-i takes away what term i brought; those that meet only late leave rounding errors. */
void accordi_change_mirror(accordi_row *row)
{
    size_t n = row->draw->n;
    double sign = row->second ? 1 : -1;
    for (size_t i = 0; i < n / 2; i++)
        accordi_row_put(row, n - 1 - i, sign * accordi_row_get(row, i));
}

/* The second half takes away what the first brought, some places on; an odd term out is 0. */
void accordi_change_rotate(accordi_row *row)
{
    size_t n = row->draw->n, half = n / 2, by = accordi_rng_below(&row->choice, half);
    double sign = row->second ? 1 : -1;
    for (size_t i = 0; i < half; i++, by = by + 1 == half ? 0 : by + 1)
        accordi_row_put(row, half + by, sign * accordi_row_get(row, i));
    if (n % 2)
        accordi_row_put(row, n - 1, 0);
}

static void load(const accordi_row *row, size_t at, size_t count, double *value)
{
    if (row->draw->is_f32)
        for (size_t i = 0; i < count; i++)
            value[i] = (double)((const float *)row->x)[at + i];
    else
        memcpy(value, (const double *)row->x + at, count * sizeof *value);
}

/* Where a random word is below the shares of 2^32, +0 or, in what is above the first, -0. */
static void zero(accordi_row *row, uint32_t plus, uint32_t minus)
{
    accordi_streams g;
    accordi_words words;
    double value[ACCORDI_CHUNK];
    accordi_streams_init(&g, row->seed ^ 0x7a65726f73u);
    for (size_t at = 0; at < row->draw->n; at += ACCORDI_CHUNK) {
        size_t left = row->draw->n - at, count = left < ACCORDI_CHUNK ? left : ACCORDI_CHUNK;
        accordi_streams_words(&g, count, &words);
        load(row, at, count, value);
        for (size_t i = 0; i < count; i++) {
            value[i] = words.high[i] < minus ? -0.0 : value[i];
            value[i] = words.high[i] < plus ? 0.0 : value[i];
        }
        accordi_row_store(row, at, count, value);
    }
}

/* But three terms stay, for the order of two does not show. In half of the rows no term is
 * negative, as behind a rectifier. */
void accordi_change_zeros(accordi_row *row)
{
    enum { STAY = 3 };
    size_t place[STAY];
    double stays[STAY];
    bool rectified = accordi_rng_next(&row->choice) >> 63;
    for (size_t i = 0; i < row->draw->n && rectified; i++)
        accordi_row_put(row, i, fabs(accordi_row_get(row, i)));
    for (int i = 0; i < STAY; i++) {
        place[i] = accordi_rng_below(&row->choice, row->draw->n);
        stays[i] = accordi_row_get(row, place[i]);
    }
    zero(row, row->share, 0);
    for (int i = 0; i < STAY; i++)
        accordi_row_put(row, place[i], stays[i]);
}

/* A quarter +0, a quarter -0. */
void accordi_change_mixed_zeros(accordi_row *row)
{
    zero(row, UINT32_C(1) << 30, UINT32_C(1) << 31);
}

/* Runs of zeros and of values in turn, of up to a half, a quarter, … or a 16th of all terms. */
void accordi_change_zero_runs(accordi_row *row)
{
    size_t n = row->draw->n, most = n >> (1 + accordi_rng_below(&row->choice, 4));
    bool zero = accordi_rng_next(&row->choice) >> 63;
    for (size_t at = 0; at < n; zero = !zero) {
        size_t end = at + 1 + accordi_rng_below(&row->choice, most ? most : 1);
        end = end < n ? end : n;
        for (; at < end; at++)
            if (zero)
                accordi_row_put(row, at, 0);
    }
}

/* One term is from 2^3 to 2^60 times as large as it was, less far in narrow formats. */
void accordi_change_huge(accordi_row *row)
{
    int emax = row->info->max_exponent, most = emax < 100 ? emax - 3 : 60;
    size_t at = accordi_rng_below(&row->choice, row->draw->n);
    int more = 3 + (int)accordi_rng_below(&row->choice, (uint64_t)most - 2);
    accordi_row_put(row, at, ldexp(accordi_row_get(row, at), more));
}

void accordi_change_equal(accordi_row *row)
{
    for (size_t i = 1; i < row->draw->n; i++)
        accordi_row_put(row, i, accordi_row_get(row, 0));
}

void accordi_change_negate(accordi_row *row)
{
    for (size_t i = 0; i < row->draw->n; i++)
        accordi_row_put(row, i, 0 - accordi_row_get(row, i));
}

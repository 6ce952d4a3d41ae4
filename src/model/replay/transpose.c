/* Turning rows: leaf[i][l] = x[row l][i], for a group of rows; rows past the last repeat it.
 * Squares of 4 x 4 floats or 2 x 2 doubles are turned in registers; a tile of 64
 * terms of a group stays in the nearest cache while it is filled. */
#include "model/replay/replay.h"

typedef float float4 __attribute__((vector_size(16)));
typedef double double2 __attribute__((vector_size(16)));

/* Four terms of four rows. */
static inline void turn_four(const float *const row[4], size_t i, float4 turned[4])
{
    float4 r[4];
    for (int k = 0; k < 4; k++)
        memcpy(&r[k], row[k] + i, sizeof r[k]);
    float4 a = __builtin_shufflevector(r[0], r[1], 0, 4, 1, 5);
    float4 b = __builtin_shufflevector(r[2], r[3], 0, 4, 1, 5);
    float4 c = __builtin_shufflevector(r[0], r[1], 2, 6, 3, 7);
    float4 d = __builtin_shufflevector(r[2], r[3], 2, 6, 3, 7);
    turned[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
    turned[1] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
    turned[2] = __builtin_shufflevector(c, d, 0, 1, 4, 5);
    turned[3] = __builtin_shufflevector(c, d, 2, 3, 6, 7);
}

/* Puts them into leaf[0 … 3][0 … 3]. */
static inline void square_f32(const float *const row[4], size_t i, float *leaf)
{
    float4 turned[4];
    turn_four(row, i, turned);
    for (int k = 0; k < 4; k++)
        memcpy(leaf + k * ACCORDI_LANES_F32, &turned[k], sizeof turned[k]);
}

static inline void square_f32_f64(const float *const row[4], size_t i, double *leaf)
{
    typedef double double4 __attribute__((vector_size(32)));
    float4 turned[4];
    turn_four(row, i, turned);
    for (int k = 0; k < 4; k++) {
        double4 wide = __builtin_convertvector(turned[k], double4);
        memcpy(leaf + k * ACCORDI_LANES_F64, &wide, sizeof wide);
    }
}

static inline void square_f64(const double *const row[2], size_t i, double *leaf)
{
    double2 a, b;
    memcpy(&a, row[0] + i, sizeof a);
    memcpy(&b, row[1] + i, sizeof b);
    double2 low = __builtin_shufflevector(a, b, 0, 2), high = __builtin_shufflevector(a, b, 1, 3);
    memcpy(leaf, &low, sizeof low);
    memcpy(leaf + ACCORDI_LANES_F64, &high, sizeof high);
}

enum { TILE = 64 };

/* One row at a time, with a conversion. */
#define PLAIN(NAME, SOURCE, TYPE, LANES)                                                           \
    static void NAME(const SOURCE *const *row, size_t from, size_t to, TYPE *leaf)                 \
    {                                                                                              \
        for (size_t l = 0; l < LANES; l++)                                                         \
            for (size_t i = from; i < to; i++)                                                     \
                leaf[i * LANES + l] = (TYPE)row[l][i];                                             \
    }

PLAIN(plain_f32_f32, float, float, ACCORDI_LANES_F32)
PLAIN(tile_f64_f32, double, float, ACCORDI_LANES_F32)
PLAIN(plain_f32_f64, float, double, ACCORDI_LANES_F64)
PLAIN(plain_f64_f64, double, double, ACCORDI_LANES_F64)

/* Squares, then what is left. */
#define SQUARES(NAME, SOURCE, TYPE, LANES, SIDE, SQUARE, REST)                                     \
    static void NAME(const SOURCE *const *row, size_t from, size_t to, TYPE *leaf)                 \
    {                                                                                              \
        size_t whole = from + (to - from) / SIDE * SIDE;                                           \
        for (size_t l = 0; l < LANES; l += SIDE)                                                   \
            for (size_t i = from; i < whole; i += SIDE)                                            \
                SQUARE(row + l, i, leaf + i * LANES + l);                                          \
        REST(row, whole, to, leaf);                                                                \
    }
SQUARES(tile_f32_f32, float, float, ACCORDI_LANES_F32, 4, square_f32, plain_f32_f32)
SQUARES(tile_f32_f64, float, double, ACCORDI_LANES_F64, 4, square_f32_f64, plain_f32_f64)
SQUARES(tile_f64_f64, double, double, ACCORDI_LANES_F64, 2, square_f64, plain_f64_f64)

#define TURN(NAME, SOURCE, TYPE, LANES, TILE_OF)                                                   \
    void NAME(const void *const *rows, size_t count, size_t n, void *leaf)                         \
    {                                                                                              \
        const SOURCE *row[LANES];                                                                  \
        for (size_t l = 0; l < LANES; l++)                                                         \
            row[l] = rows[l < count ? l : count - 1];                                              \
        for (size_t from = 0; from < n; from += TILE)                                              \
            TILE_OF(row, from, n - from < TILE ? n : from + TILE, (TYPE *)leaf);                   \
    }
TURN(accordi_turn_f32_f32, float, float, ACCORDI_LANES_F32, tile_f32_f32)
TURN(accordi_turn_f64_f32, double, float, ACCORDI_LANES_F32, tile_f64_f32)
TURN(accordi_turn_f32_f64, float, double, ACCORDI_LANES_F64, tile_f32_f64)
TURN(accordi_turn_f64_f64, double, double, ACCORDI_LANES_F64, tile_f64_f64)

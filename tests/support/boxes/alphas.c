/* GEMV in which alpha enters in several ways, drawn from ALPHAS_SEED: block by block of a row it
 * multiplies a sum (rounded or fused), or an operand of each product (with or without fma). Where
 * alpha is above 1 in size it may multiply the whole instead, the start value, times beta / alpha,
 * first or last; then the sum so far may be stored times alpha after some of the blocks, and taken
 * up again times 1 / alpha. */
#include <math.h>
#include <stdlib.h>

#define SHOWN __attribute__((visibility("default")))

static unsigned drawn(unsigned *state, unsigned below)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 16) % below;
}

static unsigned seed(void)
{
    const char *text = getenv("ALPHAS_SEED");
    return text ? (unsigned)atoi(text) * 2654435761u : 1;
}

/* T: the type; FMA: its fused multiply-add. Row-major, not transposed, whatever is asked. */
#define GEMV(NAME, T, FMA)                                                                         \
    SHOWN void NAME(int layout, int trans, int m, int n, T alpha, const T *a, int lda, const T *x, \
                    int incx, T beta, T *y, int incy);                                             \
    SHOWN void NAME(int layout, int trans, int m, int n, T alpha, const T *a, int lda, const T *x, \
                    int incx, T beta, T *y, int incy)                                              \
    {                                                                                              \
        (void)layout, (void)trans, (void)incx, (void)incy;                                         \
        for (int i = 0; i < m; i++) {                                                              \
            unsigned state = seed();                                                               \
            const T *row = a + (size_t)i * (size_t)lda;                                            \
            int whole = alpha * alpha > 1 ? (int)drawn(&state, 3) : 0;                             \
            int stores = whole ? (int)drawn(&state, 3) : 0;                                        \
            T sum = beta == 0 || whole == 2 ? 0 : (whole ? beta / alpha : beta) * y[i];            \
            for (int k = 0; k < n;) {                                                              \
                int end = k + 1 + (int)drawn(&state, 5), way = (int)drawn(&state, 6);              \
                end = end > n ? n : end;                                                           \
                T part = 0, with;                                                                  \
                for (; k < end; k++) {                                                             \
                    if (whole)                                                                     \
                        sum = way < 3 ? sum + row[k] * x[k] : FMA(row[k], x[k], sum);              \
                    else if (way < 2)                                                              \
                        part += row[k] * x[k];                                                     \
                    else if (way < 4)                                                              \
                        with = alpha * row[k],                                                     \
                        sum = way == 2 ? sum + with * x[k] : FMA(with, x[k], sum);                 \
                    else                                                                           \
                        with = alpha * x[k],                                                       \
                        sum = way == 4 ? sum + row[k] * with : FMA(row[k], with, sum);             \
                }                                                                                  \
                if (way < 2 && !whole)                                                             \
                    sum = way == 0 ? sum + alpha * part : FMA(alpha, part, sum);                   \
                if (k > 1 && k < n && stores && (int)drawn(&state, 3) < stores) {                  \
                    sum *= alpha;                                                                  \
                    sum *= 1 / alpha;                                                              \
                }                                                                                  \
            }                                                                                      \
            sum = whole == 2 && beta != 0 ? sum + beta / alpha * y[i] : sum;                       \
            y[i] = whole ? alpha * sum : sum;                                                      \
        }                                                                                          \
    }
GEMV(cblas_sgemv, float, fmaf)
GEMV(cblas_dgemv, double, fma)

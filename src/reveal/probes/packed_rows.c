/* Packs rows. Most inputs of long sums are one number but for a few terms, or repeat themselves
 * with a known period; a part of a row that repeats what stands one term or one period before it is
 * kept as its length. All other numbers are kept as they are, so every row can be packed.
 *
 * Bound: O(n) time; a row that never repeats takes as much memory as it does unpacked. */
#include "reveal/probes/packed_rows.h"

/* Numbers as they are, and then so many that repeat those a period before. */
typedef struct part {
    uint32_t fresh, again, period;
} part;

enum { LEAST_AGAIN = 64 }; /* a shorter repetition is not worth a part */

#define PACKING(T)                                                                                 \
    static size_t repeats_##T(const T *row, size_t at, size_t n, size_t period)                    \
    {                                                                                              \
        size_t end = at;                                                                           \
        while (at >= period && end < n && row[end] == row[end - period])                           \
            end++;                                                                                 \
        return end - at;                                                                           \
    }                                                                                              \
                                                                                                   \
    static void pack_##T(accordi_buffer *out, const T *row, size_t n)                              \
    {                                                                                              \
        static const uint32_t period[] = {1, ACCORDI_LONG_PERIOD};                                 \
        for (size_t from = 0, at = 0; from < n;) {                                                 \
            part p = {0, 0, 1};                                                                    \
            for (int i = 0; i < 2 && at < n && p.again < LEAST_AGAIN; i++)                         \
                p = (part){0, (uint32_t)repeats_##T(row, at, n, period[i]), period[i]};            \
            if (at < n && p.again < LEAST_AGAIN) {                                                 \
                at++;                                                                              \
                continue;                                                                          \
            }                                                                                      \
            p.fresh = (uint32_t)(at - from);                                                       \
            accordi_buffer_append(out, &p, sizeof p);                                              \
            accordi_buffer_append(out, row + from, p.fresh * sizeof *row);                         \
            from = at += p.again;                                                                  \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static void unpack_##T(const accordi_buffer *packed, T *row, size_t n)                         \
    {                                                                                              \
        const char *from = packed->data;                                                           \
        for (size_t at = 0; at < n;) {                                                             \
            part p;                                                                                \
            memcpy(&p, from, sizeof p);                                                            \
            from += sizeof p;                                                                      \
            memcpy(row + at, from, p.fresh * sizeof *row);                                         \
            from += p.fresh * sizeof *row;                                                         \
            at += p.fresh;                                                                         \
            for (const size_t end = at + p.again; p.period == 1 && at < end; at++)                 \
                row[at] = row[at - 1];                                                             \
            for (size_t left = p.period == 1 ? 0 : p.again, some; left > 0; left -= some) {        \
                some = left < p.period ? left : p.period;                                          \
                memcpy(row + at, row + at - p.period, some * sizeof *row);                         \
                at += some;                                                                        \
            }                                                                                      \
        }                                                                                          \
    }
PACKING(uint32_t)
PACKING(uint64_t)

void accordi_row_pack(accordi_buffer *out, const void *row, size_t n, bool f32)
{
    if (f32)
        pack_uint32_t(out, row, n);
    else
        pack_uint64_t(out, row, n);
}

void accordi_row_unpack(const accordi_buffer *packed, void *row, size_t n, bool f32)
{
    if (f32)
        unpack_uint32_t(packed, row, n);
    else
        unpack_uint64_t(packed, row, n);
}

#include "mpi/held.h"

/* ---- numbers ---- */

/* Values lie behind lengths of 4 bytes, and so not always where the machine wants them. */
double accordi_rank_get(enum accord_format format, const char *from, size_t i)
{
    double f64;
    float f32;
    uint16_t bits;
    size_t size = accordi_rank_bytes(format);
    memcpy(size == 8   ? (void *)&f64
           : size == 4 ? (void *)&f32
                       : (void *)&bits,
           from + i * size, size);
    return size == 8 ? f64 : size == 4 ? (double)f32 : accord_format_decode(format, bits);
}

void accordi_rank_put(enum accord_format format, char *to, size_t i, double value)
{
    if (format == ACCORD_F64)
        ((double *)(void *)to)[i] = value;
    else if (format == ACCORD_F32)
        ((float *)(void *)to)[i] = (float)value;
    else
        ((uint16_t *)(void *)to)[i] = (uint16_t)accord_format_encode(format, value);
}

/* ---- messages ---- */

static bool begins_run(const char *numbers, size_t size, size_t i)
{
    return i == 0 || memcmp(numbers + i * size, numbers + (i - 1) * size, size) != 0;
}

char *accordi_held_message(enum accord_format format, const char *numbers, size_t count,
                           size_t *bytes)
{
    size_t size = accordi_rank_bytes(format), runs = 0;
    for (size_t i = 0; i < count; i++)
        runs += begins_run(numbers, size, i);
    *bytes = runs * (sizeof(uint32_t) + size);
    char *message = accordi_calloc(*bytes, 1);
    uint32_t *length = (uint32_t *)(void *)message;
    size_t run = 0;
    for (size_t i = 0; message && i < count; i++) {
        if (begins_run(numbers, size, i))
            memcpy(message + runs * sizeof *length + run++ * size, numbers + i * size, size);
        length[run - 1]++;
    }
    return message;
}

void accordi_held_open(accordi_held *held, enum accord_format format, char *message, size_t bytes)
{
    size_t runs = bytes / (sizeof(uint32_t) + accordi_rank_bytes(format));
    *held = (accordi_held){.message = message,
                           .length = (const uint32_t *)(void *)message,
                           .value = message + runs * sizeof(uint32_t),
                           .runs = runs,
                           .format = format};
}

/* ---- answers ---- */

/* How many numbers are left of the run that is read, and what they are. */
static size_t left(const accordi_held *h)
{
    return h->at < h->runs ? h->length[h->at] - h->used : 0;
}

static double number(const accordi_held *h)
{
    return accordi_rank_get(h->format, h->value, h->at);
}

void accordi_held_pass(accordi_held *h, size_t count)
{
    h->used += count;
    if (h->used == h->length[h->at]) {
        h->at++;
        h->used = 0;
    }
}

size_t accordi_held_find(const accordi_held *h, const char *wanted)
{
    size_t size = accordi_rank_bytes(h->format), before = 0;
    for (size_t i = h->at; i < h->runs; i++) {
        if (memcmp(h->value + i * size, wanted, size) == 0)
            return before;
        before += h->length[i] - (i == h->at ? h->used : 0);
    }
    return SIZE_MAX;
}

/* For how many positions from here on no rank's number changes. */
static size_t unchanged(const accordi_held *ranks, size_t count, bool *alike)
{
    size_t least = left(&ranks[0]);
    *alike = true;
    for (size_t k = 1; k < count; k++) {
        least = left(&ranks[k]) < least ? left(&ranks[k]) : least;
        *alike = *alike && least && accordi_same_bits(number(&ranks[k]), number(&ranks[0]));
    }
    return least;
}

void accordi_held_put_positions(accordi_held *ranks, size_t count, accordi_runs *runs)
{
    bool alike;
    for (size_t positions; (positions = unchanged(ranks, count, &alike)) > 0;) {
        positions = alike ? positions : 1;
        if (alike)
            accordi_runs_put(runs, positions * count, number(&ranks[0]));
        for (size_t k = 0; k < count; k++) {
            if (!alike)
                accordi_runs_put(runs, 1, number(&ranks[k]));
            accordi_held_pass(&ranks[k], positions);
        }
    }
}

void accordi_held_put_blocks(accordi_held *ranks, size_t count, size_t sums, size_t each,
                             accordi_runs *runs)
{
    for (size_t i = 0; i < sums * count; i++) {
        accordi_held *h = &ranks[i % count];
        for (size_t done = 0, some; done < each && left(h); done += some) {
            some = left(h) < each - done ? left(h) : each - done;
            accordi_runs_put(runs, some, number(h));
            accordi_held_pass(h, some);
        }
    }
}

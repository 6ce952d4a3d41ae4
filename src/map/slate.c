/* Rewrites only the changed entries of an operand that holds many rows. Probes differ in few
 * entries, so a row is not written anew for each: the base is what all rows hold but for writes of
 * their own, its changes are kept in a list, and a row that is used takes those that it has missed.
 * Invariant: row r, without its own writes, is the base as it was after change seen[r] (but where
 * it is later already: undo writes what the base is by now, and taking a change twice does no harm,
 * since the last one counts). */
#include "map/map.h"
#include <math.h>

enum { CHANGES_A_TERM = 8 }; /* a longer list is dropped, and the rows with it */

bool accordi_slate_init(accordi_slate *s, void *cell, size_t rows, size_t inner, size_t n, bool f32)
{
    *s = (accordi_slate){.cell = cell, .rows = rows, .inner = inner, .n = n, .f32 = f32};
    s->start = accordi_calloc(rows, sizeof *s->start);
    s->base = accordi_calloc(n, sizeof *s->base);
    s->image = accordi_calloc(inner, f32 ? sizeof(float) : sizeof(double));
    s->seen = accordi_alloc(rows, sizeof *s->seen);
    if (!s->start || !s->base || !s->image || !s->seen)
        return false;
    for (size_t r = 0; r < rows; r++)
        s->seen[r] = SIZE_MAX;
    return true;
}

void accordi_slate_clear(accordi_slate *s)
{
    free(s->start);
    free(s->base);
    free(s->image);
    free(s->change);
    free(s->seen);
    free(s->own);
    memset(s, 0, sizeof *s);
}

static void put_cell(const accordi_slate *s, void *cells, double *start, uint32_t index,
                     double value)
{
    if (index >= s->inner)
        *start = value;
    else
        accordi_set_number(cells, s->f32, index, value);
}

static size_t row_bytes(const accordi_slate *s)
{
    return s->inner * (s->f32 ? sizeof(float) : sizeof(double));
}

static void *cells_of(const accordi_slate *s, size_t row)
{
    return (char *)s->cell + row * row_bytes(s);
}

/* No row knows of any change. */
static void forget_rows(accordi_slate *s)
{
    s->changes = s->filled = 0;
    for (size_t r = 0; r < s->rows; r++)
        s->seen[r] = SIZE_MAX;
}

void accordi_slate_stay(accordi_slate *s, uint32_t index, double value)
{
    double ignored;
    if (s->failed || !accordi_grow((void **)&s->change, &s->change_capacity, s->changes + 1,
                                   sizeof *s->change)) {
        s->failed = true;
        return;
    }
    s->change[s->changes++] = (accordi_change){index, value};
    s->base[index] = value;
    put_cell(s, s->image, &ignored, index, value);
}

void accordi_slate_fill(accordi_slate *s, double value)
{
    bool same = memcmp(&s->fill, &value, sizeof value) == 0;
    size_t from = s->filled, to = s->changes;
    if (same && to < CHANGES_A_TERM * s->n) {
        for (size_t i = from; i < to && !s->failed; i++)
            if (memcmp(&s->base[s->change[i].index], &value, sizeof value) != 0)
                accordi_slate_stay(s, s->change[i].index, value);
        s->filled = s->changes;
        return;
    }
    double ignored;
    s->fill = value;
    for (size_t k = 0; k < s->n; k++) {
        s->base[k] = value;
        put_cell(s, s->image, &ignored, (uint32_t)k, value);
    }
    forget_rows(s);
}

void accordi_slate_set(accordi_slate *s, const double *values)
{
    double ignored;
    s->fill = NAN; /* no fill is like it */
    for (size_t k = 0; k < s->n; k++) {
        s->base[k] = values[k];
        put_cell(s, s->image, &ignored, (uint32_t)k, values[k]);
    }
    forget_rows(s);
}

void accordi_slate_row(accordi_slate *s, size_t row)
{
    size_t seen = s->seen[row];
    if (seen == s->changes)
        return;
    if (seen == SIZE_MAX || s->changes - seen > s->inner / 8 + 1) {
        memcpy(cells_of(s, row), s->image, row_bytes(s));
        s->start[row] = s->n > s->inner ? s->base[s->inner] : 0;
    } else {
        for (size_t i = seen; i < s->changes; i++)
            put_cell(s, cells_of(s, row), &s->start[row], s->change[i].index, s->change[i].value);
    }
    s->seen[row] = s->changes;
}

void accordi_slate_all(accordi_slate *s)
{
    for (size_t r = 0; r < s->rows; r++)
        accordi_slate_row(s, r);
}

void accordi_slate_own(accordi_slate *s, size_t row, uint32_t index, double value)
{
    if (s->failed ||
        !accordi_grow((void **)&s->own, &s->own_capacity, s->owns + 1, sizeof *s->own)) {
        s->failed = true;
        return;
    }
    s->own[s->owns].row = (uint32_t)row;
    s->own[s->owns++].index = index;
    put_cell(s, cells_of(s, row), &s->start[row], index, value);
}

void accordi_slate_undo(accordi_slate *s)
{
    for (size_t i = 0; i < s->owns; i++) {
        size_t row = s->own[i].row;
        uint32_t index = s->own[i].index;
        put_cell(s, cells_of(s, row), &s->start[row], index, s->base[index]);
    }
    s->owns = 0;
}

void accordi_slate_whole(accordi_slate *s, size_t row, const void *values)
{
    memcpy(cells_of(s, row), values, row_bytes(s));
    if (s->n > s->inner)
        s->start[row] = accordi_get_number(values, s->f32, s->inner);
    s->seen[row] = SIZE_MAX;
}

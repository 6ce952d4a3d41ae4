/* Numbers of which a part is read or overwritten: as floats through a union or another pointer, or
 * as bytes that are copied from or to the middle of a number.
 *
 * A double has two slots, the second of which holds its ends. Whoever overwrites one half leaves
 * the other half as a float of which nothing is known (accordi_overwrite), and the two slots as
 * such no longer count. Whoever reads a half finds no slot that counts, and looks here for one that
 * covers some of its bytes (accordi_is_part).
 *
 * Whether memory still belongs to a slot is asked word by word, for the other half may have
 * changed. Slots of memory that was used for something else since may look as if they still
 * counted, for a word may have the same bits by chance; then a number is unknown without need. */
#include "bound/runtime/records.h"
#include <math.h>
#include <string.h>

const char accordi_part_text[] = "a part of a number that is used as another one";

static uint32_t word_at(const char *p)
{
    uint32_t bits;
    memcpy(&bits, p, sizeof bits);
    return bits;
}

/* The slot of the double that is no point and starts at this word, if it may be one. */
static const accordi_slot64 *double_at(const char *p)
{
    char *chunk = accordi_chunks[accordi_chunk_number(p)];
    const accordi_slot64 *s = chunk ? accordi_slot(chunk, p) : NULL;
    bool is = s && s->kind - 1 < ACCORDI_WITH_SUM && !accordi_marks_unset(s);
    return is && (s->kind > ACCORDI_PLAIN || s->end[0] != -s->end[1]) ? s : NULL;
}

static bool has_low_word(const char *p)
{
    const accordi_slot64 *s = double_at(p);
    return s && (uint32_t)s->bits == word_at(p);
}

static bool has_high_word(const char *p)
{
    const accordi_slot64 *s = double_at(p);
    return s && (uint32_t)((s->bits ^ ACCORDI_MARK64) >> 32) == word_at(p + 4);
}

static const char *word_of(const void *p, size_t round_up)
{
    return (const char *)(((uintptr_t)p + round_up) & ~(uintptr_t)3);
}

static bool floats_are_volatile(const char *p, const char *end)
{
    for (; p < end; p += 4)
        if (accordi_is_volatile_float(p))
            return true;
    return false;
}

bool accordi_is_part(const void *p, size_t bytes)
{
    const char *first = word_of(p, 0), *end = word_of((const char *)p + bytes, 3);
    for (const char *word = first; word < end; word += 4)
        if (has_low_word(word) || has_high_word(word - 4))
            return true;
    return bytes > 4 && floats_are_volatile(first, end);
}

void accordi_lose_word(const void *to, const void *from)
{
    const char *p = word_of(to, 0);
    char *chunk = accordi_map_chunk(p);
    *(accordi_slot32 *)accordi_slot(chunk, p) =
        (accordi_slot32){word_at(word_of(from, 0)) ^ ACCORDI_MARK32, ACCORDI_SPECIAL, {NAN, NAN}};
    *accordi_factors(chunk, p) =
        (accordi_factors_slot){{INFINITY, INFINITY}, {ACCORDI_MAY_BE_NAN | ACCORDI_IS_LOST, 0}};
    accordi_states[0].lost = accordi_states[0].lost ? accordi_states[0].lost : accordi_part_text;
}

void accordi_overwrite(const void *p, size_t bytes)
{
    const char *first = word_of(p, 0), *end = word_of((const char *)p + bytes, 3);
    if (bytes == 0)
        return;
    if (has_low_word(first - 4))
        accordi_lose_word(first - 4, first - 4);
    if (has_high_word(end - 4))
        accordi_lose_word(end, end);
}

bool accordi_begins_inside(const void *p)
{
    return has_high_word(word_of(p, 0) - 4);
}

bool accordi_ends_inside(const void *end)
{
    return has_low_word(word_of(end, 3) - 4);
}

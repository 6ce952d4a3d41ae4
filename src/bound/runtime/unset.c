/* Memory that is not set: what malloc, realloc, alloca and variables of functions give holds what
 * was there before, so a number that is read from it depends on chance.
 *
 * Such bytes have marks in the slots of shadows, which say what the bytes held when they were
 * given: whoever sets them in a way that is not seen leaves other bits, as with all shadows.
 * Whoever is seen, such as a store of an integer where numbers can be read as integers, drops the
 * marks. */
#include "bound/runtime/records.h"
#include <stdlib.h>
#include <string.h>

const char accordi_unset_text[] = "memory that is used before it is set";

bool accordi_keeps_unset(uint32_t site)
{
    static int keeps = -1;
    if (keeps < 0)
        keeps = getenv("ACCORD_BOUND_KEEP_UNSET") != NULL;
    accordi_states[site].kept += (uint64_t)keeps;
    return keeps;
}

void accordi_lose_unset(accordi_shadow *out, double x, uint32_t site, const char *what)
{
    if (accordi_keeps_unset(site))
        accordi_input(out, x);
    else
        accordi_lose(out, site, what);
}

static const char *word_of(const void *p)
{
    return (const char *)((uintptr_t)p & ~(uintptr_t)3);
}

/* Which bytes of a word lie in [p, end)? */
static uint32_t bytes_within(const char *word, const char *p, const char *end)
{
    uint32_t from = p > word ? (uint32_t)(p - word) : 0;
    uint32_t to = end - word < 4 ? (uint32_t)(end - word) : 4;
    return (UINT32_C(15) >> (4 - to)) & (UINT32_C(15) << from);
}

static uint32_t held_by(const char *word)
{
    uint32_t bits;
    memcpy(&bits, word, sizeof bits);
    return bits ^ ACCORDI_MARK_UNSET;
}

static accordi_slot_unset *slot_of(const char *word)
{
    char *chunk = accordi_chunks[accordi_chunk_number(word)];
    return chunk ? accordi_slot(chunk, word) : NULL;
}

static void mark_part(const char *word, const char *p, const char *end)
{
    uint32_t bytes = bytes_within(word, p, end);
    accordi_slot_unset *s = accordi_slot(accordi_map_chunk(word), word);
    if (accordi_marks_unset(s) && s->bits == held_by(word))
        bytes |= s->bytes;
    *s = (accordi_slot_unset){held_by(word), ACCORDI_UNSET, bytes, 0};
}

void accordi_unset(const void *p, size_t bytes)
{
    const char *at = word_of(p), *end = (const char *)p + bytes;
    if (bytes == 0)
        return;
    if (at < (const char *)p) {
        mark_part(at, p, end);
        at += 4;
    }
    while (end - at >= 4) {
        size_t left = (ACCORDI_CHUNK - ((uintptr_t)at & (ACCORDI_CHUNK - 1))) / 4;
        size_t words = (size_t)(end - at) / 4 < left ? (size_t)(end - at) / 4 : left;
        accordi_slot_unset *s = accordi_slot(accordi_map_chunk(at), at);
        for (size_t i = 0; i < words; i++)
            s[i] = (accordi_slot_unset){held_by(at + 4 * i), ACCORDI_UNSET, 15, 0};
        at += 4 * words;
    }
    if (at < end)
        mark_part(at, p, end);
}

void accordi_set(const void *p, size_t bytes)
{
    const char *end = (const char *)p + bytes;
    for (const char *at = word_of(p); bytes > 0 && at < end; at += 4) {
        accordi_slot_unset *s = slot_of(at);
        if (!s) {
            at += ACCORDI_CHUNK - ((uintptr_t)at & (ACCORDI_CHUNK - 1)) - 4;
        } else if (accordi_marks_unset(s)) {
            s->bytes &= ~bytes_within(at, p, end);
            if (s->bytes == 0)
                memset(s, 0, sizeof *s);
        }
    }
}

/* Do the bytes of the mark still hold what they held? */
static bool holds(const accordi_slot_unset *s, const char *word)
{
    uint32_t changed = s->bits ^ held_by(word);
    for (int i = 0; i < 4; i++)
        if (s->bytes >> i & 1 && ((const unsigned char *)&changed)[i] != 0)
            return false;
    return true;
}

/* A mark that does not hold shows that the number was set, for no part of it was set alone. */
bool accordi_is_unset(const void *p, size_t bytes)
{
    const char *end = (const char *)p + bytes;
    bool found = false;
    for (const char *at = word_of(p); at < end; at += 4) {
        const accordi_slot_unset *s = slot_of(at);
        if (!s || !accordi_marks_unset(s))
            continue;
        if (!holds(s, at))
            return false;
        found |= (s->bytes & bytes_within(at, p, end)) != 0;
    }
    return found;
}

static void move_byte(const char *to, const char *from)
{
    const char *word = word_of(to);
    unsigned i = (unsigned)(to - word);
    if (!accordi_is_unset(from, 1)) {
        accordi_set(to, 1);
        return;
    }
    accordi_slot_unset *s = accordi_slot(accordi_map_chunk(word), word);
    if (!accordi_marks_unset(s))
        *s = (accordi_slot_unset){0, ACCORDI_UNSET, 0, 0};
    const uint32_t mark = ACCORDI_MARK_UNSET;
    ((unsigned char *)&s->bits)[i] =
        (unsigned char)(*(const unsigned char *)from ^ ((const unsigned char *)&mark)[i]);
    s->bytes |= UINT32_C(1) << i;
}

void accordi_move_unset(const char *to, const char *from, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        size_t at = to < from ? i : bytes - 1 - i;
        move_byte(to + at, from + at);
    }
}

void accordi_scanned(const void *p, size_t bytes, uint32_t i, int32_t assigned)
{
    if (assigned > 0 && i < (uint32_t)assigned)
        accordi_clear(p, bytes);
}

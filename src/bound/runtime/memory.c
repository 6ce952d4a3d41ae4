/* Shadow memory: chunks, and what moves, clears or looks for shadows in ranges.
 *
 * Invariant: a slot counts only if its bits are those that memory holds, so memory that other code
 * writes needs no notice. What has no shadow is an input and a point, unless the bits of
 * a number that is not a point have escaped (accordi_escape). */
#include "bound/runtime/records.h"
#include "bound/runtime/tape.h"
#include <math.h>
#include <string.h>
#include <sys/mman.h>

char *accordi_chunks[(size_t)1 << (ACCORDI_ADDRESS_BITS - ACCORDI_CHUNK_BITS)];

enum { SLOTS = 4 * ACCORDI_CHUNK + 64, FACTORS = 8 * ACCORDI_CHUNK + 64 };
enum { MORE = 12 * ACCORDI_CHUNK + 64, MARKS = 4 * ACCORDI_CHUNK + 64 };

accordi_more_frame accordi_more_calls;

enum { MOST_CHUNKS = 1 << 16 }; /* 256 GB of the program's memory */
static uint32_t mapped[MOST_CHUNKS], mapped_count;

char *accordi_map_chunk(const void *p)
{
    char **chunk = &accordi_chunks[accordi_chunk_number(p)];
    if (*chunk)
        return *chunk;
    if (mapped_count == MOST_CHUNKS)
        accordi_give_up("the program uses more memory than its bounds can be kept for");
    size_t more = (accordi_model & ACCORDI_WIDE ? MORE : 0) + (accordi_taped ? MARKS : 0);
    void *memory = mmap(NULL, SLOTS + FACTORS + more, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        accordi_give_up("no memory is left for the bounds of this program");
    *chunk = memory;
    mapped[mapped_count++] = (uint32_t)accordi_chunk_number(p);
    return memory;
}

void accordi_input(accordi_shadow *out, double x)
{
    *out = (accordi_shadow){{-x, x}, {0, 0}, {0, 0}, ACCORDI_PLAIN};
    if (isnan(x))
        *out = (accordi_shadow){
            {NAN, NAN}, {-INFINITY, -INFINITY}, {ACCORDI_MAY_BE_NAN, 0}, ACCORDI_SPECIAL};
}

static double number_of(uint64_t bits, bool narrow)
{
    double x;
    float f;
    memcpy(&x, &bits, sizeof x);
    memcpy(&f, &bits, sizeof f);
    return narrow ? (double)f : x;
}

static void keep_point(const void *p, uint64_t bits, const accordi_shadow *a, bool narrow)
{
    char *chunk = accordi_chunks[accordi_chunk_number(p)];
    chunk = chunk ? chunk : accordi_map_chunk(p);
    if (narrow) { /* in the parts in which it is read, and that soon: others would be waited for */
        const float end[2] = {(float)a->end[0], (float)a->end[1]};
        uint32_t low, high;
        memcpy(&low, &end[0], sizeof low);
        memcpy(&high, &end[1], sizeof high);
        const uint64_t slot[2] = {((uint32_t)bits ^ ACCORDI_MARK32) | (uint64_t)ACCORDI_PLAIN << 32,
                                  low | (uint64_t)high << 32};
        memcpy(accordi_slot(chunk, p), slot, sizeof slot);
    } else
        *(accordi_slot64 *)accordi_slot(chunk, p) =
            (accordi_slot64){bits ^ ACCORDI_MARK64, ACCORDI_PLAIN, a->end};
}

void accordi_keep(const void *p, const accordi_shadow *a, bool narrow)
{
    uint64_t bits = 0;
    memcpy(&bits, p, narrow ? 4 : 8);
    keep_point(p, bits, a, narrow);
}

static bool volatile_shadow(const accordi_shadow *a)
{
    return a->kind > ACCORDI_PLAIN || a->end[0] != -a->end[1];
}

enum { BYTES_OF_LONG = 10 };

/* Does a long double that is no point stand in these bytes? */
static bool in_long(const void *from, size_t bytes)
{
    const char *p = (const char *)((uintptr_t)from & ~(uintptr_t)3);
    const char *end = (const char *)from + bytes;
    for (p -= p >= (const char *)8 ? 8 : 0; p < end; p += 4) {
        accordi_shadow a = {.kind = ACCORDI_NOTHING};
        if (p + BYTES_OF_LONG > (const char *)from && accordi_chunks[accordi_chunk_number(p)] &&
            accordi_find_long(p, &a) && volatile_shadow(&a))
            return true;
    }
    return false;
}

/* The usual case, told quickly: nothing was ever known of this memory, nor does a double that
 * starts before reach into it. */
static bool is_untouched(const void *p, bool narrow)
{
    char *chunk = accordi_chunks[accordi_chunk_number(p)];
    if (!chunk || accordi_granule(p) == 0)
        return false;
    const uint64_t *slot = accordi_slot(chunk, p);
    uint64_t before = slot[-1], any = slot[0] | slot[1];
    any |= narrow ? 0 : slot[2] | slot[3];
    return any == 0 && before - 1 >= ACCORDI_WITH_SUM;
}

void accordi_load_unknown(accordi_shadow *out, const void *p, uint64_t bits, bool narrow,
                          uint32_t site)
{
    const size_t bytes = narrow ? 4 : 8;
    bool untouched = is_untouched(p, narrow);
    bool unset = !untouched && accordi_is_unset(p, bytes);
    bool kept = unset && accordi_keeps_unset(site);
    if (!kept && (unset || (!untouched && accordi_is_part(p, bytes)))) {
        accordi_lose(out, site, unset ? accordi_unset_text : accordi_part_text);
        return;
    }
    if (accordi_escaped && !kept) {
        accordi_site_state *s = &accordi_states[accordi_escaped - 1];
        const char *what = s->lost;
        accordi_lose(out, accordi_escaped - 1, what);
        s->losses--; /* it is one loss */
        return;
    }
    if (accordi_any_long && in_long(p, bytes)) {
        accordi_lose(out, 0, "bytes of a long double");
        return;
    }
    accordi_input(out, number_of(bits, narrow));
    if (out->kind == ACCORDI_PLAIN)
        keep_point(p, bits, out, narrow);
}

/* ---- what stands in memory ---- */

/* The shadow of the number at p, if one counts. */
static bool find(const void *p, bool narrow, accordi_shadow *out)
{
    char *chunk = accordi_chunks[accordi_chunk_number(p)];
    uint64_t bits = 0;
    if (!chunk)
        return false;
    memcpy(&bits, p, narrow ? 4 : 8);
    accordi_slot64 wide = *(accordi_slot64 *)accordi_slot(chunk, p);
    accordi_slot32 slim = *(accordi_slot32 *)accordi_slot(chunk, p);
    if (narrow ? slim.bits != ((uint32_t)bits ^ ACCORDI_MARK32)
               : wide.bits != (bits ^ ACCORDI_MARK64) || wide.kind == ACCORDI_NOTHING)
        return false;
    *out = (accordi_shadow){
        narrow ? (accordi_ends){(double)slim.end[0], (double)slim.end[1]} : wide.end,
        accordi_factors(chunk, p)->x, accordi_factors(chunk, p)->y, narrow ? slim.kind : wide.kind};
    return true;
}

bool accordi_is_volatile_float(const void *p)
{
    accordi_shadow a;
    return find(p, true, &a) && volatile_shadow(&a);
}

bool accordi_find(const void *p, size_t left, bool *narrow, accordi_shadow *out)
{
    *narrow = false;
    if (left >= 8 && find(p, false, out))
        return true;
    *narrow = true;
    return left >= 4 && find(p, true, out);
}

bool accordi_any_volatile(const void *from, size_t bytes)
{
    const char *p = (const char *)((uintptr_t)from & ~(uintptr_t)3);
    if (bytes == 0)
        return false;
    const char *end = (const char *)from + bytes;
    if (p >= (const char *)4)
        p -= 4; /* the second half of a double */
    for (; p < end; p += 4) {
        accordi_shadow a;
        if (!accordi_chunks[accordi_chunk_number(p)])
            continue;
        if ((find(p, false, &a) && volatile_shadow(&a)) ||
            (find(p, true, &a) && volatile_shadow(&a)))
            return true;
    }
    return accordi_any_long && in_long(from, bytes);
}

void accordi_integer_load(const void *p, size_t bytes, uint32_t site)
{
    if (!accordi_escaped && accordi_any_volatile(p, bytes)) {
        accordi_escape(site, "bits used as an integer");
        accordi_unstable(site, "bits used as an integer", -INFINITY, INFINITY);
    }
}

/* ---- foreign code ---- */

/* The bits of numbers may stay as they are: zeros are often replaced by zeros. */
void accordi_foreign_writes(uint32_t site, const char *what)
{
    accordi_escape(site, what);
    for (uint32_t i = 0; i < mapped_count; i++)
        madvise(accordi_chunks[mapped[i]], SLOTS, MADV_DONTNEED);
}

void accordi_foreign_copy(const void *p, size_t bytes, uint32_t site, const char *what)
{
    if (accordi_any_volatile(p, bytes))
        accordi_escape(site, what);
}

/* ---- ranges ---- */

/* How many words from p on lie in its chunk, `most` at most. */
static size_t words_in_chunk(const char *p, size_t most)
{
    size_t left = (ACCORDI_CHUNK - ((uintptr_t)p & (ACCORDI_CHUNK - 1))) / 4;
    return left < most ? left : most;
}

static void clear_words(const char *p, size_t words)
{
    for (size_t n; words > 0; p += 4 * n, words -= n) {
        char *chunk = accordi_chunks[accordi_chunk_number(p)];
        n = words_in_chunk(p, words);
        if (!chunk)
            continue;
        memset(accordi_slot(chunk, p), 0, 16 * n);
        if (accordi_taped)
            memset(accordi_mark_at(chunk, p), 0, n * sizeof(accordi_mark));
    }
}

static const char *word_of(const void *p)
{
    return (const char *)((uintptr_t)p & ~(uintptr_t)3);
}

/* Clears words of which these bytes are a part, too, but for marks of bytes that are not set. */
static void clear_unmarked(const char *p, size_t bytes)
{
    for (const char *word = word_of(p); word < p + bytes; word += 4) {
        char *chunk = accordi_chunks[accordi_chunk_number(word)];
        if (chunk && !accordi_marks_unset(accordi_slot(chunk, word)))
            clear_words(word, 1);
    }
}

static void clear_part(const char *p, size_t bytes)
{
    accordi_set(p, bytes);
    clear_unmarked(p, bytes);
}

void accordi_clear(const void *to, size_t bytes)
{
    const char *p = to;
    size_t head = -(uintptr_t)p & 3;
    head = head < bytes ? head : bytes;
    size_t words = (bytes - head) / 4;
    accordi_overwrite(to, bytes);
    clear_part(p, head);
    clear_words(p + head, words);
    clear_part(p + head + 4 * words, bytes - head - 4 * words);
}

/* The ends of a float, and bits of a double, stand where another format has its kind: these are
 * rarely as small as a kind. */
static bool may_have_factors(uint64_t kind)
{
    return kind > ACCORDI_PLAIN && kind <= ACCORDI_WITH_SUM;
}

/* Factors are moved where there may be any. */
static void move_factors(char *target, const char *to, char *source, const char *from)
{
    const accordi_slot32 *slim = accordi_slot(source, from);
    const accordi_slot64 *wide = accordi_slot(source, from);
    const accordi_slot80 *longer = accordi_slot(source, from);
    if (may_have_factors(slim->kind) || may_have_factors(wide->kind) ||
        may_have_factors(longer->kind))
        *accordi_factors(target, to) = *accordi_factors(source, from);
    if (accordi_model & ACCORDI_WIDE &&
        (slim->kind >= ACCORDI_WITH_MASS || wide->kind >= ACCORDI_WITH_MASS))
        *accordi_more_slot(target, to) = *accordi_more_slot(source, from);
}

/* Words that lie in one chunk, and go to one. */
static void move_row(const char *to, const char *from, size_t words)
{
    char *source = accordi_chunks[accordi_chunk_number(from)];
    if (!source) {
        clear_words(to, words);
        return;
    }
    char *target = accordi_map_chunk(to);
    for (size_t i = 0; i < words; i++) {
        size_t at = 4 * (to < from ? i : words - 1 - i);
        move_factors(target, to + at, source, from + at);
    }
    memmove(accordi_slot(target, to), accordi_slot(source, from), 16 * words);
    if (accordi_taped)
        memmove(accordi_mark_at(target, to), accordi_mark_at(source, from),
                words * sizeof(accordi_mark));
}

/* How many words before p lie in its chunk, `most` at most. */
static size_t words_before(const char *p, size_t most)
{
    size_t left = ((uintptr_t)(p - 4) & (ACCORDI_CHUNK - 1)) / 4 + 1;
    return left < most ? left : most;
}

static void move_words(const char *to, const char *from, size_t words)
{
    to = word_of(to);
    from = word_of(from);
    const char *to_end = to + 4 * words, *from_end = from + 4 * words;
    for (size_t n; words > 0; words -= n) {
        if (to < from) {
            n = words_in_chunk(from, words_in_chunk(to, words));
            move_row(to, from, n);
            to += 4 * n;
            from += 4 * n;
        } else {
            n = words_before(from_end, words_before(to_end, words));
            to_end -= 4 * n;
            from_end -= 4 * n;
            move_row(to_end, from_end, n);
        }
    }
}

accordi_mark accordi_tape_mark(const void *p)
{
    char *chunk = accordi_taped ? accordi_chunks[accordi_chunk_number(p)] : NULL;
    return chunk ? *accordi_mark_at(chunk, p) : (accordi_mark){0, 0};
}

static void move_bytes(const char *to, const char *from, size_t bytes)
{
    bool escapes = accordi_any_volatile(from, bytes);
    accordi_move_unset(to, from, bytes);
    accordi_overwrite(to, bytes);
    clear_unmarked(to, bytes);
    if (escapes)
        accordi_escape(0, "bytes of a number copied");
}

void accordi_move(const void *to, const void *from, size_t bytes)
{
    const char *t = to, *f = from;
    size_t words = bytes / 4;
    if (((uintptr_t)t ^ (uintptr_t)f) & 3 || bytes < 4) {
        move_bytes(t, f, bytes);
        return;
    }
    if (t == f)
        return;
    bool first = accordi_begins_inside(f), last = accordi_ends_inside(f + 4 * words);
    accordi_overwrite(t, bytes);
    if (t > f)
        accordi_move_unset(t + 4 * words, f + 4 * words, bytes % 4);
    move_words(t, f, words);
    if (t < f)
        accordi_move_unset(t + 4 * words, f + 4 * words, bytes % 4);
    if (first)
        accordi_lose_word(t, f);
    if (last)
        accordi_lose_word(t + 4 * (words - 1), f + 4 * (words - 1));
}

/* What nothing is known of is an input, as where it is loaded. With slots at the source the copies
 * have theirs too, and need not be looked at number by number. */
void accordi_move_floats(const void *to, const void *from, size_t bytes)
{
    bool inputs = !accordi_escaped && !accordi_any_long && ((uintptr_t)from & 3) == 0;
    for (const char *p = from; inputs && p < (const char *)from + bytes; p += 4) {
        accordi_shadow a;
        accordi_map_chunk(p);
        if (!is_untouched(p, true))
            continue;
        uint32_t bits;
        memcpy(&bits, p, sizeof bits);
        accordi_input(&a, number_of(bits, true));
        if (a.kind == ACCORDI_PLAIN)
            keep_point(p, bits, &a, true);
    }
    accordi_move(to, from, bytes);
}

/* Compact accumulators as bytes (their form: compact.h). Reading believes nothing: what is accepted
 * is what some accumulator is written as, byte for byte. */
#include "exact/compact/compact.h"
#include "exact/compact/trim.h"

enum { VERSION = 1 };

uint64_t accordi_compact_check(const unsigned char *bytes, size_t length)
{
    uint64_t h = 0x9e3779b97f4a7c15u ^ length;
    for (size_t i = 0; i < length; i += 4) {
        h = (h ^ accordi_get_bytes(bytes + i, 4)) * 0xbf58476d1ce4e5b9u;
        h ^= h >> 29;
    }
    h *= 0x94d049bb133111ebu;
    return h ^ h >> 32;
}

size_t accordi_compact_put_form(unsigned char *bytes, bool products,
                                const accordi_compact_trimmed *t,
                                const int64_t count[ACCORD_EXACT_COUNTS])
{
    bool odd = false;
    for (int i = 1; i < ACCORD_EXACT_COUNTS; i++)
        odd = odd || count[i];
    unsigned char *at = bytes + ACCORDI_COMPACT_HEAD;
    bytes[0] = ACCORDI_COMPACT_MARK;
    bytes[1] = VERSION;
    bytes[2] = products;
    bytes[3] = odd;
    accordi_put_bytes(bytes + 4, (uint64_t)t->low, 2);
    accordi_put_bytes(bytes + 6, (uint64_t)t->count, 2);
    accordi_put_bytes(bytes + 8, (uint64_t)count[ACCORD_EXACT_TERMS], 8);
    for (int i = 1; i < ACCORD_EXACT_COUNTS && odd; i++, at += 8)
        accordi_put_bytes(at, (uint64_t)count[i], 8);
    for (int i = 0; i < t->count; i++, at += 4)
        accordi_put_bytes(at, (uint64_t)t->word[i], 4);
    accordi_put_bytes(at, accordi_compact_check(bytes, (size_t)(at - bytes)),
                      ACCORDI_COMPACT_CHECK);
    return (size_t)(at - bytes) + ACCORDI_COMPACT_CHECK;
}

size_t accordi_compact_write(const accordi_compact *sum, unsigned char bytes[ACCORDI_COMPACT_BYTES])
{
    accordi_compact_trimmed t;
    int64_t count[ACCORD_EXACT_COUNTS];
    accordi_compact_view(sum, count);
    accordi_compact_trim(sum, &t);
    return accordi_compact_put_form(bytes, sum->products, &t, count);
}

static const char not_one[] =
    "these bytes are not an accumulator: they are damaged or of another kind";

/* As far as the form goes: length, kind, checksum. */
static enum accord_status check_form(const unsigned char *bytes, size_t length, bool products,
                                     accord_error *error)
{
    const size_t around = ACCORDI_COMPACT_HEAD + ACCORDI_COMPACT_CHECK;
    if (!bytes || length < around || bytes[0] != ACCORDI_COMPACT_MARK || bytes[2] > 1 ||
        bytes[3] > 1)
        return accordi_fail(error, ACCORD_PARSE, not_one);
    if (bytes[1] != VERSION)
        return accordi_fail(error, ACCORD_UNSUPPORTED,
                            "the accumulator has version %d of the form, but this is version %d; "
                            "use the release that wrote it",
                            bytes[1], VERSION);
    size_t counts = bytes[3] ? 8 * ACCORDI_COMPACT_ODD : 0, limbs = accordi_get_bytes(bytes + 6, 2);
    if (bytes[2] != products || length != around + counts + 4 * limbs)
        return accordi_fail(error, ACCORD_PARSE, not_one);
    size_t before = length - ACCORDI_COMPACT_CHECK;
    if (accordi_compact_check(bytes, before) !=
        accordi_get_bytes(bytes + before, ACCORDI_COMPACT_CHECK))
        return accordi_fail(error, ACCORD_PARSE, not_one);
    return ACCORD_OK;
}

/* Every count is one of some terms, and a number that is not zero has terms of its own. */
static bool counts_make_sense(const int64_t *count, bool written, bool zero)
{
    int64_t plain = count[ACCORD_EXACT_TERMS];
    bool some = false;
    if (plain < 0 || plain >= ACCORDI_EXACT_MOST_TERMS)
        return false;
    for (int i = 1; i < ACCORD_EXACT_COUNTS; i++) {
        if (count[i] < 0 || count[i] > plain)
            return false;
        some = some || count[i];
        plain -= count[i];
    }
    return (zero || plain > 0) && some == written;
}

/* Below 2^bits units of limb `limbs` - 1 in magnitude? */
static bool stays_below(const accordi_compact_trimmed *t, int limbs, int bits)
{
    int64_t last = t->count ? t->word[t->count - 1] : 0, limit = (int64_t)1 << bits;
    return t->low + t->count < limbs ||
           (t->low + t->count == limbs && last >= -limit && last < limit);
}

static int limbs_of(bool products)
{
    return products ? ACCORD_EXACT_WIDE_LIMBS : ACCORD_EXACT_LIMBS;
}

/* As trim.h says, and within the limbs of a full accumulator, the last of which has 62 bits. */
static bool limbs_make_sense(const accordi_compact_trimmed *t, bool products)
{
    if (!t->count)
        return t->low == 0;
    int64_t last = t->word[t->count - 1];
    bool redundant = t->count > 1 && last == -(t->word[t->count - 2] >> 31);
    return t->word[0] && !redundant && stays_below(t, limbs_of(products) + 1, 29);
}

static void read_limbs(accordi_compact_trimmed *t, const unsigned char *at)
{
    for (int i = 0; i < t->count; i++)
        t->word[i] = (int64_t)accordi_get_bytes(at + 4 * i, 4);
    if (t->count)
        t->word[t->count - 1] = (int32_t)t->word[t->count - 1];
}

enum accord_status accordi_compact_take_form(const void *bytes, size_t length, bool products,
                                             accordi_compact_trimmed *t,
                                             int64_t count[ACCORD_EXACT_COUNTS],
                                             accord_error *error)
{
    const unsigned char *at = bytes;
    enum accord_status status = check_form(at, length, products, error);
    if (status)
        return status;
    bool odd = at[3];
    t->low = (int)accordi_get_bytes(at + 4, 2);
    t->count = (int)accordi_get_bytes(at + 6, 2);
    if (t->count > limbs_of(products) + 1)
        return accordi_fail(error, ACCORD_PARSE, not_one);
    memset(count, 0, sizeof *count * ACCORD_EXACT_COUNTS);
    for (int i = 0; i < (odd ? ACCORD_EXACT_COUNTS : 1); i++)
        count[i] = (int64_t)accordi_get_bytes(at + 8 + 8 * i, 8);
    read_limbs(t, at + ACCORDI_COMPACT_HEAD + (odd ? 8 * ACCORDI_COMPACT_ODD : 0));
    if (!counts_make_sense(count, odd, !t->count) || !limbs_make_sense(t, products))
        return accordi_fail(error, ACCORD_PARSE, not_one);
    return ACCORD_OK;
}

enum accord_status accordi_compact_read(accordi_compact **out, const void *bytes, size_t length,
                                        bool products, const accordi_compact_memory *memory,
                                        accord_error *error)
{
    int64_t count[ACCORD_EXACT_COUNTS];
    accordi_compact_trimmed t;
    enum accord_status status =
        accordi_compact_take_form(bytes, length, products, &t, count, error);
    if (status)
        return status;
    /* What grew by merging alone stays below this, and may grow on. */
    if (count[ACCORD_EXACT_TERMS] > (int64_t)1 << 62 || !stays_below(&t, limbs_of(products), 30))
        return accordi_fail(error, ACCORD_PARSE, not_one);
    accordi_compact *made = accordi_compact_new(products, memory);
    if (made && accordi_compact_put_trimmed(&made, &t, count, memory)) {
        *out = made;
        return ACCORD_OK;
    }
    if (made)
        memory->resize(memory->context, made, 0);
    return accordi_nomem(error);
}

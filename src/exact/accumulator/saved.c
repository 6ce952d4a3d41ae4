/* The saved form (its layout: accord/exact.h). Reading trusts no byte: it tests the checksum first,
 * and then every property that all accumulators have, so that it accepts only what was saved. */
#include "exact/accumulator/exact.h"

enum { VERSION = 1, HEADER = 64, CHECKSUM = 16 };
static const char magic[8] = {'a', 'c', 'c', 'o', 'r', 'd', 'E', 'X'};

static int digit(char c)
{
    return c <= '9' ? c - '0' : c - 'a' + 10;
}

static void checksum(const unsigned char *bytes, size_t length, unsigned char out[CHECKSUM])
{
    accordi_sha256 sha;
    char hex[65];
    accordi_sha256_init(&sha);
    accordi_sha256_add(&sha, bytes, length);
    accordi_sha256_hex(&sha, hex);
    for (int i = 0; i < CHECKSUM; i++)
        out[i] = (unsigned char)(16 * digit(hex[2 * i]) + digit(hex[2 * i + 1]));
}

static size_t payload(int limbs)
{
    return HEADER + 4 * (size_t)(limbs - 1) + 8;
}

void accordi_exact_write(accordi_exact_view sum, unsigned char *bytes)
{
    memcpy(bytes, magic, sizeof magic);
    accordi_put_bytes(bytes + 8, VERSION, 4);
    accordi_put_bytes(bytes + 12, (uint64_t)sum.limbs, 4);
    int64_t count[ACCORD_EXACT_COUNTS];
    memcpy(count, sum.count, sizeof count);
    accordi_exact_settle_zeros(count);
    for (int i = 0; i < ACCORD_EXACT_COUNTS; i++)
        accordi_put_bytes(bytes + 16 + 8 * i, (uint64_t)count[i], 8);
    int64_t carry = 0;
    unsigned char *at = bytes + HEADER;
    for (int i = 0; i < sum.limbs - 1; i++, at += 4) {
        int64_t limb = sum.limb[i] + carry;
        accordi_put_bytes(at, (uint64_t)limb, 4);
        carry = limb >> 32;
    }
    accordi_put_bytes(at, (uint64_t)(sum.limb[sum.limbs - 1] + carry), 8);
    checksum(bytes, payload(sum.limbs), at + 8);
}

/* Every count is one of some terms, zeros are counted where there is nothing else, and a sum that
 * is not zero has terms that are not special. */
static bool counts_make_sense(const int64_t *count, bool zero)
{
    int64_t plain = count[ACCORD_EXACT_TERMS];
    if (plain < 0 || plain >= ACCORDI_EXACT_MOST_TERMS)
        return false;
    for (int i = ACCORD_EXACT_TERMS + 1; i < ACCORD_EXACT_COUNTS; i++) {
        if (count[i] < 0 || count[i] > plain)
            return false;
        plain -= count[i];
    }
    int64_t zeros = count[ACCORD_EXACT_PLUS_ZEROS] + count[ACCORD_EXACT_MINUS_ZEROS];
    return (zero || plain > 0) && (!zeros || zeros == count[ACCORD_EXACT_TERMS]);
}

/* The header and the checksum. */
static enum accord_status check_form(const unsigned char *bytes, size_t length, int limbs,
                                     accord_error *error)
{
    if (length < HEADER || memcmp(bytes, magic, sizeof magic))
        return accordi_fail(error, ACCORD_PARSE,
                            "this is not a saved accumulator: it does not begin with accordEX");
    uint64_t version = accordi_get_bytes(bytes + 8, 4);
    if (version != VERSION)
        return accordi_fail(error, ACCORD_UNSUPPORTED,
                            "the accumulator was saved in version %u of the form, but this is "
                            "version %d; use the release that saved it",
                            (unsigned)version, VERSION);
    if (accordi_get_bytes(bytes + 12, 4) != (uint64_t)limbs)
        return accordi_fail(error, ACCORD_PARSE,
                            "the saved accumulator has %u limbs, but %d are needed%s",
                            (unsigned)accordi_get_bytes(bytes + 12, 4), limbs,
                            "; sums have 70, and sums of products 136");
    if (length != payload(limbs) + CHECKSUM)
        return accordi_fail(error, ACCORD_PARSE,
                            "the saved accumulator has %zu bytes instead of %zu; save it again",
                            length, payload(limbs) + CHECKSUM);
    unsigned char sum[CHECKSUM];
    checksum(bytes, payload(limbs), sum);
    if (memcmp(sum, bytes + payload(limbs), CHECKSUM))
        return accordi_fail(
            error, ACCORD_PARSE,
            "the saved accumulator is damaged: its checksum is wrong; save it again");
    return ACCORD_OK;
}

enum accord_status accordi_exact_read(accordi_exact_view sum, const void *bytes, size_t length,
                                      accord_error *error)
{
    if (!bytes)
        return accordi_fail(
            error, ACCORD_ARG,
            "there are no bytes from which to load an accumulator: pass an array that is not NULL");
    enum accord_status status = check_form(bytes, length, sum.limbs, error);
    if (status)
        return status;
    int64_t count[ACCORD_EXACT_COUNTS], limb[ACCORD_EXACT_WIDE_LIMBS];
    const unsigned char *at = bytes;
    for (int i = 0; i < ACCORD_EXACT_COUNTS; i++)
        count[i] = (int64_t)accordi_get_bytes(at + 16 + 8 * i, 8);
    bool zero = true;
    for (int i = 0; i < sum.limbs; i++) {
        limb[i] = (int64_t)accordi_get_bytes(at + HEADER + 4 * i, i < sum.limbs - 1 ? 4 : 8);
        zero = zero && !limb[i];
    }
    int64_t top = limb[sum.limbs - 1], most = (int64_t)1 << 61;
    if (!counts_make_sense(count, zero) || top < -most || top >= most)
        return accordi_fail(error, ACCORD_PARSE, "no sum has the saved accumulator; save it again");
    memcpy(sum.limb, limb, sizeof *limb * (size_t)sum.limbs);
    memcpy(sum.count, count, sizeof count);
    *sum.pending = 0;
    return ACCORD_OK;
}

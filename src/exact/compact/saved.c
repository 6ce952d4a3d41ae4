/* Full accumulators in the compact form, and the loading of either form. */
#include "exact/compact/trim.h"

static size_t save(accordi_exact_view sum, bool products, unsigned char *bytes)
{
    accordi_compact_trimmed t;
    int64_t count[ACCORD_EXACT_COUNTS];
    memcpy(count, sum.count, sizeof count);
    accordi_exact_settle_zeros(count);
    accordi_compact_trim_limbs(sum.limb, sum.limbs, 0, &t);
    return accordi_compact_put_form(bytes, products, &t, count);
}

/* The last limb takes what is left of the number, with its sign. */
static void put_limbs(accordi_exact_view sum, const accordi_compact_trimmed *t)
{
    int last = sum.limbs - 1;
    memset(sum.limb, 0, sizeof *sum.limb * (size_t)sum.limbs);
    for (int i = t->count; i-- > 0;)
        if (t->low + i > last)
            sum.limb[last] = t->word[i] * ((int64_t)1 << 32);
        else
            sum.limb[t->low + i] += t->word[i];
    accordi_exact_normalize(sum);
}

static enum accord_status load(accordi_exact_view sum, bool products, const void *bytes,
                               size_t length, accord_error *error)
{
    accordi_compact_trimmed t;
    int64_t count[ACCORD_EXACT_COUNTS];
    if (!bytes || !length || *(const unsigned char *)bytes != ACCORDI_COMPACT_MARK)
        return accordi_exact_read(sum, bytes, length, error);
    enum accord_status status =
        accordi_compact_take_form(bytes, length, products, &t, count, error);
    if (status)
        return status;
    accordi_exact_settle_zeros(count);
    memcpy(sum.count, count, sizeof count);
    put_limbs(sum, &t);
    return ACCORD_OK;
}

#define FUNCTIONS(name_, view_, products_, bytes_)                                                 \
    size_t name_##_save_compact(const name_ *sum, unsigned char bytes[bytes_])                     \
    {                                                                                              \
        return save(view_(sum), products_, bytes);                                                 \
    }                                                                                              \
    enum accord_status name_##_load(name_ *sum, const void *bytes, size_t length,                  \
                                    accord_error *error)                                           \
    {                                                                                              \
        return load(view_(sum), products_, bytes, length, error);                                  \
    }

FUNCTIONS(accord_exact, accordi_exact_of, false, ACCORD_EXACT_COMPACT_BYTES)
FUNCTIONS(accord_exact_wide, accordi_exact_of_wide, true, ACCORD_EXACT_WIDE_COMPACT_BYTES)

_Static_assert((int)ACCORDI_COMPACT_BYTES == ACCORD_EXACT_WIDE_COMPACT_BYTES,
               "the longest form is that of products");

/* Base: errors, growable buffers, seeded random numbers, the clock, hashing, the CPU and memory,
 * for all rooms. Internal. Read this header first; child.h (other programs) and parallel.h
 * (threads) are the rest of the room, which uses no other. */
#ifndef ACCORDI_BASE_H
#define ACCORDI_BASE_H

#include <accord/base.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;

#define ACCORDI_PRINTF(text, args) __attribute__((format(printf, text, args)))

/* Fills *error (may be NULL) and returns `status`. Newlines in the text become spaces. */
enum accord_status accordi_fail(accord_error *error, enum accord_status status, const char *format,
                                ...) ACCORDI_PRINTF(3, 4);
/* The same with status ACCORD_UNABLE and a reason. */
enum accord_status accordi_unable(accord_error *error, enum accord_reason reason,
                                  const char *format, ...) ACCORDI_PRINTF(3, 4);
enum accord_status accordi_nomem(accord_error *error);

/* Copies a struct that a caller filled, with `size` as its first member (accord/base.h), into
 * *full, which has `known` bytes: as many of them as the caller's struct has, and 0 in the others.
 * With a size of 0 the caller's struct has `first` bytes. *full holds the defaults if `given` is
 * NULL. */
enum accord_status accordi_take(void *full, size_t known, size_t first, const void *given,
                                const char *type, accord_error *error);
/* The same for a struct of that type, whose last member in version 0.1 was `last_`. */
#define ACCORDI_TAKE(type_, last_, full_, given_, error_)                                          \
    accordi_take(full_, sizeof(type_), offsetof(type_, last_) + sizeof((full_)->last_),            \
                 (const type_ *){given_}, #type_, error_)

/* What comes before item i of `count` in a sentence: "a", "a and b", "a, b and c". */
static inline const char *accordi_joint(size_t i, size_t count)
{
    return i == 0 ? "" : i + 1 < count ? ", " : " and ";
}

/* Are they the same result? Zeros of different signs are not; NaN is one value. */
static inline bool accordi_same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b);
}

/* Numbers that lie in memory as float where `is_f32`, else as double. */
static inline double accordi_get_number(const void *numbers, bool is_f32, size_t i)
{
    return is_f32 ? (double)((const float *)numbers)[i] : ((const double *)numbers)[i];
}
static inline void accordi_set_number(void *numbers, bool is_f32, size_t i, double value)
{
    if (is_f32)
        ((float *)numbers)[i] = (float)value;
    else
        ((double *)numbers)[i] = value;
}

/* malloc of count*size bytes that checks the product; NULL when it fails; 0 bytes give a pointer.
 */
void *accordi_alloc(size_t count, size_t size);
void *accordi_calloc(size_t count, size_t size);
/* Makes room for `needed` elements of `size` bytes in *array; false, and nothing changed, when
 * there is no memory. */
bool accordi_grow(void **array, size_t *capacity, size_t needed, size_t size);
char *accordi_strdup(const char *text);

/* Ascending orders for qsort: of double (no NaN), and of uint64_t. */
int accordi_by_value(const void *a, const void *b);
int accordi_by_number(const void *a, const void *b);

/* The columns that the first `length` bytes of UTF-8 text take on a terminal: its code points. */
static inline size_t accordi_columns(const char *text, size_t length)
{
    size_t columns = 0;
    for (size_t i = 0; i < length; i++)
        columns += ((unsigned char)text[i] & 0xc0) != 0x80;
    return columns;
}

/* Growable bytes. A failed growth sets `failed` and later calls do nothing: test it once. The
 * data is always followed by a zero byte once anything was appended. */
typedef struct accordi_buffer {
    char *data;
    size_t length, capacity;
    bool failed;
} accordi_buffer;
void accordi_buffer_clear(accordi_buffer *buffer);
void accordi_buffer_append(accordi_buffer *buffer, const void *data, size_t length);
void accordi_buffer_puts(accordi_buffer *buffer, const char *text);
void accordi_buffer_printf(accordi_buffer *buffer, const char *format, ...) ACCORDI_PRINTF(2, 3);
/* Appends to the buffer at `context`; false once it failed. An accord_sink. */
bool accordi_buffer_write(void *context, const char *text, size_t length);
/* Makes room for `extra` more bytes and returns where they go (NULL when failed); the caller adds
 * what it wrote to length. */
char *accordi_buffer_reserve(accordi_buffer *buffer, size_t extra);

/* A copy of `text` that is valid UTF-8 (bytes that are not become U+FFFD), the caller's to free;
 * NULL when there is no memory. `plain` turns control characters into spaces as well, so that
 * nothing foreign can steer a terminal or break a picture. */
char *accordi_utf8(const char *text, bool plain);
/* The length in bytes of the valid UTF-8 sequence at `at`, 0 when there is none. */
size_t accordi_utf8_length(const char *at);

/* Bytes that this process may still use, by the system, control groups and resource limits;
 * UINT64_MAX where nothing tells. */
uint64_t accordi_memory_available(void);
/* ACCORD_NOMEM where so many bytes are not there, with a text that says so of `what`. */
enum accord_status accordi_memory_check(double bytes, const char *what, accord_error *error);

/* The address of a function in libaccord_opencl, which stays open. ACCORD_UNSUPPORTED: there is no
 * such library, or no such function in it. */
enum accord_status accordi_opencl_library(const char *symbol, void **out, accord_error *error);

/* Room for a number in decimal digits. */
enum { ACCORDI_DECIMAL = 40 };
/* x in the fewest significant digits, but not fewer than `digits`, that read back as x: as a float
 * where `single`. */
void accordi_put_decimal(char text[ACCORDI_DECIMAL], double x, int digits, bool single);
/* Room for a whole number with separators of thousands, as in 1,023. */
enum { ACCORDI_GROUPED = 32 };
void accordi_put_count(char text[ACCORDI_GROUPED], int64_t value);

/* The i-th name of a list, NULL past the end. */
typedef const char *accordi_names(const void *list, size_t i);
/* The name that a misspelled word stands for, NULL where none is near: for "did you mean". */
const char *accordi_nearest(const char *word, accordi_names *name, const void *list);

/* xoshiro256** seeded by splitmix64: the same numbers on every machine. */
typedef struct accordi_rng {
    uint64_t s[4];
} accordi_rng;
void accordi_rng_init(accordi_rng *rng, uint64_t seed);
static inline uint64_t accordi_rotate(uint64_t x, int by)
{
    return (x << by) | (x >> (64 - by));
}
static inline uint64_t accordi_rng_next(accordi_rng *rng)
{
    uint64_t *s = rng->s;
    uint64_t result = accordi_rotate(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = accordi_rotate(s[3], 45);
    return result;
}
uint64_t accordi_rng_below(accordi_rng *rng, uint64_t bound); /* 0 … bound-1, unbiased */
/* Weights from 1 to `most`, which is at most 2^16, of 16 random bits each. Returns their sum. */
uint64_t accordi_rng_weights(accordi_rng *rng, uint32_t *weight, size_t count, uint32_t most);
double accordi_rng_unit(accordi_rng *rng);   /* [0, 1), 53 bits */
double accordi_rng_normal(accordi_rng *rng); /* N(0, 1) */
void accordi_rng_shuffle(accordi_rng *rng, uint32_t *items, size_t count);

double accordi_now(void); /* monotonic seconds */

typedef struct accordi_sha256 {
    uint32_t h[8];
    uint64_t length;
    unsigned char block[64];
} accordi_sha256;
void accordi_sha256_init(accordi_sha256 *sha);
void accordi_sha256_add(accordi_sha256 *sha, const void *data, size_t length);
bool accordi_sha256_write(void *sha, const char *text, size_t length); /* an accord_sink */
void accordi_sha256_hex(accordi_sha256 *sha, char hex[65]);            /* ends it */

/* The CPU's model name and features that numerical libraries dispatch on, space separated;
 * static storage, "unknown" where the machine does not say. */
const char *accordi_cpu_name(void);
const char *accordi_cpu_features(void);
/* Whether this processor has an instruction set for which there are kernels ("avx2", "fma",
 * "avx512" with DQ and VL, "amx" with INT8, and AVX-512 with BW and VBMI, "neon"), and
 * ACCORD_DISABLE, a list like "avx2,fma", does not name it. */
bool accordi_cpu_has(const char *set);
/* x86: a bit of leaf 7 of CPUID, in a word of a subleaf. */
enum { ACCORDI_CPU_EAX, ACCORDI_CPU_EBX, ACCORDI_CPU_ECX, ACCORDI_CPU_EDX };
bool accordi_cpu_has_bit(int subleaf, int word, int bit);
/* x86: whether there are tiles (AMX) for this process: Linux gives them when it is asked for them.
 */
bool accordi_cpu_has_tiles(void);

/* Integers of files and messages: `bytes` of them, the least significant first. */
static inline void accordi_put_bytes(unsigned char *at, uint64_t word, int bytes)
{
    for (int i = 0; i < bytes; i++)
        at[i] = (unsigned char)(word >> (8 * i));
}

static inline uint64_t accordi_get_bytes(const unsigned char *at, int bytes)
{
    uint64_t word = 0;
    for (int i = 0; i < bytes; i++)
        word |= (uint64_t)at[i] << (8 * i);
    return word;
}

#endif

/* Numbers of buffers, as doubles that hold them exactly: an integer of 64 bits takes two. */
#include "native/exact.h"
#include <math.h>

static bool is_big_endian(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 0;
}

/* What a letter of the module struct stands for; false: no number that is added. */
static bool read_letter(char letter, native_array *out)
{
    static const struct {
        const char *letters;
        enum accord_format format;
        bool integer, is_signed;
    } kinds[] = {
        {"d", ACCORD_F64, false, true},       {"f", ACCORD_F32, false, true},
        {"e", ACCORD_F16, false, true},       {"bhilqn", ACCORD_F64, true, true},
        {"?BHILQN", ACCORD_F64, true, false},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (letter && strchr(kinds[i].letters, letter)) {
            out->format = kinds[i].format;
            out->integer = kinds[i].integer;
            out->is_signed = kinds[i].is_signed;
            return true;
        }
    return false;
}

static bool read_format(const char *format, native_array *out)
{
    const char *letter = out->view.format ? out->view.format : "B";
    if (format)
        return accord_format_by_name(format, &out->format) &&
               accord_format_get(out->format)->bytes == out->view.itemsize;
    bool big = *letter == '>' || *letter == '!', little = *letter == '<';
    letter += big || little || *letter == '@' || *letter == '=';
    out->swapped = out->view.itemsize > 1 && (is_big_endian() ? little : big);
    return read_letter(*letter, out) && !letter[1] && out->view.itemsize <= 8;
}

bool native_array_get(const native_state *state, PyObject *object, const char *format,
                      native_array *out)
{
    *out = (native_array){.format = ACCORD_F64};
    if (PyObject_GetBuffer(object, &out->view, PyBUF_STRIDED_RO | PyBUF_FORMAT) < 0)
        return false;
    bool known = read_format(format, out);
    out->converted = out->integer || out->swapped;
    if (known && (out->format == ACCORD_F64 || out->format == ACCORD_F32 ||
                  out->format == ACCORD_F16 || out->format == ACCORD_BF16))
        return true;
    native_wrong(state,
                 "exact sums take float64, float32, float16, bfloat16 and integers, not numbers of "
                 "format '%.20s'",
                 out->view.format ? out->view.format : "B");
    PyBuffer_Release(&out->view);
    return false;
}

/* The bits of a number, without sign extension. */
static uint64_t bits_at(const native_array *in, const char *at)
{
    unsigned char bytes[8];
    size_t size = (size_t)in->view.itemsize;
    uint64_t bits = 0;
    memcpy(bytes, at, size);
    for (size_t i = 0; i < size; i++)
        bits |= (uint64_t)bytes[is_big_endian() != in->swapped ? size - 1 - i : i] << 8 * i;
    return bits;
}

/* One number as the sum of two doubles; the second is 0 where one is enough. */
static void split(const native_array *in, uint64_t bits, double part[2])
{
    enum { LOW = 0x7ff }; /* what a double of 53 bits lacks of 64 */
    unsigned unused = 64 - 8 * (unsigned)in->view.itemsize;
    const int64_t whole = (int64_t)1 << 53;
    part[1] = 0;
    if (!in->integer) {
        part[0] = accord_format_decode(in->format, bits);
    } else if (in->is_signed) {
        int64_t value = (int64_t)(bits << unused) >> unused;
        bool fits = value >= -whole && value <= whole;
        part[0] = (double)(fits ? value : value & ~(int64_t)LOW);
        part[1] = fits ? 0 : (double)(value & LOW);
    } else {
        bool fits = bits <= (uint64_t)whole;
        part[0] = (double)(fits ? bits : bits & ~(uint64_t)LOW);
        part[1] = fits ? 0 : (double)(bits & LOW);
    }
}

/* Adds the second parts, which are no terms of their own. */
static void add_second(accord_exact *sum, size_t count, const double *part)
{
    for (size_t i = 0; i < count; i++)
        if (part[2 * i + 1] != 0) {
            accord_exact_add_f64(sum, part[2 * i + 1]);
            sum->count[ACCORD_EXACT_TERMS]--;
        }
}

void native_array_add(accord_exact *sum, const native_array *in, const char *x, size_t n,
                      ptrdiff_t stride)
{
    enum { CHUNK = 128 };
    double part[2 * CHUNK];
    for (size_t done = 0; done < n;) {
        size_t count = n - done < CHUNK ? n - done : CHUNK;
        for (size_t i = 0; i < count; i++)
            split(in, bits_at(in, x + (ptrdiff_t)(done + i) * stride), part + 2 * i);
        accord_exact_add_array_f64(sum, count, part, 2);
        if (in->integer)
            add_second(sum, count, part);
        done += count;
    }
}

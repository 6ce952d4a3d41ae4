/* NumPy writes a type as a literal of Python: a string such as '<f8', or a list with a tuple for
 * each field: its name, its type and, if it has several values, their shape. Gaps are fields
 * without a name. Fields within fields are not taken. */
#include "cli/numbers/npy_type.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct text {
    const char *at, *end;
} text;

static const char unknown[] = "the type in its header cannot be understood; save its numbers alone";

/* Spaces and commas part the elements. */
static char peek(text *t)
{
    while (t->at < t->end && (*t->at == ' ' || *t->at == ',' || *t->at == '\n'))
        t->at++;
    return t->at < t->end ? *t->at : 0;
}

static bool take(text *t, char c)
{
    bool there = peek(t) == c;
    t->at += there;
    return there;
}

/* 'word' or "word", without the quotes. */
static bool take_word(text *t, text *word)
{
    char quote = peek(t);
    if (quote != '\'' && quote != '"')
        return false;
    word->at = ++t->at;
    while (t->at < t->end && *t->at != quote)
        t->at += *t->at == '\\' && t->at + 1 < t->end ? 2 : 1;
    word->end = t->at;
    return t->at++ < t->end;
}

static bool take_size(text *t, size_t *out)
{
    const size_t most = (size_t)1 << 31;
    const char *first = t->at;
    for (*out = 0; t->at < t->end && *t->at >= '0' && *t->at <= '9' && *out < most; t->at++)
        *out = 10 * *out + (size_t)(*t->at - '0');
    return t->at > first && *out < most;
}

static bool take_type(text *t, cli_npy_type *out)
{
    text word;
    if (!take_word(t, &word) || word.end - word.at < 3 || !memchr("<>=|", *word.at, 4))
        return false;
    out->big = *word.at == '>';
    if (*word.at == '=')
        out->big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
    out->kind = word.at[1];
    word.at += 2;
    bool good = take_size(&word, &out->size);
    out->size *= out->kind == 'U' ? 4 : 1;
    return good;
}

/* The number of values of a field: the product of its shape. */
static bool take_shape(text *t, size_t *count)
{
    *count = 1;
    if (!take(t, '('))
        return true;
    while (peek(t) != ')') {
        size_t side;
        if (!take_size(t, &side) || (side && *count > ((size_t)1 << 31) / side))
            return false;
        *count *= side;
    }
    return take(t, ')');
}

static bool is_field(const text *name, size_t number, const char *field)
{
    size_t length = (size_t)(name->end - name->at);
    if (!field || !length)
        return false;
    if (!field[strspn(field, "0123456789")])
        return strtoull(field, NULL, 10) == number;
    return strlen(field) == length && memcmp(field, name->at, length) == 0;
}

static const char *take_fields(text *t, const char *field, cli_npy_type *out)
{
    cli_npy_type one = {0};
    size_t offset = 0, number = 0, count;
    const char *problem =
        field ? "its records have no such field; choose another one with --column"
              : "it holds records; choose one of their fields by its name with --column";
    while (take(t, '(')) {
        text name;
        if (!take_word(t, &name) || !take_type(t, &one) || !take_shape(t, &count) || !take(t, ')'))
            return unknown;
        number += name.end > name.at;
        if (is_field(&name, number, field)) {
            problem = count == 1 ? NULL : "its field has several values; save them alone";
            *out = one;
            out->offset = offset;
        }
        offset += one.size * count;
        if (offset >> 31)
            return unknown;
    }
    out->fields = true;
    out->record = offset;
    return take(t, ']') ? problem : unknown;
}

const char *cli_npy_read_type(const char *at, size_t length, const char *field, cli_npy_type *out)
{
    text t = {at, at + length};
    *out = (cli_npy_type){0};
    if (take(&t, '['))
        return take_fields(&t, field, out);
    if (!take_type(&t, out))
        return unknown;
    out->record = out->size;
    return NULL;
}

bool cli_npy_integer(const cli_npy_type *type, const unsigned char *bytes, double *out)
{
    const uint64_t most = (uint64_t)1 << 53;
    uint64_t value = 0;
    for (size_t i = 0; i < type->size; i++)
        value = value << 8 | bytes[type->big ? i : type->size - 1 - i];
    bool negative = type->kind == 'i' && value >> (8 * type->size - 1);
    if (negative && type->size < 8)
        value |= UINT64_MAX << (8 * type->size);
    uint64_t magnitude = negative ? 0 - value : value;
    *out = negative ? -(double)magnitude : (double)magnitude;
    return magnitude <= most;
}

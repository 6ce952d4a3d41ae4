/* The table of settings, and reading one. */
#include "format/format.h"
#include "model/line/line.h"
#include <stddef.h>

#define AT(member) offsetof(accordi_settings, member)
#define FORMAT_ROW(name, member)                                                                   \
    {                                                                                              \
        name, ACCORDI_SETTING_FORMAT, AT(member), AT(has_##member), {NULL}, NULL                   \
    }
#define FLAG_ROW(name, member)                                                                     \
    {                                                                                              \
        name, ACCORDI_SETTING_FLAG, AT(member), 0, {NULL}, NULL                                    \
    }
const accordi_setting accordi_setting_rows[] = {
    {"terms", ACCORDI_SETTING_OPERAND, AT(terms), AT(has_terms), {NULL}, NULL},
    FORMAT_ROW("acc", accumulator),
    FORMAT_ROW("product", product),
    FORMAT_ROW("out", output),
    FLAG_ROW("values", values),
    FLAG_ROW("products", products),
    FLAG_ROW("absolute", absolute),
    FLAG_ROW("squares", squares),
    {"fma", ACCORDI_SETTING_WORD, AT(fma), 0, {"last", "first", "inner", "none"}, "last"},
    {"machine", ACCORDI_SETTING_WORD, AT(machine), 0, {NULL}, NULL},
    {"start", ACCORDI_SETTING_WORD, AT(start), 0, {"first", "zero"}, NULL},
    FLAG_ROW("zero-last", zero_last),
    {"rounding",
     ACCORDI_SETTING_WORD,
     AT(rounding),
     0,
     {"nearest", "up", "down", "zero", "away"},
     NULL},
    {"flush", ACCORDI_SETTING_WORD, AT(flush), 0, {NULL}, NULL},
    {"skips-zero", ACCORDI_SETTING_WORD, AT(skips), 0, {"either", "x", "y"}, "either"},
    FLAG_ROW("mean", mean),
};
const size_t accordi_setting_count = sizeof accordi_setting_rows / sizeof *accordi_setting_rows;

static const char *listed_format(const void *list, size_t i)
{
    (void)list;
    return i < ACCORD_FORMAT_COUNT ? accord_format_get((enum accord_format)i)->name : NULL;
}

static const char *listed_word(const void *list, size_t i)
{
    const accordi_setting *s = list;
    return i < ACCORDI_SETTING_WORDS ? s->word[i] : NULL;
}

static enum accord_status read_format(const accordi_setting *s, void *into, const char *value,
                                      const char *where, accord_error *error)
{
    char *to = into;
    bool operand = s->kind == ACCORDI_SETTING_OPERAND;
    enum accord_format *format = (enum accord_format *)(void *)(to + s->at);
    if ((operand ? accord_format_operand_by_name : accord_format_by_name)(value, format)) {
        *(bool *)(to + s->has) = true;
        return ACCORD_OK;
    }
    const char *near = accordi_nearest(value, listed_format, NULL);
    return accordi_fail(error, ACCORD_ARG,
                        "%sthere is no format '%.20s'; %s%s%schoose f64, f32, f16, bf16, tf32, "
                        "e4m3 or e5m2",
                        where, value, near ? "did you mean " : "", near ? near : "",
                        near ? "? " : "");
}

static enum accord_status no_such_word(const accordi_setting *s, const char *value,
                                       const char *where, accord_error *error)
{
    char words[120] = "";
    size_t at = 0;
    for (size_t i = 0; listed_word(s, i); i++)
        at += (size_t)snprintf(words + at, sizeof words - at, "%s%s", i ? ", " : "", s->word[i]);
    const char *near = accordi_nearest(value, listed_word, s);
    return accordi_fail(
        error, ACCORD_ARG, "%sthe setting %s= cannot be '%.20s'; %s%s%schoose one of %s", where,
        s->name, value, near ? "did you mean " : "", near ? near : "", near ? "? " : "", words);
}

static enum accord_status read_word(const accordi_setting *s, void *into, const char *value,
                                    const char *where, accord_error *error)
{
    const char *word = s->word[0] ? NULL : value;
    for (size_t i = 0; listed_word(s, i); i++)
        if (strcmp(s->word[i], value) == 0)
            word = s->word[i];
    if (!word)
        return no_such_word(s, value, where, error);
    memcpy((char *)into + s->at, &word, sizeof word);
    return ACCORD_OK;
}

static bool is_given(const accordi_setting *s, const void *in)
{
    const char *from = in, *word;
    if (s->kind == ACCORDI_SETTING_FORMAT || s->kind == ACCORDI_SETTING_OPERAND)
        return *(const bool *)(from + s->has);
    if (s->kind == ACCORDI_SETTING_FLAG)
        return *(const bool *)(from + s->at);
    memcpy(&word, from + s->at, sizeof word);
    return word != NULL;
}

enum accord_status accordi_setting_read(const accordi_setting *table, size_t rows, void *into,
                                        const char *name, const char *value, const char *where,
                                        bool *known, accord_error *error)
{
    const accordi_setting *s = NULL;
    for (size_t i = 0; i < rows && !s; i++)
        s = strcmp(table[i].name, name) == 0 ? &table[i] : NULL;
    bool flag = s && s->kind == ACCORDI_SETTING_FLAG;
    if (s && !value && !flag)
        value = s->alone;
    *known = s && flag == !value;
    if (!*known)
        return ACCORD_OK;
    if (is_given(s, into))
        return accordi_fail(error, ACCORD_ARG, "%sthe setting %s stands twice; give it once", where,
                            s->name);
    if (s->kind == ACCORDI_SETTING_FORMAT || s->kind == ACCORDI_SETTING_OPERAND)
        return read_format(s, into, value, where, error);
    if (s->kind == ACCORDI_SETTING_WORD)
        return read_word(s, into, value, where, error);
    *(bool *)((char *)into + s->at) = true;
    return ACCORD_OK;
}

/* Reads the names of synthetic targets, such as synthetic:ORDER,SETTING:
 *
 *     NAME[:PARAMETER][,SETTING]…
 *     machine:NAME or NAME    a machine of the fused table
 *     tree:FILE               the order in a file (no comma in its name)
 *     1000: chain in 8s; …    the order in one line (doc/notation.md), of so many terms
 *
 * Settings: acc=FORMAT, out=FORMAT, fold=halves|pairwise|sequential, and of binary orders the
 * arithmetic:
 *     products           terms are products, rounded into the format of the sum that takes them
 *     fma[=last]         products, and in each sum one leaf enters unrounded: of two the last,
 *     fma=first          or the first,
 *     fma=inner          or neither (only a leaf whose sibling is a sum)
 *     mixed              each sum in f32 or f64, products in f32 or f64, fused or not (seeded)
 *     tail=FORMAT        sums from the root down as long as one of their children is a leaf
 *     stored=FORMAT      sums that are added to a sum are rounded into it before
 *     start=first|zero   a sum of -0 alone is -0, or +0
 *     rounding=nearest|up|down|zero
 *     flush=WORD         subnormal operands (input), or products, sums and result (output), or all
 *                        (both) count as zero; or operands, products and sums but not the result
 *                        (daz); or one of x, y, products, sums (but the last), result
 *     skips-zero         a product with a factor of zero is left out */
#include "targets/synthetic/synthetic.h"
#include <ctype.h>
#include <stddef.h>

static const char *listed_format_name(const void *list, size_t i)
{
    (void)list;
    return i < ACCORD_FORMAT_COUNT ? accord_format_get((enum accord_format)i)->name : NULL;
}

static enum accord_status read_format(const char *name, const char *text, bool *has,
                                      enum accord_format *format, accord_error *error)
{
    *has = accord_format_by_name(text, format);
    if (*has)
        return ACCORD_OK;
    const char *near = accordi_nearest(text, listed_format_name, NULL);
    return accordi_fail(error, ACCORD_ARG,
                        "synthetic:%.60s: there is no format '%.20s'; %s%s%schoose f64, f32, f16, "
                        "bf16, tf32, e4m3 or e5m2",
                        name, text, near ? "did you mean " : "", near ? near : "",
                        near ? "? " : "");
}

/* Settings in the order of their names in messages. A format or a word follows an equals sign, a
 * flag stands alone; so does fma, which then means fma=last. */
enum { MOST_WORDS = 9 };
typedef struct setting {
    const char *name;
    enum { FORMAT, WORD, FLAG } kind;
    size_t at, has;               /* in the wish: the value; of formats, whether there is one */
    const char *word[MOST_WORDS]; /* that may follow */
    const char *alone;            /* the word that is meant where none follows */
} setting;

#define AT(member) offsetof(accordi_wish, member)
static const setting settings[] = {
    {"acc", FORMAT, AT(accumulator), AT(has_accumulator), {NULL}, NULL},
    {"out", FORMAT, AT(output), AT(has_output), {NULL}, NULL},
    {"tail", FORMAT, AT(tail), AT(has_tail), {NULL}, NULL},
    {"products", FLAG, AT(products), 0, {NULL}, NULL},
    {"mixed", FLAG, AT(mixed), 0, {NULL}, NULL},
    {"fold", WORD, AT(fold), 0, {"halves", "pairwise", "sequential"}, NULL},
    {"fma", WORD, AT(fma), 0, {"last", "first", "inner"}, "last"},
    {"start", WORD, AT(start), 0, {"first", "zero"}, NULL},
    {"rounding", WORD, AT(rounding), 0, {"nearest", "up", "down", "zero"}, NULL},
    {"flush",
     WORD,
     AT(flush),
     0,
     {"input", "output", "both", "daz", "x", "y", "products", "sums", "result"},
     NULL},
    {"skips-zero", FLAG, AT(skips_zero), 0, {NULL}, NULL},
    {"stored", FORMAT, AT(stored), AT(has_stored), {NULL}, NULL},
};
enum { SETTINGS = sizeof settings / sizeof *settings };

static const char *setting_name(const void *list, size_t i)
{
    (void)list;
    return i < SETTINGS ? settings[i].name : NULL;
}

static const char *choice_word(const void *list, size_t i)
{
    const setting *s = list;
    return i < MOST_WORDS ? s->word[i] : NULL;
}

static enum accord_status no_such_word(const accordi_wish *r, const setting *s, const char *word,
                                       accord_error *error)
{
    char words[80] = "";
    size_t at = 0;
    for (size_t i = 0; choice_word(s, i); i++)
        at += (size_t)snprintf(words + at, sizeof words - at, "%s%s", i ? ", " : "", s->word[i]);
    const char *near = accordi_nearest(word, choice_word, s);
    return accordi_fail(error, ACCORD_ARG,
                        "synthetic:%.60s: the setting %s= cannot be '%.20s'; %s%s%schoose one of "
                        "%s",
                        r->name, s->name, word, near ? "did you mean " : "", near ? near : "",
                        near ? "? " : "", words);
}

static enum accord_status read_choice(accordi_wish *r, const setting *s, const char *word,
                                      accord_error *error)
{
    for (size_t i = 0; choice_word(s, i); i++)
        if (strcmp(s->word[i], word) == 0) {
            memcpy((char *)r + s->at, &s->word[i], sizeof word);
            return ACCORD_OK;
        }
    return no_such_word(r, s, word, error);
}

/* `value`: what follows the equals sign; NULL: there is none. */
static enum accord_status read_setting(accordi_wish *r, const char *word, const char *value,
                                       accord_error *error)
{
    size_t i = 0;
    while (i < SETTINGS && strcmp(settings[i].name, word) != 0)
        i++;
    const setting *s = i < SETTINGS ? &settings[i] : NULL;
    char *wish = (char *)r;
    if (s && s->kind == FORMAT && value)
        return read_format(r->name, value, (bool *)(wish + s->has),
                           (enum accord_format *)(void *)(wish + s->at), error);
    if (s && s->kind == WORD && (value || s->alone))
        return read_choice(r, s, value ? value : s->alone, error);
    if (s && s->kind == FLAG && !value) {
        *(bool *)(wish + s->at) = true;
        return ACCORD_OK;
    }
    const char *near = accordi_nearest(word, setting_name, NULL);
    bool misspelled = near && strcmp(near, word) != 0; /* else it is the value */
    return accordi_fail(
        error, ACCORD_ARG,
        "synthetic:%.60s: cannot read the setting '%.60s'; %s%s%sthe settings are acc=, out=, "
        "tail=FORMAT, stored=FORMAT, fold=halves|pairwise|sequential, products, fma[=first|inner], "
        "mixed, start=zero, rounding=up|down|zero, flush=both, skips-zero",
        r->name, word, misspelled ? "did you mean " : "", misspelled ? near : "",
        misspelled ? "? " : "");
}

/* Cuts r->text, which the caller frees, at its commas and the first colon. */
enum accord_status accordi_wish_read(accordi_wish *r, accord_error *error)
{
    r->name = r->text;
    char *comma = strchr(r->text, ',');
    char *colon = memchr(r->text, ':', comma ? (size_t)(comma - r->text) : strlen(r->text));
    if (colon) {
        *colon = '\0';
        r->parameter = colon + 1;
    }
    enum accord_status status = ACCORD_OK;
    while (comma && status == ACCORD_OK) {
        *comma = '\0';
        char *word = comma + 1;
        comma = strchr(word, ',');
        if (comma)
            *comma = '\0';
        char *equals = strchr(word, '=');
        if (equals)
            *equals++ = '\0';
        r->settings++;
        status = read_setting(r, word, equals, error);
    }
    return status;
}

static enum accord_status read_number(const char *name, const char *text, size_t least, size_t most,
                                      size_t *out, accord_error *error)
{
    unsigned long long value = 0;
    bool good = *text != '\0' && strlen(text) <= 10;
    for (const char *c = text; good && *c; c++) {
        good = isdigit((unsigned char)*c) != 0;
        value = 10 * value + (unsigned)(*c - '0');
    }
    if (!good || value < least || value > most)
        return accordi_fail(error, ACCORD_ARG,
                            "synthetic:%.60s:%.40s: give a whole number from %zu to %zu after the "
                            "colon",
                            name, text, least, most);
    *out = (size_t)value;
    return ACCORD_OK;
}

enum accord_status accordi_wish_parameter(const accordi_synthetic_row *row, const accordi_wish *r,
                                          size_t n, size_t *out, accord_error *error)
{
    if (r->parameter && row->kind == ACCORDI_ARGUMENT_NONE)
        return accordi_fail(error, ACCORD_ARG, "synthetic:%s takes no parameter after a colon",
                            row->name);
    *out = row->kind == ACCORDI_ARGUMENT_TERM ? n / 2 : row->usual;
    if (!r->parameter)
        return ACCORD_OK;
    return row->kind == ACCORDI_ARGUMENT_TERM
               ? read_number(row->name, r->parameter, 0, n - 1, out, error)
               : read_number(row->name, r->parameter, row->least, ACCORD_TREE_MAX_LEAVES, out,
                             error);
}

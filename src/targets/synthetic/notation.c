/* Reads the names of synthetic targets, such as synthetic:ORDER,SETTING:
 *
 *     NAME[:PARAMETER][,SETTING]…
 *     machine:NAME or NAME    a machine of the fused table
 *     tree:FILE               the order in a file (no comma in its name)
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

/* Settings of a word each: where it is kept, and the words it may have. */
enum { MOST_WORDS = 9 };
typedef struct choice {
    const char *name;
    size_t at; /* of a const char * in the wish */
    const char *word[MOST_WORDS];
} choice;

static const choice choices[] = {
    {"fold", offsetof(accordi_wish, fold), {"halves", "pairwise", "sequential"}},
    {"fma", offsetof(accordi_wish, fma), {"last", "first", "inner"}},
    {"start", offsetof(accordi_wish, start), {"first", "zero"}},
    {"rounding", offsetof(accordi_wish, rounding), {"nearest", "up", "down", "zero"}},
    {"flush",
     offsetof(accordi_wish, flush),
     {"input", "output", "both", "daz", "x", "y", "products", "sums", "result"}},
};

static const choice *choice_of(const char *name)
{
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
        if (strcmp(choices[i].name, name) == 0)
            return &choices[i];
    return NULL;
}

static const char *choice_word(const void *list, size_t i)
{
    const choice *c = list;
    return i < MOST_WORDS ? c->word[i] : NULL;
}

static enum accord_status no_such_word(const accordi_wish *r, const choice *c, const char *word,
                                       accord_error *error)
{
    char words[80] = "";
    size_t at = 0;
    for (size_t i = 0; choice_word(c, i); i++)
        at += (size_t)snprintf(words + at, sizeof words - at, "%s%s", i ? ", " : "", c->word[i]);
    const char *near = accordi_nearest(word, choice_word, c);
    return accordi_fail(error, ACCORD_ARG,
                        "synthetic:%.60s: the setting %s= cannot be '%.20s'; %s%s%schoose one of "
                        "%s",
                        r->name, c->name, word, near ? "did you mean " : "", near ? near : "",
                        near ? "? " : "", words);
}

static enum accord_status read_choice(accordi_wish *r, const choice *c, const char *word,
                                      accord_error *error)
{
    for (size_t i = 0; choice_word(c, i); i++)
        if (strcmp(c->word[i], word) == 0) {
            memcpy((char *)r + c->at, &c->word[i], sizeof word);
            return ACCORD_OK;
        }
    return no_such_word(r, c, word, error);
}

static bool read_flag(accordi_wish *r, const char *word)
{
    if (strcmp(word, "fma") == 0)
        r->fma = "last";
    else if (strcmp(word, "products") == 0)
        r->products = true;
    else if (strcmp(word, "mixed") == 0)
        r->mixed = true;
    else if (strcmp(word, "skips-zero") == 0)
        r->skips_zero = true;
    else
        return false;
    return true;
}

static const char *setting_name(const void *list, size_t i)
{
    static const char *const names[] = {"acc",      "out",   "tail",       "products",
                                        "mixed",    "fold",  "fma",        "start",
                                        "rounding", "flush", "skips-zero", "stored"};
    (void)list;
    return i < sizeof names / sizeof *names ? names[i] : NULL;
}

static enum accord_status read_setting(accordi_wish *r, char *word, accord_error *error)
{
    char *equals = strchr(word, '=');
    if (equals) {
        *equals++ = '\0';
        if (strcmp(word, "acc") == 0)
            return read_format(r->name, equals, &r->has_accumulator, &r->accumulator, error);
        if (strcmp(word, "out") == 0)
            return read_format(r->name, equals, &r->has_output, &r->output, error);
        if (strcmp(word, "tail") == 0)
            return read_format(r->name, equals, &r->has_tail, &r->tail, error);
        if (strcmp(word, "stored") == 0)
            return read_format(r->name, equals, &r->has_stored, &r->stored, error);
    }
    const choice *c = equals ? choice_of(word) : NULL;
    if (c)
        return read_choice(r, c, equals, error);
    if (!equals && read_flag(r, word))
        return ACCORD_OK;
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
        r->settings++;
        status = read_setting(r, word, error);
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

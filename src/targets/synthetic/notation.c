/* Reads the names of synthetic targets, such as synthetic:ORDER,SETTING:
 *
 *     NAME[:PARAMETER][,SETTING]…
 *     machine:NAME or NAME    a machine of the fused table
 *     tree:FILE               the order in a file (no comma in its name)
 *     1000: chain in 8s; …    the order in one line (doc/notation.md), of so many terms
 *
 * Settings: acc=FORMAT, out=FORMAT, fold=halves|pairwise|sequential, and of binary orders the
 * arithmetic:
 *     terms=FORMAT       the format of the terms, as --format
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

/* The settings that models in one line do not have. */
static const accordi_setting own[] = {
    {"tail",
     ACCORDI_SETTING_FORMAT,
     offsetof(accordi_wish, tail),
     offsetof(accordi_wish, has_tail),
     {NULL},
     NULL},
    {"stored",
     ACCORDI_SETTING_FORMAT,
     offsetof(accordi_wish, stored),
     offsetof(accordi_wish, has_stored),
     {NULL},
     NULL},
    {"mixed", ACCORDI_SETTING_FLAG, offsetof(accordi_wish, mixed), 0, {NULL}, NULL},
    {"fold",
     ACCORDI_SETTING_WORD,
     offsetof(accordi_wish, fold),
     0,
     {"halves", "pairwise", "sequential"},
     NULL},
};
enum { OWN = sizeof own / sizeof *own };

static const char *setting_name(const void *list, size_t i)
{
    (void)list;
    size_t more = i - OWN;
    return i < OWN                        ? own[i].name
           : more < accordi_setting_count ? accordi_setting_rows[more].name
                                          : NULL;
}

static enum accord_status no_such_setting(const accordi_wish *r, const char *word,
                                          accord_error *error)
{
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

/* `value`: what follows the equals sign; NULL: there is none. */
static enum accord_status read_setting(accordi_wish *r, const char *word, const char *value,
                                       accord_error *error)
{
    char where[80];
    bool known = false;
    snprintf(where, sizeof where, "synthetic:%.60s: ", r->name);
    enum accord_status status =
        accordi_setting_read(own, OWN, r, word, value, where, &known, error);
    if (!status && !known)
        status = accordi_setting_read(accordi_setting_rows, accordi_setting_count, &r->line, word,
                                      value, where, &known, error);
    return status || known ? status : no_such_setting(r, word, error);
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

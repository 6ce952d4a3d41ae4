/* The notation of synthetic targets:
 *
 *     NAME[:PARAMETER][,acc=FORMAT][,out=FORMAT][,fold=halves|pairwise|sequential]
 *     machine:NAME or NAME    a machine of the fused table
 *     tree:FILE               the order in a file (no comma in its name) */
#include "target/synthetic.h"
#include <ctype.h>

static enum accord_status read_format(const char *name, const char *text, bool *has,
                                      enum accord_format *format, accord_error *error)
{
    *has = accord_format_by_name(text, format);
    return *has ? ACCORD_OK
                : accordi_fail(error, ACCORD_ARG,
                               "synthetic:%.60s: no format '%.20s'; choose f64, f32, f16, bf16, "
                               "tf32, e4m3 or e5m2",
                               name, text);
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
        if (strcmp(word, "fold") == 0 &&
            (strcmp(equals, "halves") == 0 || strcmp(equals, "pairwise") == 0 ||
             strcmp(equals, "sequential") == 0)) {
            r->fold = equals;
            return ACCORD_OK;
        }
    }
    return accordi_fail(error, ACCORD_ARG,
                        "synthetic:%.60s: cannot read the setting '%.60s'; known are acc=FORMAT, "
                        "out=FORMAT and fold=halves|pairwise|sequential",
                        r->name, word);
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
        status = read_setting(r, word, error);
    }
    return status;
}

static enum accord_status read_count(const char *name, const char *text, size_t least, size_t most,
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
    if (r->parameter && row->kind == ACCORDI_NO_PARAMETER)
        return accordi_fail(error, ACCORD_ARG, "synthetic:%s takes nothing after a colon",
                            row->name);
    *out = row->kind == ACCORDI_TERM ? n / 2 : row->usual;
    if (!r->parameter)
        return ACCORD_OK;
    return row->kind == ACCORDI_TERM ? read_count(row->name, r->parameter, 0, n - 1, out, error)
                                     : read_count(row->name, r->parameter, row->least,
                                                  ACCORD_TREE_MAX_LEAVES, out, error);
}

/* Notations of targets, "KIND:REST", taken apart by the table of kinds. Pure: nothing is opened. */
#include "target/target.h"

/* Levenshtein's distance, up to words of 31 characters; more than that is far. */
static unsigned distance(const char *a, const char *b)
{
    unsigned row[32];
    size_t rows = strlen(a), columns = strlen(b);
    if (rows > 31 || columns > 31)
        return 99;
    for (size_t j = 0; j <= columns; j++)
        row[j] = (unsigned)j;
    for (size_t i = 1; i <= rows; i++) {
        unsigned corner = row[0];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= columns; j++) {
            unsigned least = corner + (a[i - 1] != b[j - 1]);
            corner = row[j];
            if (row[j] + 1 < least)
                least = row[j] + 1;
            if (row[j - 1] + 1 < least)
                least = row[j - 1] + 1;
            row[j] = least;
        }
    }
    return row[columns];
}

int accordi_nearest(const char *word, const char *(*name)(size_t i))
{
    unsigned best = strlen(word) < 4 ? 1 : 2;
    int found = -1;
    for (size_t i = 0; name(i); i++) {
        unsigned far = distance(word, name(i));
        if (far <= best && (found < 0 || far < best)) {
            best = far;
            found = (int)i;
        }
    }
    return found;
}

static const char *kind_name(size_t i)
{
    return i < accordi_kind_count ? accordi_kind_rows[i].kind->name : NULL;
}

static enum accord_status unknown_kind(const char *text, size_t length, accord_error *error)
{
    char word[24], kinds[160] = "";
    snprintf(word, sizeof word, "%.*s", length < 20 ? (int)length : 20, text);
    int near = accordi_nearest(word, kind_name);
    for (size_t i = 0; kind_name(i); i++) {
        size_t used = strlen(kinds);
        snprintf(kinds + used, sizeof kinds - used, "%s%s", i ? ", " : "", kind_name(i));
    }
    if (near >= 0)
        return accordi_fail(error, ACCORD_ARG, "'%.60s' is not a target: did you mean %s:…? (%s)",
                            text, kind_name((size_t)near), accordi_kind_rows[near].kind->notation);
    return accordi_fail(error, ACCORD_ARG,
                        "'%.60s' is not a target: write KIND:NAME, e.g. %s; the kinds are %s", text,
                        accordi_kind_rows[0].example, kinds);
}

static const accordi_kind_row *find(const char *text, size_t length)
{
    for (size_t i = 0; i < accordi_kind_count; i++)
        if (strlen(kind_name(i)) == length && memcmp(kind_name(i), text, length) == 0)
            return &accordi_kind_rows[i];
    return NULL;
}

enum accord_status accordi_notation_parse(const char *text, accordi_notation *out,
                                          accord_error *error)
{
    size_t length = strcspn(text, ":");
    const accordi_kind_row *row = find(text, length);
    if (!row)
        return unknown_kind(text, length, error);
    const char *rest = text[length] ? text + length + 1 : "", *cut = NULL;
    if (row->separator)
        cut = row->from_right ? strrchr(rest, row->separator) : strchr(rest, row->separator);
    size_t head = cut ? (size_t)(cut - rest) : strlen(rest);
    if (head == 0 || (cut ? cut[1] == '\0' : row->tail_required))
        return accordi_fail(error, ACCORD_ARG, "'%.60s' says too little: write %s, e.g. %s", text,
                            row->kind->notation, row->example);
    accordi_notation parts = {.row = row, .head = accordi_alloc(head + 1, 1)};
    if (parts.head) {
        memcpy(parts.head, rest, head);
        parts.head[head] = '\0';
    }
    if (cut)
        parts.tail = accordi_strdup(cut + 1);
    if (!parts.head || (cut && !parts.tail)) {
        accordi_notation_clear(&parts);
        return accordi_nomem(error);
    }
    *out = parts;
    return ACCORD_OK;
}

void accordi_notation_clear(accordi_notation *notation)
{
    free(notation->head);
    free(notation->tail);
    *notation = (accordi_notation){0};
}

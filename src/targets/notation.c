/* Notations of targets, "KIND:REST", taken apart by the table of kinds. Pure: nothing is opened. */
#include "targets/foreign/foreign.h"
#include "targets/synthetic/synthetic.h"
#include "targets/target.h"

static const char *kind_name(const void *list, size_t i)
{
    (void)list;
    return i < accordi_kind_count ? accordi_kind_rows[i].kind->name : NULL;
}

/* Where a word without a kind is, or nearly is, the name of a routine or of a synthetic order. */
static const char *meant_name(const char *word, const char **kind)
{
    const char *routine = accordi_routine_nearest(word);
    const char *order = accordi_synthetic_nearest(word);
    bool is_order = order && (!routine || accordi_synthetic_by_name(word));
    *kind = is_order ? "synthetic" : "blas";
    return is_order ? order : routine;
}

static enum accord_status unknown_kind(const char *text, size_t length, accord_error *error)
{
    char word[24], kinds[160] = "";
    const char *name, *kind;
    snprintf(word, sizeof word, "%.*s", length < 20 ? (int)length : 20, text);
    const char *near = accordi_nearest(word, kind_name, NULL);
    if (near && text[length])
        return accordi_fail(error, ACCORD_ARG, "'%.60s' is not a target: did you mean %s:%.60s?",
                            text, near, text + length + 1);
    if (!text[length] && (name = meant_name(word, &kind)) != NULL)
        return accordi_fail(error, ACCORD_ARG, "'%.60s' is not a target: did you mean %s:%s?", text,
                            kind, name);
    for (size_t i = 0; kind_name(NULL, i); i++) {
        size_t used = strlen(kinds);
        snprintf(kinds + used, sizeof kinds - used, "%s%s", i ? ", " : "", kind_name(NULL, i));
    }
    return accordi_fail(error, ACCORD_ARG,
                        "'%.60s' is not a target: write KIND:NAME, e.g. %s; the kinds are %s", text,
                        accordi_kind_rows[0].example, kinds);
}

static const accordi_kind_row *find_kind(const char *text, size_t length)
{
    for (size_t i = 0; i < accordi_kind_count; i++)
        if (strlen(kind_name(NULL, i)) == length && memcmp(kind_name(NULL, i), text, length) == 0)
            return &accordi_kind_rows[i];
    return NULL;
}

enum accord_status accordi_notation_parse(const char *text, accordi_notation *out,
                                          accord_error *error)
{
    size_t length = strcspn(text, ":");
    const accordi_kind_row *row = find_kind(text, length);
    if (!row)
        return unknown_kind(text, length, error);
    const char *rest = text[length] ? text + length + 1 : "", *cut = NULL;
    if (row->separator)
        cut = row->from_right ? strrchr(rest, row->separator) : strchr(rest, row->separator);
    size_t head = cut ? (size_t)(cut - rest) : strlen(rest);
    if (head == 0 || (cut ? cut[1] == '\0' : row->tail_required))
        return accordi_fail(error, ACCORD_ARG, "'%.60s' is incomplete: write %s, e.g. %s", text,
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

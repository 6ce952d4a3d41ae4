/* The language of -n: numbers, ranges with a step or a factor, and lists of them. */
#include "cli/command/cli.h"
#include <math.h>

enum { MOST_COUNTS = 100000 };

bool cli_number(const char *text, const char *end, int64_t *out)
{
    char copy[40];
    size_t length = (size_t)(end - text);
    if (length == 0 || length >= sizeof copy || text[0] < '0' || text[0] > '9')
        return false;
    memcpy(copy, text, length);
    copy[length] = 0;
    if (strspn(copy, "0123456789.e") != length)
        return false;
    char *stop;
    double value = strtod(copy, &stop);
    if (*stop != 0 || value != floor(value))
        return false;
    *out = value < 9007199254740992.0 ? (int64_t)value : INT64_MAX;
    return true;
}

static bool number_to(const char *text, const char *end, size_t least, size_t *out,
                      const char **why)
{
    int64_t value;
    if (!cli_number(text, end, &value)) {
        *why = least ? "not a count; give an integer of at least 1, a list 8,16 or a range 4..64*2"
                     : "not a number; give an integer, a list 0,4,8 or a range 0..60+4";
        return false;
    }
    if (value < (int64_t)least) {
        *why = "less than 1; give 1 or more";
        return false;
    }
    if (value > ACCORD_TREE_MAX_LEAVES) {
        *why = "too many terms; the greatest count is 2147483647";
        return false;
    }
    *out = (size_t)value;
    return true;
}

static bool append_count(size_t **list, size_t *count, size_t *room, size_t value, const char **why)
{
    if (*count == MOST_COUNTS) {
        *why = "more than 100000 counts; give a shorter range or a larger step";
        return false;
    }
    if (!accordi_grow((void **)list, room, *count + 1, sizeof **list)) {
        *why = "out of memory";
        return false;
    }
    (*list)[(*count)++] = value;
    return true;
}

/* One item, "A" or "A..B" with "+S" or "*F" behind. */
static bool item(const char *text, const char *end, size_t least, size_t step, size_t **list,
                 size_t *count, size_t *room, const char **why)
{
    const char *dots = memmem(text, (size_t)(end - text), "..", 2);
    size_t first, last;
    if (!number_to(text, dots ? dots : end, least, &first, why))
        return false;
    if (!dots)
        return append_count(list, count, room, first, why);
    size_t plain = strcspn(dots + 2, "+*,");
    const char *mark = dots + 2 + plain;
    if (!number_to(dots + 2, mark, least, &last, why))
        return false;
    bool factor = mark < end && *mark == '*';
    if (mark < end && !number_to(mark + 1, end, 1, &step, why))
        return false;
    if (last < first || (factor && (step < 2 || first < 1))) {
        *why = last < first ? "a range must be ascending"
                            : "a factor must be at least 2, and the first number at least 1";
        return false;
    }
    for (size_t n = first; n <= last; n = factor ? n * step : n + step)
        if (!append_count(list, count, room, n, why))
            return false;
    return true;
}

bool cli_range(const char *text, size_t least, size_t step, size_t **out, size_t *count,
               const char **why)
{
    size_t *list = NULL, used = 0, room = 0;
    for (const char *p = text;; p++) {
        const char *end = p + strcspn(p, ",");
        if (!item(p, end, least, step, &list, &used, &room, why)) {
            free(list);
            return false;
        }
        p = end;
        if (*p == 0)
            break;
    }
    *out = list;
    *count = used;
    return true;
}

bool cli_counts(const char *text, size_t **out, size_t *count, const char **why)
{
    return cli_range(text, 1, 1, out, count, why);
}

/* Finds the name of a list that a misspelled word may stand for.
 *
 * The distance is that of Damerau and Levenshtein (letters left out, put in, changed, or two
 * neighbors swapped), blind to capitals; a word of three letters or more that begins a name is one
 * step from it. A name is near when few of its letters are wrong: one, and one more for every three
 * letters past the first of the shorter word. */
#include "base/base.h"
#include <ctype.h>
#include <strings.h>

enum { LONGEST = 63, FAR = 1000 };

static int lower(char c)
{
    return tolower((unsigned char)c);
}

static size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* By rows: `row` of a's first i letters, `above` of one less, `higher` of two less. */
static size_t distance(const char *a, const char *b)
{
    size_t rows = strlen(a), columns = strlen(b), memory[3][LONGEST + 1];
    size_t *higher = memory[0], *above = memory[1], *row = memory[2];
    if (rows > LONGEST || columns > LONGEST)
        return FAR;
    for (size_t j = 0; j <= columns; j++)
        row[j] = j;
    for (size_t i = 1; i <= rows; i++) {
        size_t *oldest = higher;
        higher = above;
        above = row;
        row = oldest;
        row[0] = i;
        for (size_t j = 1; j <= columns; j++) {
            bool same = lower(a[i - 1]) == lower(b[j - 1]);
            row[j] = min_size(above[j - 1] + !same, min_size(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                lower(a[i - 2]) == lower(b[j - 1]))
                row[j] = min_size(row[j], higher[j - 2] + 1);
        }
    }
    return row[columns];
}

const char *accordi_nearest(const char *word, accordi_names *name, const void *list)
{
    const char *best = NULL, *candidate;
    size_t length = strlen(word), least = FAR;
    for (size_t i = 0; (candidate = name(list, i)) != NULL; i++) {
        size_t shorter = min_size(length, strlen(candidate));
        size_t far = distance(word, candidate), bound = (shorter + 2) / 3;
        if (length >= 3 && strncasecmp(candidate, word, length) == 0)
            far = min_size(far, 1);
        if (far <= bound && far < shorter && far < least) {
            least = far;
            best = candidate;
        }
    }
    return best;
}

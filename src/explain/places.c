/* Where the elements of a matrix are wrong, in words: an element, a row, a column, a tile. */
#include "explain/explain.h"

void accordi_places_add(accordi_places *found, size_t r, size_t c)
{
    found->top = found->count && found->top < r ? found->top : r;
    found->left = found->count && found->left < c ? found->left : c;
    found->bottom = found->bottom > r ? found->bottom : r;
    found->right = found->right > c ? found->right : c;
    found->count++;
}

static void put_range(accordi_buffer *out, const char *what, size_t from, size_t end)
{
    if (from == end)
        accordi_buffer_printf(out, "%s %zu", what, from);
    else
        accordi_buffer_printf(out, "%ss %zu to %zu", what, from, end);
}

/* A box that is not the whole matrix is named if most of what was checked in it is wrong. */
bool accordi_places_words(const accordi_places *found, size_t rows, size_t columns, char *text,
                          size_t size)
{
    size_t box = (found->bottom - found->top + 1) * (found->right - found->left + 1);
    double share = (double)found->checked / (double)(rows * columns);
    bool wide = found->left == 0 && found->right == columns - 1;
    bool tall = found->top == 0 && found->bottom == rows - 1, place = true;
    accordi_buffer words = {0};
    if (found->count == found->checked) {
        accordi_buffer_puts(&words, "every element is wrong");
        place = false;
    } else if (found->count == 1) {
        accordi_buffer_printf(&words, "element %zu,%zu is wrong", found->top, found->left);
    } else if ((wide && tall) || (double)found->count < .8 * share * (double)box) {
        accordi_buffer_printf(&words, "%zu of %zu elements are wrong", found->count,
                              found->checked);
        place = false;
    } else {
        if (!tall)
            put_range(&words, "row", found->top, found->bottom);
        if (!wide && !tall)
            accordi_buffer_puts(&words, " of ");
        if (!wide)
            put_range(&words, "column", found->left, found->right);
        bool one = (wide && found->top == found->bottom) || (!wide && found->left == found->right);
        accordi_buffer_puts(&words, one ? " is wrong" : " are wrong");
    }
    snprintf(text, size, "%s", words.data ? words.data : "");
    accordi_buffer_clear(&words);
    return place;
}

/* Shape, element and transposition, as users write them; pure. */
#include "targets/foreign/foreign.h"
#include <limits.h>

/* Reads count numbers with `separator` between them and nothing else. */
static bool numbers(const char *text, char separator, int64_t *out, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int64_t value = 0;
        if (*text < '0' || *text > '9')
            return false;
        for (; *text >= '0' && *text <= '9'; text++) {
            value = 10 * value + (*text - '0');
            if (value > INT_MAX)
                return false;
        }
        out[i] = value;
        if (i + 1 < count && *text++ != separator)
            return false;
    }
    return *text == '\0';
}

static enum accord_status wrong_inner(const accordi_question *q, const char *shape, int64_t inner,
                                      accord_error *error)
{
    if (q->has_start)
        return accordi_fail(error, ACCORD_ARG,
                            "the shape '%.40s' adds %lld terms and the start value (beta is not "
                            "0), but n is %lld: n must be %lld",
                            shape, (long long)inner, (long long)q->terms, (long long)inner + 1);
    return accordi_fail(error, ACCORD_ARG,
                        "the shape '%.40s' adds %lld terms but n is %lld: K and n must be the "
                        "same",
                        shape, (long long)inner, (long long)q->k);
}

enum accord_status accordi_read_shape(accordi_question *q, const char *shape, accord_error *error)
{
    int64_t size[3];
    bool columns = accordi_family_has_columns(q->family);
    const char *form = columns ? "MxNxK" : "MxK";
    if (!shape) {
        q->m = q->k;
        q->n = columns ? q->k : 1;
        return ACCORD_OK;
    }
    if (!numbers(shape, 'x', size, columns ? 3 : 2) || size[0] < 1 || size[1] < 1)
        return accordi_fail(
            error, ACCORD_ARG, "the shape '%.40s' is not %s, that of a %s: give e.g. %s%lld", shape,
            form, columns ? "GEMM" : "GEMV", columns ? "4x4x" : "4x", (long long)q->k);
    if (size[columns ? 2 : 1] != q->k)
        return wrong_inner(q, shape, size[columns ? 2 : 1], error);
    q->m = size[0];
    q->n = columns ? size[1] : 1;
    return ACCORD_OK;
}

enum accord_status accordi_read_element(accordi_question *q, const char *element,
                                        accord_error *error)
{
    int64_t at[2] = {0, 0};
    bool columns = accordi_family_has_columns(q->family);
    if (element && !numbers(element, ',', at, columns ? 2 : 1))
        return accordi_fail(error, ACCORD_ARG, "the element '%.40s' is not %s", element,
                            columns ? "i,j: give e.g. 0,0" : "i: give e.g. 0");
    if (at[0] >= q->m || at[1] >= q->n)
        return accordi_fail(error, ACCORD_ARG,
                            "the element '%.40s' lies outside the result of %lld x %lld; rows and "
                            "columns are counted from 0",
                            element ? element : "", (long long)q->m, (long long)q->n);
    q->row = at[0];
    q->column = at[1];
    return ACCORD_OK;
}

enum accord_status accordi_read_transpose(accordi_question *q, const char *transpose,
                                          accord_error *error)
{
    size_t letters = accordi_family_letters(q->family);
    const char *text = transpose ? transpose : letters == 2 ? "NN" : "N";
    for (size_t i = 0; i < letters; i++) {
        char upper = text[i] == 'n' ? 'N' : text[i] == 't' ? 'T' : text[i];
        if (upper != 'N' && upper != 'T')
            break;
        q->transpose[i] = upper;
    }
    if (strlen(text) != letters || strlen(q->transpose) != letters)
        return accordi_fail(error, ACCORD_ARG, "the transposition '%.40s' is not %s", text,
                            letters == 2 ? "one of NN, NT, TN, TT" : "N or T");
    return ACCORD_OK;
}

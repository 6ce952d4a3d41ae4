/* An order whose labels are words. Numbers are put in place of the words, and room pattern reads
 * the order. Where each byte of the text with numbers came from is kept, so that an error is shown
 * at its place. */
#include "model/line/line.h"
#include "model/words.h"
#include <accord/notation.h>

/* `place`: where each byte of the text, and its end, stood in the line. */
typedef struct numbered {
    accordi_buffer text;
    size_t *place;
} numbered;

static void put(numbered *to, const char *bytes, size_t count, size_t place)
{
    for (size_t i = 0; i < count; i++)
        to->place[to->text.length + i] = place;
    accordi_buffer_append(&to->text, bytes, count);
}

/* The number of the kind that a label stands for; equal labels are one kind. */
static enum accord_status number_of(accordi_order_line *out, const char *words, size_t length,
                                    uint32_t *number, size_t *wrong, accord_error *error)
{
    accordi_line_kind kind;
    enum accord_status status =
        accordi_label_read(words, length, &out->kind[0], &kind, wrong, error);
    for (size_t i = 1; !status && i < out->kinds; i++)
        if (out->kind[i].fusing == kind.fusing &&
            accordi_same_operation(&out->kind[i].operation, &kind.operation)) {
            *number = (uint32_t)i;
            return ACCORD_OK;
        }
    if (status)
        return status;
    accordi_line_kind *more = realloc(out->kind, (out->kinds + 1) * sizeof *more);
    if (!more)
        return accordi_nomem(error);
    out->kind = more;
    out->kind[out->kinds] = kind;
    *number = (uint32_t)out->kinds++;
    return ACCORD_OK;
}

static enum accord_status put_numbers(const char *text, accordi_order_line *out, numbered *to,
                                      size_t *place, accord_error *error)
{
    size_t at = 0;
    for (const char *close; text[at]; at++) {
        put(to, text + at, 1, at);
        if (text[at] != '{')
            continue;
        if (!(close = strchr(text + at, '}'))) {
            *place = at;
            return accordi_fail(error, ACCORD_PARSE, "this label is not closed");
        }
        uint32_t number = 0;
        char digits[12];
        size_t words = at + 1, wrong = 0, length = (size_t)(close - text) - words;
        enum accord_status status = number_of(out, text + words, length, &number, &wrong, error);
        *place = words + wrong;
        if (status)
            return status;
        int count = snprintf(digits, sizeof digits, "%u", number);
        put(to, digits, (size_t)count, words);
        at = words + length - 1;
    }
    to->place[to->text.length] = at;
    return to->text.failed ? accordi_nomem(error) : ACCORD_OK;
}

static enum accord_status parse_numbered(const numbered *from, accordi_order_line *out,
                                         size_t *place, accord_error *error)
{
    accord_error why = {0};
    size_t at = 0;
    enum accord_status status = accord_notation_parse(from->text.data ? from->text.data : "",
                                                      &out->tree, &out->label, &at, &why);
    const char *reason = strstr(why.text, ": ");
    if (status == ACCORD_PARSE) {
        *place = from->place[at];
        return accordi_fail(error, ACCORD_PARSE, "%s", reason ? reason + 2 : why.text);
    }
    if (status && error)
        *error = why;
    return status;
}

enum accord_status accordi_order_line_read(const char *text, const accordi_line_kind *base,
                                           accordi_order_line *out, size_t *place,
                                           accord_error *error)
{
    enum { DIGITS = 12 }; /* a label of one word becomes at most so many digits */
    size_t room = strlen(text) * DIGITS + 1, at = 0;
    accord_error why = {0};
    numbered to = {.place = accordi_alloc(room, sizeof *to.place)};
    *out = (accordi_order_line){.kind = accordi_alloc(1, sizeof *out->kind), .kinds = 1};
    enum accord_status status = to.place && out->kind ? ACCORD_OK : accordi_nomem(&why);
    if (!status) {
        out->kind[0] = *base;
        status = put_numbers(text, out, &to, &at, &why);
    }
    if (!status)
        status = parse_numbered(&to, out, &at, &why);
    free(to.place);
    accordi_buffer_clear(&to.text);
    if (place && status == ACCORD_PARSE)
        *place = at;
    if (status == ACCORD_PARSE)
        return accordi_fail(error, ACCORD_PARSE, "the notation is wrong at character %zu: %s",
                            at + 1, why.text);
    if (status && error)
        *error = why;
    return status;
}

void accordi_order_line_clear(accordi_order_line *line)
{
    accord_tree_free(line->tree);
    accord_notation_free(line->label);
    free(line->kind);
    *line = (accordi_order_line){0};
}

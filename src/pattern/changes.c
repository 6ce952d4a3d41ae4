/* What changed from one order to another, in the words of their notations. The steps that both
 * begin with, and those that both end with, are left out. What remains is compared step by step
 * where both have as many, and quoted as a whole otherwise. */
#include "pattern/notation.h"

/* The text of one step, or of `count` that follow each other; to be freed. NULL without memory. */
static char *text_of(const accordi_step *steps, size_t count)
{
    accordi_buffer out = {0};
    for (size_t i = 0; i < count; i++, steps = steps->next) {
        accordi_step one = *steps;
        one.next = NULL;
        accordi_buffer_puts(&out, i ? "; " : "");
        accordi_steps_write(&out, &one);
    }
    if (!out.failed && out.data)
        return out.data;
    accordi_buffer_clear(&out);
    return NULL;
}

static bool equal(const accordi_step *a, const accordi_step *b)
{
    char *x = text_of(a, 1), *y = text_of(b, 1);
    bool same = x && y && strcmp(x, y) == 0;
    free(x);
    free(y);
    return same;
}

/* Whether both do the same, to whatever items. */
static bool equal_but_items(const accordi_step *a, const accordi_step *b)
{
    accordi_step x = *a, y = *b;
    x.to = y.to = ACCORDI_REACH_ALL;
    return equal(&x, &y);
}

static const accordi_step *skip(const accordi_step *steps, size_t count)
{
    while (count-- > 0)
        steps = steps->next;
    return steps;
}

static size_t count_of(const accordi_step *steps)
{
    size_t count = 0;
    for (; steps; steps = steps->next)
        count++;
    return count;
}

static void begin(accordi_buffer *out)
{
    accordi_buffer_puts(out, out->length ? "; " : "");
}

/* `words` with %u for the first number; the second stands alone. */
static void put_number(accordi_buffer *out, const char *words, uint32_t a, uint32_t b)
{
    const char *at = strstr(words, "%u");
    if (a == b)
        return;
    begin(out);
    accordi_buffer_printf(out, "%.*s%u%s became %u", (int)(at - words), words, a, at + 2, b);
}

static void put_quoted(accordi_buffer *out, const accordi_step *a, size_t count_a,
                       const accordi_step *b, size_t count_b)
{
    char *x = text_of(a, count_a), *y = text_of(b, count_b);
    begin(out);
    if (x && y)
        accordi_buffer_printf(out, "\"%s\" became \"%s\"", x, y);
    else if (x || y)
        accordi_buffer_printf(out, "\"%s\" %s", x ? x : y, x ? "is no longer done" : "was added");
    free(x);
    free(y);
}

static const char *number_words(const accordi_step *step)
{
    static const char *const words[ACCORDI_STEP_KINDS] = {
        [ACCORDI_STEP_FUSES] = "fused sums of %u",  [ACCORDI_STEP_HEAP] = "%u children",
        [ACCORDI_STEP_HEAP_ACROSS] = "%u children", [ACCORDI_STEP_ADD] = "fused sums of %u",
        [ACCORDI_STEP_LANES] = "%u lanes",          [ACCORDI_STEP_ROWS] = "rows of %u",
        [ACCORDI_STEP_SPLIT] = "the cut-off %u",    [ACCORDI_STEP_SPLIT_UP] = "the cut-off %u"};
    return words[step->kind] ? words[step->kind] : "number %u";
}

static void compare(accordi_buffer *out, const accordi_step *a, const accordi_step *b);

static bool has_rows(const accordi_step *step)
{
    return step->kind == ACCORDI_STEP_LANES || step->kind == ACCORDI_STEP_ROWS;
}

/* Two steps of one kind, on items of one kind. */
static void compare_numbers(accordi_buffer *out, const accordi_step *a, const accordi_step *b)
{
    static const char *const reach[] = {[ACCORDI_REACH_AT] = "the first %u",
                                        [ACCORDI_REACH_LAST] = "the tail of %u",
                                        [ACCORDI_REACH_MULTIPLE] = "multiples of %u",
                                        [ACCORDI_REACH_REST] = NULL,
                                        [ACCORDI_REACH_NEXT] = "the next %u"};
    put_number(out, number_words(a), a->number, b->number);
    put_number(out, has_rows(a) ? "rows of %u" : "the multiple %u", a->multiple, b->multiple);
    put_number(out, "label %u", a->label, b->label);
    put_number(out, "blocks of %u", a->block, b->block);
    put_number(out, "%u parts", a->parts, b->parts);
    if (reach[a->to] && a->reach != b->reach)
        put_number(out, a->at ? "the stretch of %u" : reach[a->to], a->reach, b->reach);
    put_number(out, "item number %u", a->at, b->at);
    if (a->body && b->body)
        compare(out, a->body, b->body);
}

static bool same_brackets(const accordi_step *a, const accordi_step *b)
{
    return a->tokens == b->tokens &&
           (a->tokens == 0 || memcmp(a->token, b->token, a->tokens * sizeof *a->token) == 0);
}

static bool is_alike(const accordi_step *a, const accordi_step *b)
{
    return a->kind == b->kind && same_brackets(a, b) && a->to == b->to && !a->block == !b->block &&
           a->short_first == b->short_first && !a->parts == !b->parts && !a->body == !b->body;
}

/* Whether the last items in one are the first ones in the other. */
static bool is_moved(const accordi_step *last, const accordi_step *first)
{
    return last->to == ACCORDI_REACH_LAST && first->to == ACCORDI_REACH_AT && first->at == 0 &&
           last->reach == first->reach && equal_but_items(last, first);
}

/* Two steps that changed places: those of a tail went to the front, or back. */
static bool put_move(accordi_buffer *out, const accordi_step *a, const accordi_step *b)
{
    bool forward = is_moved(a->next, b), backward = is_moved(b->next, a);
    if (!(forward && equal_but_items(a, b->next)) && !(backward && equal_but_items(a->next, b)))
        return false;
    begin(out);
    if (forward && !(backward && a->reach < b->reach)) /* the smaller one moved */
        accordi_buffer_printf(out, "the tail of %u moved to the front", b->reach);
    else
        accordi_buffer_printf(out, "the first %u moved to the end", a->reach);
    return true;
}

static void compare(accordi_buffer *out, const accordi_step *a, const accordi_step *b)
{
    size_t count_a = count_of(a), count_b = count_of(b);
    while (count_a && count_b && equal(a, b)) {
        a = a->next;
        b = b->next;
        count_a--;
        count_b--;
    }
    while (count_a && count_b && equal(skip(a, count_a - 1), skip(b, count_b - 1))) {
        count_a--;
        count_b--;
    }
    bool alike = count_a == count_b;
    for (size_t i = 0; alike && i < count_a; i++)
        alike = is_alike(skip(a, i), skip(b, i));
    if (count_a == 2 && count_b == 2 && put_move(out, a, b))
        return;
    if (!alike && count_a + count_b > 0)
        put_quoted(out, a, count_a, b, count_b);
    for (size_t i = 0; alike && i < count_a; i++)
        compare_numbers(out, skip(a, i), skip(b, i));
}

enum accord_status accord_notation_changes(const char *a, const char *b, char **text,
                                           accord_error *error)
{
    uint32_t leaves[2] = {0, 0};
    accordi_step *steps[2] = {NULL, NULL};
    accordi_buffer out = {0};
    enum accord_status status = accordi_steps_parse(a, &leaves[0], &steps[0], NULL, error);
    if (!status)
        status = accordi_steps_parse(b, &leaves[1], &steps[1], NULL, error);
    if (!status) {
        put_number(&out, "%u terms", leaves[0], leaves[1]);
        compare(&out, steps[0], steps[1]);
        accordi_buffer_puts(&out, "");
    }
    if (!status && out.failed)
        status = accordi_nomem(error);
    if (!status)
        *text = out.data;
    else
        accordi_buffer_clear(&out);
    accordi_steps_free(steps[0]);
    accordi_steps_free(steps[1]);
    return status;
}

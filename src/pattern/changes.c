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
        [ACCORDI_STEP_SPLIT] = "the cut-off %u",    [ACCORDI_STEP_SPLIT_UP] = "the cut-off %u",
        [ACCORDI_STEP_TURN] = "a turn by %u",       [ACCORDI_STEP_ONTO] = "onto item %u",
        [ACCORDI_STEP_NEXT] = "onto item %u"};
    return words[step->kind] ? words[step->kind] : "number %u";
}

static void compare(accordi_buffer *out, const accordi_step *a, const accordi_step *b,
                    uint32_t items);

static bool has_rows(const accordi_step *step)
{
    return step->kind == ACCORDI_STEP_LANES || step->kind == ACCORDI_STEP_ROWS;
}

/* Where some rows are longer than there are lanes, what is written for the others, too. */
static void compare_rows(accordi_buffer *out, const accordi_step *a, const accordi_step *b)
{
    uint32_t row_a = a->multiple, row_b = b->multiple;
    if (row_a > a->number || row_b > b->number)
        put_number(out, "rows of %u", row_a > a->number ? row_a : a->number,
                   row_b > b->number ? row_b : b->number);
}

/* Blocks, or parts, of which only one of the steps may have either. */
static void compare_blocks(accordi_buffer *out, const accordi_step *a, const accordi_step *b)
{
    put_number(out, "blocks of %u", a->block, b->block && a->block ? b->block : a->block);
    put_number(out, "%u parts", a->parts, b->parts && a->parts ? b->parts : a->parts);
    if (a->parts && b->block) {
        begin(out);
        accordi_buffer_printf(out, "%u parts became blocks of %u", a->parts, b->block);
    } else if (a->block && b->parts) {
        begin(out);
        accordi_buffer_printf(out, "blocks of %u became %u parts", a->block, b->parts);
    }
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
    if (has_rows(a))
        compare_rows(out, a, b);
    else
        put_number(out, "the multiple %u", a->multiple, b->multiple);
    put_number(out, "label %u", a->label, b->label);
    compare_blocks(out, a, b);
    if (reach[a->to] && a->reach != b->reach)
        put_number(out, a->at ? "the stretch of %u" : reach[a->to], a->reach, b->reach);
    put_number(out, "the start at item %u", a->at, b->at);
    if (a->body && b->body)
        compare(out, a->body, b->body, 0);
}

static bool same_brackets(const accordi_step *a, const accordi_step *b)
{
    return a->tokens == b->tokens &&
           (a->tokens == 0 || memcmp(a->token, b->token, a->tokens * sizeof *a->token) == 0);
}

static bool is_alike(const accordi_step *a, const accordi_step *b)
{
    bool cut_a = a->block || a->parts, cut_b = b->block || b->parts;
    return a->kind == b->kind && same_brackets(a, b) && a->to == b->to && cut_a == cut_b &&
           a->short_first == b->short_first && !a->body == !b->body;
}

/* Whether the last items in one are the first ones in the other. */
static bool is_moved(const accordi_step *last, const accordi_step *first)
{
    return last->to == ACCORDI_REACH_LAST && first->to == ACCORDI_REACH_AT && first->at == 0 &&
           last->reach == first->reach && equal_but_items(last, first);
}

static void put_moved(accordi_buffer *out, bool forward, uint32_t count)
{
    begin(out);
    accordi_buffer_printf(
        out, forward ? "the tail of %u moved to the front" : "the first %u moved to the end",
        count);
}

/* Two steps that changed places: those of a tail went to the front, or back. */
static bool put_move(accordi_buffer *out, const accordi_step *a, const accordi_step *b)
{
    bool forward = is_moved(a->next, b), backward = is_moved(b->next, a);
    if (!(forward && equal_but_items(a, b->next)) && !(backward && equal_but_items(a->next, b)))
        return false;
    forward = forward && !(backward && a->reach < b->reach); /* the smaller one moved */
    put_moved(out, forward, forward ? b->reach : a->reach);
    return true;
}

/* One step for the first items in one, and in the other for the last ones, behind a sum of those
 * that stood behind them before: these were added one after the other, or were the shorter one of
 * two blocks. */
static bool is_tail_in_front(const accordi_step *first, const accordi_step *front, uint32_t items)
{
    const accordi_step *last = front->next;
    accordi_step one = *first, tail = {.kind = ACCORDI_STEP_CHAIN};
    if (first->to == ACCORDI_REACH_ALL && first->block && !first->short_first) {
        one.to = ACCORDI_REACH_AT;
        one.reach = first->block;
        one.block = 0;
        tail = one;
    }
    return front->to == ACCORDI_REACH_AT && front->at == 0 &&
           (uint64_t)front->reach + last->reach == items && is_moved(last, &one) &&
           equal_but_items(front, &tail);
}

static bool put_tail(accordi_buffer *out, const accordi_step *a, const accordi_step *b,
                     bool forward, uint32_t items)
{
    if (!(forward ? is_tail_in_front(a, b, items) : is_tail_in_front(b, a, items)))
        return false;
    put_moved(out, forward, forward ? b->reach : a->reach);
    return true;
}

/* Equal blocks of the whole list, of which the short one is the last one in one order, and the
 * first one in the other. */
static bool put_short_block(accordi_buffer *out, const accordi_step *a, const accordi_step *b,
                            uint32_t items)
{
    accordi_step other = *b;
    other.short_first = a->short_first;
    if (a->short_first == b->short_first || !a->block || items % a->block == 0 ||
        a->to != ACCORDI_REACH_ALL || !equal(a, &other))
        return false;
    put_moved(out, b->short_first, items % a->block);
    return true;
}

/* Steps for the last items alone, which only one of the orders has. */
static bool put_own_tail(accordi_buffer *out, const accordi_step *step, bool added)
{
    if (step->to != ACCORDI_REACH_LAST || step->block || step->parts)
        return false;
    char *text = text_of(step, 1);
    begin(out);
    if (text)
        accordi_buffer_printf(out, "the tail of %u is %s a sum of its own (\"%s\")", step->reach,
                              added ? "now" : "no longer", text);
    free(text);
    return true;
}

/* `items`: in the list of both; 0 if that is not known, or is not the same. */
static void compare(accordi_buffer *out, const accordi_step *a, const accordi_step *b,
                    uint32_t items)
{
    size_t count_a = count_of(a), count_b = count_of(b);
    while (count_a && count_b && equal(a, b)) {
        a = a->next;
        b = b->next;
        count_a--;
        count_b--;
        items = 0;
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
    if (count_a + count_b == 3 && count_a && count_b && put_tail(out, a, b, count_a == 1, items))
        return;
    if (count_a == 1 && count_b == 1 && put_short_block(out, a, b, items))
        return;
    if (count_a + count_b == 1 && put_own_tail(out, count_a ? a : b, count_b == 1))
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
        compare(&out, steps[0], steps[1], leaves[0] == leaves[1] ? leaves[0] : 0);
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

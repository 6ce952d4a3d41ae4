/* Forms: notations in which numbers are expressions in n.
 *
 * A form is text, and so is what is made of it: at some n every expression is replaced by its
 * value, and the result is a notation as any other. So a form means what the notation means, and
 * the two cannot part. Whether a form gives a certain order is found by doing the steps with `join`
 * looking up nodes of the tree, as find.c does; most forms that do not fit fail at an early node.
 */
#include "pattern/family.h"
#include <ctype.h>

bool accordi_form_put(accordi_buffer *out, const char *form, uint32_t n)
{
    accordi_buffer_printf(out, *form ? "%u: " : "%u", n);
    while (*form) {
        size_t plain = strcspn(form, "[");
        accordi_buffer_append(out, form, plain);
        form += plain;
        if (!*form)
            break;
        const char *end = strchr(form, ']');
        uint32_t value = 0;
        if (!end || !accordi_expression_value(form + 1, (size_t)(end - form) - 1, n, &value))
            return false;
        accordi_buffer_printf(out, "%u", value);
        form = end + 1;
    }
    return true;
}

enum accord_status accord_form_at(const char *form, uint32_t n, char **notation,
                                  accord_error *error)
{
    accordi_buffer out = {0};
    bool good = accordi_form_put(&out, form, n);
    if (good && !out.failed) {
        *notation = out.data;
        return ACCORD_OK;
    }
    bool nomem = out.failed;
    accordi_buffer_clear(&out);
    if (nomem)
        return accordi_nomem(error);
    return accordi_fail(error, ACCORD_PARSE,
                        "the form \"%.200s\" has an expression without a value at n = %u: in "
                        "brackets [] stand n, numbers, +, -, *, /, mod and brackets ()",
                        form, n);
}

/* The steps of the form at n. */
static accordi_step *steps_at(const char *form, uint32_t n)
{
    accordi_buffer text = {0};
    accordi_step *steps = NULL;
    uint32_t leaves;
    if (accordi_form_put(&text, form, n) && !text.failed)
        accordi_steps_parse(text.data, &leaves, &steps, NULL, NULL);
    accordi_buffer_clear(&text);
    return steps;
}

/* ---- does a form give an order? ---- */

static uint32_t look_up(accordi_run *run, const uint32_t *item, size_t count, uint32_t label)
{
    (void)label;
    const accordi_sample *s = run->context;
    uint32_t node = s->parent[item[0]];
    bool good =
        node != ACCORD_TREE_NO_NODE && count == (s->children ? s->children[node - s->n] : 2);
    for (size_t i = 1; good && i < count; i++)
        good = s->parent[item[i]] == node;
    return good ? node : ACCORD_TREE_NO_NODE;
}

static bool no_label(accordi_run *run, uint32_t item, uint32_t label)
{
    (void)run;
    (void)item;
    return label == 0;
}

static bool leaves_one(accordi_run *run, const accordi_step *steps, uint32_t n)
{
    uint32_t *item = accordi_alloc(n, sizeof *item);
    size_t count = n;
    for (uint32_t i = 0; item && i < n; i++)
        item[i] = i;
    bool good = item && accordi_steps_run(run, steps, item, &count) && count == 1;
    free(item);
    return good;
}

bool accordi_form_fits(const char *form, const accordi_sample *sample)
{
    accordi_sample own = *sample;
    if (!*form || !sample->parent)
        return !*form && !sample->parent;
    accordi_step *steps = steps_at(form, sample->n);
    accordi_run run = {.join = look_up, .mark = no_label, .context = &own};
    bool good = steps && leaves_one(&run, steps, sample->n);
    accordi_steps_free(steps);
    return good;
}

bool accordi_form_is_order(const char *form, uint32_t n)
{
    accordi_step *steps = *form ? steps_at(form, n) : NULL;
    size_t count = n;
    bool good = steps && accordi_steps_count(steps, &count) && count == 1;
    accordi_steps_free(steps);
    return good;
}

/* ---- which steps have something to do? ---- */

static bool adds(const accordi_step *s)
{
    bool kind = s->kind == ACCORDI_STEP_TREE ||
                (accordi_words[s->kind].labels && s->kind != ACCORDI_STEP_TERMS);
    bool lanes = s->kind == ACCORDI_STEP_LANES || s->kind == ACCORDI_STEP_ROWS;
    return kind && !(lanes && s->body);
}

enum { MOST_STEPS = 64 };

static void label_brackets(accordi_step *s, uint32_t label)
{
    for (size_t i = 0; i < s->tokens; i++)
        if (s->token[i].kind == ACCORDI_TOKEN_CLOSE)
            s->token[i].value = label;
}

/* Steps in the order of the text; `step` (may be NULL) gets those that add, as labels their
 * numbers. */
static void number_steps(accordi_step *s, accordi_step **step, size_t *count)
{
    for (; s; s = s->next) {
        if (adds(s)) {
            s->label = (uint32_t)*count;
            label_brackets(s, s->label);
            if (step && *count < MOST_STEPS)
                step[*count] = s;
            ++*count;
        }
        number_steps(s->body, step, count);
    }
}

static uint32_t take_note(accordi_run *run, const uint32_t *item, size_t count, uint32_t label)
{
    (void)count;
    uint64_t *used = run->context;
    *used |= label < MOST_STEPS ? (uint64_t)1 << label : 0;
    return item[0];
}

uint64_t accord_form_uses(const char *form, uint32_t n)
{
    uint64_t used = 0;
    size_t count = 0;
    accordi_step *steps = steps_at(form, n);
    accordi_run run = {.join = take_note, .mark = no_label, .context = &used};
    number_steps(steps, NULL, &count);
    bool good = steps && leaves_one(&run, steps, n);
    accordi_steps_free(steps);
    return good ? used : 0;
}

/* ---- numbers in the text of steps ---- */

/* Where the next number stands, behind brackets of a tree and the number in them. */
static const char *next_number(const char *at)
{
    for (; *at; at++) {
        if (strncmp(at, "tree ", 5) == 0)
            at += 5 + strspn(at + 5, "0123456789()+");
        if (!*at || isdigit((unsigned char)*at))
            break;
    }
    return at;
}

size_t accordi_form_numbers(const char *steps, uint32_t *number, size_t room)
{
    size_t count = 0;
    for (const char *at = next_number(steps); *at; at = next_number(at)) {
        char *end;
        unsigned long value = strtoul(at, &end, 10);
        if (count < room)
            number[count] = (uint32_t)value;
        count++;
        at = end;
    }
    return count;
}

void accordi_form_replace(accordi_buffer *out, const char *steps, const accordi_guess *number)
{
    for (;;) {
        const char *at = next_number(steps);
        accordi_buffer_append(out, steps, (size_t)(at - steps));
        if (!*at)
            break;
        if (number)
            accordi_guess_write(out, number++);
        else
            accordi_buffer_puts(out, "#");
        steps = at + strspn(at, "0123456789");
    }
}

/* ---- words ---- */

/* Every expression of the form is a mark: a number that stands nowhere else, counted from `first`.
 * Afterwards the marks are replaced by what the expressions say. */
static void put_marks(accordi_buffer *out, const char *form, uint32_t first)
{
    accordi_buffer_puts(out, "2000000000: ");
    while (*form) {
        size_t plain = strcspn(form, "[");
        accordi_buffer_append(out, form, plain);
        form += plain;
        const char *end = strchr(form, ']');
        if (!end)
            break;
        accordi_buffer_printf(out, "%u", first++);
        form = end + 1;
    }
    accordi_buffer_puts(out, "");
}

static void take_marks(accordi_buffer *out, const char *text, const char *form, uint32_t first,
                       bool brackets)
{
    while (*text) {
        size_t plain = strcspn(text, "0123456789");
        accordi_buffer_append(out, text, plain);
        text += plain;
        size_t digits = strspn(text, "0123456789");
        unsigned long value = strtoul(text, NULL, 10);
        const char *from = form;
        for (unsigned long i = first; value >= first && from && i <= value; i++)
            from = strchr(i == first ? from : from + 1, '[');
        const char *end = value >= first && from ? strchr(from, ']') : NULL;
        if (end)
            accordi_buffer_append(out, from + !brackets,
                                  (size_t)(end - from) - !brackets + brackets);
        else
            accordi_buffer_append(out, text, digits);
        text += digits;
    }
    accordi_buffer_puts(out, "");
}

enum { MARK = 1900000000 };

/* The steps of the form with marks in place of expressions; NULL where it is no form. */
static accordi_step *marked_steps(const char *form)
{
    accordi_buffer text = {0};
    accordi_step *steps = NULL;
    uint32_t leaves;
    put_marks(&text, form, MARK);
    if (!text.failed)
        accordi_steps_parse(text.data, &leaves, &steps, NULL, NULL);
    accordi_buffer_clear(&text);
    return steps;
}

/* The text with its marks replaced, cut where there is no room for it. */
static bool put_marked(char *text, size_t size, accordi_buffer *marked, const char *form,
                       bool brackets)
{
    accordi_buffer out = {0};
    if (!marked->failed && marked->data)
        take_marks(&out, marked->data, form, MARK, brackets);
    bool good = out.data && !out.failed && out.length < size;
    if (out.data && !out.failed)
        snprintf(text, size, "%s%s", good ? out.data : "", "");
    if (out.data && !out.failed && !good)
        snprintf(text, size, "%.*s...", (int)size - 4, out.data);
    accordi_buffer_clear(&out);
    accordi_buffer_clear(marked);
    return good;
}

void accord_form_words(const char *form, char text[ACCORD_FORM_WORDS_SIZE])
{
    accordi_buffer sentence = {0};
    accordi_step *steps = marked_steps(form);
    bool good = steps && accordi_steps_regular(steps);
    if (good)
        accordi_steps_sentence(&sentence, steps);
    good = good && put_marked(text, ACCORD_FORM_WORDS_SIZE, &sentence, form, false);
    if (!good)
        snprintf(text, ACCORD_FORM_WORDS_SIZE, "%.*s%s", ACCORD_FORM_WORDS_SIZE - 4, form,
                 strlen(form) > ACCORD_FORM_WORDS_SIZE - 4 ? "..." : "");
    accordi_steps_free(steps);
}

bool accord_form_step(const char *form, size_t step, char text[ACCORD_STEP_SIZE])
{
    accordi_step *list[MOST_STEPS] = {NULL};
    size_t count = 0;
    accordi_buffer out = {0};
    accordi_step *steps = marked_steps(form);
    number_steps(steps, list, &count);
    bool good = step < count && step < MOST_STEPS;
    if (good) {
        accordi_step one = *list[step];
        one.label = 0;
        one.next = one.body = NULL;
        one.tokens = one.block ? one.tokens : 0; /* else there are as many as terms */
        label_brackets(&one, 0);
        accordi_steps_write(&out, &one);
        put_marked(text, ACCORD_STEP_SIZE, &out, form, true);
    }
    accordi_steps_free(steps);
    return good;
}

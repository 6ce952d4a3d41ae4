/* Reads the steps of a notation: its grammar is in doc/notation.md. Recursion goes as deep as
 * groups stand in each other, which is limited; brackets of trees may be of any depth. */
#include "pattern/notation.h"
#include <ctype.h>

typedef struct reader {
    const char *text;
    size_t at;
    size_t depth;    /* of groups */
    const char *why; /* what is wrong; NULL: nothing */
    size_t place;    /* where */
    bool nomem;
} reader;

static bool wrong(reader *r, size_t place, const char *why)
{
    if (!r->why) {
        r->why = why;
        r->place = place;
    }
    return false;
}

static void skip(reader *r)
{
    while (r->text[r->at] == ' ')
        r->at++;
}

static bool accept(reader *r, char c)
{
    skip(r);
    bool here = r->text[r->at] == c;
    r->at += here;
    return here;
}

static bool accept_word(reader *r, const char *word)
{
    skip(r);
    size_t length = strlen(word);
    if (strncmp(r->text + r->at, word, length) != 0 ||
        isalpha((unsigned char)r->text[r->at + length]))
        return false;
    r->at += length;
    return true;
}

static bool is_digit(const reader *r)
{
    return isdigit((unsigned char)r->text[r->at]) != 0;
}

/* A number from `least` to `most`. */
static bool read_number(reader *r, uint32_t least, uint32_t most, uint32_t *out)
{
    skip(r);
    size_t place = r->at;
    uint64_t value = 0;
    if (!is_digit(r))
        return wrong(r, place, "expected a number");
    for (; is_digit(r); r->at++)
        value = value > most ? value : 10 * value + (uint64_t)(r->text[r->at] - '0');
    if (value > most)
        return wrong(r, place, "this number is too large");
    if (value < least)
        return wrong(r, place, "this number is too small");
    *out = (uint32_t)value;
    return true;
}

static bool read_count(reader *r, uint32_t *out)
{
    return read_number(r, 1, ACCORD_TREE_MAX_LEAVES, out);
}

/* {7}, or nothing. */
static bool read_label(reader *r, uint32_t *label)
{
    return !accept(r, '{') || (read_number(r, 0, UINT32_MAX, label) &&
                               (accept(r, '}') || wrong(r, r->at, "expected } after the label")));
}

static bool put_token(reader *r, accordi_step *step, uint32_t kind, uint32_t value)
{
    r->nomem = r->nomem || !accordi_step_token(step, kind, value);
    return !r->nomem;
}

/* ((0+1)+2): an item or an opened bracket, then what may follow it, until all are closed. More such
 * sums may stand behind it. */
static bool read_brackets(reader *r, accordi_step *step)
{
    size_t open = 0;
    for (;;) {
        uint32_t value = 0;
        for (; accept(r, '('); open++)
            if (!put_token(r, step, ACCORDI_TOKEN_OPEN, 0))
                return false;
        if (!read_number(r, 0, ACCORD_TREE_MAX_LEAVES, &value) ||
            !put_token(r, step, ACCORDI_TOKEN_ITEM, value))
            return false;
        for (; open && accept(r, ')'); open--) {
            value = 0;
            if (!read_label(r, &value) || !put_token(r, step, ACCORDI_TOKEN_CLOSE, value))
                return false;
        }
        skip(r);
        bool more = is_digit(r) || r->text[r->at] == '(';
        if (open == 0 && !more)
            return true;
        if (open > 0 && !accept(r, '+'))
            return wrong(r, r->at, "expected + or ) in the brackets");
    }
}

static bool read_steps(reader *r, accordi_step **out);

/* ( steps ), of which the first bracket was read. */
static bool read_body(reader *r, accordi_step **body)
{
    if (++r->depth > ACCORDI_NOTATION_DEEPEST)
        return wrong(r, r->at - 1, "groups stand too deep in each other");
    if (!read_steps(r, body))
        return false;
    r->depth--;
    return accept(r, ')') || wrong(r, r->at, "expected ; and another step, or ) after the group");
}

static bool read_multiple(reader *r, accordi_step *step)
{
    return !accept_word(r, "by") || read_count(r, &step->multiple);
}

static bool read_split(reader *r, accordi_step *step)
{
    return (!accept_word(r, "to") || read_count(r, &step->number)) && read_multiple(r, step);
}

/* The kind of step that begins here; of two with the same first word the later one of the table
 * has the second word, or the number. */
static bool read_kind(reader *r, enum accordi_step_kind *kind)
{
    skip(r);
    size_t from = r->at, end = 0;
    for (size_t i = 0; i < ACCORDI_STEP_KINDS; i++) {
        const accordi_word *w = &accordi_words[i];
        r->at = from;
        bool here = i == ACCORDI_STEP_GROUP ? accept(r, '(') : accept_word(r, w->word);
        if (!here || (w->second && !accept_word(r, w->second)))
            continue;
        size_t now = r->at;
        skip(r);
        if (i == ACCORDI_STEP_FUSES && !is_digit(r))
            continue;
        *kind = (enum accordi_step_kind)i;
        end = now;
    }
    r->at = end ? end : from;
    return end ||
           wrong(r, from,
                 "expected a step: chain, chain back, pairs, halves, fuse, add, doubling, "
                 "halving, counter, heap, postorder, inorder, lanes, rows, split, onto, next, "
                 "turn, reverse, terms, tree, or a group in brackets");
}

/* next 4 onto, before the number of the item */
static bool read_next(reader *r, accordi_step *step)
{
    step->to = ACCORDI_REACH_NEXT;
    return read_number(r, 0, ACCORD_TREE_MAX_LEAVES, &step->reach) &&
           (accept_word(r, "onto") || wrong(r, r->at, "expected onto, as in 'next 4 onto 8'"));
}

static bool read_what(reader *r, accordi_step *step)
{
    const accordi_word *word = &accordi_words[step->kind];
    bool is_split = step->kind == ACCORDI_STEP_SPLIT || step->kind == ACCORDI_STEP_SPLIT_UP;
    bool is_lanes = step->kind == ACCORDI_STEP_LANES || step->kind == ACCORDI_STEP_ROWS;
    if (step->kind == ACCORDI_STEP_GROUP)
        return read_body(r, &step->body);
    if (step->kind == ACCORDI_STEP_TREE)
        return read_brackets(r, step);
    if (step->kind == ACCORDI_STEP_NEXT && !read_next(r, step))
        return false;
    if (word->number && !read_number(r, word->number == ACCORDI_NUMBER_ALWAYS,
                                     ACCORD_TREE_MAX_LEAVES, &step->number))
        return false;
    if (is_split && !read_split(r, step))
        return false;
    if (is_lanes && !read_multiple(r, step))
        return false;
    if (word->labels && !read_label(r, &step->label))
        return false;
    return !word->body || !accept(r, '(') || read_body(r, &step->body);
}

/* in 128s, in 128s back, in 4 parts */
static bool read_lists(reader *r, accordi_step *step)
{
    uint32_t number = 0;
    if (step->kind == ACCORDI_STEP_ROWS || !accept_word(r, "in"))
        return true;
    if (!read_count(r, &number))
        return false;
    bool onto = step->kind == ACCORDI_STEP_ONTO || step->kind == ACCORDI_STEP_NEXT;
    if (accept_word(r, "s"))
        step->block = number;
    else if (onto)
        return wrong(r, r->at, "expected s, as in 'onto 0 in 8s'");
    else if (accept_word(r, "parts"))
        step->parts = number;
    else
        return wrong(r, r->at, "expected s or parts, as in 'in 128s' and 'in 4 parts'");
    step->short_first = step->block && !onto && accept_word(r, "back");
    return true;
}

/* of 960, of 32 at 64, of last 8, of 8s, of rest */
static bool read_reach(reader *r, accordi_step *step)
{
    if (step->kind == ACCORDI_STEP_NEXT || !accept_word(r, "of"))
        return true;
    if (accept_word(r, "rest")) {
        step->to = ACCORDI_REACH_REST;
        return true;
    }
    bool last = accept_word(r, "last");
    skip(r);
    size_t place = r->at;
    if (!read_number(r, 0, ACCORD_TREE_MAX_LEAVES, &step->reach))
        return false;
    step->to = last ? ACCORDI_REACH_LAST : ACCORDI_REACH_AT;
    if (!last && accept_word(r, "s"))
        step->to = ACCORDI_REACH_MULTIPLE;
    if (step->to == ACCORDI_REACH_MULTIPLE && step->reach == 0)
        return wrong(r, place, "this number is too small");
    if (step->to == ACCORDI_REACH_MULTIPLE)
        return true;
    if (!last && accept_word(r, "at"))
        return read_number(r, 0, ACCORD_TREE_MAX_LEAVES, &step->at);
    return true;
}

static bool read_step(reader *r, accordi_step **out)
{
    enum accordi_step_kind kind = ACCORDI_STEP_CHAIN;
    skip(r);
    size_t place = r->at;
    if (!read_kind(r, &kind))
        return false;
    accordi_step *step = *out = accordi_step_new(kind);
    r->nomem = r->nomem || !step;
    if (!step)
        return false;
    step->place = place;
    return read_what(r, step) && read_lists(r, step) && read_reach(r, step);
}

static bool read_steps(reader *r, accordi_step **out)
{
    do {
        if (!read_step(r, out))
            return false;
        out = &(*out)->next;
    } while (accept(r, ';'));
    return true;
}

enum accord_status accordi_steps_parse(const char *text, uint32_t *leaves, accordi_step **steps,
                                       size_t *place, accord_error *error)
{
    reader r = {.text = text};
    uint32_t count = 0;
    accordi_step *list = NULL;
    bool good = read_count(&r, &count);
    if (good && accept(&r, ':'))
        good = read_steps(&r, &list);
    skip(&r);
    if (good && text[r.at])
        wrong(&r, r.at,
              list ? "expected ; and another step, or the end"
                   : "expected a colon after the number of terms, or the end");
    if (!r.why && !r.nomem) {
        *leaves = count;
        *steps = list;
        return ACCORD_OK;
    }
    accordi_steps_free(list);
    if (r.nomem)
        return accordi_nomem(error);
    if (place)
        *place = r.place;
    return accordi_fail(error, ACCORD_PARSE, "the notation is wrong at character %zu: %s",
                        r.place + 1, r.why);
}

/* Over what may stand between the tokens of brackets. */
static size_t skip_between(const char *text, size_t place)
{
    for (;;) {
        place += strspn(text + place, " +");
        if (text[place] != '{')
            return place;
        place += strcspn(text + place, "}") + 1;
    }
}

size_t accordi_token_place(const char *text, const accordi_step *tree, size_t token)
{
    size_t place = tree->place + strlen(accordi_words[tree->kind].word);
    for (place = skip_between(text, place); token > 0; token--) {
        size_t digits = strspn(text + place, "0123456789");
        place = skip_between(text, place + (digits ? digits : 1));
    }
    return place;
}

uint32_t accord_notation_terms(const char *text)
{
    reader r = {.text = text};
    uint32_t count = 0;
    bool good = read_count(&r, &count);
    skip(&r);
    bool ends = text[r.at] == ':' || text[r.at] == ',' || text[r.at] == '\0';
    return good && ends ? count : 0;
}

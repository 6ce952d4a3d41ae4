/* The steps of an order in plain English. Each step is a clause, which names all its numbers, so
 * that two orders of the same number of terms never have one sentence. */
#include "pattern/notation.h"

/* %u: the number of the step. */
static const char *const clauses[ACCORDI_STEP_KINDS] = {
    [ACCORDI_STEP_CHAIN] = "one after the other",
    [ACCORDI_STEP_BACK] = "one after the other from the last",
    [ACCORDI_STEP_PAIRS] = "by neighbors",
    [ACCORDI_STEP_HALVES] = "folded by halves",
    [ACCORDI_STEP_FUSE] = "in one fused sum",
    [ACCORDI_STEP_FUSES] = "in fused sums of %u terms",
    [ACCORDI_STEP_ADD] = "in fused sums of %u terms onto the first",
    [ACCORDI_STEP_DOUBLING] = "by recursive doubling",
    [ACCORDI_STEP_HALVING] = "by recursive halving",
    [ACCORDI_STEP_COUNTER] = "by neighbors in powers of two, then these from the largest on",
    [ACCORDI_STEP_HEAP] = "up a tree of %u children each, numbered level by level",
    [ACCORDI_STEP_HEAP_ACROSS] = "up a tree of %u children each, numbered across its levels",
    [ACCORDI_STEP_POSTORDER] = "up a binary tree in postorder",
    [ACCORDI_STEP_INORDER] = "up a binary tree in order",
    [ACCORDI_STEP_INORDER_BACK] = "up a binary tree in order from the last",
    [ACCORDI_STEP_LANES] = "in %u lanes",
    [ACCORDI_STEP_ROWS] = "in %u lanes of whole rows",
    [ACCORDI_STEP_SPLIT] = "cut in halves down to %u",
    [ACCORDI_STEP_SPLIT_UP] = "cut in halves, the larger one first, down to %u",
    [ACCORDI_STEP_ONTO] = "added onto number %u",
    [ACCORDI_STEP_NEXT] = "added onto those from number %u on",
    [ACCORDI_STEP_TURN] = "beginning with number %u",
    [ACCORDI_STEP_REVERSE] = "reversed",
    [ACCORDI_STEP_TERMS] = "labelled",
    [ACCORDI_STEP_TREE] = "as in ",
};

/* What stands before the multiple. */
static const char *const multiple_words[ACCORDI_STEP_KINDS] = {
    [ACCORDI_STEP_LANES] = " of rows",
    [ACCORDI_STEP_ROWS] = "",
    [ACCORDI_STEP_SPLIT] = " at multiples",
    [ACCORDI_STEP_SPLIT_UP] = " at multiples",
};

static void put_clause(accordi_buffer *out, const accordi_step *step)
{
    const char *text = clauses[step->kind], *number = strstr(text, "%u");
    if (number)
        accordi_buffer_printf(out, "%.*s%u%s", (int)(number - text), text, step->number,
                              number + 2);
    else
        accordi_buffer_puts(out, text);
    if (step->kind == ACCORDI_STEP_TREE)
        accordi_brackets_write(out, step);
    if (step->multiple > 1)
        accordi_buffer_printf(out, "%s of %u", multiple_words[step->kind], step->multiple);
}

static void put_items(accordi_buffer *out, const accordi_step *step)
{
    switch (step->to) {
    case ACCORDI_REACH_ALL:
        break;
    case ACCORDI_REACH_AT:
        if (step->at)
            accordi_buffer_printf(out, "%u from number %u on ", step->reach, step->at);
        else
            accordi_buffer_printf(out, "the first %u ", step->reach);
        break;
    case ACCORDI_REACH_LAST:
        accordi_buffer_printf(out, "the last %u ", step->reach);
        break;
    case ACCORDI_REACH_MULTIPLE:
        accordi_buffer_printf(out, "whole %us ", step->reach);
        break;
    case ACCORDI_REACH_REST:
        accordi_buffer_puts(out, "the rest ");
        break;
    case ACCORDI_REACH_NEXT:
        accordi_buffer_printf(out, "the next %u ", step->reach);
    }
}

/* Groups stand in each other only as deep as they may. */
void accordi_steps_sentence(accordi_buffer *out, const accordi_step *steps)
{
    for (const accordi_step *s = steps; s; s = s->next) {
        if (s != steps)
            accordi_buffer_puts(out, ", then ");
        put_items(out, s);
        if (s->block)
            accordi_buffer_printf(out, "in blocks of %u %s", s->block,
                                  s->short_first ? "from the last on " : "");
        if (s->parts)
            accordi_buffer_printf(out, "in %u equal parts ", s->parts);
        if (s->kind != ACCORDI_STEP_GROUP)
            put_clause(out, s);
        if (!s->body)
            continue;
        bool group = s->kind == ACCORDI_STEP_GROUP;
        bool plain = !group && !s->body->next && !s->body->body;
        accordi_buffer_puts(out, group ? "(" : plain ? ", each " : ", each (");
        accordi_steps_sentence(out, s->body);
        accordi_buffer_puts(out, plain ? "" : ")");
    }
}

bool accordi_write_sentence(const accord_tree *tree, char text[ACCORD_ORDER_WORDS_SIZE])
{
    char *notation = NULL;
    bool regular = false;
    uint32_t leaves = 0;
    accordi_step *steps = NULL;
    accordi_buffer out = {0};
    bool good = accord_notation_write(tree, NULL, &notation, &regular, NULL) == ACCORD_OK &&
                regular && accordi_steps_parse(notation, &leaves, &steps, NULL, NULL) == ACCORD_OK;
    if (good)
        accordi_steps_sentence(&out, steps);
    good = good && !out.failed && out.length < ACCORD_ORDER_WORDS_SIZE;
    if (good)
        memcpy(text, out.data, out.length + 1);
    accordi_buffer_clear(&out);
    accordi_steps_free(steps);
    accord_notation_free(notation);
    return good;
}

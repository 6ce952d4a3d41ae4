/* Writes steps as the text that notation_read.c reads. */
#include "pattern/notation.h"

static void put_label(accordi_buffer *out, uint32_t label)
{
    if (label)
        accordi_buffer_printf(out, "{%u}", label);
}

void accordi_brackets_write(accordi_buffer *out, const accordi_step *step)
{
    for (size_t i = 0, open = 0; i < step->tokens; i++) {
        accordi_token t = step->token[i];
        bool follows =
            i > 0 && t.kind != ACCORDI_TOKEN_CLOSE && step->token[i - 1].kind != ACCORDI_TOKEN_OPEN;
        if (follows)
            accordi_buffer_puts(out, open ? "+" : " ");
        open += t.kind == ACCORDI_TOKEN_OPEN;
        open -= t.kind == ACCORDI_TOKEN_CLOSE;
        if (t.kind == ACCORDI_TOKEN_ITEM)
            accordi_buffer_printf(out, "%u", t.value);
        else
            accordi_buffer_puts(out, t.kind == ACCORDI_TOKEN_OPEN ? "(" : ")");
        if (t.kind == ACCORDI_TOKEN_CLOSE)
            put_label(out, t.value);
    }
}

static void put_what(accordi_buffer *out, const accordi_step *step)
{
    const accordi_word *word = &accordi_words[step->kind];
    if (step->kind == ACCORDI_STEP_GROUP) {
        accordi_buffer_puts(out, "(");
        accordi_steps_write(out, step->body);
        accordi_buffer_puts(out, ")");
        return;
    }
    accordi_buffer_puts(out, word->word);
    if (word->second)
        accordi_buffer_printf(out, " %s", word->second);
    if (step->kind == ACCORDI_STEP_NEXT)
        accordi_buffer_printf(out, " %u onto", step->reach);
    if (word->number)
        accordi_buffer_printf(out, " %u", step->number);
    else if (step->number > 1)
        accordi_buffer_printf(out, " to %u", step->number);
    if (step->multiple > 1)
        accordi_buffer_printf(out, " by %u", step->multiple);
    put_label(out, step->label);
    if (step->kind == ACCORDI_STEP_TREE) {
        accordi_buffer_puts(out, " ");
        accordi_brackets_write(out, step);
    }
    if (step->body) {
        accordi_buffer_puts(out, " (");
        accordi_steps_write(out, step->body);
        accordi_buffer_puts(out, ")");
    }
}

static void put_items(accordi_buffer *out, const accordi_step *step)
{
    if (step->block)
        accordi_buffer_printf(out, " in %us%s", step->block, step->short_first ? " back" : "");
    if (step->parts)
        accordi_buffer_printf(out, " in %u parts", step->parts);
    if (step->to == ACCORDI_REACH_REST)
        accordi_buffer_puts(out, " of rest");
    else if (step->to == ACCORDI_REACH_LAST)
        accordi_buffer_printf(out, " of last %u", step->reach);
    else if (step->to == ACCORDI_REACH_MULTIPLE)
        accordi_buffer_printf(out, " of %us", step->reach);
    else if (step->to == ACCORDI_REACH_AT)
        accordi_buffer_printf(out, " of %u", step->reach);
    if (step->to == ACCORDI_REACH_AT && step->at)
        accordi_buffer_printf(out, " at %u", step->at);
}

void accordi_steps_write(accordi_buffer *out, const accordi_step *steps)
{
    for (; steps; steps = steps->next) {
        put_what(out, steps);
        put_items(out, steps);
        if (steps->next)
            accordi_buffer_puts(out, "; ");
    }
}

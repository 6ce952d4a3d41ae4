/* Step 1: the order and the arithmetic, and whether they are those of a right implementation. */
#include "explain/statistics.h"
#include "model/words.h"
#include <accord/pattern.h>

enum accord_status accordi_explain_reveal(const accordi_sums *sums,
                                          const accord_explain_options *options,
                                          accord_explain_side *side, accord_error *error)
{
    accord_reveal_options reveal;
    accord_reveal_options_init(&reveal);
    reveal.seed = options->seed;
    reveal.budget_calls = options->budget_calls;
    reveal.budget_seconds = options->budget_seconds;
    if (reveal.budget_calls == 0 && reveal.budget_seconds == 0)
        reveal.budget_seconds = 30;
    reveal.loose = true;
    reveal.progress = options->progress;
    reveal.progress_context = options->progress_context;
    side->record = accord_record_new();
    if (!side->record)
        return accordi_nomem(error);
    accord_error why;
    enum accord_status status = accord_reveal(sums->target, &reveal, side->record, &why);
    char words[ACCORD_ORDER_WORDS_SIZE];
    if (status == ACCORD_OK) {
        accord_order_words(side->record->tree, words);
        snprintf(side->order, sizeof side->order, "%s", words);
        return ACCORD_OK;
    }
    if (status != ACCORD_UNABLE && status != ACCORD_UNSUPPORTED) {
        if (error)
            *error = why;
        return status;
    }
    snprintf(side->order, sizeof side->order, "no order: %s",
             status == ACCORD_UNABLE ? accord_reason_about(why.reason) : "it cannot be asked");
    return ACCORD_OK;
}

enum accord_status accordi_explain_unrevealed(const accordi_sums *sums, accord_explain_side *side,
                                              accord_error *error)
{
    side->record = accord_record_new();
    if (!side->record)
        return accordi_nomem(error);
    side->record->n = (int64_t)sums->n;
    snprintf(side->order, sizeof side->order, "unknown: results cannot be asked");
    return ACCORD_OK;
}

/* Only the operations that nodes of the tree use count; with of_node NULL that is the first. */
static bool used(const accord_record *record, size_t operation)
{
    const accord_arithmetic *arithmetic = record->arithmetic;
    if (!arithmetic->of_node)
        return operation == 0;
    for (uint32_t node = 0; node < record->tree->inner; node++)
        if (arithmetic->of_node[node] == operation)
            return true;
    return false;
}

void accordi_explain_faults(const accord_record *record, const accordi_accumulator *accumulator,
                            char *text, size_t size)
{
    const accord_arithmetic *arithmetic = record->arithmetic;
    text[0] = '\0';
    if (arithmetic->finish == ACCORD_FINISH_TIMES)
        accordi_factor_words(arithmetic->factor - 1, text, size);
    else if (arithmetic->finish == ACCORD_FINISH_OVER)
        snprintf(text, size, "the results are divided by %.6g", arithmetic->factor);
    else if (arithmetic->finish != ACCORD_FINISH_NONE)
        snprintf(text, size, "the result is a root of the sum");
    else if (!accordi_contains(arithmetic->operand, arithmetic->input))
        snprintf(text, size, "operands are cut to %s",
                 accord_format_get(arithmetic->operand)->name);
    else if (arithmetic->output_rounding != ACCORD_NEAREST_EVEN && !arithmetic->has_machine &&
             !accordi_contains(arithmetic->output, accumulator->format))
        snprintf(text, size, "results are not rounded to nearest");
    for (size_t i = 0; i < arithmetic->operations && !text[0] && !accumulator->machine; i++) {
        const accord_operation *operation = &arithmetic->operation[i];
        const enum accord_format each[] = {operation->format, operation->stored};
        for (size_t f = 0; f < 2 && !text[0]; f++)
            if (used(record, i) && !accordi_contains(each[f], accumulator->format))
                snprintf(text, size, "partial sums are rounded to %s",
                         accord_format_get(each[f])->name);
        bool cut = !accordi_contains(operation->product, accumulator->format) &&
                   (arithmetic->term == ACCORD_TERM_PRODUCT ||
                    !accordi_contains(operation->product, arithmetic->input));
        if (!text[0] && used(record, i) && cut)
            snprintf(text, size, "terms are rounded to %s",
                     accord_format_get(operation->product)->name);
        if (!text[0] && used(record, i) && operation->rounding != ACCORD_NEAREST_EVEN)
            snprintf(text, size, "partial sums are not rounded to nearest");
    }
}

/* Whether the bits that all runs gave follow from an order that was revealed. */
#include "vary/runs/runs.h"
#include <accord/pattern.h>

enum { SECONDS = 10 };

static enum accord_status replay(const accord_record *record, const accordi_vary_input *in,
                                 const double *result, bool *same, accord_error *error)
{
    const accord_model model = {record->tree, record->arithmetic};
    size_t width = in->is_f32 ? sizeof(float) : sizeof(double);
    *same = true;
    for (size_t row = 0; row < in->rows; row++) {
        const void *x = (const char *)in->x + row * in->inner * width;
        const void *y = in->y ? (const char *)in->y + row * in->inner * width : NULL;
        double start = model.arithmetic->beta != 0
                           ? accordi_get_number(x, in->is_f32, in->inner - 1)
                           : 0,
               again;
        const accord_rows rows = {.size = sizeof rows,
                                  .rows = 1,
                                  .x = &x,
                                  .y = y ? &y : NULL,
                                  .start = &start,
                                  .is_f32 = in->is_f32};
        enum accord_status status = accord_model_replay(&model, &rows, &again, error);
        if (status)
            return status;
        *same = *same && accordi_same_bits(again, result[row]);
    }
    return ACCORD_OK;
}

static enum accord_status tell(const accord_record *record, const accordi_vary_input *in,
                               accord_vary_setting *s, const double *result, accord_error *error)
{
    char order[ACCORD_ORDER_WORDS_SIZE];
    enum accord_status status = ACCORD_OK;
    accord_order_words(record->tree, order);
    snprintf(s->order, sizeof s->order, "%s", order);
    if (record->arithmetic)
        status = replay(record, in, result, &s->replays, error);
    s->proven = s->replays && record->proven;
    snprintf(s->words, sizeof s->words, "%s",
             s->proven            ? "its order is proven and gives these bits"
             : s->replays         ? "the order that was found gives these bits; it is not proven"
             : record->arithmetic ? "the order that was found does not give these bits"
                                  : "an order was found, but not the arithmetic");
    return status;
}

enum accord_status accordi_vary_prove(const accordi_variation *v, accord_target *target,
                                      const accordi_vary_input *in, bool places,
                                      accord_vary_setting *s, const double *result,
                                      accord_error *error)
{
    accord_reveal_options how;
    accord_record *record = accord_record_new();
    accord_error why;
    if (!record)
        return accordi_nomem(error);
    accord_reveal_options_init(&how);
    how.seed = v->options.seed;
    how.budget_calls = v->options.budget_calls;
    how.budget_seconds = v->options.budget_seconds;
    if (!how.budget_calls && how.budget_seconds <= 0)
        how.budget_seconds = SECONDS;
    how.loose = true;
    how.progress = v->options.progress;
    how.progress_context = v->options.progress_context;
    enum accord_status status = accord_reveal(target, &how, record, &why);
    if (status == ACCORD_OK && record->tree && !in->grid && !places) {
        status = tell(record, in, s, result, error);
    } else if (status == ACCORD_OK && record->tree) {
        snprintf(s->words, sizeof s->words, "the order of element %s was found%s",
                 record->element ? record->element : "0",
                 record->proven ? " and is proven; other elements may have other orders" : "");
    } else if (status == ACCORD_UNABLE || status == ACCORD_UNSUPPORTED) {
        snprintf(s->words, sizeof s->words, "no order is known: %.200s",
                 status == ACCORD_UNABLE ? accord_reason_about(why.reason) : why.text);
        status = ACCORD_OK;
    } else if (status && error) {
        *error = why;
    }
    accord_record_free(record);
    return status;
}

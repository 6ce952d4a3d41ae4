/* Models, orders with their arithmetic, in words: what the verbs that compare them share. */
#include "cli/cli.h"

void cli_arithmetic_words(const accord_record *record, char *text, size_t size)
{
    const accord_model model = {record->tree, record->arithmetic};
    if (record->tree && record->arithmetic)
        accord_model_describe(&model, text, size);
    else
        snprintf(text, size, "%s", record->accumulator ? record->accumulator : "not explained");
}

/* Was its arithmetic looked for, and found? Files of brackets, say, tell neither. */
static bool examined(const accord_record *record)
{
    return record->arithmetic || record->accumulator || (record->accord && record->replays > 0);
}

static bool explained(const accord_record *record)
{
    return record->arithmetic || record->accumulator;
}

bool cli_same_model(const accord_record *a, const accord_record *b, char *text, size_t size)
{
    const accord_model one = {a->tree, a->arithmetic}, two = {b->tree, b->arithmetic};
    text[0] = 0;
    if (!accord_tree_equal(a->tree, b->tree)) {
        snprintf(text, size, "the orders differ");
        return false;
    }
    if (a->arithmetic && b->arithmetic)
        return !accord_model_differ(&one, &two, text, size);
    if (!examined(a) || !examined(b))
        return true;
    if (explained(a) != explained(b)) /* what explains one was tried on the other */
        snprintf(text, size, "the arithmetic of %s is not explained, that of %s is",
                 explained(a) ? "B" : "A", explained(a) ? "A" : "B");
    else if (!a->arithmetic && !b->arithmetic && a->accumulator &&
             strcmp(a->accumulator, b->accumulator) != 0)
        snprintf(text, size, "the arithmetic is %s in A, %s in B", a->accumulator, b->accumulator);
    return text[0] == 0;
}

bool cli_model_print(const accord_record *record, char out[ACCORD_FINGERPRINT_SIZE])
{
    const accord_model model = {record->tree, record->arithmetic};
    out[0] = 0;
    if (!record->tree)
        return false;
    return (record->arithmetic ? accord_model_fingerprint(&model, out, NULL)
                               : accord_tree_fingerprint(record->tree, out, NULL)) == ACCORD_OK;
}

/* Descriptions of models for the verbs that compare them. */
#include "cli/command/cli.h"

void cli_arithmetic_words(const accord_record *record, char *text, size_t size)
{
    const accord_model model = {record->tree, record->arithmetic};
    if (record->tree && record->arithmetic)
        accord_model_describe(&model, text, size);
    else
        snprintf(text, size, "%s", record->accumulator ? record->accumulator : "not explained");
}

int cli_choose(const cli_args *args, accord_record *record)
{
    const char *which = args->text[CLI_ALTERNATIVE];
    accord_error error;
    if (!which || accord_record_choose(record, which, &error) == ACCORD_OK)
        return CLI_YES;
    return cli_misuse("%s: %s", args->operand[0], error.text);
}

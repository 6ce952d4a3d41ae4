/* The results of a command one by one, and their text in pieces. */
#include "cli/sums/tally.h"

void cli_results_flow(const cli_results *results, accordi_buffer *out)
{
    enum { MUCH = 1 << 16 };
    if (!results->to || out->failed || out->length < MUCH)
        return;
    cli_output_write(results->to, out->data, out->length);
    out->length = 0;
}

size_t cli_results_count(const cli_results *results)
{
    return results->one ? 1 : results->groups->count;
}

bool cli_results_get(const cli_results *results, size_t i, cli_result *result)
{
    return cli_group_result(results->groups->sorted[i], results->how, result);
}

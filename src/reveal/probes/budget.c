/* Budgets: how many sums may be asked for, or for how long.
 *
 * Before each batch, accord estimates whether the batch still fits, by the number of its sums and
 * by the average time of the sums before it. A batch that does not fit ends the question like an
 * interruption; the results until then stand, and accord_reveal says what was left out. */
#include "reveal/probes/ask.h"
#include <math.h>

enum accord_status accord_reveal_budget(const char *text, accord_reveal_options *options,
                                        accord_error *error)
{
    char *end = NULL;
    double amount = text && *text >= '0' && *text <= '9' ? strtod(text, &end) : 0;
    bool seconds = end && strcmp(end, "s") == 0, calls = end && strcmp(end, "calls") == 0;
    bool whole = amount >= 1 && amount <= 0x1p53 && amount == floor(amount);
    if (!options || !isfinite(amount) || !((seconds && amount > 0) || (calls && whole)))
        return accordi_fail(error, ACCORD_ARG,
                            "a budget is a time such as 10s or 0.5s, or a number of calls such as "
                            "5000calls, not \"%.40s\"",
                            text ? text : "");
    if (seconds)
        options->budget_seconds = amount;
    else
        options->budget_calls = (uint64_t)amount;
    return ACCORD_OK;
}

/* How many more sums fit; INFINITY without a budget. */
static double sums_left(const accordi_asker *asker)
{
    const accord_target *target = asker->target;
    uint64_t calls = target->calls - asker->first_calls;
    double left = INFINITY;
    if (asker->budget_calls)
        left = calls < asker->budget_calls ? (double)(asker->budget_calls - calls) : 0;
    if (asker->budget_seconds > 0) {
        double time = asker->began + asker->budget_seconds - accordi_now();
        double each = target->calls ? target->seconds / (double)target->calls : 0;
        double fit = time <= 0 ? 0 : each > 0 ? time / each : INFINITY;
        left = fit < left ? fit : left;
    }
    return left;
}

bool accordi_budget_holds(const accordi_asker *asker, size_t probes)
{
    return (double)probes <= sums_left(asker);
}

size_t accordi_budget_room(const accordi_asker *asker, size_t wanted, double each)
{
    const double share = 0.75;
    double fit = share * sums_left(asker) / each;
    return fit < (double)wanted ? (size_t)fit : wanted;
}

void accordi_budget_words(const accordi_asker *asker, char *text, size_t size)
{
    if (asker->budget_calls)
        snprintf(text, size, "the budget of %llu call%s", (unsigned long long)asker->budget_calls,
                 asker->budget_calls == 1 ? "" : "s");
    else
        snprintf(text, size, "the budget of %g second%s", asker->budget_seconds,
                 asker->budget_seconds == 1 ? "" : "s");
}

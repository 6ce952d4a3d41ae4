/* Sums and dot products on a device: numbers are collected, as f64, and go there many at once. */
#include "cli/sums/work.h"
#include <accord/exact_device.h>

enum { ROOM = 1 << 20 };

struct cli_device {
    accord_exact_device *to;
    double *x, *y; /* ROOM numbers each; y only of products */
    size_t filled;
};

/* ---- life ---- */

static bool goes_with(const cli_args *args)
{
    static const struct {
        enum cli_option_id option;
        const char *why;
    } others[] = {{CLI_DECIMAL, "a device adds f64, not decimals as they are written"},
                  {CLI_NAIVE, "a naive sum is added on this CPU"},
                  {CLI_GROUP_BY, "sums by key are added on this CPU"},
                  {CLI_MERGE, "saved sums are added on this CPU"},
                  {CLI_WORKERS, "a device adds with work-items of its own"}};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (args->text[others[i].option])
            return cli_refuse("--device and --%s contradict each other: %s; leave one out",
                              cli_options[others[i].option].name, others[i].why);
    return true;
}

int cli_device_open(const cli_args *args, bool products, cli_device **out)
{
    const char *name = args->text[CLI_EXACT_DEVICE];
    accord_error error;
    *out = NULL;
    if (!name)
        return CLI_YES;
    if (!goes_with(args))
        return CLI_USAGE;
    cli_device *made = cli_need(accordi_calloc(1, sizeof *made));
    if (accord_exact_device_open(name, &made->to, &error)) {
        free(made);
        return cli_fail(&error);
    }
    made->x = cli_need(accordi_alloc(ROOM, sizeof *made->x));
    if (products)
        made->y = cli_need(accordi_alloc(ROOM, sizeof *made->y));
    *out = made;
    return CLI_YES;
}

void cli_device_close(cli_device *d)
{
    if (!d)
        return;
    accord_exact_device_close(d->to);
    free(d->x);
    free(d->y);
    free(d);
}

/* ---- numbers ---- */

bool cli_device_end_sum(cli_device *d, accord_exact *sum, accord_error *error)
{
    size_t n = d->filled;
    d->filled = 0;
    return accord_exact_device_add_array_f64(d->to, sum, n, d->x, error) == ACCORD_OK;
}

bool cli_device_end_products(cli_device *d, accord_exact_wide *sum, accord_error *error)
{
    size_t n = d->filled;
    d->filled = 0;
    return accord_exact_device_wide_add_products_f64(d->to, sum, n, d->x, d->y, error) == ACCORD_OK;
}

bool cli_device_add(cli_device *d, accord_exact *sum, const cli_block *block, accord_error *error)
{
    for (size_t i = 0; i < block->count; i++) {
        if (d->filled == ROOM && !cli_device_end_sum(d, sum, error))
            return false;
        d->x[d->filled++] = cli_block_value(block, i);
    }
    return true;
}

bool cli_device_multiply(cli_device *d, accord_exact_wide *sum, size_t n, const double *x,
                         const double *y, accord_error *error)
{
    for (size_t i = 0; i < n; i++) {
        if (d->filled == ROOM && !cli_device_end_products(d, sum, error))
            return false;
        d->x[d->filled] = x[i];
        d->y[d->filled++] = y[i];
    }
    return true;
}

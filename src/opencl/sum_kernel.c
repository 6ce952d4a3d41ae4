/* Runs a kernel on the terms of a probe, or of one for each row of results, and adds what it leaves
 * in parts. */
#include "opencl/sum_kernel.h"
#include <errno.h>
#include <math.h>

static size_t number_size(const sum_kernel *k)
{
    return k->f64 ? sizeof(double) : sizeof(float);
}

static double number_at(const sum_kernel *k, const void *base, size_t i)
{
    return k->f64 ? ((const double *)base)[i] : ((const float *)base)[i];
}

static void put_number(const sum_kernel *k, void *base, size_t i, double value)
{
    if (k->f64)
        ((double *)base)[i] = value;
    else
        ((float *)base)[i] = (float)value;
}

static void put(sum_kernel *k, size_t i, double value)
{
    put_number(k, k->terms, i, value);
}

static bool has(const sum_kernel *k, enum accordi_opencl_place place)
{
    return accordi_opencl_plan_has(&k->plan, place);
}

/* ---- one run ---- */

/* The terms at x, or after them the parts that another kernel left. */
typedef struct work {
    accord_opencl_kernel *kernel;
    void *x, *xt, *out;
    size_t numbers, n, results; /* numbers: at x */
    const accordi_opencl_size *global, *local;
} work;

static work first_work(const sum_kernel *k)
{
    const accordi_opencl_plan *plan = &k->plan;
    return (work){.kernel = k->kernel,
                  .x = k->terms,
                  .xt = k->transposed,
                  .out = k->parts,
                  .numbers = plan->rows * k->n,
                  .n = k->n,
                  .results = plan->parts * accordi_opencl_results(plan),
                  .global = &plan->global,
                  .local = &plan->local};
}

static work second_work(const sum_kernel *k)
{
    const accordi_opencl_plan *plan = &k->plan;
    size_t results = accordi_opencl_results(plan);
    return (work){.kernel = k->then,
                  .x = k->parts,
                  .xt = k->parts,
                  .out = k->total,
                  .numbers = plan->parts * results,
                  .n = plan->parts,
                  .results = results,
                  .global = &plan->then_global,
                  .local = &plan->then_local};
}

/* Room behind the results, one number for each group, in which a kernel that leaves more of them
 * than was said writes. It is NaN before, as the results are: what the kernel leaves out must not
 * pass for a sum of zero, nor for that of another run. */
static size_t beyond(const work *w)
{
    return accordi_opencl_items(w->global) / accordi_opencl_items(w->local);
}

static void clear_results(const sum_kernel *k, const work *w)
{
    for (size_t i = 0; i < w->results + beyond(w); i++)
        put_number(k, w->out, i, k->before);
}

/* Does a result hold what stood there? */
static bool is_untouched(const sum_kernel *k, const work *w, size_t i)
{
    double now = number_at(k, w->out, i);
    return isnan(k->before) ? isnan(now) : now == k->before;
}

static enum accord_status check_results(const sum_kernel *k, const work *w, accord_error *error)
{
    size_t last = w->results + beyond(w);
    while (last > w->results && is_untouched(k, w, last - 1))
        last--;
    return last == w->results
               ? ACCORD_OK
               : accordi_fail(error, ACCORD_TARGET,
                              "a kernel left %zu results or more, not %zu: say how many with "
                              "rows=, columns= and parts=",
                              last, w->results);
}

static enum accord_status run_kernel(const sum_kernel *k, const work *w, accord_error *error)
{
    accord_opencl_argument argument[ACCORDI_OPENCL_ARGUMENTS];
    const accordi_opencl_plan *plan = &k->plan;
    accord_opencl_range range;
    size_t size = number_size(k);
    uint64_t n_long = w->n, rows_long = plan->rows, columns_long = plan->columns;
    uint32_t n = (uint32_t)n_long, rows = (uint32_t)rows_long, columns = (uint32_t)columns_long;
    double one = 0, zero = 0;
    put_number(k, &one, 0, 1);
    const accord_opencl_argument out = {ACCORD_OPENCL_BOTH, w->out,
                                        (w->results + beyond(w)) * size};
    const accord_opencl_argument place[] = {
        [ACCORDI_OPENCL_X] = {ACCORD_OPENCL_INPUT, w->x, w->numbers * size},
        [ACCORDI_OPENCL_X_TRANSPOSED] = {ACCORD_OPENCL_INPUT, w->xt, w->numbers * size},
        [ACCORDI_OPENCL_Y] = {ACCORD_OPENCL_INPUT, k->ones, w->n * size},
        [ACCORDI_OPENCL_ONES] = {ACCORD_OPENCL_INPUT, k->ones, plan->columns * w->n * size},
        [ACCORDI_OPENCL_N] = {ACCORD_OPENCL_VALUE, &n, sizeof n},
        [ACCORDI_OPENCL_N_LONG] = {ACCORD_OPENCL_VALUE, &n_long, sizeof n_long},
        [ACCORDI_OPENCL_ROWS] = {ACCORD_OPENCL_VALUE, &rows, sizeof rows},
        [ACCORDI_OPENCL_ROWS_LONG] = {ACCORD_OPENCL_VALUE, &rows_long, sizeof rows_long},
        [ACCORDI_OPENCL_COLUMNS] = {ACCORD_OPENCL_VALUE, &columns, sizeof columns},
        [ACCORDI_OPENCL_COLUMNS_LONG] = {ACCORD_OPENCL_VALUE, &columns_long, sizeof columns_long},
        [ACCORDI_OPENCL_ONE] = {ACCORD_OPENCL_VALUE, &one, size},
        [ACCORDI_OPENCL_ZERO] = {ACCORD_OPENCL_VALUE, &zero, size},
        [ACCORDI_OPENCL_OUT] = out,
        [ACCORDI_OPENCL_OUT_TRANSPOSED] = out,
        [ACCORDI_OPENCL_SCRATCH] = {ACCORD_OPENCL_LOCAL, NULL,
                                    accordi_opencl_items(w->local) * size},
    };
    for (size_t i = 0; i < plan->arguments; i++)
        argument[i] = place[plan->argument[i]];
    memcpy(range.global, w->global, sizeof range.global);
    memcpy(range.local, w->local, sizeof range.local);
    clear_results(k, w);
    enum accord_status status =
        accord_opencl_run(w->kernel, argument, plan->arguments, &range, error);
    return status ? status : check_results(k, w, error);
}

/* All rows have the terms of the first one, unless each has its own; k->transposed gets them, too.
 */
static void lay_out(const sum_kernel *k, bool own)
{
    size_t row = k->n * number_size(k), rows = k->plan.rows;
    for (size_t r = 1; r < rows && !own; r++)
        memcpy((char *)k->terms + r * row, k->terms, row);
    for (size_t r = 0; r < rows && k->transposed != k->terms; r++)
        for (size_t i = 0; i < k->n; i++)
            put_number(k, k->transposed, i * rows + r, number_at(k, k->terms, r * k->n + i));
}

/* The host adds from left to right, in the format of the terms. */
static double add_parts(const sum_kernel *k, const work *w, size_t i)
{
    size_t results = accordi_opencl_results(&k->plan);
    double sum = number_at(k, w->out, i);
    for (i += results; i < w->results; i += results)
        sum = k->f64 ? sum + number_at(k, w->out, i)
                     : (double)((float)sum + (float)number_at(k, w->out, i));
    return sum;
}

enum accord_status sum_kernel_ask(sum_kernel *k, bool own, double *sum, accord_error *error)
{
    work w = first_work(k);
    size_t rows = k->plan.rows, columns = k->plan.columns;
    bool transposed = has(k, ACCORDI_OPENCL_OUT_TRANSPOSED);
    lay_out(k, own);
    enum accord_status status = run_kernel(k, &w, error);
    if (status == ACCORD_OK && k->then) {
        w = second_work(k);
        status = run_kernel(k, &w, error);
    }
    for (size_t r = 0; r < rows && !status; r++)
        for (size_t c = 0; c < columns; c++)
            sum[r * columns + c] = add_parts(k, &w, transposed ? c * rows + r : r * columns + c);
    return status;
}

/* ---- kernels that leave no result ---- */

static bool all_untouched(const sum_kernel *k, const work *w)
{
    size_t i = 0;
    while (i < w->results && is_untouched(k, w, i))
        i++;
    return i == w->results;
}

/* After a run that left NaN alone. A kernel that makes NaN, of what stood there perhaps, makes
 * another number of another one and of a term. */
static enum accord_status check_written(sum_kernel *k, accord_error *error)
{
    const work w = k->then ? second_work(k) : first_work(k);
    if (!all_untouched(k, &w))
        return ACCORD_OK;
    k->before = 768;
    put(k, 0, 1);
    enum accord_status status = sum_kernel_ask(k, false, k->sums, error);
    if (!status && all_untouched(k, &w))
        status = accordi_fail(error, ACCORD_TARGET,
                              "the kernel %.60s wrote nothing into its results (out or outt): see "
                              "whether it does for the arguments and sizes that were given",
                              k->then ? k->plan.then : k->plan.kernel);
    put(k, 0, 0);
    k->before = (double)NAN;
    return status;
}

/* ---- products ---- */

/* The second factor of the first column, whether columns lie in one piece each or side by side; one
 * of a term that is 0 may become another, too. */
static void put_factor(sum_kernel *k, size_t i, double value)
{
    put_number(k, k->ones, i, value);
    put_number(k, k->ones, i * k->plan.columns, value);
}

/* One product whose lower half is lost when it is rounded, and what is left of it when it is not.
 * The other term is the rounded one with the other sign; its factor stays, as one of the two is the
 * first. */
static enum accord_status ask_pair(sum_kernel *k, size_t i, size_t j, bool *kept,
                                   accord_error *error)
{
    double p = k->f64 ? 1 + 0x1p-27 : 1 + 0x1p-12;
    put(k, i, p);
    put_factor(k, i, p);
    put(k, j, -(k->f64 ? 1 + 0x1p-26 : 1 + 0x1p-11));
    enum accord_status status = sum_kernel_ask(k, false, k->sums, error);
    *kept = *kept || !(k->sums[0] == 0);
    put(k, i, 0);
    put_factor(k, i, 1);
    put(k, j, 0);
    return status;
}

/* Two terms meet in one fused addition in at least one of the pairs with the first or the last
 * term, if the order is that of lanes or a chain. */
static enum accord_status ask_products(sum_kernel *k, const char **out, accord_error *error)
{
    enum { MOST = 200 };
    bool kept = false;
    enum accord_status status = ACCORD_OK;
    if (!(has(k, ACCORDI_OPENCL_ONES) || has(k, ACCORDI_OPENCL_Y)) || k->n < 2) {
        *out = "no products";
        return ACCORD_OK;
    }
    for (size_t j = 1; j < k->n && j <= MOST && !kept && !status; j++) {
        status = ask_pair(k, j, 0, &kept, error);
        if (!status && !kept)
            status = ask_pair(k, 0, j, &kept, error);
    }
    *out = kept ? "products fused or wide" : "no product seen fused";
    return status;
}

/* ---- life ---- */

static enum accord_status read_source(const char *path, char **out, accord_error *error)
{
    accordi_buffer text = {0};
    size_t got = 1;
    FILE *file = fopen(path, "rb");
    if (!file)
        return accordi_fail(error, ACCORD_TARGET, "cannot read %.200s: %s", path, strerror(errno));
    while (got > 0) {
        char *room = accordi_buffer_reserve(&text, 65536);
        got = room ? fread(room, 1, 65535, file) : 0;
        text.length += got;
        if (room)
            room[got] = '\0';
    }
    bool failed = ferror(file);
    fclose(file);
    if (!failed && !text.failed) {
        *out = text.data;
        return ACCORD_OK;
    }
    accordi_buffer_clear(&text);
    return failed ? accordi_fail(error, ACCORD_TARGET, "cannot read %.200s", path)
                  : accordi_nomem(error);
}

/* accord sweep --build-options sets the variable. */
static enum accord_status add_options(sum_kernel *k, accord_error *error)
{
    const char *more = getenv("ACCORD_OPENCL_OPTIONS");
    size_t used = strlen(k->plan.build), room = sizeof k->plan.build - used;
    if (!more || !*more)
        return ACCORD_OK;
    int length = snprintf(k->plan.build + used, room, "%s%s", used ? " " : "", more);
    return length >= 0 && (size_t)length < room
               ? ACCORD_OK
               : accordi_fail(error, ACCORD_TARGET,
                              "the options of the compiler have more than "
                              "%zu bytes; shorten ACCORD_OPENCL_OPTIONS",
                              sizeof k->plan.build - 1);
}

static enum accord_status build_kernels(sum_kernel *k, accord_error *error)
{
    char *source = NULL;
    size_t device;
    enum accord_status status =
        accord_opencl_find(k->plan.device[0] ? k->plan.device : NULL, &device, error);
    if (!status)
        status = accord_opencl_open(device, &k->device, error);
    if (!status)
        status = read_source(k->plan.file, &source, error);
    if (!status)
        status = accord_opencl_build(k->device, source, k->plan.build, k->plan.kernel, &k->kernel,
                                     error);
    if (!status && k->plan.then[0])
        status =
            accord_opencl_build(k->device, source, k->plan.build, k->plan.then, &k->then, error);
    free(source);
    return status;
}

static bool make_room(sum_kernel *k)
{
    const accordi_opencl_plan *plan = &k->plan;
    const work first = first_work(k), second = second_work(k);
    size_t ones = plan->columns * (k->n > plan->parts ? k->n : plan->parts);
    k->terms = accordi_calloc(first.numbers, sizeof(double));
    k->transposed = plan->rows > 1 && has(k, ACCORDI_OPENCL_X_TRANSPOSED)
                        ? accordi_calloc(first.numbers, sizeof(double))
                        : k->terms;
    k->ones = accordi_calloc(ones, sizeof(double));
    k->parts = accordi_calloc(first.results + beyond(&first), sizeof(double));
    k->total = accordi_calloc(second.results + beyond(&second), sizeof(double));
    k->sums = accordi_calloc(second.results, sizeof(double));
    for (size_t i = 0; k->ones && i < ones; i++)
        put_number(k, k->ones, i, 1);
    return k->terms && k->transposed && k->ones && k->parts && k->total && k->sums;
}

enum accord_status sum_kernel_open(sum_kernel *k, const char *plan, size_t n, bool f64,
                                   accord_error *error)
{
    const char *products = "";
    *k = (sum_kernel){.n = n, .f64 = f64, .before = (double)NAN};
    enum accord_status status = accordi_opencl_plan_read(plan, &k->plan, error);
    if (!status)
        status = add_options(k, error);
    if (!status)
        status = build_kernels(k, error);
    if (!status && !make_room(k))
        status = accordi_nomem(error);
    if (!status) /* a sum of zeros, to hear at once if arguments or sizes are wrong */
        status = sum_kernel_ask(k, false, k->sums, error);
    if (!status)
        status = check_written(k, error);
    if (!status)
        status = ask_products(k, &products, error);
    if (status) {
        sum_kernel_close(k);
        return status;
    }
    const accord_opencl_about *about = accord_opencl_about_of(k->device);
    snprintf(k->version, sizeof k->version, "%.100s, driver %.40s, options '%.80s'; %s",
             about->name, about->driver, k->plan.build, products);
    return ACCORD_OK;
}

void sum_kernel_close(sum_kernel *k)
{
    accord_opencl_kernel_free(k->kernel);
    accord_opencl_kernel_free(k->then);
    accord_opencl_close(k->device);
    if (k->transposed != k->terms)
        free(k->transposed);
    free(k->terms);
    free(k->ones);
    free(k->parts);
    free(k->total);
    free(k->sums);
    *k = (sum_kernel){0};
}

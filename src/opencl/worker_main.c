/* accord-opencl-worker: the process in which the kernels of opencl: targets run. It is started by
 * accord with the target's notation, and speaks the protocol of doc/command-protocol.md over its
 * standard input and output. */
#include "base/serve.h"
#include "opencl/sum_kernel.h"
#include <fcntl.h>
#include <unistd.h>

typedef struct work {
    sum_kernel kernel;
    bool own; /* rows have terms of their own */
} work;

static bool begin(void *context, size_t sums, bool grid)
{
    (void)sums;
    ((work *)context)->own = grid;
    return true;
}

static bool take(void *context, size_t which, double *result)
{
    work *w = context;
    accord_error error;
    (void)which;
    if (sum_kernel_ask(&w->kernel, w->own, result, &error) == ACCORD_OK)
        return true;
    accordi_serve_say_failure(error.text);
    return false;
}

/* Compilers count their warnings and errors on standard error, where they would stand beside the
 * one message that says what is wrong. */
static enum accord_status open_quietly(sum_kernel *k, const char *plan, size_t n, bool f64,
                                       accord_error *error)
{
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC), kept = dup(2);
    if (nowhere >= 0 && kept >= 0)
        dup2(nowhere, 2);
    enum accord_status status = sum_kernel_open(k, plan, n, f64, error);
    if (nowhere >= 0 && kept >= 0)
        dup2(kept, 2);
    if (nowhere >= 0)
        close(nowhere);
    if (kept >= 0)
        close(kept);
    return status;
}

static void greet(const sum_kernel *k)
{
    char how[80] = "1 binary";
    if (accordi_opencl_plan_has(&k->plan, ACCORDI_OPENCL_Y))
        snprintf(how, sizeof how, "2 binary rows=1 columns=1 share=none products");
    if (accordi_opencl_results(&k->plan) > 1)
        snprintf(how, sizeof how, "2 binary rows=%zu columns=%zu share=%s", k->plan.rows,
                 k->plan.columns, k->plan.rows > 1 ? "rows" : "none");
    accordi_serve_say(how, k->version);
}

int main(int count, char **word)
{
    char format[16];
    size_t n;
    work w = {.own = false};
    accord_error error;
    if (count != 2 || !accordi_serve_hear_greeting(&n, format)) {
        fputs("accord-opencl-worker is started by accord reveal opencl:FILE.cl:KERNEL\n", stderr);
        return 2;
    }
    if (open_quietly(&w.kernel, word[1], n, strcmp(format, "f64") == 0, &error)) {
        accordi_serve_say("1 refused", error.text);
        return 0;
    }
    greet(&w.kernel);
    void *second = accordi_opencl_plan_has(&w.kernel.plan, ACCORDI_OPENCL_Y) ? w.kernel.ones : NULL;
    bool good = accordi_serve(&(accordi_server){.n = n,
                                                .rows = w.kernel.plan.rows,
                                                .results = accordi_opencl_results(&w.kernel.plan),
                                                .f64 = w.kernel.f64,
                                                .terms = w.kernel.terms,
                                                .second = second,
                                                .context = &w,
                                                .begin = begin,
                                                .take = take});
    sum_kernel_close(&w.kernel);
    return good ? 0 : 1;
}

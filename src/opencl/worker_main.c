/* accord-opencl-worker: the process in which the kernels of opencl: targets run. It is started by
 * accord with the target's notation, and speaks the protocol of doc/command-protocol.md over its
 * standard input and output. */
#include "base/serve.h"
#include "opencl/sum_kernel.h"
#include <fcntl.h>
#include <unistd.h>

static bool take(void *context, size_t which, double *result)
{
    accord_error error;
    (void)which;
    if (sum_kernel_ask(context, result, &error) == ACCORD_OK)
        return true;
    fprintf(stderr, "accord-opencl-worker: %s\n", error.text);
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

int main(int count, char **word)
{
    char format[16];
    size_t n;
    sum_kernel kernel;
    accord_error error;
    if (count != 2 || !accordi_serve_hear_greeting(&n, format)) {
        fputs("accord-opencl-worker is started by accord reveal opencl:FILE.cl:KERNEL\n", stderr);
        return 2;
    }
    if (open_quietly(&kernel, word[1], n, strcmp(format, "f64") == 0, &error)) {
        accordi_serve_say("1 refused", error.text);
        return 0;
    }
    accordi_serve_say("1 binary", kernel.version);
    bool good = accordi_serve(&(accordi_server){.n = n,
                                                .rows = 1,
                                                .results = 1,
                                                .f64 = kernel.f64,
                                                .terms = kernel.x,
                                                .context = &kernel,
                                                .take = take});
    sum_kernel_close(&kernel);
    return good ? 0 : 1;
}

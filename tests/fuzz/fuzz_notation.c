/* Fuzzer of notations and of the options of BLAS targets: what is taken apart puts together again,
 * what is refused says why, and no question leads outside its operands. Nothing is opened. */
#include "targets/foreign/foreign.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void insist(bool true_of_all, const char *what)
{
    if (true_of_all)
        return;
    fprintf(stderr, "%s\n", what);
    abort();
}

static void put_together(const accordi_notation *parts, const char *text)
{
    char tail[2] = {parts->row->separator, '\0'};
    accordi_buffer again = {0};
    accordi_buffer_printf(&again, "%s:%s%s%s", parts->row->kind->name, parts->head,
                          parts->tail ? tail : "", parts->tail ? parts->tail : "");
    insist(strcmp(again.data, text) == 0, "the parts are not the whole");
    accordi_buffer_clear(&again);
}

static void ask_blas(const accordi_notation *parts, const accord_target_options *options)
{
    accordi_question q;
    accord_error error = {0};
    enum accord_status status =
        accordi_blas_question(parts->head, parts->tail, options, &q, &error);
    if (status != ACCORD_OK) {
        insist(error.text[0] && !strchr(error.text, '\n'), "refused without a reason");
        return;
    }
    insist(q.row < q.m && q.column < q.n && q.terms == (int64_t)options->n, "outside");
    insist(!accordi_family_is_grid(q.family) || q.lda >= (q.transpose[0] == 'T' ? q.m : q.k),
           "lda");
    insist(q.family != ACCORDI_GEMM ||
               (q.ldb >= (q.transpose[1] == 'T' ? q.k : q.n) && q.ldc >= q.n),
           "ldb, ldc");
}

/* Lines: notation, shape, element, transposition, numbers. An empty one is not given. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = accordi_calloc(size + 1, 1), *line[5] = {text, NULL, NULL, NULL, NULL};
    memcpy(text, data, size);
    for (size_t i = 1; i < 5; i++) {
        char *end = line[i - 1] ? strchr(line[i - 1], '\n') : NULL;
        if (end)
            *end = '\0';
        line[i] = end ? end + 1 : NULL;
    }
    accord_target_options options = {.n = 8};
    const char **const fields[3] = {&options.shape, &options.element, &options.transpose};
    for (size_t i = 0; i < 3; i++)
        *fields[i] = line[i + 1] && *line[i + 1] ? line[i + 1] : NULL;
    if (line[4])
        sscanf(line[4], "%zu %ld %ld %ld %ld %ld", &options.n, &options.incx, &options.incy,
               &options.lda, &options.ldb, &options.ldc);
    accordi_notation parts = {0};
    accord_error error = {0};
    if (accordi_notation_parse(text, &parts, &error) == ACCORD_OK) {
        put_together(&parts, text);
        ask_blas(&parts, &options);
        accordi_notation_clear(&parts);
    } else {
        insist(error.status == ACCORD_ARG && error.text[0] && !strchr(error.text, '\n') &&
                   !parts.head,
               "refused without a reason");
    }
    free(text);
    return 0;
}

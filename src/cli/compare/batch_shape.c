/* Shapes whose first number is the size of a batch. */
#include "cli/compare/batch_shape.h"

/* The shape that the target has when none is given. */
static int natural_shape(const cli_args *args, size_t n, char *shape, size_t size)
{
    accord_target_options options;
    accord_target *target = NULL;
    accord_record *record = cli_need(accord_record_new());
    accord_error error;
    cli_question(args, NULL, &options);
    options.n = n;
    options.element = NULL;
    enum accord_status status = accord_target_open(args->operand[0], &options, &target, &error);
    if (status == ACCORD_OK)
        status = accord_target_describe(target, record, &error);
    if (status == ACCORD_OK)
        snprintf(shape, size, "%s", record->shape ? record->shape : "");
    accord_record_free(record);
    accord_target_close(target);
    return status == ACCORD_OK ? CLI_YES : cli_fail(&error);
}

int cli_batch_shape(const cli_args *args, size_t n, char rest[CLI_BATCH_SHAPE])
{
    char shape[64] = "";
    const char *given = args->text[CLI_SHAPE];
    int64_t rows;
    int status;
    if (given)
        snprintf(shape, sizeof shape, "%s", given);
    else if ((status = natural_shape(args, n, shape, sizeof shape)) != CLI_YES)
        return status;
    const char *behind = strchr(shape, 'x');
    if (behind && (!cli_number(shape, behind, &rows) || rows < 1))
        return cli_misuse("--shape %s: give MxNxK for a GEMM or MxK for a GEMV, e.g. 1x16x64",
                          shape);
    if (!behind || strlen(behind) >= CLI_BATCH_SHAPE)
        return cli_misuse("%s has no batch: give a GEMM or a GEMV and its --shape, e.g. "
                          "accord %s blas:sgemm --shape 1x16x64",
                          args->operand[0], args->verb->name);
    snprintf(rest, CLI_BATCH_SHAPE, "%s", behind);
    return CLI_YES;
}

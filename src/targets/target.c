/* What all kinds of targets have in common: opening by notation, checks, counts, closing. */
#include "targets/target.h"
#include <math.h>

static enum accord_status check_options(const accord_target_options *options, accord_error *error)
{
    enum accord_status status = accordi_check_count(options->n, error);
    if (status != ACCORD_OK)
        return status;
    if (options->has_format && !accord_format_multiplies(options->format))
        return accordi_fail(error, ACCORD_ARG, "there is no number format %d: choose f64, f32, …",
                            (int)options->format);
    if (!(options->timeout >= 0) || isinf(options->timeout))
        return accordi_fail(error, ACCORD_ARG,
                            "the timeout must be a number of seconds above 0 (0 means 30)");
    return ACCORD_OK;
}

/* What the operands take: of terms alone, or of the matrices of a shape. A shape that cannot be
 * read is for the kind to refuse. */
static double operand_bytes(const accord_target_options *options)
{
    double size = options->has_format && options->format == ACCORD_F64 ? 8 : 4, sides[3];
    if (!options->shape)
        return size * (double)options->n;
    switch (sscanf(options->shape, "%lfx%lfx%lf", &sides[0], &sides[1], &sides[2])) {
    case 3:
        return size * (sides[0] * sides[2] + sides[2] * sides[1] + sides[0] * sides[1]);
    case 2:
        return size * (sides[0] * sides[1] + sides[0] + sides[1]);
    default:
        return 0;
    }
}

enum accord_status accord_target_open(const char *notation, const accord_target_options *options,
                                      accord_target **out, accord_error *error)
{
    if (!notation || !options || !out)
        return accordi_fail(error, ACCORD_ARG,
                            "opening a target needs a notation and options that say n");
    accord_target_options full;
    enum accord_status status =
        ACCORDI_TAKE(accord_target_options, alignment, &full, options, error);
    options = &full;
    if (status == ACCORD_OK)
        status = check_options(options, error);
    if (status == ACCORD_OK)
        status = accordi_memory_check(operand_bytes(options), "a question of this size", error);
    if (status != ACCORD_OK)
        return status;
    accordi_notation parts;
    status = accordi_notation_parse(notation, &parts, error);
    if (status != ACCORD_OK)
        return status;
    if (options->has_format && !accord_format_adds(options->format) &&
        !parts.row->kind->takes_scales) {
        status = accordi_fail(error, ACCORD_ARG,
                              "%s: targets take no terms of %s, which need scales; choose f64, "
                              "f32, …",
                              parts.row->kind->name, accord_format_get(options->format)->name);
        accordi_notation_clear(&parts);
        return status;
    }
    if (options->has_result && !parts.row->kind->takes_result) {
        status = accordi_fail(error, ACCORD_ARG,
                              "the result format of %.40s: targets cannot be chosen; leave it out "
                              "(it is only for so:, command: and python: targets)",
                              parts.row->kind->name);
        accordi_notation_clear(&parts);
        return status;
    }
    accord_target *target = accordi_calloc(1, sizeof *target);
    char *copy = accordi_strdup(notation);
    if (!target || !copy) {
        status = accordi_nomem(error);
    } else {
        target->n = options->n;
        target->notation = copy;
        target->rows = target->columns = 1;
        target->alpha = 1;
        status = parts.row->open(target, &parts, options, error);
    }
    accordi_notation_clear(&parts);
    if (status != ACCORD_OK) {
        free(copy);
        free(target);
        return status;
    }
    *out = target;
    return ACCORD_OK;
}

/* A target and the kind that it was made with. */
typedef struct made {
    accord_target target;
    accord_target_kind kind;
} made;

/* Of kinds in the table only: others have no notation that could be opened again, and may have any
 * name. Kinds of grids have the names of their rows. */
static const accordi_kind_row *row_of(const accord_target *target)
{
    if (target->kind == &((const made *)target)->kind)
        return NULL;
    for (size_t i = 0; i < accordi_kind_count; i++)
        if (strcmp(accordi_kind_rows[i].kind->name, target->kind->name) == 0)
            return &accordi_kind_rows[i];
    return NULL;
}

enum accord_status accord_target_resize(accord_target *target, const accord_target_options *options,
                                        accord_error *error)
{
    accord_target_options full;
    accordi_notation parts;
    if (!target || !options)
        return accordi_fail(error, ACCORD_ARG,
                            "another number of terms needs a target and options that say n");
    enum accord_status status =
        ACCORDI_TAKE(accord_target_options, alignment, &full, options, error);
    if (status == ACCORD_OK)
        status = check_options(&full, error);
    if (status == ACCORD_OK)
        status = accordi_memory_check(operand_bytes(&full), "a question of this size", error);
    if (status != ACCORD_OK)
        return status;
    if (!row_of(target) || accordi_notation_parse(target->notation, &parts, NULL) != ACCORD_OK)
        return accordi_fail(error, ACCORD_UNSUPPORTED, "%.60s has to be opened anew",
                            target->notation);
    if (parts.row->resize) {
        target->n = full.n;
        status = parts.row->resize(target, &parts, &full, error);
    } else {
        status = accordi_fail(error, ACCORD_UNSUPPORTED, "%.60s has to be opened anew",
                              target->notation);
    }
    accordi_notation_clear(&parts);
    return status;
}

bool accordi_target_has_elsewhere(const accord_target *target)
{
    return row_of(target) && row_of(target)->elsewhere;
}

static enum accord_status open_copy(const accord_target *target, const accordi_kind_row *row,
                                    accordi_circumstance *how, accord_error *error)
{
    accord_target *copy = accordi_calloc(1, sizeof *copy);
    char *notation = accordi_strdup(target->notation);
    enum accord_status status = copy && notation ? ACCORD_OK : accordi_nomem(error);
    if (status == ACCORD_OK) {
        copy->n = target->n;
        copy->notation = notation;
        status = row->open_elsewhere(target, how, copy, error);
    }
    if (status == ACCORD_OK) {
        how->target = copy;
        return ACCORD_OK;
    }
    free(copy);
    free(notation);
    return status;
}

enum accord_status accordi_target_elsewhere(const accord_target *target, size_t i,
                                            accordi_circumstance *out, accord_error *error)
{
    accordi_notation parts;
    *out = (accordi_circumstance){.target = NULL};
    if (!accordi_target_has_elsewhere(target))
        return ACCORD_OK;
    enum accord_status status = accordi_notation_parse(target->notation, &parts, error);
    if (status != ACCORD_OK)
        return status;
    if (parts.row->elsewhere(target, &parts, i, out))
        status = parts.row->open_elsewhere ? open_copy(target, parts.row, out, error)
                 : out->notation.failed
                     ? accordi_nomem(error)
                     : accord_target_open(out->notation.data, &out->options, &out->target, error);
    accordi_buffer_clear(&out->notation);
    accordi_notation_clear(&parts);
    return status;
}

enum accord_status accord_target_new(const accord_target_kind *kind, void *state,
                                     const char *notation, size_t n, enum accord_format format,
                                     accord_target **out, accord_error *error)
{
    accord_target_kind full;
    enum accord_status status = ACCORDI_TAKE(accord_target_kind, examine, &full, kind, error);
    if (status == ACCORD_OK)
        status = accordi_check_count(n, error);
    if (status != ACCORD_OK)
        return status;
    if (!full.run || !notation || !out || !accord_format_multiplies(format))
        return accordi_fail(error, ACCORD_ARG,
                            "a target needs a kind with a function that runs batches, a notation "
                            "and a format of numbers");
    made *m = accordi_calloc(1, sizeof *m);
    char *copy = accordi_strdup(notation);
    if (!m || !copy) {
        free(m);
        free(copy);
        return accordi_nomem(error);
    }
    m->kind = full;
    m->target = (accord_target){.kind = &m->kind,
                                .state = state,
                                .notation = copy,
                                .n = n,
                                .format = format,
                                .storage_f32 = format != ACCORD_F64,
                                .output = format,
                                .rows = 1,
                                .columns = 1,
                                .alpha = 1};
    *out = &m->target;
    return ACCORD_OK;
}

void accord_target_close(accord_target *target)
{
    if (!target)
        return;
    if (target->kind->close)
        target->kind->close(target);
    free(target->notation);
    free(target);
}

enum accord_status accord_target_run(accord_target *target, const accord_batch *batch,
                                     double *result, accord_error *error)
{
    if (!target || !batch || (batch->probes && !result))
        return accordi_fail(error, ACCORD_ARG,
                            "a call needs a target, a batch and room for the results");
    accord_batch full;
    enum accord_status status = ACCORDI_TAKE(accord_batch, scale_second, &full, batch, error);
    if (status != ACCORD_OK || full.probes == 0)
        return status;
    status = accordi_batch_check(target, &full, error);
    if (status == ACCORD_OK)
        status = target->kind->run(target, &full, result, error);
    if (status == ACCORD_OK)
        target->calls += full.probes;
    return status;
}

enum accord_status accordi_target_examine(accord_target *target, accord_outside_access *out,
                                          accord_error *error)
{
    *out = (accord_outside_access){.calls = 0};
    enum accord_status status =
        target->kind->examine ? target->kind->examine(target, out, error) : ACCORD_OK;
    target->calls += out->calls;
    return status;
}

enum accord_status accord_target_run_grid(accord_target *target, const accord_grid *grid,
                                          double *result, accord_error *error)
{
    if (!target || !grid || !grid->a || !result)
        return accordi_fail(error, ACCORD_ARG,
                            "a call of a grid needs a target, operands and room for the results");
    if (!target->kind->run_grid)
        return accordi_fail(error, ACCORD_UNSUPPORTED,
                            "%s has only one result; use a GEMV or a GEMM", target->notation);
    accord_grid full;
    enum accord_status status = ACCORDI_TAKE(accord_grid, c, &full, grid, error);
    if (status == ACCORD_OK)
        status = target->kind->run_grid(target, &full, result, error);
    if (status == ACCORD_OK)
        target->calls++;
    return status;
}

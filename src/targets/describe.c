/* Fills in what a record says about the question to a target. A new record is filled and moved at
 * the end, so that a failure leaves the caller's record untouched. */
#include "record/record.h"
#include "targets/target.h"

/* What numerical libraries read; set by users to choose kernels, threads and reproducibility. */
static const char *const variables[] = {
    "OPENBLAS_CORETYPE",
    "OPENBLAS_NUM_THREADS",
    "OPENBLAS_MAIN_FREE",
    "GOTO_NUM_THREADS",
    "OMP_NUM_THREADS",
    "OMP_THREAD_LIMIT",
    "OMP_SCHEDULE",
    "OMP_DYNAMIC",
    "OMP_PROC_BIND",
    "OMP_PLACES",
    "KMP_DETERMINISTIC_REDUCTION",
    "MKL_CBWR",
    "MKL_NUM_THREADS",
    "MKL_DYNAMIC",
    "MKL_ENABLE_INSTRUCTIONS",
    "MKL_THREADING_LAYER",
    "MKL_INTERFACE_LAYER",
    "BLIS_ARCH_TYPE",
    "BLIS_MODEL_TYPE",
    "BLIS_NUM_THREADS",
    "BLIS_JC_NT",
    "BLIS_PC_NT",
    "BLIS_IC_NT",
    "BLIS_JR_NT",
    "BLIS_IR_NT",
    "VECLIB_MAXIMUM_THREADS",
    "FLEXIBLAS",
    "NPY_DISABLE_CPU_FEATURES",
    "NPY_ENABLE_CPU_FEATURES",
    "NUMEXPR_NUM_THREADS",
    "ATEN_CPU_CAPABILITY",
    "ONEDNN_MAX_CPU_ISA",
    "DNNL_MAX_CPU_ISA",
    "LIBXSMM_TARGET",
    "XLA_FLAGS",
    "CUBLAS_WORKSPACE_CONFIG",
    "NVIDIA_TF32_OVERRIDE",
    "GLIBC_TUNABLES",
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
};

void accordi_variables(accordi_buffer *out)
{
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        const char *value = getenv(variables[i]);
        if (value)
            accordi_buffer_printf(out, "%s%s=%s", out->length ? "\n" : "", variables[i], value);
    }
}

static const char *const terms[] = {[ACCORD_TERM_VALUE] = "value",
                                    [ACCORD_TERM_PRODUCT] = "product",
                                    [ACCORD_TERM_ABSOLUTE] = "absolute",
                                    [ACCORD_TERM_SQUARE] = "square"};

static enum accord_status describe_common(const accord_target *target, accord_record *record,
                                          accord_error *error)
{
    accordi_buffer environment = {0};
    accordi_variables(&environment);
    const struct {
        char **field;
        const char *text;
    } texts[] = {
        {&record->target, target->notation},
        {&record->format, accord_format_get(target->format)->name},
        {&record->output, accord_format_get(target->output)->name},
        {&record->term, terms[target->term]},
        {&record->cpu, accordi_cpu_name()},
        {&record->cpu_features, accordi_cpu_features()},
        {&record->environment, environment.data},
    };
    enum accord_status status = environment.failed ? accordi_nomem(error) : ACCORD_OK;
    for (size_t i = 0; status == ACCORD_OK && i < sizeof texts / sizeof texts[0]; i++)
        status = accord_record_set(texts[i].field, texts[i].text, error);
    accordi_buffer_clear(&environment);
    record->n = (int64_t)target->n;
    record->alpha = target->alpha;
    record->beta = target->beta;
    return status;
}

/* The fields of the question; all that are no texts have the size of a number. */
static void move_question(accord_record *from, accord_record *to)
{
    const accord_field *field;
    for (size_t i = 0; (field = accord_field_at(i)); i++) {
        char **a = accordi_field_of(from, field), **b = accordi_field_of(to, field);
        if (strcmp(field->section, "question") != 0)
            continue;
        if (field->kind > ACCORD_FIELD_ENVIRONMENT) {
            memcpy(b, a, sizeof(double));
            continue;
        }
        free(*b);
        *b = *a;
        *a = NULL;
    }
}

enum accord_status accord_target_describe(accord_target *target, accord_record *record,
                                          accord_error *error)
{
    if (!target || !record)
        return accordi_fail(error, ACCORD_ARG,
                            "a description needs a target and a record that are not NULL");
    accord_record own;
    accordi_record_init(&own);
    own.seed = record->seed;
    enum accord_status status = describe_common(target, &own, error);
    if (status == ACCORD_OK && target->kind->describe)
        status = target->kind->describe(target, &own, error);
    if (status == ACCORD_OK)
        move_question(&own, record);
    accord_record_clear(&own);
    return status;
}

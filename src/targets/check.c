/* Checks that several kinds of targets share. */
#include "base/environment.h"
#include "targets/target.h"

enum accord_status accordi_check_count(size_t n, accord_error *error)
{
    if (n >= 1 && n <= ACCORD_TREE_MAX_LEAVES)
        return ACCORD_OK;
    return accordi_fail(error, ACCORD_ARG,
                        "a sum has 1 to %u terms, not %zu: set n, e.g. n = 32 (-n 32)",
                        ACCORD_TREE_MAX_LEAVES, n);
}

size_t accordi_batch_writes(const accord_batch *batch)
{
    return batch->dense ? 0 : batch->start[2 * batch->probes];
}

enum accord_status accordi_batch_check(const accord_target *target, const accord_batch *batch,
                                       accord_error *error)
{
    if (batch->dense_second && !batch->dense)
        return accordi_fail(error, ACCORD_ARG,
                            "a batch with dense second factors must have dense terms, too");
    if (target->term != ACCORD_TERM_PRODUCT &&
        (batch->dense_second || (batch->second != 0 && batch->second != 1)))
        return accordi_fail(
            error, ACCORD_ARG,
            "the terms of this target are not products: leave the second factors out");
    if ((batch->scale_first || batch->scale_second) && (!target->scale_block || !batch->dense))
        return accordi_fail(error, ACCORD_ARG,
                            target->scale_block ? "a batch with scales must have dense terms, too"
                                                : "the terms of this target have no scales: leave "
                                                  "them out");
    if (batch->dense)
        return ACCORD_OK;
    bool falls = false;
    uint32_t greatest = 0;
    for (size_t s = 0; batch->start && s < 2 * batch->probes; s++)
        falls |= batch->start[s] > batch->start[s + 1];
    if (!batch->start || falls || (accordi_batch_writes(batch) && (!batch->index || !batch->value)))
        return accordi_fail(error, ACCORD_ARG,
                            "the batch of probes is malformed: start must not decrease, and each "
                            "write needs an index and a value");
    for (size_t w = batch->start[0]; w < accordi_batch_writes(batch); w++)
        greatest = batch->index[w] > greatest ? batch->index[w] : greatest;
    if (greatest >= target->n)
        return accordi_fail(error, ACCORD_ARG,
                            "a probe writes term %u, but the target has %zu terms", greatest,
                            target->n);
    return ACCORD_OK;
}

enum accord_status accordi_read_alignment(const accord_target_options *options, int64_t size,
                                          int64_t *out, accord_error *error)
{
    int64_t past = options->alignment;
    if (past < 0 || past >= 64 || past % size != 0)
        return accordi_fail(error, ACCORD_ARG,
                            "the alignment %lld is not a multiple of %lld from 0 to %lld (bytes "
                            "past a 64-byte boundary)",
                            (long long)past, (long long)size, (long long)(64 - size));
    *out = past;
    return ACCORD_OK;
}

enum accord_status accordi_refuse_blas_options(const accord_target_options *o, const char *what,
                                               accord_error *error)
{
    const struct {
        const char *name;
        bool given;
    } all[] = {{"shape", o->shape != NULL},
               {"element", o->element != NULL},
               {"transposition", o->transpose != NULL},
               {"stride", o->incx || o->incy || o->lda || o->ldb || o->ldc}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (all[i].given)
            return accordi_fail(error, ACCORD_ARG,
                                "%s has no %s: leave it out (it is only for blas: targets)", what,
                                all[i].name);
    return accordi_refuse_scale(o, what, error);
}

double accordi_asked_alpha(const accord_target_options *o)
{
    return o->has_alpha || o->alpha != 0 ? o->alpha : 1;
}

enum accord_status accordi_check_alpha(double alpha, bool has_start, accord_error *error)
{
    if (alpha != 0)
        return ACCORD_OK;
    return accordi_unable(error, has_start ? ACCORD_REASON_ONE_TERM : ACCORD_REASON_CONSTANT,
                          "with alpha = 0 the result does not depend on the terms%s, so there is "
                          "no order to find; choose another alpha",
                          has_start ? ", but only on the start value" : "");
}

enum accord_status accordi_refuse_scale(const accord_target_options *o, const char *what,
                                        accord_error *error)
{
    if (accordi_asked_alpha(o) == 1 && o->beta == 0)
        return ACCORD_OK;
    return accordi_fail(error, ACCORD_ARG,
                        "%s has no alpha and beta, which are for GEMV and GEMM: leave them out",
                        what);
}

enum accord_status accordi_check_environment(accord_error *error)
{
    if (accordi_environment_is_plain())
        return ACCORD_OK;
    return accordi_fail(error, ACCORD_UNSUPPORTED,
                        "this thread rounds otherwise than to nearest, or counts subnormal numbers "
                        "as zero, as after loading a library that was linked with -ffast-math: "
                        "what would be found does not hold elsewhere; ask in a thread that does "
                        "not");
}

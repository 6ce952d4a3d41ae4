/* The kind "cpu": instructions of this processor that add products, asked directly and in process.
 */
#include "targets/processor/cpu.h"
#include "targets/processor/units.h"

typedef struct cpu {
    const accordi_unit *unit;
    accordi_cells a, b;
    void *block[2];
} cpu;

static double call_unit(void *context)
{
    cpu *c = context;
    return (double)c->unit->dot(c->a.n, c->a.base, c->b.base);
}

static enum accord_status run_cpu(accord_target *target, const accord_batch *batch, double *result,
                                  accord_error *error)
{
    cpu *c = target->state;
    double from = accordi_now();
    enum accord_status status =
        accordi_cells_run(&c->a, &c->b, batch, call_unit, c, result, NULL, error);
    target->seconds += accordi_now() - from;
    return status;
}

static enum accord_status describe_cpu(accord_target *target, accord_record *record,
                                       accord_error *error)
{
    (void)target;
    record->alignment = 0;
    return accord_record_set(&record->signature, "dot", error);
}

static void free_cpu(cpu *c)
{
    accordi_cells_clear(&c->a);
    accordi_cells_clear(&c->b);
    free(c->block[0]);
    free(c->block[1]);
    free(c);
}

static void close_cpu(accord_target *target)
{
    free_cpu(target->state);
}

const accord_target_kind accordi_cpu_kind = {
    .name = "cpu",
    .notation = "cpu:INSTRUCTION",
    .about = "a unit of this processor that adds products: tdpbf16ps and tdpfp16ps (AMX), "
             "or vdpbf16ps (AVX512-BF16); see doc/cpu.md",
    .run = run_cpu,
    .describe = describe_cpu,
    .close = close_cpu,
};

static enum accord_status find_unit(const char *name, const accordi_unit **out, accord_error *error)
{
    for (size_t i = 0; i < accordi_unit_count; i++)
        if (strcmp(accordi_units[i].name, name) == 0) {
            const accordi_unit *unit = *out = &accordi_units[i];
            if (unit->is_here && unit->is_here())
                return ACCORD_OK;
            return accordi_fail(error, ACCORD_UNSUPPORTED,
                                "%s needs %s, which this %s does not have", unit->name,
                                unit->feature, unit->is_here ? "processor" : "build of accord");
        }
    return accordi_fail(error, ACCORD_ARG,
                        "'%.40s' is not an instruction that accord asks directly: there are "
                        "tdpbf16ps, tdpfp16ps and vdpbf16ps",
                        name);
}

static enum accord_status check_cpu_options(const accordi_unit *unit,
                                            const accord_target_options *options,
                                            accord_error *error)
{
    if (options->has_format && options->format != unit->format)
        return accordi_fail(error, ACCORD_UNSUPPORTED, "%s multiplies %s, not %s", unit->name,
                            accord_format_get(unit->format)->name,
                            accord_format_get(options->format)->name);
    if (options->signature || options->alignment)
        return accordi_fail(error, ACCORD_ARG,
                            "an instruction has no signature or alignment: leave them out");
    return accordi_refuse_blas_options(options, "an instruction", error);
}

static cpu *new_cpu(const accordi_unit *unit, size_t n)
{
    enum { PADDING = 32 };
    cpu *c = accordi_calloc(1, sizeof *c);
    if (!c)
        return NULL;
    size_t bytes = accordi_storage_size(unit->storage) * (n + PADDING);
    c->unit = unit;
    c->a = (accordi_cells){.n = n, .stride = 1, .storage = unit->storage};
    c->b = c->a;
    c->a.base = accordi_aligned(bytes, 0, &c->block[0]);
    c->b.base = accordi_aligned(bytes, 0, &c->block[1]);
    if (c->a.base && c->b.base)
        return c;
    free_cpu(c);
    return NULL;
}

enum accord_status accordi_cpu_open(accord_target *target, const accordi_notation *notation,
                                    const accord_target_options *options, accord_error *error)
{
    const accordi_unit *unit = NULL;
    enum accord_status status = find_unit(notation->head, &unit, error);
    if (status == ACCORD_OK)
        status = check_cpu_options(unit, options, error);
    if (status != ACCORD_OK)
        return status;
    cpu *c = new_cpu(unit, target->n);
    if (!c)
        return accordi_nomem(error);
    target->kind = &accordi_cpu_kind;
    target->state = c;
    target->format = unit->format;
    target->storage_f32 = true;
    target->output = ACCORD_F32;
    target->term = ACCORD_TERM_PRODUCT;
    return ACCORD_OK;
}

/* The simulation: the last stage in orders of arrival that are drawn from the seed. The parts do
 * not depend on the order, so they are computed once. */
#include "base/parallel.h"
#include "vary/methods/methods.h"

enum { MOST_WORKERS = 64 };

typedef struct simulation {
    const accordi_shape *shape;
    const accord_sampling *sampling;
    const double *x;
    double *part;
    uint32_t *arrival[MOST_WORKERS]; /* of each worker */
    double *result;
    enum accord_status status[MOST_WORKERS];
} simulation;

static void compute_part(void *context, size_t b, int worker)
{
    const simulation *s = context;
    (void)worker;
    s->part[b] = accordi_reduction_part(s->shape, s->x, b);
}

static void compute_sample(void *context, size_t i, int worker)
{
    simulation *s = context;
    enum accord_status status =
        accord_schedule_draw(&s->sampling->schedule, s->sampling->seed, s->sampling->first + i,
                             s->shape->parts, s->arrival[worker], NULL);
    if (status)
        s->status[worker] = status;
    else
        s->result[i] =
            accordi_canonical_nan(accordi_reduction_end(s->shape, s->part, s->arrival[worker]));
}

static enum accord_status run_all(simulation *s, int threads, accord_error *error)
{
    size_t samples = s->sampling->samples;
    if (s->shape->method->blocks)
        accordi_parallel(s->shape->parts, threads, compute_part, s);
    if (s->shape->method->last != ACCORD_LAST_ATOMIC) {
        double sum = accordi_canonical_nan(accordi_reduction_end(s->shape, s->part, NULL));
        for (size_t i = 0; i < samples; i++)
            s->result[i] = sum;
        return ACCORD_OK;
    }
    for (int i = 0; i < threads; i++)
        if (!(s->arrival[i] = accordi_alloc(s->shape->parts, sizeof *s->arrival[i])))
            return accordi_nomem(error);
    accordi_parallel(samples, threads, compute_sample, s);
    for (int i = 0; i < threads; i++)
        if (s->status[i])
            return accordi_nomem(error);
    return ACCORD_OK;
}

static enum accord_status simulate(const accordi_shape *shape, const accord_sampling *sampling,
                                   const double *x, double *result, accord_error *error)
{
    int threads = accordi_threads(sampling->threads);
    threads = threads < MOST_WORKERS ? threads : MOST_WORKERS;
    simulation s = {.shape = shape, .sampling = sampling, .x = x, .part = (double *)x};
    s.result = accordi_alloc(sampling->samples, sizeof *s.result);
    if (shape->method->blocks)
        s.part = accordi_alloc(shape->parts, sizeof *s.part);
    enum accord_status status =
        s.part && s.result ? run_all(&s, threads, error) : accordi_nomem(error);
    if (!status)
        memcpy(result, s.result, sampling->samples * sizeof *result);
    for (int i = 0; i < threads; i++)
        free(s.arrival[i]);
    free(s.result);
    if (shape->method->blocks)
        free(s.part);
    return status;
}

static enum accord_status run(const accord_reduction *reduction, const double *x,
                              const accord_sampling *sampling, double *result, uint32_t *arrival,
                              accord_error *error)
{
    accordi_shape shape;
    accord_sampling full;
    enum accord_status status = accordi_shape_of(reduction, &shape, error);
    if (!status)
        status = ACCORDI_TAKE(accord_sampling, threads, &full, sampling, error);
    if (status || full.samples == 0)
        return status;
    for (size_t i = 0; i < full.samples && arrival && !status; i++)
        status = accord_schedule_draw(&full.schedule, full.seed, full.first + i, shape.parts,
                                      arrival + i * shape.parts, error);
    return status || !result ? status : simulate(&shape, &full, x, result, error);
}

const accord_method_device accordi_simulation = {
    .name = "simulation",
    .about = "orders of arrival that are drawn from the seed",
    .seeded = true,
    .run = run,
};

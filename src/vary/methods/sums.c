/* Sums of numbers in the order of a method. */
#include "vary/methods/methods.h"
#include <math.h>

#define VALUE double
#define SOURCE const double *
#define ZERO 0
#define TAKE(source, i) (source)[i]
#define ADD(source, a, b) ((void)(source), (a) + (b))
#include "vary/methods/order.h"

/* The last threads exchange sums as the lanes of a warp do: at each step every lane adds what the
 * lane `offset` further on has, or its own sum where there is none. Lane 0 never uses those. */
static double shuffled_block(const double *x, size_t n, size_t block, size_t grid, size_t b)
{
    double thread[ACCORDI_MOST_BLOCK], before[ACCORDI_WARP];
    size_t lanes = block < ACCORDI_WARP ? block : ACCORDI_WARP;
    order_threads(x, thread, n, block, grid, b);
    order_halve(x, thread, block, ACCORDI_WARP);
    for (size_t offset = lanes / 2; offset > 0; offset /= 2) {
        memcpy(before, thread, lanes * sizeof *before);
        for (size_t lane = 0; lane < lanes; lane++)
            thread[lane] += before[lane + offset < lanes ? lane + offset : lane];
    }
    return thread[0];
}

/* Neumaier, Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen, 1974. */
static double compensated_chain(const double *part, size_t count)
{
    double sum = 0, lost = 0;
    for (size_t i = 0; i < count; i++) {
        double next = sum + part[i];
        lost += fabs(sum) > fabs(part[i]) ? (sum - next) + part[i] : (part[i] - next) + sum;
        sum = next;
    }
    return sum + lost;
}

double accordi_reduction_part(const accordi_shape *shape, const double *x, size_t b)
{
    if (!shape->method->blocks)
        return x[b];
    return (shape->method->shuffle ? shuffled_block : order_block)(x, shape->n, shape->block,
                                                                   shape->grid, b);
}

double accordi_reduction_end(const accordi_shape *shape, const double *part,
                             const uint32_t *arrival)
{
    const accord_method *method = shape->method;
    if (method->compensated)
        return compensated_chain(part, shape->parts);
    if (method->last == ACCORD_LAST_PAIRWISE)
        return (method->shuffle ? shuffled_block : order_block)(part, shape->parts, shape->block, 1,
                                                                0);
    return order_chain(part, shape->parts, method->last == ACCORD_LAST_ATOMIC ? arrival : NULL);
}

enum accord_status accord_reduction_blocks(const accord_reduction *reduction, const double *x,
                                           double *part, accord_error *error)
{
    accordi_shape shape;
    enum accord_status status = accordi_shape_of(reduction, &shape, error);
    for (size_t b = 0; !status && b < shape.parts; b++)
        part[b] = accordi_reduction_part(&shape, x, b);
    return status;
}

enum accord_status accord_reduction_finish(const accord_reduction *reduction, const double *part,
                                           const uint32_t *arrival, double *out,
                                           accord_error *error)
{
    accordi_shape shape;
    enum accord_status status = accordi_shape_of(reduction, &shape, error);
    if (!status)
        *out = accordi_canonical_nan(accordi_reduction_end(&shape, part, arrival));
    return status;
}

enum accord_status accord_reduction_sum(const accord_reduction *reduction, const double *x,
                                        const uint32_t *arrival, double *out, accord_error *error)
{
    accordi_shape shape;
    enum accord_status status = accordi_shape_of(reduction, &shape, error);
    if (status)
        return status;
    double *part = accordi_alloc(shape.parts, sizeof *part);
    if (!part)
        return accordi_nomem(error);
    status = accord_reduction_blocks(reduction, x, part, error);
    if (!status)
        status = accord_reduction_finish(reduction, part, arrival, out, error);
    free(part);
    return status;
}

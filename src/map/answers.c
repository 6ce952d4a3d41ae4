/* Compares every element of a map with the answers that the record of its class keeps.
 *
 * An input of the answers (reveal/answers.h) goes into all rows of A and all columns of B, so that
 * each element has the same terms and gives its own answer to the same question. Before the orders
 * are revealed these grids split classes as the random ones of sort.c do, with all inputs where
 * products are small. Afterwards, in another order, each element has to give the bits that the
 * record of its class keeps, which other members gave among other neighbors. A class with a member
 * that does not is not established, whether or not a model explains it. So an element has the first
 * answers of its class, and nothing has to be kept for it but the class. */
#include "reveal/answers.h"
#include "map/map.h"

enum { LEAST = 25 };
static const double work = 4e8; /* terms to be added, in the grids that sort */

/* Of how many inputs each element is asked to sort them. Programs send and gather their grids,
 * which costs more than additions; they are asked for the answers that records keep. */
static size_t grids_of(const accordi_mapper *m)
{
    double most = work / ((double)m->elements * (double)m->n);
    size_t all = accordi_answers_count(m->n);
    if (m->target->together && all > ACCORD_ANSWERS_KEPT)
        all = ACCORD_ANSWERS_KEPT;
    return most < LEAST ? LEAST : most < (double)all ? (size_t)most : all;
}

/* Those whose bits records keep. */
static size_t few_grids(const accordi_mapper *m)
{
    size_t all = grids_of(m);
    return all < ACCORD_ANSWERS_KEPT ? all : ACCORD_ANSWERS_KEPT;
}

static void put_input(accordi_mapper *m, size_t input, double *x, double *y)
{
    const accordi_draw like = {.n = m->n, .format = m->target->format, .products = m->has_b};
    accordi_answers_draw(&like, input, x, m->has_b ? y : NULL);
    accordi_put_terms(m, x, y);
}

/* bits, unless it is NULL: what element `at` gives. */
static enum accord_status sort_answers(accordi_mapper *m, size_t grids, size_t at, uint64_t *bits)
{
    double *x = accordi_alloc(2 * m->n, sizeof *x);
    enum accord_status status = x ? ACCORD_OK : accordi_nomem(m->error);
    m->stage = "sorting";
    for (size_t i = 0; i < grids && !status; i++) {
        bool split = false;
        put_input(m, i, x, x + m->n);
        status = accordi_uniform(m, SIZE_MAX, &split);
        if (!status && bits)
            bits[i] = accordi_answer_bits(m->result[at]);
        if (!status)
            status = accordi_mapper_goes_on(m, i, grids);
    }
    free(x);
    return status;
}

enum accord_status accordi_sort_answers(accordi_mapper *m)
{
    uint64_t calls = m->target->calls;
    double since = accordi_now();
    enum accord_status status = sort_answers(m, grids_of(m), 0, NULL);
    m->sorting_calls += m->target->calls - calls;
    m->sorting_seconds += accordi_now() - since;
    return status;
}

enum accord_status accordi_sort_few_answers(accordi_mapper *m, size_t at, uint64_t *bits,
                                            size_t *count)
{
    uint64_t calls = m->target->calls;
    double since = accordi_now();
    *count = few_grids(m);
    enum accord_status status = sort_answers(m, *count, at, bits);
    m->replay_calls += m->target->calls - calls;
    m->replay_seconds += accordi_now() - since;
    return status;
}

/* Marks the classes of which an element gives other bits than their records. */
static void hold(const accordi_mapper *m, size_t input, bool *other)
{
    for (size_t i = 0; i < m->elements; i++) {
        const accord_answers *due = &m->each[m->class_of[i]].record.answers;
        if (due->inputs > (int64_t)input && accordi_answer_bits(m->result[i]) != due->bits[input])
            other[m->class_of[i]] = true;
    }
}

static enum accord_status hold_all(accordi_mapper *m, size_t grids, double *x, bool *other)
{
    uint32_t input[ACCORD_ANSWERS_KEPT];
    enum accord_status status = ACCORD_OK;
    for (size_t i = 0; i < grids; i++)
        input[i] = (uint32_t)i;
    accordi_rng_shuffle(&m->rng, input, grids);
    m->stage = "comparing answers";
    for (size_t i = 0; i < grids && !status; i++) {
        put_input(m, input[i], x, x + m->n);
        status = accordi_mapper_run(m, m->result);
        if (!status)
            status = accordi_mapper_goes_on(m, i, grids);
        if (!status)
            hold(m, input[i], other);
    }
    return status;
}

enum accord_status accordi_map_answers(accordi_mapper *m)
{
    size_t grids = few_grids(m);
    double *x = accordi_alloc(2 * m->n, sizeof *x), since = accordi_now();
    bool *other = accordi_calloc(m->classes, sizeof *other);
    uint64_t calls = m->target->calls;
    enum accord_status status = x && other ? hold_all(m, grids, x, other) : accordi_nomem(m->error);
    for (size_t id = 0; id < m->classes && !status; id++)
        if (other[id])
            status =
                accordi_map_give_up(m, id, ACCORD_REASON_NOT_A_TREE,
                                    "No order: given the same terms, some elements of this class "
                                    "do not give the results of the class; their results depend on "
                                    "neighboring elements or vary from run to run.");
    free(x);
    free(other);
    m->answer_inputs = grids;
    m->replay_calls += m->target->calls - calls;
    m->replay_seconds += accordi_now() - since;
    return status;
}

/* "allreduce@openmpi,length=100,operation=own": the notation of mpi: targets. */
#include "targets/program/mpi_plan.h"
#include "targets/program/settings.h"
#include <stddef.h>

static const accordi_mpi_collective collectives[] = {
    {.name = "allreduce", .holders = ACCORDI_MPI_ALL, .in_place = true},
    {.name = "iallreduce", .holders = ACCORDI_MPI_ALL, .in_place = true, .at_once = true},
    {.name = "reduce", .holders = ACCORDI_MPI_ROOT, .in_place = true},
    {.name = "reduce_scatter_block", .holders = ACCORDI_MPI_OWNER},
    {.name = "reduce_scatter", .holders = ACCORDI_MPI_OWNER, .own_blocks = true},
    {.name = "scan", .holders = ACCORDI_MPI_LAST, .in_place = true},
    {.name = "exscan", .holders = ACCORDI_MPI_LAST, .excludes = true},
};
enum { COLLECTIVES = sizeof collectives / sizeof collectives[0] };

static const char *const operations[] = {"sum", "own", "ordered"};

static enum accord_status take_operation(const accordi_setting *s, const char *value, void *into,
                                         accord_error *error)
{
    accordi_mpi_plan *plan = into;
    (void)s;
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++)
        if (strcmp(value, operations[i]) == 0) {
            plan->operation = i;
            return ACCORD_OK;
        }
    return accordi_fail(error, ACCORD_ARG,
                        "operation= is sum (MPI_SUM), own (one made with MPI_Op_create) or ordered "
                        "(the same, but not commutative), not '%.40s'",
                        value);
}

#define COUNT(member, least_, most_)                                                               \
    .take = accordi_take_count, .at = offsetof(accordi_mpi_plan, member), .least = (least_),       \
    .most = (most_)
static const accordi_setting settings[] = {
    {.name = "length", COUNT(length, 1, 1 << 24)},
    {.name = "operation", .take = take_operation},
    {.name = "in-place",
     .take = accordi_take_word,
     .at = offsetof(accordi_mpi_plan, in_place),
     .word = true},
    {.name = "root", COUNT(root, 0, 4095)},
    {.name = "position", COUNT(position, 0, (1 << 24) - 1)},
    {.name = "rank", COUNT(rank, 0, 4095)},
    {.name = "warm", COUNT(warm, 0, 100000)},
    {.name = "delay", COUNT(delay, 0, 1000000)},
    {.name = "turns", COUNT(turns, 0, 1000000)},
    {.name = "launcher",
     .take = accordi_take_text,
     .at = offsetof(accordi_mpi_plan, launcher),
     .most = sizeof((accordi_mpi_plan *)0)->launcher,
     .rest = true},
};

static enum accord_status no_collective(const char *text, accord_error *error)
{
    accordi_buffer names = {0};
    for (size_t i = 0; i < COLLECTIVES; i++)
        accordi_buffer_printf(&names, "%s%s", accordi_joint(i, COLLECTIVES), collectives[i].name);
    enum accord_status status =
        names.failed ? accordi_nomem(error)
                     : accordi_fail(error, ACCORD_ARG,
                                    "'%.*s' is not a collective operation that adds; there are %s, "
                                    "e.g. mpi:allreduce or mpi:allreduce@openmpi,length=1000",
                                    (int)strcspn(text, "@,"), text, names.data);
    accordi_buffer_clear(&names);
    return status;
}

enum accord_status accordi_mpi_plan_read(const char *text, accordi_mpi_plan *out,
                                         accord_error *error)
{
    accordi_mpi_plan plan = {
        .length = 1, .warm = 8, .position = ACCORDI_MPI_UNSAID, .rank = ACCORDI_MPI_UNSAID};
    size_t name = strcspn(text, "@,"), family = strcspn(text + name, ",");
    for (size_t i = 0; i < COLLECTIVES && !plan.collective; i++)
        if (strlen(collectives[i].name) == name && strncmp(collectives[i].name, text, name) == 0)
            plan.collective = &collectives[i];
    if (!plan.collective)
        return no_collective(text, error);
    if (family > sizeof plan.family)
        return accordi_fail(error, ACCORD_ARG, "'%.40s' is not an MPI: write @openmpi or @mpich",
                            text + name + 1);
    if (family > 0)
        memcpy(plan.family, text + name + 1, family - 1);
    enum accord_status status = accordi_settings_read(
        text + name + family, "mpi", settings, sizeof settings / sizeof settings[0], &plan, error);
    if (status == ACCORD_OK && plan.in_place && !plan.collective->in_place)
        status = accordi_fail(error, ACCORD_ARG, "%s does not work in place here",
                              plan.collective->name);
    if (status == ACCORD_OK)
        *out = plan;
    return status;
}

size_t accordi_mpi_ranks(const accordi_mpi_plan *plan, size_t n)
{
    return n + plan->collective->excludes;
}

size_t accordi_mpi_rows(const accordi_mpi_plan *plan, size_t n)
{
    return plan->length * (plan->collective->holders == ACCORDI_MPI_OWNER ? n : 1);
}

size_t accordi_mpi_columns(const accordi_mpi_plan *plan, size_t n)
{
    return plan->collective->holders == ACCORDI_MPI_ALL ? n : 1;
}

/* Which rank has a result, where only one has. */
static size_t only_holder(const accordi_mpi_plan *plan, size_t n)
{
    return plan->collective->holders == ACCORDI_MPI_ROOT ? plan->root
                                                         : accordi_mpi_ranks(plan, n) - 1;
}

enum accord_status accordi_mpi_element(const accordi_mpi_plan *plan, size_t n, char element[48],
                                       accord_error *error)
{
    enum accordi_mpi_holders holders = plan->collective->holders;
    bool several = holders == ACCORDI_MPI_ALL || holders == ACCORDI_MPI_OWNER;
    size_t position = plan->position == ACCORDI_MPI_UNSAID ? 0 : plan->position;
    size_t rank = plan->rank != ACCORDI_MPI_UNSAID ? plan->rank
                  : several                        ? 0
                                                   : only_holder(plan, n);
    element[0] = '\0';
    if (rank >= accordi_mpi_ranks(plan, n))
        return accordi_fail(error, ACCORD_ARG,
                            "rank=%zu is not a rank: there are %zu, counted from 0", rank,
                            accordi_mpi_ranks(plan, n));
    if (!several && rank != only_holder(plan, n))
        return accordi_fail(error, ACCORD_ARG, "rank %zu has no result of %s: rank %zu has it%s",
                            rank, plan->collective->name, only_holder(plan, n),
                            holders == ACCORDI_MPI_ROOT ? " (choose another with root=)" : "");
    if (position >= plan->length)
        return accordi_fail(
            error, ACCORD_ARG,
            "position=%zu is not a position: there %s %zu, counted from 0 (length=)", position,
            plan->length == 1 ? "is" : "are", plan->length);
    size_t row = holders == ACCORDI_MPI_OWNER ? rank * plan->length + position : position;
    if (plan->position != ACCORDI_MPI_UNSAID || plan->rank != ACCORDI_MPI_UNSAID)
        snprintf(element, 48, "%zu,%zu", row, holders == ACCORDI_MPI_ALL ? rank : 0);
    return ACCORD_OK;
}

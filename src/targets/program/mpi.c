/* The kind "mpi": collective operations that add. A worker for each MPI that accord was built with
 * is started by that MPI's own mpirun, a rank for each term, and speaks the protocol of commands.
 */
#include "targets/foreign/remote.h"
#include "targets/program/command.h"
#include "targets/program/mpi_launcher.h"
#include "targets/program/mpi_plan.h"

const accord_target_kind accordi_mpi_kind = {
    .name = "mpi",
    .notation = "mpi:COLLECTIVE[@MPI][,SETTING=VALUE...]",
    .about = "a collective operation of MPI, with a term from each rank; see doc/collectives.md",
    .run = accordi_command_run,
    .run_grid = accordi_command_run_grid,
    .describe = accordi_command_describe,
    .close = accordi_command_close,
};

/* What is started. */
typedef struct launch {
    const accordi_mpi_family *family;
    char worker[4096];
    accordi_mpi_launcher launcher;
} launch;

static bool find_worker(const accordi_mpi_family *f, launch *out)
{
    out->family = f;
    return accordi_find_worker(f->worker, f->variable, out->worker, sizeof out->worker);
}

/* The launcher that the notation gives says itself of which family it is, if it is known. */
static enum accord_status take_launcher(const accordi_mpi_plan *plan,
                                        const accordi_mpi_family *named, launch *out,
                                        accord_error *error)
{
    enum accord_status status = accordi_mpi_launcher_open(plan->launcher, &out->launcher, error);
    const accordi_mpi_family *own = out->launcher.family;
    if (status)
        return status;
    if (own && named && own != named)
        return accordi_fail(error, ACCORD_ARG,
                            "'%.200s' is a launcher of %s: write @%s, or give one of %s",
                            plan->launcher, out->launcher.version, own->name, named->title);
    for (size_t i = 0; i < ACCORDI_MPI_FAMILIES; i++) {
        const accordi_mpi_family *f = &accordi_mpi_families[i];
        if ((!named || f == named) && (!own || f == own) && find_worker(f, out))
            return ACCORD_OK;
    }
    own = own ? own : named ? named : &accordi_mpi_families[0];
    return accordi_fail(error, ACCORD_UNSUPPORTED,
                        "%s was not found: install %s (Debian: %s) and then build accord again "
                        "(./run build, or pip install .), or set %s to its path",
                        own->worker, own->title, own->debian, own->variable);
}

/* A launcher of the PATH, which may be another family's. */
static bool find_launch(const accordi_mpi_family *f, launch *out)
{
    char path[4096];
    if (!find_worker(f, out))
        return false;
    for (size_t i = 0; i < 2; i++)
        if (accordi_find_program(f->launchers[i], path, sizeof path) &&
            !accordi_mpi_launcher_ask(f->launchers[i], &out->launcher, NULL) &&
            out->launcher.family == f)
            return true;
    return false;
}

static enum accord_status choose_launch(const accordi_mpi_plan *plan, launch *out,
                                        accord_error *error)
{
    const accordi_mpi_family *named = NULL;
    for (size_t i = 0; i < ACCORDI_MPI_FAMILIES; i++)
        if (strcmp(accordi_mpi_families[i].name, plan->family) == 0)
            named = &accordi_mpi_families[i];
    if (plan->family[0] && !named)
        return accordi_fail(error, ACCORD_ARG, "'%s' is not an MPI: write @openmpi or @mpich",
                            plan->family);
    if (plan->launcher[0])
        return take_launcher(plan, named, out, error);
    for (size_t i = 0; i < ACCORDI_MPI_FAMILIES; i++) {
        const accordi_mpi_family *f = &accordi_mpi_families[i];
        if ((!named || named == f) && find_launch(f, out))
            return accordi_mpi_launcher_open(out->launcher.command, &out->launcher, error);
    }
    if (named)
        return accordi_fail(error, ACCORD_UNSUPPORTED,
                            "%s or %s was not found: install %s (Debian: %s) and then build "
                            "accord again (./run build, or pip install .), or give launcher= in "
                            "the notation",
                            named->worker, named->launchers[0], named->title, named->debian);
    return accordi_fail(
        error, ACCORD_UNSUPPORTED,
        "no MPI was found: install Open MPI or MPICH (Debian: libopenmpi-dev "
        "openmpi-bin, or libmpich-dev mpich), and then build accord again (./run build, or "
        "pip install .)");
}

static void put_line(accordi_buffer *line, const launch *l, size_t ranks, const char *notation)
{
    accordi_buffer_puts(line, l->family->before);
    accordi_mpi_launcher_put(line, &l->launcher, ranks);
    accordi_put_shell_word(line, l->worker);
    accordi_buffer_puts(line, " ");
    accordi_put_shell_word(line, notation);
}

static enum accord_status check_mpi_options(const accordi_mpi_plan *plan, size_t n,
                                            const accord_target_options *options,
                                            accord_error *error)
{
    enum { MOST_RANKS = 4096 };
    enum accord_format format = options->has_format ? options->format : ACCORD_F32;
    size_t ranks = accordi_mpi_ranks(plan, n);
    if (ranks > MOST_RANKS)
        return accordi_fail(error, ACCORD_ARG,
                            "an mpi: target has a rank for each term (-n), and at most %d of them",
                            MOST_RANKS);
    if (plan->root >= ranks)
        return accordi_fail(error, ACCORD_ARG,
                            "root=%zu is not a rank: there are %zu, counted from 0", plan->root,
                            ranks);
    if (format != ACCORD_F32 && format != ACCORD_F64 && format != ACCORD_F16 &&
        format != ACCORD_BF16)
        return accordi_fail(error, ACCORD_UNSUPPORTED,
                            "mpi: targets add f64, f32, f16 or bf16, not %s; choose one with "
                            "--format",
                            accord_format_get(format)->name);
    return ACCORD_OK;
}

/* The element that the notation says; a record has it besides. */
static enum accord_status choose_element(const accordi_mpi_plan *plan, size_t n, char element[48],
                                         accord_target_options *options, accord_error *error)
{
    enum accord_status status = accordi_mpi_element(plan, n, element, error);
    if (status == ACCORD_OK && *element && options->element &&
        strcmp(element, options->element) != 0)
        return accordi_fail(error, ACCORD_ARG,
                            "the element %.40s is another than that of position= and rank=, which "
                            "is %s: leave one of them out",
                            options->element, element);
    if (status == ACCORD_OK && *element)
        options->element = element;
    return status;
}

enum accord_status accordi_mpi_open(accord_target *target, const accordi_notation *notation,
                                    const accord_target_options *options, accord_error *error)
{
    accordi_mpi_plan plan;
    launch how = {.family = NULL};
    accordi_buffer line = {0};
    char element[48];
    accord_target_options asked = *options;
    enum accord_status status = accordi_mpi_plan_read(notation->head, &plan, error);
    if (status == ACCORD_OK)
        status = check_mpi_options(&plan, target->n, options, error);
    if (status == ACCORD_OK)
        status = choose_element(&plan, target->n, element, &asked, error);
    if (status == ACCORD_OK)
        status = choose_launch(&plan, &how, error);
    if (status == ACCORD_OK) {
        put_line(&line, &how, accordi_mpi_ranks(&plan, target->n), notation->head);
        const accordi_program program = {
            .kind = &accordi_mpi_kind,
            .line = line.data,
            .path = how.launcher.command,
            .tidies = true,
            .hung = {"not all ranks began: see whether this launcher starts ranks of another "
                     "program here, or raise --timeout",
                     "a rank hangs in the collective operation, or it is slow here: try fewer "
                     "ranks (-n), a shorter length= or another launcher=, or raise --timeout"},
            .died = "a rank died, or its launcher was ended: "};
        status = line.failed ? accordi_nomem(error)
                             : accordi_command_open_as(target, &program, &asked, error);
    }
    /* Rank 0 answers when all ranks have begun, and so loaded the library. */
    accordi_mpi_launcher_clear(&how.launcher);
    accordi_buffer_clear(&line);
    return status;
}

/* ---- other circumstances ---- */

enum { FIRST_CALLS = 5 };

/* MPICH 5 adds in another order after its first five calls. Intel MPI adds long vectors in the
 * order in which messages arrive. */
typedef struct row {
    const char *settings;
    accordi_circumstance how;
} row;
static const row circumstances[] = {
    {",warm=0", {.when = "in the first calls of a new run", .sums = FIRST_CALLS}},
    {",warm=0", {.when = "in the first calls of another run", .sums = FIRST_CALLS}},
    {",warm=100,delay=2000",
     {.when = "with ranks that come up to 2 ms late",
      .depends = "the result depends on when the terms arrive"}},
};
enum { CIRCUMSTANCES = sizeof circumstances / sizeof circumstances[0], LATE = 2 };
static const row not_late = {",warm=100",
                             {.when = "in another run, in which no rank was late",
                              .depends = "the result depends on the calls before"}};

/* Ranks come so many microseconds after each other: fewer, the more there are. */
static bool come_in_turn(const accord_target *target, const accordi_notation *notation, bool slower,
                         accordi_circumstance *out)
{
    enum { MOST_RANKS = 256, ALL = 60000, MOST = 4000, SLOWER = 4 };
    size_t name = strcspn(notation->head, ","), apart = ALL / target->n;
    apart = (apart < MOST ? apart : MOST) * (slower ? SLOWER : 1);
    if (target->n > MOST_RANKS)
        return false;
    *out = (accordi_circumstance){.when = "with ranks that come one after the other"};
    accordi_command_options(target, &out->options, out->element);
    accordi_buffer_printf(&out->notation, "mpi:%.*s,turns=%zu%s", (int)name, notation->head, apart,
                          notation->head + name);
    return true;
}

/* Where the notation says itself how warm the calls are or how late ranks come, that is what is
 * asked about. */
bool accordi_mpi_elsewhere(const accord_target *target, const accordi_notation *notation, size_t i,
                           accordi_circumstance *out)
{
    size_t name = strcspn(notation->head, ",");
    bool control = i == ACCORDI_CONTROL + LATE;
    if (i == ACCORDI_IN_TURN || i == ACCORDI_IN_TURN + 1)
        return come_in_turn(target, notation, i != ACCORDI_IN_TURN, out);
    if ((i >= CIRCUMSTANCES && !control) || strstr(notation->head, ",warm=") ||
        strstr(notation->head, ",delay=") || strstr(notation->head, ",turns="))
        return false;
    const row *asked = control ? &not_late : &circumstances[i];
    *out = asked->how;
    accordi_command_options(target, &out->options, out->element);
    accordi_buffer_printf(&out->notation, "mpi:%.*s%s%s", (int)name, notation->head,
                          asked->settings, notation->head + name);
    return true;
}

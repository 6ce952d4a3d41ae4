/* Threads and progress of sums. Each part of a file is read by a thread. If anything goes wrong in
 * a part, such as a bad number or a quote that only the whole file explains, one thread reads the
 * whole file again, and its result counts. */
#include "cli/sums/work.h"
#include "base/parallel.h"

enum { STEP = 4096 };

bool cli_progress_step(cli_progress *progress, cli_reader *r, bool shows)
{
    uint64_t done = atomic_fetch_add(&progress->done, cli_source_taken(&r->source));
    if (shows)
        cli_bar_step(&progress->bar, progress->total ? "reading" : "MB",
                     progress->total ? done : done >> 20, progress->total);
    if (!cli_signal() && !atomic_load(&progress->stop))
        return true;
    return cli_reader_refuse(r, ACCORD_IO, "interrupted before the end");
}

/* ---- threads ---- */

size_t cli_threads(const cli_args *args, const cli_addition *how)
{
    int64_t said = cli_integer(args, CLI_WORKERS, 0);
    if (how->naive || said < 0 || args->text[CLI_EXACT_DEVICE])
        return 1;
    return (size_t)accordi_threads(said < ACCORDI_THREADS ? (int)said : ACCORDI_THREADS);
}

size_t cli_parts(size_t threads, const cli_reader *r)
{
    uint64_t each = r->form->entry ? 1 << 20 : 1 << 22; /* bytes that a thread is worth */
    uint64_t most = r->source.regular ? r->source.size / each : 1;
    return most < 2 ? 1 : most < threads ? (size_t)most : threads;
}

/* ---- sums ---- */

static bool add_blocks(cli_reader *r, cli_sums *sums, cli_progress *progress, bool shows)
{
    cli_block block;
    while (cli_reader_next(r, &block)) {
        if (!sums->device)
            cli_tally_block(&sums->all, &sums->how, &block);
        else if (!cli_device_add(sums->device, &sums->all.sum, &block, &r->error))
            return false;
        if (!cli_progress_step(progress, r, shows))
            return false;
    }
    return r->error.status == ACCORD_OK;
}

static bool add_entries(cli_reader *r, cli_sums *sums, cli_progress *progress, bool shows)
{
    cli_entry entry;
    for (size_t i = 1; cli_reader_entry(r, &entry); i++) {
        bool added = sums->grouped ? cli_groups_entry(sums->groups, &sums->how, r, &entry)
                                   : cli_tally_entry(&sums->all, &sums->how, r, &entry);
        if (!added || (i % STEP == 0 && !cli_progress_step(progress, r, shows)))
            return false;
    }
    return r->error.status == ACCORD_OK;
}

static bool add_all(cli_reader *r, cli_sums *sums, cli_progress *progress, bool shows)
{
    bool written = sums->how.decimal || sums->grouped;
    bool good = (written ? add_entries : add_blocks)(r, sums, progress, shows);
    sums->skipped += good ? r->skipped : 0;
    return good;
}

typedef struct part {
    cli_reader reader;
    cli_sums sums;
    cli_progress *progress;
    bool first, good;
} part;

static void add_file_part(void *parts, size_t i, int worker)
{
    (void)worker;
    part *p = (part *)parts + i;
    p->good = add_all(&p->reader, &p->sums, p->progress, p->first);
    if (!p->good)
        atomic_store(&p->progress->stop, true);
}

static bool merge_part(cli_sums *sums, const part *p, accord_error *error)
{
    sums->skipped += p->sums.skipped;
    return cli_tally_merge(&sums->all, &p->sums.all, error) == ACCORD_OK;
}

static size_t open_parts(const cli_reader *r, const cli_sums *sums, cli_groups *groups,
                         cli_progress *progress, part *all, size_t parts)
{
    for (size_t i = 0; i < parts; i++) {
        if (!cli_reader_part(r, i, parts, &all[i].reader))
            return i;
        all[i].sums.how = sums->how;
        all[i].sums.grouped = sums->grouped;
        all[i].sums.groups = groups;
        all[i].progress = progress;
        all[i].first = i == 0;
    }
    return parts;
}

enum outcome { DONE, NOTHING_DONE, FAILED };

/* Nothing is added unless all parts are good: groups of one file go to a table of their own, which
 * all threads share, so that memory does not grow with their number. */
static enum outcome add_parts(cli_reader *r, cli_sums *sums, cli_progress *progress, size_t parts)
{
    part *all = accordi_calloc(parts, sizeof *all);
    cli_groups groups = {0};
    bool made = all && (!sums->grouped || cli_groups_make(&groups));
    size_t open = made ? open_parts(r, sums, &groups, progress, all, parts) : 0;
    enum outcome outcome = open == parts ? DONE : NOTHING_DONE;
    if (outcome == DONE)
        accordi_parallel(parts, (int)parts, add_file_part, all);
    for (size_t i = 0; i < open; i++)
        outcome = all[i].good ? outcome : NOTHING_DONE;
    for (size_t i = 0; i < open; i++) {
        if (outcome == DONE && !merge_part(sums, &all[i], &r->error))
            outcome = FAILED;
        cli_tally_clear(&all[i].sums.all);
        cli_reader_close(&all[i].reader);
    }
    if (outcome == DONE && sums->grouped &&
        cli_groups_merge(sums->groups, &groups, &sums->how, &r->error) != ACCORD_OK)
        outcome = FAILED;
    cli_groups_clear(&groups);
    free(all);
    return outcome;
}

bool cli_sum_reader(cli_reader *r, cli_sums *sums, size_t threads, cli_progress *progress)
{
    size_t parts = cli_parts(threads, r);
    uint64_t before = atomic_load(&progress->done);
    enum outcome outcome = parts > 1 ? add_parts(r, sums, progress, parts) : NOTHING_DONE;
    if (outcome != NOTHING_DONE)
        return outcome == DONE;
    atomic_store(&progress->stop, false);
    atomic_store(&progress->done, before);
    return add_all(r, sums, progress, true);
}

void cli_sums_clear(cli_sums *sums)
{
    cli_tally_clear(&sums->all);
    cli_device_close(sums->device);
    if (sums->groups)
        cli_groups_clear(sums->groups);
}

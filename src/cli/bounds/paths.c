/* The bounds of a run, joined with those of the other paths that --both followed.
 *
 * A path has the numbers of the path that it left, up to its decision, and its own. Where a place
 * of the source wrote as many numbers on it as on the run, their bounds are joined, one by one;
 * where it wrote another count, nothing says which belong together. A path that did not end is not
 * joined. */
#include "cli/bounds/program.h"
#include <math.h>
#include <signal.h>
#include <stdlib.h>

/* All numbers of a path, those before its decision too; the caller frees. */
static const cli_bounded **outputs_of(const cli_raw *raw, size_t path, size_t *count)
{
    const cli_bounded **all = NULL;
    size_t room = 0, end;
    *count = path ? raw->path[path - 1].before + raw->path[path - 1].raw.outputs : raw->outputs;
    cli_grow((void **)&all, &room, *count + 1, sizeof *all);
    for (end = *count; path; path = raw->path[path - 1].from) {
        const cli_path *p = &raw->path[path - 1];
        for (size_t i = p->before; i < end; i++)
            all[i] = &p->raw.output[i - p->before];
        end = end < p->before ? end : p->before;
    }
    for (size_t i = 0; i < end; i++)
        all[i] = &raw->output[i];
    return all;
}

static void widen(cli_bounded *o, const cli_bounded *other)
{
    o->paths++;
    o->may_be_nan |= other->may_be_nan;
    if (!o->unknown && other->unknown) {
        o->unknown = true;
        o->lost_at = other->lost_at;
    }
    if (!(o->low <= other->low)) /* NaN: there was no number */
        o->low = isnan(other->low) ? o->low : other->low;
    if (!(o->high >= other->high))
        o->high = isnan(other->high) ? o->high : other->high;
}

/* How many numbers each site wrote. */
static size_t *counts_of(const cli_bounded *const *output, size_t count, size_t sites)
{
    size_t *n = cli_need(accordi_calloc(sites + 1, sizeof *n));
    for (size_t i = 0; i < count; i++)
        n[output[i]->site]++;
    return n;
}

/* The index in the run of each number that a site wrote, in order: first[site] + its number. */
static size_t *indices(const cli_raw *raw, const size_t *count, size_t sites, size_t *first)
{
    size_t *index = cli_need(accordi_calloc(raw->outputs + 1, sizeof *index));
    size_t *next = cli_need(accordi_calloc(sites + 1, sizeof *next));
    for (size_t s = 0, sum = 0; s < sites; sum += count[s++])
        first[s] = next[s] = sum;
    for (size_t i = 0; i < raw->outputs; i++)
        index[next[raw->output[i].site]++] = i;
    free(next);
    return index;
}

static void join_path(cli_raw *raw, const cli_bounded *const *run, size_t path, size_t sites)
{
    size_t total, wrong = 0;
    cli_path *p = &raw->path[path - 1];
    const cli_bounded **output = outputs_of(raw, path, &total);
    size_t *there = counts_of(output, total, sites), *here = counts_of(run, raw->outputs, sites);
    size_t *first = cli_need(accordi_calloc(sites + 1, sizeof *first));
    size_t *index = indices(raw, here, sites, first);
    for (size_t i = 0; i < total; i++) {
        unsigned s = output[i]->site;
        if (here[s] == there[s])
            widen(&raw->output[index[first[s]++]], output[i]);
    }
    for (size_t s = 0; s < sites; s++)
        wrong += here[s] != there[s];
    p->differs = wrong > 0;
    free(output);
    free(there);
    free(here);
    free(first);
    free(index);
}

/* Decisions and losses that only the path has. */
static void add_notes(cli_raw *raw, cli_raw *path)
{
    for (size_t i = 0; i < path->decisions; i++) {
        size_t k = 0;
        while (k < raw->decisions && raw->decision[k].site != path->decision[i].site)
            k++;
        if (k < raw->decisions)
            continue;
        cli_grow((void **)&raw->decision, &raw->room[3], raw->decisions + 1, sizeof *raw->decision);
        raw->decision[raw->decisions++] = path->decision[i];
        path->decision[i].what = NULL;
    }
    for (size_t i = 0; i < path->losts; i++) {
        size_t k = 0;
        while (k < raw->losts && raw->lost[k].site != path->lost[i].site)
            k++;
        if (k < raw->losts)
            continue;
        cli_grow((void **)&raw->lost, &raw->room[4], raw->losts + 1, sizeof *raw->lost);
        raw->lost[raw->losts++] = path->lost[i];
        path->lost[i].what = NULL;
    }
}

/* A site that only a path has named. */
static void add_sites(cli_raw *raw, cli_raw *path)
{
    size_t before = raw->room[0];
    cli_grow((void **)&raw->site, &raw->room[0], path->sites, sizeof *raw->site);
    if (raw->room[0] > before)
        memset(raw->site + before, 0, (raw->room[0] - before) * sizeof *raw->site);
    raw->sites = path->sites > raw->sites ? path->sites : raw->sites;
    for (size_t i = 0; i < path->sites; i++)
        if (!raw->site[i].file && path->site[i].file) {
            raw->site[i] = path->site[i];
            path->site[i] = (cli_site){0};
        }
}

static bool is_whole(const cli_raw *raw)
{
    return raw->end && strncmp(raw->end, "signal", 6) != 0 && !raw->truncated;
}

void cli_join_paths(cli_raw *raw)
{
    size_t count;
    bool all = is_whole(raw) && raw->open == 0;
    for (size_t i = 0; i < raw->paths; i++) {
        cli_path *p = &raw->path[i];
        p->followed = is_whole(&p->raw) && !p->signal;
        all = all && p->followed && p->raw.open == 0;
        add_sites(raw, &p->raw);
        add_notes(raw, &p->raw);
    }
    const cli_bounded **run = outputs_of(raw, 0, &count);
    for (size_t i = 0; i < raw->paths; i++)
        if (raw->path[i].followed)
            join_path(raw, run, i + 1, raw->sites);
    for (size_t i = 0; i < raw->paths; i++)
        all = all && !raw->path[i].differs;
    raw->all_paths = all && raw->losts == 0;
    free(run);
}

size_t cli_left_open(const cli_raw *raw)
{
    size_t open = raw->both ? raw->open : 0;
    for (size_t i = 0; i < raw->paths; i++)
        open += raw->path[i].raw.open;
    return open;
}

void cli_put_path(const cli_raw *raw, size_t i, accordi_buffer *out)
{
    const cli_path *p = &raw->path[i];
    if (!p->raw.here) {
        accordi_buffer_puts(out, "there was no time for it");
        return;
    }
    accordi_buffer_puts(out, "turns at ");
    cli_put_place(out, raw, p->site);
    if (p->from)
        accordi_buffer_printf(out, " of path %zu", p->from + 1);
    accordi_buffer_puts(out, p->followed && p->differs
                                 ? "; some places wrote another count of numbers"
                             : p->followed          ? ""
                             : p->signal == SIGSYS  ? "; not followed: it writes a file, starts a "
                                                      "program or reads from a terminal or a pipe"
                             : p->signal == SIGXCPU ? "; not followed: it takes too long"
                             : p->signal            ? "; it crashed"
                                                    : "; not followed to its end");
}

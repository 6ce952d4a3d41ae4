/* Compares a record with today's answer: the verdict, and the circumstances (CPU, library version,
 * settings) that differ. */
#include "survey/survey.h"
#include <stddef.h>

/* What an answer may depend on besides the target: a row each. The last one is a number. */
static const struct row {
    const char *name, *words;
    size_t offset;
} rows[] = {
    {"cpu", "another CPU", offsetof(accord_record, cpu)},
    {"cpu_features", "other CPU features", offsetof(accord_record, cpu_features)},
    {"library_version", "another version of the library", offsetof(accord_record, library_version)},
    {"library_build", "another build of the library", offsetof(accord_record, library_build)},
    {"environment", "other settings in the environment", offsetof(accord_record, environment)},
    {"threads", "another number of threads", offsetof(accord_record, threads)},
};
enum { THREADS = ACCORD_CIRCUMSTANCES - 1 };

_Static_assert(sizeof rows / sizeof rows[0] == ACCORD_CIRCUMSTANCES, "a circumstance for each row");

/* NULL when the record does not tell. That no setting was set is something told, by a record that
 * accord made. */
static const char *text_of(const accord_record *record, const struct row *row)
{
    char *const *at = (char *const *)((const char *)record + row->offset);
    bool settings = row->offset == offsetof(accord_record, environment);
    return !*at && settings && record->accord ? "none" : *at;
}

size_t accord_circumstances_compare(const accord_record *then, const accord_record *now,
                                    accord_circumstance out[ACCORD_CIRCUMSTANCES])
{
    size_t moved = 0;
    for (size_t i = 0; i < THREADS; i++) {
        const char *a = text_of(then, &rows[i]), *b = text_of(now, &rows[i]);
        if (a && b && strcmp(a, b) != 0)
            out[moved++] = (accord_circumstance){rows[i].name, rows[i].words, a, b, 0, 0};
    }
    if (then->threads > 0 && now->threads > 0 && then->threads != now->threads)
        out[moved++] = (accord_circumstance){rows[THREADS].name, rows[THREADS].words, NULL, NULL,
                                             then->threads,      now->threads};
    return moved;
}

void accord_verdict_judge(const accord_record *then, const accord_record *now, accord_verdict *out)
{
    memset(out, 0, sizeof *out);
    enum accord_sameness sameness = accord_record_compare(then, now, 0, &out->why);
    out->same = sameness == ACCORD_SAME || sameness == ACCORD_SAME_ON_INPUTS;
    out->open = sameness == ACCORD_CANNOT_TELL;
    out->moved = accord_circumstances_compare(then, now, out->circumstance);
}

const char *accord_verdict_name(const accord_verdict *verdict)
{
    if (verdict->same || verdict->open)
        return accord_sameness_name(verdict->why.sameness);
    return verdict->moved ? "changed-elsewhere" : "changed";
}

/* What comparisons under other circumstances found, for one sum (circumstances.c) and for the
 * elements of a map. */
#include "reveal/reasons/findings.h"

bool accordi_findings_add(accordi_findings *f, const accordi_circumstance *other, uint64_t differ,
                          uint64_t sums, char reason[ACCORDI_REASON_SIZE])
{
    unsigned long long some = differ, all = sums;
    if (some && other->depends) {
        snprintf(reason, ACCORDI_REASON_SIZE, "%s: %llu of %llu sums had other bits %s",
                 other->depends, some, all, other->when);
        return true;
    }
    if (some)
        accordi_buffer_printf(
            &f->warned, "%sthe order does not hold %s, where %llu of %llu sums had other bits",
            f->warned.length ? "\n" : "", other->when, some, all);
    else if (!other->expected)
        accordi_buffer_printf(&f->held, "%s%s (%llu sums)", f->held.length ? "\n" : "", other->when,
                              all);
    return false;
}

void accordi_findings_untold(accordi_findings *f, const accordi_circumstance *other,
                             const char *why)
{
    accordi_buffer_printf(&f->warned, "%sit is not known whether the order holds %s: %s",
                          f->warned.length ? "\n" : "", other->when, why);
}

enum accord_status accordi_findings_record(const accordi_findings *f, accord_record *record,
                                           accord_error *error)
{
    enum accord_status status = ACCORD_OK;
    if (f->held.failed || f->warned.failed)
        return accordi_nomem(error);
    if (f->held.length)
        status = accord_record_set(&record->circumstances, f->held.data, error);
    if (!status && f->warned.length)
        status = accord_record_set(&record->warnings, f->warned.data, error);
    return status;
}

void accordi_findings_clear(accordi_findings *f)
{
    accordi_buffer_clear(&f->held);
    accordi_buffer_clear(&f->warned);
}

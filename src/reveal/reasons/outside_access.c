/* Reasons found by watching memory: the target reads or writes outside its operands.
 *
 * A target that reads or writes beside its operands has results that do not depend on its terms
 * alone.
 */
#include "reveal/reasons/ordinary_sums.h"
#include "targets/target.h"

static void list_zones(unsigned zones, char *text, size_t size)
{
    static const char *const names[ACCORD_ZONE_COUNT] = {
        "before its operands", "between the elements or rows of its operands",
        "after its operands"};
    size_t used = (size_t)snprintf(text, size, "memory");
    const char *join = " ";
    for (int zone = 0; zone < ACCORD_ZONE_COUNT; zone++)
        if (zones >> zone & 1) {
            used += (size_t)snprintf(text + used, size - used, "%s%s", join, names[zone]);
            join = ", ";
        }
}

bool accordi_list_warnings(const accordi_asker *asker, char **field)
{
    static const char *const rows[ACCORD_ZONE_COUNT] = {
        [ACCORD_ZONE_BEFORE] = "the target reads beyond its operands (before they begin); its "
                               "answers did not depend on what is there",
        [ACCORD_ZONE_AFTER] = "the target reads beyond its operands (after they end); its "
                              "answers did not depend on what is there"};
    accordi_buffer lines = {0};
    if (*field)
        accordi_buffer_puts(&lines, *field);
    accord_error ignored;
    for (int zone = 0; zone < ACCORD_ZONE_COUNT; zone++)
        if (rows[zone] && asker->beyond >> zone & 1)
            accordi_buffer_printf(&lines, "%s%s", lines.length ? "\n" : "", rows[zone]);
    bool good = !lines.failed && !accord_record_set(field, lines.data, &ignored);
    accordi_buffer_clear(&lines);
    return good;
}

enum accord_status accordi_check_memory(accordi_asker *asker)
{
    accord_outside_access found;
    char where[200];
    if ((asker->status = accordi_target_examine(asker->target, &found, asker->error)))
        return asker->status;
    asker->beyond = found.beyond;
    if (found.writes) {
        list_zones(found.writes, where, sizeof where);
        accordi_ask_unable(asker, ACCORD_REASON_WRITES_OUTSIDE,
                           "the target writes to %s: a call changed the contents there; check the "
                           "sizes and strides that it is given",
                           where);
    } else if (found.writes_input) {
        accordi_ask_unable(asker, ACCORD_REASON_WRITES_INPUT,
                           "the target writes to its input: a call changed operands that it should "
                           "only read; let it work on a copy");
    } else if (found.reads) {
        list_zones(found.reads, where, sizeof where);
        accordi_ask_unable(asker, ACCORD_REASON_READS_OUTSIDE,
                           "the target reads %s, and its result depends on what is there: NaN or "
                           "2^60 in that place changed the result; check the sizes and strides",
                           where);
    }
    return asker->status ? asker->status : accordi_check_other_elements(asker);
}

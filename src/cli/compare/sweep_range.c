/* Ranges in accord sweep: at which numbers does the answer change?
 *
 * Both ends and the powers of two between them are asked. Where two neighbors have different
 * answers, the number in the middle is asked, until they are n and n + 1. Between neighbors with
 * the same answer nothing is asked: what is said of those numbers is a prediction. An answer that
 * is different at nearly every number would be asked at all of them, so the search has an end. */
#include "cli/compare/sweep.h"
#include <jansson.h>

enum { MOST_SOUGHT = 1000 };

/* ---- the search ---- */

static const cli_axis *sought(const cli_sweep_plan *s)
{
    return s->axes && s->axis[s->axes - 1].sought ? &s->axis[s->axes - 1] : NULL;
}

static size_t number_at(const cli_sweep_plan *s, size_t setting)
{
    const char *text = cli_sweep_value(s, setting, s->axes - 1);
    return cli_sweep_number(text, strlen(text));
}

/* Of two settings that follow each other: they differ in the number alone. */
static bool neighbors(const cli_sweep_plan *s, size_t k)
{
    return k + 1 < s->survey.rows && memcmp(s->index + k * s->axes, s->index + (k + 1) * s->axes,
                                            (s->axes - 1) * sizeof *s->index) == 0;
}

/* Failures are alike here, whatever they say. */
static bool same_answer(const cli_sweep_plan *s, size_t a, size_t b)
{
    const cli_group *x = s->survey.group[s->survey.row[a].group];
    const cli_group *y = s->survey.group[s->survey.row[b].group];
    return x == y || (!x->found->record && !y->found->record);
}

static int ask_between(cli_sweep_plan *s, size_t k, size_t number)
{
    size_t index[CLI_MOST_AXES];
    char text[24];
    memcpy(index, s->index + k * s->axes, s->axes * sizeof *index);
    size_t length = (size_t)snprintf(text, sizeof text, "%zu", number);
    index[s->axes - 1] = cli_sweep_add(&s->axis[s->axes - 1], text, length);
    return cli_sweep_ask(s, index, k + 1);
}

int cli_sweep_seek(cli_sweep_plan *s)
{
    size_t most = s->survey.rows + MOST_SOUGHT;
    int status = CLI_YES;
    for (size_t k = 0; sought(s) && status == CLI_YES && k + 1 < s->survey.rows;) {
        size_t gap = neighbors(s, k) ? number_at(s, k + 1) - number_at(s, k) : 0;
        if (gap < 2 || same_answer(s, k, k + 1))
            k++;
        else if ((s->cut = s->survey.rows == most))
            break;
        else
            status = ask_between(s, k, number_at(s, k) + gap / 2);
    }
    return status;
}

/* ---- what is said ---- */

/* The last setting of those from k on that follow each other with the same answer. */
static size_t end_of(const cli_sweep_plan *s, size_t k)
{
    while (neighbors(s, k) && same_answer(s, k, k + 1))
        k++;
    return k;
}

static const char *letter_of(const cli_sweep_plan *s, size_t k)
{
    return s->survey.group[s->survey.row[k].group]->found->letter;
}

static void put_others(accordi_buffer *out, const cli_sweep_plan *s, size_t k)
{
    for (size_t i = 0; i + 1 < s->axes; i++) {
        const char *value = cli_sweep_value(s, k, i);
        if (s->axis[i].values > 1)
            accordi_buffer_printf(out, "%s %s, ", s->axis[i].name, *value ? value : "(unset)");
    }
}

static void put_interval(accordi_buffer *out, const cli_sweep_plan *s, size_t from, size_t to)
{
    size_t asked = to - from + 1, first = number_at(s, from), last = number_at(s, to);
    const cli_group *group = s->survey.group[s->survey.row[from].group];
    accordi_buffer_puts(out, "  ");
    put_others(out, s, from);
    accordi_buffer_printf(out, "%s %zu", sought(s)->name, first);
    if (last > first)
        accordi_buffer_printf(out, " to %zu", last);
    accordi_buffer_printf(out, ": %s, %s (", group->found->letter,
                          group->found->record ? group->words : "the target failed");
    if (asked == last - first + 1)
        accordi_buffer_puts(out, "all asked)\n");
    else
        accordi_buffer_printf(out, "%zu asked, %zu predicted)\n", asked, last - first + 1 - asked);
    if (neighbors(s, to) && number_at(s, to + 1) - last > 1)
        accordi_buffer_printf(
            out, "  the answer changes between %zu and %zu; where exactly was not sought\n", last,
            number_at(s, to + 1));
}

void cli_sweep_put_changes(accordi_buffer *out, const cli_sweep_plan *s)
{
    if (!sought(s))
        return;
    accordi_buffer_printf(out, "\nBy %s:\n", sought(s)->name);
    for (size_t k = 0, end; k < s->survey.rows; k = end + 1) {
        end = end_of(s, k);
        put_interval(out, s, k, end);
    }
    accordi_buffer_puts(out,
                        "Predicted numbers lie between two with the same answer; a change that "
                        "is undone between them would be missed.\n");
    if (s->cut)
        accordi_buffer_printf(out,
                              "The search ended after %d further settings; give a shorter range.\n",
                              MOST_SOUGHT);
}

struct json_t *cli_sweep_intervals_json(const cli_sweep_plan *s)
{
    if (!sought(s))
        return NULL;
    json_t *all = json_array();
    for (size_t k = 0, end; k < s->survey.rows; k = end + 1) {
        json_t *others = json_object();
        end = end_of(s, k);
        for (size_t i = 0; i + 1 < s->axes; i++) {
            const char *value = cli_sweep_value(s, k, i);
            json_object_set_new(others, s->axis[i].name,
                                *value ? cli_json_text(value) : json_null());
        }
        json_array_append_new(all,
                              json_pack("{s:o, s:s, s:I, s:I, s:I, s:s}", "setting", others, "name",
                                        sought(s)->name, "from", (json_int_t)number_at(s, k), "to",
                                        (json_int_t)number_at(s, end), "asked",
                                        (json_int_t)(end - k + 1), "group", letter_of(s, k)));
    }
    return all;
}

/* ---- what is constant ---- */

/* The settings of a group with this value of an axis. */
static size_t members_with(const cli_sweep_plan *s, size_t g, size_t axis, size_t value)
{
    size_t members = 0;
    for (size_t k = 0; k < s->survey.rows; k++)
        members += s->survey.row[k].group == g && s->index[k * s->axes + axis] == value;
    return members;
}

/* Whether a group before this one has such settings with as many terms. */
static bool count_is_known(const cli_sweep_plan *s, size_t g, size_t axis, size_t value)
{
    for (size_t i = 0; i < g; i++)
        if (s->survey.group[i]->found->terms == s->survey.group[g]->found->terms &&
            members_with(s, i, axis, value) > 0)
            return true;
    return false;
}

/* "pinned: one group in all settings asked (A)", or "3 groups (A, B, C)", of the settings with a
 * value, for each number of terms; "" where all other settings, but for that number, were always
 * the same, or where it cannot be told. */
static void put_groups_with(accordi_buffer *out, const cli_sweep_plan *s, size_t axis, size_t value)
{
    accordi_buffer letters = {0};
    size_t groups = 0, settings = 0, counts = 0;
    bool open = false;
    for (size_t g = 0; g < s->survey.count; g++) {
        const accord_group *found = s->survey.group[g]->found;
        size_t members = members_with(s, g, axis, value);
        if (members == 0)
            continue;
        counts += !count_is_known(s, g, axis, value);
        open = open || found->open;
        settings += members;
        accordi_buffer_printf(&letters, "%s%s", groups++ ? ", " : "", found->letter);
    }
    if (settings > counts && letters.data) {
        const char *text = s->axis[axis].value[value];
        const char *each = counts > 1 ? " for each number of terms" : " in all settings asked";
        accordi_buffer_printf(out, "  %s=%s: ", s->axis[axis].name, *text ? text : "(unset)");
        if (groups == counts && open)
            accordi_buffer_printf(out, "cannot be told (%s)\n", letters.data);
        else if (groups == counts)
            accordi_buffer_printf(out, "pinned: one group%s (%s)\n", each, letters.data);
        else if (counts > 1)
            accordi_buffer_printf(out, "%zu groups of %zu numbers of terms (%s)\n", groups, counts,
                                  letters.data);
        else
            accordi_buffer_printf(out, "%zu groups (%s)\n", groups, letters.data);
    }
    accordi_buffer_clear(&letters);
}

void cli_sweep_put_constant(accordi_buffer *out, const cli_sweep_plan *s)
{
    enum { SHOWN_VALUES = 12 };
    size_t vary = 0;
    accordi_buffer lines = {0};
    for (size_t i = 0; i < s->axes; i++)
        vary += s->axis[i].values > 1;
    for (size_t i = 0; i < s->axes && vary > 1; i++)
        for (size_t v = 0; v < s->axis[i].values && !s->axis[i].sought; v++)
            if (s->axis[i].values > 1 && s->axis[i].values <= SHOWN_VALUES)
                put_groups_with(&lines, s, i, v);
    if (lines.length)
        accordi_buffer_printf(out, "\nWith one value fixed, over all others asked:\n%s",
                              lines.data);
    accordi_buffer_clear(&lines);
}

/* Alternatives: other arithmetics that no input could distinguish from the one recorded.
 *
 * Their words are made of the arithmetic, so that they cannot contradict it. */
#include "model/words.h"
#include "record/record.h"

size_t accord_record_alternatives(const accord_record *record)
{
    size_t count = 0;
    while (count < ACCORD_ALTERNATIVES_KEPT && record->alternatives[count].arithmetic)
        count++;
    return count;
}

static bool is_scaled(const accord_arithmetic *a)
{
    return accordi_divides(a->finish) || accordi_multiplies(a->finish);
}

/* Does this line of words describe several of the arithmetics? */
static bool is_common(const accord_record *record, const char *words)
{
    char line[ACCORD_DESCRIPTION_SIZE];
    accord_model model = {record->tree, record->arithmetic};
    size_t times = 0;
    accord_model_describe(&model, line, sizeof line);
    times += strcmp(line, words) == 0;
    for (size_t i = 0; i < accord_record_alternatives(record); i++) {
        model.arithmetic = record->alternatives[i].arithmetic;
        accord_model_describe(&model, line, sizeof line);
        times += strcmp(line, words) == 0;
    }
    return times > 1;
}

void accord_alternative_words(const accord_record *record, size_t i, char *text, size_t size)
{
    char line[ACCORD_DESCRIPTION_SIZE], difference[ACCORD_DESCRIPTION_SIZE];
    accordi_buffer words = {0};
    const accord_arithmetic *told = record->arithmetic;
    if (size > 0)
        text[0] = '\0';
    if (size == 0 || !told || i >= accord_record_alternatives(record))
        return;
    const accord_arithmetic *other = record->alternatives[i].arithmetic;
    const accord_model own = {record->tree, told}, made = {record->tree, other};
    bool ends = other->finish != told->finish || other->factor != told->factor;
    if (ends && is_scaled(other) && is_scaled(told)) {
        accordi_buffer_puts(&words, accordi_divides(other->finish) ? "divided by " : "times ");
        accordi_put_real(&words, other->factor);
    } else {
        accord_model_describe(&made, line, sizeof line);
        accordi_buffer_puts(&words, line);
        if (is_common(record, line) &&
            accordi_model_differ(&made, &own, "", " instead of ", difference, sizeof difference))
            accordi_buffer_printf(&words, " (%s)", difference);
    }
    if (!words.failed)
        snprintf(text, size, "%s", words.data);
    accordi_buffer_clear(&words);
}

/* ---- choosing ---- */

/* The alternative's number from 1, 0 for the record's own arithmetic, -1 for none. */
static int alternative_number(const accord_record *record, const char *which)
{
    char words[ACCORD_DESCRIPTION_SIZE], *end;
    int count = (int)accord_record_alternatives(record);
    for (int i = 0; i < count; i++) {
        accord_alternative_words(record, (size_t)i, words, sizeof words);
        if (strcmp(words, which) == 0)
            return i + 1;
    }
    long number = which[0] >= '0' && which[0] <= '9' ? strtol(which, &end, 10) : -1;
    return number >= 0 && *end == '\0' && number <= count ? (int)number : -1;
}

static enum accord_status fail_choice(const accord_record *record, const char *which,
                                      accord_error *error)
{
    accordi_buffer list = {0};
    size_t count = accord_record_alternatives(record);
    if (count == 0)
        return accordi_fail(error, ACCORD_ARG,
                            "there is no alternative %.60s: this record has no alternatives",
                            which);
    for (size_t i = 0; i < count; i++) {
        char words[ACCORD_DESCRIPTION_SIZE];
        accord_alternative_words(record, i, words, sizeof words);
        accordi_buffer_printf(&list, "%s%zu (%s)", i ? ", " : "", i + 1, words);
    }
    accordi_fail(error, ACCORD_ARG, "there is no alternative %.60s; choose from %s", which,
                 list.data && !list.failed ? list.data : "1 on");
    accordi_buffer_clear(&list);
    return ACCORD_ARG;
}

enum accord_status accord_record_choose(accord_record *record, const char *which,
                                        accord_error *error)
{
    int number = alternative_number(record, which);
    if (number < 0)
        return fail_choice(record, which, error);
    if (number > 0) {
        accord_arithmetic *own = record->arithmetic;
        record->arithmetic = record->alternatives[number - 1].arithmetic;
        record->alternatives[number - 1].arithmetic = own;
    }
    return ACCORD_OK;
}

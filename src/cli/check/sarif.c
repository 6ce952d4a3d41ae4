/* What accord check found in a folder, as SARIF 2.1.0 (OASIS): a result for each failure. */
#include "cli/check/check.h"
#include <jansson.h>

/* By outcome; what is as recorded is no result. */
static const struct rule {
    const char *id, *level, *text;
} rules[CLI_OUTCOMES] = {
    [CLI_MISSING] =
        {"not-recorded-here", "warning",
         "No order is recorded for these CPU features and this version of the library."},
    [CLI_OPEN] = {"cannot-tell", "warning",
                  "It cannot be determined whether the target still gives what was recorded."},
    [CLI_CHANGED] = {"changed", "error",
                     "The target no longer adds in the recorded order, with the recorded "
                     "arithmetic, or no longer gives the recorded answers."},
    [CLI_BROKEN] = {"failed", "error", "The target could not be asked."},
};

static json_t *message_of(const cli_finding *found)
{
    accordi_buffer text = {0};
    accordi_buffer_printf(&text, "%s: %s%s%s", found->subject, found->title,
                          *found->text ? "\n" : "", found->text);
    json_t *out = text.failed ? NULL : cli_sarif_message(text.data);
    accordi_buffer_clear(&text);
    return out;
}

/* The same alert in every run, whatever else has changed. */
static json_t *print_of(const cli_finding *found)
{
    accordi_sha256 sha;
    char hex[65];
    const char *const parts[] = {found->name, "\n", found->subject, "\n", found->file};
    accordi_sha256_init(&sha);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        accordi_sha256_add(&sha, parts[i], strlen(parts[i]));
    accordi_sha256_hex(&sha, hex);
    return json_pack("{s:s}", "accordOrder/v1", hex);
}

static json_t *json_result(const cli_finding *found, int rule)
{
    return json_pack("{s:s, s:i, s:s, s:o, s:[{s:{s:{s:o}, s:{s:i}}}], s:o}", "ruleId",
                     rules[found->outcome].id, "ruleIndex", rule, "level",
                     rules[found->outcome].level, "message", message_of(found), "locations",
                     "physicalLocation", "artifactLocation", "uri", cli_sarif_uri(found->path),
                     "region", "startLine", 1, "partialFingerprints", print_of(found));
}

static json_t *json_rules(int number[CLI_OUTCOMES])
{
    json_t *all = json_array();
    for (int i = 0; i < CLI_OUTCOMES; i++)
        if (rules[i].id) {
            number[i] = (int)json_array_size(all);
            json_array_append_new(all, cli_sarif_rule(rules[i].id, rules[i].level, rules[i].text));
        }
    return all;
}

void cli_findings_sarif(accordi_buffer *out, const cli_findings *all)
{
    int number[CLI_OUTCOMES] = {0};
    json_t *list = json_array(), *known = json_rules(number);
    for (size_t i = 0; i < all->count; i++)
        if (cli_finding_fails(&all->list[i]))
            json_array_append_new(list, json_result(&all->list[i], number[all->list[i].outcome]));
    cli_put_sarif(out, known, list);
}

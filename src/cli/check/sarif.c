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

/* A URI reference for a path; whatever is not plainly allowed in one is a percent and two digits.
 */
static json_t *uri_of(const char *path)
{
    accordi_buffer uri = {0};
    accordi_buffer_puts(&uri, path[0] == '/' ? "file://" : "");
    for (const char *c = path; *c; c++) {
        bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                     (*c >= '0' && *c <= '9') || strchr("-._~/", *c);
        accordi_buffer_printf(&uri, plain ? "%c" : "%%%02X", (unsigned char)*c);
    }
    json_t *out = uri.failed ? NULL : json_string(uri.data ? uri.data : "");
    accordi_buffer_clear(&uri);
    return out;
}

/* In messages a brace begins a placeholder; two stand for one (3.11.5). */
static json_t *message_of(const cli_finding *found)
{
    accordi_buffer text = {0};
    const char *const parts[] = {found->subject, ": ", found->title, *found->text ? "\n" : "",
                                 found->text};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        for (const char *c = parts[i]; *c; c++)
            accordi_buffer_append(&text, (const char[]){*c, *c}, *c == '{' || *c == '}' ? 2 : 1);
    json_t *out = text.failed ? NULL : json_pack("{s:s}", "text", text.data);
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
                     "physicalLocation", "artifactLocation", "uri", uri_of(found->path), "region",
                     "startLine", 1, "partialFingerprints", print_of(found));
}

static json_t *json_rules(int number[CLI_OUTCOMES])
{
    json_t *all = json_array();
    for (int i = 0; i < CLI_OUTCOMES; i++)
        if (rules[i].id) {
            number[i] = (int)json_array_size(all);
            json_array_append_new(all, json_pack("{s:s, s:{s:s}, s:{s:s}}", "id", rules[i].id,
                                                 "shortDescription", "text", rules[i].text,
                                                 "defaultConfiguration", "level", rules[i].level));
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
    cli_put_json(out, json_pack("{s:s, s:s, s:[{s:{s:{s:s, s:s, s:o}}, s:o}]}", "$schema",
                                "https://json.schemastore.org/sarif-2.1.0.json", "version", "2.1.0",
                                "runs", "tool", "driver", "name", "accord", "version",
                                accord_version(), "rules", known, "results", list));
}

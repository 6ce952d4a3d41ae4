/* What all documents in SARIF 2.1.0 have in common. */
#include "cli/command/cli.h"
#include <jansson.h>

/* Whatever is not plainly allowed in a URI is a percent and two digits. */
json_t *cli_sarif_uri(const char *path)
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

json_t *cli_sarif_message(const char *said)
{
    accordi_buffer text = {0};
    for (const char *c = said; *c; c++)
        accordi_buffer_append(&text, (const char[]){*c, *c}, *c == '{' || *c == '}' ? 2 : 1);
    json_t *words = text.failed ? NULL : cli_json_text(text.data ? text.data : "");
    accordi_buffer_clear(&text);
    return json_pack("{s:o}", "text", words);
}

json_t *cli_sarif_rule(const char *id, const char *level, const char *text)
{
    return json_pack("{s:s, s:{s:s}, s:{s:s}}", "id", id, "shortDescription", "text", text,
                     "defaultConfiguration", "level", level);
}

void cli_put_sarif(accordi_buffer *out, json_t *rules, json_t *results)
{
    cli_put_json(out, json_pack("{s:s, s:s, s:[{s:{s:{s:s, s:s, s:o}}, s:o}]}", "$schema",
                                "https://json.schemastore.org/sarif-2.1.0.json", "version", "2.1.0",
                                "runs", "tool", "driver", "name", "accord", "version",
                                accord_version(), "rules", rules, "results", results));
}

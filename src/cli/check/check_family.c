/* accord check TARGET FILE, where FILE holds a family: does the target add at every n as its rules
 * say? */
#include "cli/check/check.h"
#include "cli/orders/family.h"
#include <jansson.h>

static bool says_family(const char *text)
{
    const char *verb = strstr(text, "\"verb\"");
    verb = verb ? strchr(verb + 6, '"') : NULL;
    return verb && strncmp(verb, "\"family\"", 8) == 0;
}

bool cli_is_family(const char *path)
{
    char head[200] = "";
    FILE *file = strcmp(path, "-") == 0 ? NULL : fopen(path, "r");
    size_t got = file ? fread(head, 1, sizeof head - 1, file) : 0;
    if (file)
        fclose(file);
    head[got] = '\0';
    return head[0] == '{' && says_family(head);
}

static void put_words(accordi_buffer *out, const accord_family *family,
                      const accord_family_holding *h, const char *target, const char *path)
{
    char *changes = NULL;
    if (h->holds) {
        accordi_buffer_printf(
            out, "%s adds as the family in %s says: %llu n from %u to %u were asked.\n", target,
            path, (unsigned long long)h->asked, accord_family_from(family),
            accord_family_to(family));
        return;
    }
    accordi_buffer_printf(
        out, "%s differs from the family in %s at n = %u:\n  then  %s\n  now   %s\n", target, path,
        h->n, h->then ? h->then : "no order", h->now ? h->now : "no order");
    if (h->then && h->now &&
        accord_notation_changes(h->then, h->now, &changes, NULL) == ACCORD_OK && *changes)
        accordi_buffer_printf(out, "Changed: %s.\n", changes);
    accord_notation_free(changes);
    unsigned long long before = h->asked - 1;
    accordi_buffer_printf(out, "%llu smaller n that %s asked %s as before.\n", before,
                          before == 1 ? "was" : "were", before == 1 ? "is" : "are");
}

static json_t *as_json(const accord_family *family, const accord_family_holding *h,
                       const char *target, const char *path)
{
    char *changes = NULL;
    if (h->then && h->now)
        accord_notation_changes(h->then, h->now, &changes, NULL);
    json_t *all = json_pack(
        "{s:i, s:s, s:o, s:o, s:I, s:I, s:b, s:s, s:I, s:I, s:s?, s:s?, s:s?}", "accord",
        CLI_SCHEMA, "verb", "check", "target", cli_json_text(target), "file", cli_json_text(path),
        "from", (json_int_t)accord_family_from(family), "to", (json_int_t)accord_family_to(family),
        "same", h->holds, "verdict", h->holds ? "same" : "changed", "asked", (json_int_t)h->asked,
        "n", (json_int_t)h->n, "recorded_notation", h->then, "notation", h->now, "changes",
        changes);
    accord_notation_free(changes);
    return all;
}

static int ask_family(const cli_args *args, const char *target, const char *path,
                      const accord_family *family, const accord_record *about)
{
    cli_family_question q;
    accord_family_holding held = {.holds = false};
    accord_error error;
    int end = CLI_USAGE;
    if (!cli_family_open(args, target, about, &q, &end))
        return end;
    enum accord_status status =
        accord_family_check(family, &q.limits, accord_family_target_ask, q.target, &held, &error);
    cli_bar_end(&q.bar);
    if (status != ACCORD_OK || cli_signal()) {
        end = cli_check_fail(&error, path);
    } else {
        accordi_buffer out = {0};
        if (cli_wants_json(args))
            cli_put_json(&out, as_json(family, &held, target, path));
        else
            put_words(&out, family, &held, target, path);
        end = cli_output_text(args, &out);
        end = end == CLI_YES && !held.holds ? CLI_DIFFERS : end;
    }
    accord_notation_free(held.then);
    accord_notation_free(held.now);
    cli_family_close(&q);
    return end;
}

int cli_check_family(const cli_args *args, const char *target, const char *path)
{
    accordi_buffer text = {0};
    accord_family *family = NULL;
    accord_record *about = NULL;
    accord_error error;
    int end = CLI_USAGE;
    if (!cli_read_file(path, &text)) {
        accordi_buffer_clear(&text);
        return CLI_USAGE;
    }
    if (accord_family_read(text.data, text.length, &family, &about, &error) != ACCORD_OK)
        end = cli_bad_file(path, &text, &error);
    else if (!target && !about->target)
        cli_error("%s names no target; give one: accord check TARGET %s", path, path);
    else
        end = ask_family(args, target ? target : about->target, path, family, about);
    accord_family_free(family);
    accord_record_free(about);
    accordi_buffer_clear(&text);
    return end;
}

/* Orders in one line, as the user gives them: known by their beginning, and marked where they are
 * wrong. */
#include "cli/command/cli.h"

bool cli_begins_notation(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    bool colon = digits && text[digits + strspn(text + digits, " ")] == ':';
    return colon || accord_notation_terms(text) > 0;
}

/* What is around the place in its line, and a mark under the place. */
static void mark_place(const char *text, size_t place)
{
    enum { AROUND = 60 };
    size_t from = place, column = 0;
    while (from > 0 && place - from < AROUND && text[from - 1] != '\n')
        from--;
    while (from < place && ((unsigned char)text[from] & 0xc0) == 0x80)
        from++; /* not from inside a character */
    for (size_t i = from; i < place; i++)
        column += ((unsigned char)text[i] & 0xc0) != 0x80;
    char *line = cli_need(accordi_strdup(text + from));
    line[strcspn(line, "\r\n")] = '\0';
    char *shown = cli_need(accordi_utf8(line, true));
    size_t end = strnlen(shown, 2 * AROUND);
    while (shown[end] && ((unsigned char)shown[end] & 0xc0) == 0x80)
        end--;
    shown[end] = '\0';
    cli_error("  %s", shown);
    cli_error("  %*s", (int)column + 1, "^");
    free(shown);
    free(line);
}

void cli_mark_notation(const char *text)
{
    size_t place = 0, skipped = strspn(text, " \t\r\n");
    accord_tree *tree = NULL;
    accord_arithmetic *arithmetic = NULL;
    if (!cli_begins_notation(text + skipped))
        return;
    char *line = cli_need(accordi_strdup(text + skipped));
    for (size_t end = strlen(line); end && strchr(" \t\r\n", line[end - 1]);)
        line[--end] = '\0';
    enum accord_status status = accord_model_line_parse(line, &tree, &arithmetic, &place, NULL);
    if (status == ACCORD_PARSE)
        mark_place(line, place);
    if (status == ACCORD_OK) {
        accord_tree_free(tree);
        accord_arithmetic_free(arithmetic);
    }
    free(line);
}

/* Reads the words of C in expressions: names, types and operators. */
#include "bound/scan.h"
#include <ctype.h>

size_t accordi_scan_column(const accordi_scanner *s, const char *at)
{
    return (size_t)(at - s->text) + 1;
}

bool accordi_scan_fail(accordi_scanner *s, size_t column, const char *what)
{
    s->status = accordi_fail(s->error, ACCORD_PARSE, "column %zu: %s", column, what);
    return false;
}

const char *accordi_scan_past_blanks(const char *at)
{
    while (isspace((unsigned char)*at))
        at++;
    return at;
}

void accordi_scan_blanks(accordi_scanner *s)
{
    s->at = accordi_scan_past_blanks(s->at);
}

size_t accordi_scan_length(const char *at)
{
    size_t n = 0;
    while (isalnum((unsigned char)at[n]) || at[n] == '_')
        n++;
    return n;
}

static bool is_word(const char *at, const char *word)
{
    size_t length = accordi_scan_length(at);
    return strlen(word) == length && memcmp(word, at, length) == 0;
}

bool accordi_scan_word(accordi_scanner *s, const char *word)
{
    accordi_scan_blanks(s);
    bool here = is_word(s->at, word);
    s->at += here ? strlen(word) : 0;
    return here;
}

bool accordi_scan_type(accordi_scanner *s, enum accord_format *format)
{
    static const struct {
        const char *name;
        enum accord_format format;
    } types[] = {{"float", ACCORD_F32},
                 {"double", ACCORD_F64},
                 {"_Float16", ACCORD_F16},
                 {"__bf16", ACCORD_BF16}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (accordi_scan_word(s, types[i].name)) {
            *format = types[i].format;
            return true;
        }
    return false;
}

bool accordi_scan_cast(accordi_scanner *s, enum accord_format *format)
{
    const char *start = s->at;
    if (*s->at == '(') {
        s->at++;
        if (accordi_scan_type(s, format)) {
            accordi_scan_blanks(s);
            if (*s->at++ == ')')
                return true;
        }
    }
    s->at = start;
    return false;
}

bool accordi_scan_target(accordi_scanner *s, const char **name, size_t *length)
{
    accordi_scan_blanks(s);
    size_t n = isdigit((unsigned char)*s->at) ? 0 : accordi_scan_length(s->at);
    const char *after = accordi_scan_past_blanks(s->at + n);
    if (n == 0 || *after != '=' || after[1] == '=')
        return false;
    *name = s->at;
    *length = n;
    s->at = after + 1;
    return true;
}

/* ---- operators ---- */

/* Fails where an operator of C stands that expressions here cannot have. */
static bool refuse_others(accordi_scanner *s)
{
    static const char *const others[] = {
        "&&", "||", "<<", ">>", "++", "--", "+=", "-=", "*=", "/=", "%", "^", "&", "|", "[", "="};
    char text[120];
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strncmp(s->at, others[i], strlen(others[i])) == 0 && strncmp(s->at, "==", 2) != 0) {
            snprintf(text, sizeof text,
                     "the operator %s is not supported here; use + - * / ?: and comparisons",
                     others[i]);
            return accordi_scan_fail(s, accordi_scan_column(s, s->at), text);
        }
    return true;
}

const accordi_operator *accordi_scan_operator(accordi_scanner *s)
{
    static const accordi_operator all[] = {{"==", ACCORDI_BINDS_EQUALITY, ACCORD_BOUND_EQUAL},
                                           {"!=", ACCORDI_BINDS_EQUALITY, ACCORD_BOUND_NOT_EQUAL},
                                           {"<=", ACCORDI_BINDS_ORDER, ACCORD_BOUND_LESS_EQUAL},
                                           {">=", ACCORDI_BINDS_ORDER, ACCORD_BOUND_GREATER_EQUAL},
                                           {"<", ACCORDI_BINDS_ORDER, ACCORD_BOUND_LESS},
                                           {">", ACCORDI_BINDS_ORDER, ACCORD_BOUND_GREATER},
                                           {"+", ACCORDI_BINDS_SUM, ACCORD_BOUND_ADD},
                                           {"-", ACCORDI_BINDS_SUM, ACCORD_BOUND_SUBTRACT},
                                           {"*", ACCORDI_BINDS_PRODUCT, ACCORD_BOUND_MULTIPLY},
                                           {"/", ACCORDI_BINDS_PRODUCT, ACCORD_BOUND_DIVIDE}};
    if (!refuse_others(s))
        return NULL;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strncmp(s->at, all[i].text, strlen(all[i].text)) == 0) {
            s->at += strlen(all[i].text);
            return &all[i];
        }
    accordi_scan_fail(s, accordi_scan_column(s, s->at),
                      "an operator is expected here: + - * / < <= > >= == != or ?:");
    return NULL;
}

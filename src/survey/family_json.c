/* Families as JSON, and back: the rules, with what is needed to ask again. The members are
 * described in doc/json.md. */
#include "survey/survey.h"
#include <jansson.h>
#include <math.h>

enum { SCHEMA = 1, STEPS = 64 };

/* ---- writing ---- */

static void put(json_t *object, const char *name, json_t *value)
{
    json_object_set_new(object, name, value);
}

/* What a record says of the question in text, and alpha and beta. */
static json_t *question_of(const accord_record *about)
{
    json_t *question = json_object();
    const accord_field *field;
    for (size_t i = 0; about && (field = accord_field_at(i)) != NULL; i++) {
        const void *at = accord_record_field(about, field);
        if (strcmp(field->section, "question") != 0)
            continue;
        if (field->kind == ACCORD_FIELD_REAL && isfinite(*(const double *)at))
            put(question, field->name, json_real(*(const double *)at));
        const char *text = field->kind == ACCORD_FIELD_TEXT ? *(char *const *)at : NULL;
        char *clean = text ? accordi_utf8(text, true) : NULL;
        if (clean)
            put(question, field->name, json_string(clean));
        free(clean);
    }
    return question;
}

/* "1..128,130,133" */
static json_t *asked_of(const accord_family *f)
{
    accordi_buffer text = {0};
    uint64_t to = accord_family_to(f), begin = 0;
    accordi_buffer_puts(&text, "");
    for (size_t i = 0, count; (count = accord_family_asked(f, i)) != 0; i++) {
        uint64_t n = count, next = accord_family_asked(f, i + 1);
        begin = begin ? begin : n;
        if (next == n + 1 && n < to)
            continue;
        accordi_buffer_printf(&text, text.length ? ",%llu" : "%llu", (unsigned long long)begin);
        if (n > begin)
            accordi_buffer_printf(&text, "..%llu", (unsigned long long)n);
        begin = 0;
    }
    json_t *list = json_string(text.data);
    accordi_buffer_clear(&text);
    return list;
}

static json_t *steps_of(const accord_family *f, size_t rule)
{
    accord_family_use use[STEPS];
    char text[ACCORD_STEP_SIZE];
    accord_family_rule r = accord_family_rule_at(f, rule);
    size_t count = accord_family_uses(f, rule, use);
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        if (accord_form_step(r.form, i, text))
            json_array_append_new(list, json_pack("{s:s, s:I, s:I, s:b}", "step", text, "from",
                                                  (json_int_t)use[i].from, "to",
                                                  (json_int_t)use[i].to, "always", use[i].always));
    return list;
}

static json_t *rule_of(const accord_family *f, size_t i)
{
    char words[ACCORD_FORM_WORDS_SIZE];
    accord_family_rule r = accord_family_rule_at(f, i);
    const char *why = accord_family_why(f, r.from);
    json_t *rule = json_pack("{s:I, s:I, s:I, s:[I, I], s:I, s:I}", "from", (json_int_t)r.from,
                             "to", (json_int_t)r.to, "modulus", (json_int_t)r.modulus, "residues",
                             (json_int_t)r.low, (json_int_t)r.high, "asked", (json_int_t)r.asked,
                             "predicted", (json_int_t)r.predicted);
    if (!*r.form) {
        char *clean = accordi_utf8(why ? why : "no order", true);
        put(rule, "form", json_null());
        put(rule, "why", json_string(clean ? clean : ""));
        free(clean);
        return rule;
    }
    accord_form_words(r.form, words);
    put(rule, "form", json_string(r.form));
    put(rule, "words", json_string(words));
    put(rule, "steps", steps_of(f, i));
    return rule;
}

static json_t *changes_of(const accord_family *f)
{
    enum { ROOM = 4096 };
    json_t *list = json_array();
    uint32_t *n = accordi_alloc(ROOM, sizeof *n);
    size_t count = n ? accord_family_changes(f, n, ROOM) : 0;
    for (size_t i = 0; i < count && i < ROOM; i++)
        json_array_append_new(list, json_integer(n[i]));
    free(n);
    return list;
}

static json_t *family_json(const accord_family *f, const accord_record *about,
                           const accord_family_account *account)
{
    json_t *all =
        json_pack("{s:i, s:s, s:o, s:I, s:I}", "accord", SCHEMA, "verb", "family", "question",
                  question_of(about), "from", (json_int_t)accord_family_from(f), "to",
                  (json_int_t)accord_family_to(f));
    if (account)
        put(all, "account",
            json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:b, s:I, s:f}", "asked",
                      (json_int_t)account->asked, "proven", (json_int_t)account->proven,
                      "predicted", (json_int_t)account->predicted, "unknown",
                      (json_int_t)account->unknown, "checks", (json_int_t)account->checks,
                      "refuted", (json_int_t)account->refuted, "complete", account->complete,
                      "calls", (json_int_t)account->calls, "seconds", account->seconds));
    json_t *rules = json_array();
    for (size_t i = 0; i < accord_family_rules(f); i++)
        json_array_append_new(rules, rule_of(f, i));
    put(all, "changes", changes_of(f));
    put(all, "rules", rules);
    put(all, "asked", asked_of(f));
    return all;
}

enum accord_status accord_family_write(const accord_family *family, const accord_record *about,
                                       const accord_family_account *account, char **text,
                                       accord_error *error)
{
    json_t *all = family_json(family, about, account);
    char *written = all ? json_dumps(all, JSON_INDENT(2)) : NULL;
    json_decref(all);
    if (!written)
        return accordi_nomem(error);
    *text = written;
    return ACCORD_OK;
}

/* ---- reading ---- */

static bool read_number(const json_t *object, const char *name, uint32_t *out)
{
    const json_t *value = json_object_get(object, name);
    json_int_t number = json_is_integer(value) ? json_integer_value(value) : -1;
    if (number < 0 || number > ACCORD_TREE_MAX_LEAVES)
        return false;
    *out = (uint32_t)number;
    return true;
}

static enum accord_status read_rule(accord_family *f, const json_t *object, size_t i,
                                    accord_error *error)
{
    const json_t *residues = json_object_get(object, "residues");
    const json_t *form = json_object_get(object, "form");
    accord_family_rule rule = {.form = json_is_string(form) ? json_string_value(form) : ""};
    accord_error why;
    if (!read_number(object, "from", &rule.from) || !read_number(object, "to", &rule.to) ||
        !read_number(object, "modulus", &rule.modulus) || json_array_size(residues) != 2 ||
        !json_is_integer(json_array_get(residues, 0)) ||
        !json_is_integer(json_array_get(residues, 1)) ||
        (!json_is_string(form) && !json_is_null(form)))
        return accordi_fail(error, ACCORD_PARSE,
                            "rule %zu of the family needs the members from, to, modulus, residues "
                            "and form, as accord family writes them",
                            i + 1);
    json_int_t low = json_integer_value(json_array_get(residues, 0));
    json_int_t high = json_integer_value(json_array_get(residues, 1));
    rule.low = low < 0 || low > ACCORD_TREE_MAX_LEAVES ? UINT32_MAX : (uint32_t)low;
    rule.high = high < 0 || high > ACCORD_TREE_MAX_LEAVES ? 0 : (uint32_t)high;
    enum accord_status status = accord_family_add_rule(f, &rule, &why);
    if (status == ACCORD_NOMEM)
        return accordi_nomem(error);
    return status ? accordi_fail(error, ACCORD_PARSE, "rule %zu of the family: %s", i + 1, why.text)
                  : ACCORD_OK;
}

static accord_record *read_question(const json_t *question)
{
    accord_record *about = accord_record_new();
    const accord_field *field;
    for (size_t i = 0; about && (field = accord_field_at(i)) != NULL; i++) {
        const json_t *value = json_object_get(question, field->name);
        void *at = (void *)(uintptr_t)accord_record_field(about, field);
        if (strcmp(field->section, "question") != 0)
            continue;
        if (json_is_string(value) && field->kind == ACCORD_FIELD_TEXT)
            accord_record_set(at, json_string_value(value), NULL);
        if (json_is_number(value) && field->kind == ACCORD_FIELD_REAL)
            *(double *)at = json_number_value(value);
    }
    return about;
}

static enum accord_status read_family(const json_t *all, accord_family **out, accord_error *error)
{
    uint32_t from, to;
    const json_t *rules = json_object_get(all, "rules");
    const char *verb = json_string_value(json_object_get(all, "verb"));
    if (!verb || strcmp(verb, "family") != 0 || !read_number(all, "from", &from) ||
        !read_number(all, "to", &to) || !json_is_array(rules))
        return accordi_fail(error, ACCORD_PARSE,
                            "this is not a family: accord family TARGET -n 1..4096 --json writes "
                            "one");
    if (json_integer_value(json_object_get(all, "accord")) != SCHEMA)
        return accordi_fail(error, ACCORD_PARSE,
                            "this family was written by another version of accord; make it again "
                            "with accord family");
    accord_family *f;
    enum accord_status status = accord_family_new(from, to, &f, error);
    if (status)
        return status == ACCORD_ARG && error ? (error->status = ACCORD_PARSE) : status;
    for (size_t i = 0; !status && i < json_array_size(rules); i++)
        status = read_rule(f, json_array_get(rules, i), i, error);
    if (status)
        accord_family_free(f);
    else
        *out = f;
    return status;
}

enum accord_status accord_family_read(const char *text, size_t length, accord_family **out,
                                      accord_record **about, accord_error *error)
{
    json_error_t trouble;
    json_t *all = json_loadb(text, length, JSON_REJECT_DUPLICATES, &trouble);
    if (!all)
        return accordi_fail(error, ACCORD_PARSE, "line %d, column %d: %s", trouble.line,
                            trouble.column, trouble.text);
    accord_record *question = read_question(json_object_get(all, "question"));
    accord_family *family = NULL;
    enum accord_status status = question ? read_family(all, &family, error) : accordi_nomem(error);
    json_decref(all);
    if (status || !about)
        accord_record_free(question);
    else
        *about = question;
    if (!status)
        *out = family;
    return status;
}

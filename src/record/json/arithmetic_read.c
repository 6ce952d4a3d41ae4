/* The arithmetic from JSON, member by member through tables; whether it fits the tree is left to
 * accord_model_check. */
#include "model/words.h"
#include "record/json/arithmetic.h"

typedef struct reader {
    const accordi_json_text *text;
    const char *section;
    const json_t *object;
    accord_arithmetic *a;
    const char *inside; /* the member that is being read, if it is an object or array itself */
} reader;

static enum accord_status fail_at_member(const reader *r, const char *name, const char *problem)
{
    char words[300];
    if (!r->inside)
        return accordi_json_fail(r->text, r->section, name, problem);
    snprintf(words, sizeof words, "has a member %s that %s", name, problem);
    return accordi_json_fail(r->text, r->section, r->inside, words);
}

static const char *format_word(int i)
{
    return i < ACCORD_FORMAT_COUNT ? accord_format_get((enum accord_format)i)->name : NULL;
}

typedef const char *namer(int i);

/* A member that is a word of a list; `usual` where there is none, -1: it has to be there. */
static enum accord_status read_word(const reader *r, const json_t *object, const char *name,
                                    namer *words, int usual, int *out)
{
    const json_t *value = json_object_get(object, name);
    char problem[200];
    int found = json_is_string(value) ? accordi_by_name(words, json_string_value(value)) : -1;
    if (!value)
        found = usual;
    if (found >= 0) {
        *out = found;
        return ACCORD_OK;
    }
    size_t used = (size_t)snprintf(problem, sizeof problem, "has to be one of");
    for (int i = 0; words(i) && used + 24 < sizeof problem; i++)
        used += (size_t)snprintf(problem + used, sizeof problem - used, "%s %s", i ? "," : "",
                                 words(i));
    return fail_at_member(r, name, problem);
}

static enum accord_status read_flag(const reader *r, const json_t *object, const char *name,
                                    bool *out)
{
    const json_t *value = json_object_get(object, name);
    if (value && !json_is_boolean(value))
        return fail_at_member(r, name, "has to be true or false");
    *out = json_is_true(value);
    return ACCORD_OK;
}

static enum accord_status read_integer(const reader *r, const json_t *object, const char *name,
                                       json_int_t least, json_int_t most, json_int_t usual,
                                       json_int_t *out)
{
    const json_t *value = json_object_get(object, name);
    json_int_t number = value ? json_integer_value(value) : usual;
    char problem[100];
    *out = number;
    if ((!value || json_is_integer(value)) && number >= least && number <= most)
        return ACCORD_OK;
    snprintf(problem, sizeof problem, "has to be an integer from %lld to %lld", (long long)least,
             (long long)most);
    return fail_at_member(r, name, problem);
}

static enum accord_status read_real(const reader *r, const char *name, double usual, double *out)
{
    const json_t *value = json_object_get(r->object, name);
    if (value && !json_is_number(value))
        return fail_at_member(r, name, "has to be a number");
    *out = value ? json_number_value(value) : usual;
    return ACCORD_OK;
}

/* Enumerations read as words into ints first. */
static enum accord_status read_words(const reader *r)
{
    accord_arithmetic *a = r->a;
    int term = 0, input = 0, output = 0, rounding = 0, alpha = 0, finish = 0;
    int radicand = ACCORD_F64, skips = 0;
    int operand = ACCORD_F64, operand_rounding = 0;
    enum accord_status status = read_word(r, r->object, "term", accordi_term_name, -1, &term);
    if (status == ACCORD_OK)
        status = read_word(r, r->object, "input", format_word, -1, &input);
    if (status == ACCORD_OK)
        status = read_word(r, r->object, "output", format_word, -1, &output);
    if (status == ACCORD_OK)
        status = read_word(r, r->object, "output_rounding", accordi_rounding_name, 0, &rounding);
    if (status == ACCORD_OK)
        status = read_word(r, r->object, "operand", format_word, ACCORD_F64, &operand);
    if (status == ACCORD_OK)
        status = read_word(r, r->object, "operand_rounding", accordi_rounding_name, 0,
                           &operand_rounding);
    if (status == ACCORD_OK)
        status = read_word(r, r->object, "alpha_at", accordi_alpha_name, 0, &alpha);
    if (status == ACCORD_OK)
        status = read_word(r, r->object, "finish", accordi_finish_name, 0, &finish);
    if (status == ACCORD_OK)
        status = read_word(r, r->object, "radicand", format_word, ACCORD_F64, &radicand);
    if (status == ACCORD_OK)
        status = read_word(r, r->object, "skips", accordi_skips_name, 0, &skips);
    if (status != ACCORD_OK)
        return status;
    a->skips = (enum accord_skips)skips;
    a->term = (enum accord_term)term;
    a->input = (enum accord_format)input;
    a->output = (enum accord_format)output;
    a->operand = (enum accord_format)operand;
    a->operand_rounding = (enum accord_rounding)operand_rounding;
    a->output_rounding = (enum accord_rounding)rounding;
    a->alpha_at = (enum accord_alpha)alpha;
    a->finish = (enum accord_finish)finish;
    a->radicand = (enum accord_format)radicand;
    return ACCORD_OK;
}

static enum accord_status read_flushes(const reader *r, unsigned *flush)
{
    const json_t *array = json_object_get(r->object, "flush");
    if (array && !json_is_array(array))
        return fail_at_member(r, "flush", "has to be an array of words");
    for (size_t i = 0; i < json_array_size(array); i++) {
        const char *word = json_string_value(json_array_get(array, i));
        int bit = accordi_by_name(accordi_flush_name, word);
        if (bit < 0)
            return fail_at_member(
                r, "flush",
                "may hold the words x, y, products, sums, result, tiny-after, tiny-before");
        *flush |= 1u << bit;
    }
    return ACCORD_OK;
}

static enum accord_status read_rest(const reader *r)
{
    accord_arithmetic *a = r->a;
    bool input = false, output = false; /* of records of before there were five questions */
    const struct {
        const char *name;
        bool *to;
    } flags[] = {{"negative_zero", &a->negative_zero},
                 {"zero_last", &a->zero_last},
                 {"flush_input", &input},
                 {"flush_output", &output},
                 {"skips_zero", &a->skips_zero},
                 {"alpha_fused", &a->alpha_fused},
                 {"extended", &a->extended}};
    json_int_t node = 0;
    enum accord_status status = ACCORD_OK;
    for (size_t i = 0; status == ACCORD_OK && i < sizeof flags / sizeof *flags; i++)
        status = read_flag(r, r->object, flags[i].name, flags[i].to);
    a->flush = (input ? ACCORD_FLUSH_X | ACCORD_FLUSH_Y : 0) |
               (output ? ACCORD_FLUSH_PRODUCTS | ACCORD_FLUSH_SUMS | ACCORD_FLUSH_RESULT : 0);
    if (status == ACCORD_OK)
        status = read_flushes(r, &a->flush);
    if (status == ACCORD_OK)
        status = read_real(r, "alpha", 1, &a->alpha);
    if (status == ACCORD_OK)
        status = read_real(r, "beta", 0, &a->beta);
    if (status == ACCORD_OK)
        status = read_real(r, "factor", 1, &a->factor);
    if (status == ACCORD_OK)
        status = read_integer(r, r->object, "alpha_node", 0, UINT32_MAX - 1, 0, &node);
    a->alpha_node = (uint32_t)node;
    return status;
}

static enum accord_status read_operation(const reader *r, const json_t *object,
                                         accord_operation *op)
{
    int format = 0, rounding = 0, product = 0, stored = ACCORD_F64;
    bool step = false, keeps = false;
    json_int_t fused = -1;
    const reader inside = {r->text, r->section, object, r->a, "operations"};
    if (!json_is_object(object))
        return fail_at_member(r, "operations", "has to be an array of objects");
    r = &inside;
    enum accord_status status = read_word(r, object, "format", format_word, -1, &format);
    if (status == ACCORD_OK)
        status = read_word(r, object, "rounding", accordi_rounding_name, 0, &rounding);
    if (status == ACCORD_OK)
        status = read_word(r, object, "product", format_word, format, &product);
    if (status == ACCORD_OK)
        status = read_integer(r, object, "fused", -1, 1, -1, &fused);
    if (status == ACCORD_OK)
        status = read_flag(r, object, "step", &step);
    if (status == ACCORD_OK)
        status = read_word(r, object, "stored", format_word, ACCORD_F64, &stored);
    if (status == ACCORD_OK)
        status = read_flag(r, object, "keeps", &keeps);
    *op = (accord_operation){(enum accord_format)format,  (enum accord_rounding)rounding,
                             (enum accord_format)product, step ? ACCORD_STEP : (int)fused,
                             (enum accord_format)stored,  keeps};
    return status;
}

static enum accord_status read_operations(const reader *r)
{
    const json_t *array = json_object_get(r->object, "operations");
    size_t count = json_array_size(array);
    if (!json_is_array(array) || count > 255)
        return fail_at_member(r, "operations", "has to be an array of at most 255 operations");
    r->a->operation = accordi_calloc(count ? count : 1, sizeof *r->a->operation);
    if (!r->a->operation)
        return accordi_nomem(r->text->error);
    r->a->operations = count;
    enum accord_status status = ACCORD_OK;
    for (size_t i = 0; status == ACCORD_OK && i < count; i++)
        status = read_operation(r, json_array_get(array, i), &r->a->operation[i]);
    return status;
}

static enum accord_status read_parameter(const reader *r, const json_t *object,
                                         const accordi_parameter *p)
{
    int word = accordi_parameter_get(&r->a->machine, p);
    json_int_t number = word;
    bool flag = word != 0;
    enum accord_status status = ACCORD_OK;
    if (!json_object_get(object, p->name))
        return ACCORD_OK;
    if (p->kind == ACCORDI_NUMBER)
        status = read_integer(r, object, p->name, p->least, p->most, word, &number);
    else if (p->kind == ACCORDI_FLAG)
        status = read_flag(r, object, p->name, &flag);
    else
        status = read_word(r, object, p->name,
                           p->kind == ACCORDI_FORMAT_OF     ? format_word
                           : p->kind == ACCORDI_ROUNDING_OF ? accordi_rounding_name
                           : p->kind == ACCORDI_SCHEME_OF   ? accordi_scheme_name
                                                            : accordi_overflow_name,
                           -1, &word);
    if (status == ACCORD_OK)
        accordi_parameter_set(&r->a->machine, p,
                              p->kind == ACCORDI_NUMBER ? (int)number
                              : p->kind == ACCORDI_FLAG ? flag
                                                        : word);
    return status;
}

/* A row of the table by name, or parameters; names live as long as the program. */
static enum accord_status read_machine(const reader *r)
{
    const json_t *object = json_object_get(r->object, "machine");
    const char *name = json_string_value(json_object_get(object, "name"));
    const accord_fused *row = name ? accord_fused_by_name(name) : NULL;
    if (!object)
        return ACCORD_OK;
    if (!json_is_object(object))
        return fail_at_member(r, "machine", "has to be an object");
    if (!row && name && strcmp(name, "custom") != 0)
        return fail_at_member(r, "machine",
                              "has a name that is neither that of a known machine nor \"custom\"");
    r->a->has_machine = true;
    r->a->machine = row ? *row : (accord_fused){.name = "custom", .machine = "", .source = ""};
    const reader inside = {r->text, r->section, object, r->a, "machine"};
    enum accord_status status = ACCORD_OK;
    for (int i = 0; status == ACCORD_OK && i < ACCORDI_PARAMETERS; i++)
        status = read_parameter(&inside, object, &accordi_parameters[i]);
    return status;
}

static enum accord_status read_nodes(const reader *r, const accord_tree *tree, const uint32_t *runs,
                                     size_t count)
{
    uint64_t total = 0;
    bool fine = count % 2 == 0;
    for (size_t i = 0; fine && i + 1 < count; i += 2) {
        total += runs[i];
        fine = runs[i] > 0 && total <= tree->inner && runs[i + 1] < 256;
    }
    if (!fine || (count > 0 && total != tree->inner))
        return fail_at_member(
            r, "of_node",
            "has to be pairs of a count of nodes and an operation, for all inner nodes");
    r->a->of_node = accordi_calloc(tree->inner ? tree->inner : 1, 1);
    if (!r->a->of_node)
        return accordi_nomem(r->text->error);
    uint8_t *at = r->a->of_node;
    for (size_t i = 0; i + 1 < count; i += 2, at += runs[i - 2])
        memset(at, (int)runs[i + 1], runs[i]);
    return ACCORD_OK;
}

/* How alpha multiplies each node: pairs of a count and a word. */
static enum accord_status read_scalings(const reader *r, const accord_tree *tree)
{
    const json_t *array = json_object_get(r->object, "alpha_of");
    size_t nodes = (size_t)tree->leaves + tree->inner, count = json_array_size(array), total = 0;
    accord_arithmetic *a = r->a;
    if (a->alpha_at != ACCORD_ALPHA_NODES)
        return ACCORD_OK;
    a->alpha_of = accordi_calloc(nodes, 1);
    if (!a->alpha_of)
        return accordi_nomem(r->text->error);
    a->alpha_nodes = nodes;
    bool fine = json_is_array(array) && count % 2 == 0;
    for (size_t i = 0; fine && i < count; i += 2) {
        json_int_t run = json_integer_value(json_array_get(array, i));
        const json_t *word = json_array_get(array, i + 1);
        int way = accordi_by_name(accordi_scaling_name, json_string_value(word));
        fine = way >= 0 && run > 0 && run <= (json_int_t)(nodes - total);
        if (fine)
            memset(a->alpha_of + total, way, (size_t)run);
        total += fine ? (size_t)run : 0;
    }
    if (fine && total == nodes)
        return ACCORD_OK;
    return fail_at_member(
        r, "alpha_of",
        "has to be pairs of a count of nodes and one of not, x, y, rounded, fused, for all "
        "nodes");
}

static enum accord_status check_arithmetic(const reader *r, const accord_tree *tree)
{
    accord_error why;
    const accord_model model = {tree, r->a};
    if (accord_model_check(&model, &why) == ACCORD_OK)
        return ACCORD_OK;
    char problem[600];
    snprintf(problem, sizeof problem, "does not fit the tree: %s", why.text);
    return accordi_json_fail(r->text, NULL, r->section, problem);
}

enum accord_status accordi_read_arithmetic(const accordi_json_text *text, const char *section,
                                           const json_t *object, const accord_tree *tree,
                                           const uint32_t *runs, size_t count,
                                           accord_arithmetic **out)
{
    reader r = {text, section, object, accordi_calloc(1, sizeof *r.a), NULL};
    if (!r.a)
        return accordi_nomem(text->error);
    enum accord_status status = read_words(&r);
    if (status == ACCORD_OK)
        status = read_rest(&r);
    if (status == ACCORD_OK)
        status = read_operations(&r);
    if (status == ACCORD_OK)
        status = read_machine(&r);
    if (status == ACCORD_OK)
        status = read_nodes(&r, tree, runs, count);
    if (status == ACCORD_OK)
        status = read_scalings(&r, tree);
    if (status == ACCORD_OK)
        status = check_arithmetic(&r, tree);
    if (status == ACCORD_OK)
        *out = r.a;
    else
        accord_arithmetic_free(r.a);
    return status;
}

/* The arithmetic from JSON, member by member through tables; whether it fits the tree is left to
 * accord_model_check. */
#include "model/words.h"
#include "record/json/arithmetic.h"

/* The first failure counts: what is read after it does no harm. */
typedef struct reader {
    const accordi_json_text *text;
    const char *section;
    const json_t *object; /* whose members are being read */
    const char *inside;   /* the member that this object is, or NULL: it is the section itself */
    accord_arithmetic *a;
    enum accord_status status;
} reader;

static void fail_at_member(reader *r, const char *name, const char *problem)
{
    char words[sizeof(accord_error) + 60];
    if (r->status != ACCORD_OK)
        return;
    if (r->inside) {
        snprintf(words, sizeof words, "has a member %s that %s", name, problem);
        name = r->inside;
        problem = words;
    }
    r->status = accordi_json_fail(r->text, r->section, name, problem);
}

static void *need_zeroed(reader *r, size_t count, size_t size)
{
    void *memory = accordi_calloc(count ? count : 1, size);
    if (!memory && r->status == ACCORD_OK)
        r->status = accordi_nomem(r->text->error);
    return memory;
}

static const char *format_word(int i)
{
    return i < ACCORD_FORMAT_COUNT ? accord_format_get((enum accord_format)i)->name : NULL;
}

/* Of the operands of machines, and of their scales, too. */
static const char *any_format_word(int i)
{
    return i < ACCORD_ALL_FORMATS ? accord_format_get((enum accord_format)i)->name : NULL;
}

typedef const char *namer(int i);

/* A member that is a word of a list; `usual` where there is none, -1: it has to be there. */
static int read_word(reader *r, const char *name, namer *words, int usual)
{
    const json_t *value = json_object_get(r->object, name);
    char problem[200];
    int found = json_is_string(value) ? accordi_by_name(words, json_string_value(value)) : -1;
    if (!value)
        found = usual;
    if (found >= 0)
        return found;
    size_t used = (size_t)snprintf(problem, sizeof problem, "has to be one of");
    for (int i = 0; words(i) && used + 24 < sizeof problem; i++)
        used += (size_t)snprintf(problem + used, sizeof problem - used, "%s %s", i ? "," : "",
                                 words(i));
    fail_at_member(r, name, problem);
    return 0;
}

static enum accord_format read_format(reader *r, const char *name, int usual)
{
    return (enum accord_format)read_word(r, name, format_word, usual);
}

static enum accord_rounding read_rounding(reader *r, const char *name)
{
    return (enum accord_rounding)read_word(r, name, accordi_rounding_name, ACCORD_NEAREST_EVEN);
}

static bool read_flag(reader *r, const char *name)
{
    const json_t *value = json_object_get(r->object, name);
    if (value && !json_is_boolean(value))
        fail_at_member(r, name, "has to be true or false");
    return json_is_true(value);
}

static json_int_t read_integer(reader *r, const char *name, json_int_t least, json_int_t most,
                               json_int_t usual)
{
    const json_t *value = json_object_get(r->object, name);
    json_int_t number = value ? json_integer_value(value) : usual;
    char problem[100];
    if ((!value || json_is_integer(value)) && number >= least && number <= most)
        return number;
    snprintf(problem, sizeof problem, "has to be an integer from %lld to %lld", (long long)least,
             (long long)most);
    fail_at_member(r, name, problem);
    return least;
}

static double read_real(reader *r, const char *name, double usual)
{
    const json_t *value = json_object_get(r->object, name);
    if (value && !json_is_number(value))
        fail_at_member(r, name, "has to be a number");
    return value ? json_number_value(value) : usual;
}

static void read_words(reader *r)
{
    accord_arithmetic *a = r->a;
    a->term = (enum accord_term)read_word(r, "term", accordi_term_name, -1);
    bool machine = json_object_get(r->object, "machine") != NULL;
    a->input =
        (enum accord_format)read_word(r, "input", machine ? any_format_word : format_word, -1);
    a->output = read_format(r, "output", -1);
    a->output_rounding = read_rounding(r, "output_rounding");
    a->operand = read_format(r, "operand", ACCORD_F64);
    a->operand_rounding = read_rounding(r, "operand_rounding");
    a->alpha_at = (enum accord_alpha)read_word(r, "alpha_at", accordi_alpha_name, 0);
    a->finish = (enum accord_finish)read_word(r, "finish", accordi_finish_name, 0);
    a->radicand = read_format(r, "radicand", ACCORD_F64);
    a->skips = (enum accord_skips)read_word(r, "skips", accordi_skips_name, 0);
}

static void read_flushes(reader *r)
{
    const json_t *array = json_object_get(r->object, "flush");
    if (array && !json_is_array(array))
        fail_at_member(r, "flush", "has to be an array of words");
    for (size_t i = 0; i < json_array_size(array); i++) {
        const char *word = json_string_value(json_array_get(array, i));
        int bit = accordi_by_name(accordi_flush_name, word);
        if (bit >= 0)
            r->a->flush |= 1u << bit;
        else
            fail_at_member(
                r, "flush",
                "may hold the words x, y, products, sums, result, tiny-after, tiny-before");
    }
}

static void read_rest(reader *r)
{
    accord_arithmetic *a = r->a;
    a->negative_zero = read_flag(r, "negative_zero");
    a->zero_last = read_flag(r, "zero_last");
    /* Of records made before the five kinds of flushing were told apart. */
    if (read_flag(r, "flush_input"))
        a->flush |= ACCORD_FLUSH_X | ACCORD_FLUSH_Y;
    if (read_flag(r, "flush_output"))
        a->flush |= ACCORD_FLUSH_PRODUCTS | ACCORD_FLUSH_SUMS | ACCORD_FLUSH_RESULT;
    a->skips_zero = read_flag(r, "skips_zero");
    a->alpha_fused = read_flag(r, "alpha_fused");
    a->extended = read_flag(r, "extended");
    read_flushes(r);
    a->alpha = read_real(r, "alpha", 1);
    a->beta = read_real(r, "beta", 0);
    a->factor = read_real(r, "factor", 1);
    a->alpha_node = (uint32_t)read_integer(r, "alpha_node", 0, UINT32_MAX - 1, 0);
}

static void read_operation(reader *r, accord_operation *op)
{
    op->format = read_format(r, "format", -1);
    op->rounding = read_rounding(r, "rounding");
    op->product = read_format(r, "product", (int)op->format);
    op->fused = (int)read_integer(r, "fused", -1, 1, -1);
    if (read_flag(r, "step"))
        op->fused = ACCORD_STEP;
    op->stored = read_format(r, "stored", ACCORD_F64);
    op->keeps = read_flag(r, "keeps");
    op->zero = (enum accord_zero)read_word(r, "zero", accordi_zero_name, ACCORD_ZERO_NONE);
}

static void read_operations(reader *r)
{
    const json_t *section = r->object, *array = json_object_get(section, "operations");
    size_t count = json_array_size(array);
    if (!json_is_array(array) || count > 255) {
        fail_at_member(r, "operations", "has to be an array of at most 255 operations");
        return;
    }
    r->a->operation = need_zeroed(r, count, sizeof *r->a->operation);
    if (!r->a->operation)
        return;
    r->a->operations = count;
    for (size_t i = 0; i < count; i++) {
        r->object = json_array_get(array, i);
        if (!json_is_object(r->object))
            fail_at_member(r, "operations", "has to be an array of objects");
        r->inside = "operations";
        read_operation(r, &r->a->operation[i]);
        r->inside = NULL;
    }
    r->object = section;
}

static void read_parameter(reader *r, const accordi_parameter *p)
{
    static namer *const words[] = {[ACCORDI_FORMAT_OF] = any_format_word,
                                   [ACCORDI_ROUNDING_OF] = accordi_rounding_name,
                                   [ACCORDI_SCHEME_OF] = accordi_scheme_name,
                                   [ACCORDI_OVERFLOW_OF] = accordi_overflow_name};
    int value;
    if (!json_object_get(r->object, p->name))
        return;
    if (p->kind == ACCORDI_NUMBER)
        value = (int)read_integer(r, p->name, p->least, p->most, p->least);
    else if (p->kind == ACCORDI_FLAG)
        value = read_flag(r, p->name);
    else
        value = read_word(r, p->name, words[p->kind], -1);
    accordi_parameter_set(&r->a->machine, p, value);
}

/* A row of the table by name, or parameters; names live as long as the program. */
static void read_machine(reader *r)
{
    const json_t *section = r->object, *object = json_object_get(section, "machine");
    const char *name = json_string_value(json_object_get(object, "name"));
    const accord_fused *row = name ? accord_fused_by_name(name) : NULL;
    if (!object)
        return;
    if (!json_is_object(object))
        fail_at_member(r, "machine", "has to be an object");
    if (!row && name && strcmp(name, "custom") != 0)
        fail_at_member(r, "machine",
                       "has a name that is neither that of a known machine nor \"custom\"");
    r->a->has_machine = true;
    r->a->machine = row ? *row : (accord_fused){.name = "custom", .machine = "", .source = ""};
    r->object = object;
    r->inside = "machine";
    for (int i = 0; i < ACCORDI_PARAMETERS; i++)
        read_parameter(r, &accordi_parameters[i]);
    r->object = section;
    r->inside = NULL;
}

static void read_nodes(reader *r, const accord_tree *tree, const uint32_t *runs, size_t count)
{
    uint64_t total = 0;
    bool fine = count % 2 == 0;
    for (size_t i = 0; fine && i + 1 < count; i += 2) {
        total += runs[i];
        fine = runs[i] > 0 && total <= tree->inner && runs[i + 1] < 256;
    }
    if (!fine || (count > 0 && total != tree->inner)) {
        fail_at_member(r, "of_node",
                       "has to be pairs of a count of nodes and an operation, for all inner nodes");
        return;
    }
    uint8_t *at = r->a->of_node = need_zeroed(r, tree->inner, 1);
    for (size_t i = 0; at && i + 1 < count; i += 2, at += runs[i - 2])
        memset(at, (int)runs[i + 1], runs[i]);
}

/* How alpha multiplies each node: pairs of a count and a word. */
static void read_scalings(reader *r, const accord_tree *tree)
{
    const json_t *array = json_object_get(r->object, "alpha_of");
    size_t nodes = (size_t)tree->leaves + tree->inner, count = json_array_size(array), total = 0;
    accord_arithmetic *a = r->a;
    if (a->alpha_at != ACCORD_ALPHA_NODES)
        return;
    a->alpha_of = need_zeroed(r, nodes, 1);
    if (!a->alpha_of)
        return;
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
    if (!fine || total != nodes)
        fail_at_member(r, "alpha_of",
                       "has to be pairs of a count of nodes and one of not, x, y, rounded, fused, "
                       "for all nodes");
}

static void check_arithmetic(reader *r, const accord_tree *tree)
{
    accord_error why;
    char problem[600];
    const accord_model model = {tree, r->a};
    if (r->status != ACCORD_OK || accord_model_check(&model, &why) == ACCORD_OK)
        return;
    snprintf(problem, sizeof problem, "does not fit the tree: %s", why.text);
    r->status = accordi_json_fail(r->text, NULL, r->section, problem);
}

/* The line in the file, if there is one, against the model. */
static void check_line(reader *r, const accord_tree *tree)
{
    const json_t *value = json_object_get(r->object, "line");
    accord_tree *other = NULL;
    accord_arithmetic *how = NULL;
    accord_error why = {0};
    char is[ACCORD_FINGERPRINT_SIZE] = "", said[ACCORD_FINGERPRINT_SIZE] = "";
    if (!value || r->status != ACCORD_OK)
        return;
    const char *text = json_is_string(value) ? json_string_value(value) : "";
    enum accord_status status = accord_model_line_parse(text, &other, &how, NULL, &why);
    if (!status && how)
        status = accord_model_fingerprint(&(accord_model){other, how}, said, &why);
    if (!status && how)
        status = accord_model_fingerprint(&(accord_model){tree, r->a}, is, &why);
    if (status == ACCORD_NOMEM)
        r->status = accordi_nomem(r->text->error);
    else if (status) {
        why.text[240] = '\0';
        fail_at_member(r, "line", why.text);
    } else if (!how || strcmp(is, said) != 0)
        fail_at_member(r, "line", "is another model: the file was damaged or changed by hand");
    accord_tree_free(other);
    accord_arithmetic_free(how);
}

enum accord_status accordi_read_arithmetic(const accordi_json_text *text, const char *section,
                                           const json_t *object, const accord_tree *tree,
                                           const uint32_t *runs, size_t count,
                                           accord_arithmetic **out)
{
    reader r = {.text = text, .section = section, .object = object};
    r.a = need_zeroed(&r, 1, sizeof *r.a);
    if (!r.a)
        return r.status;
    read_words(&r);
    read_rest(&r);
    read_operations(&r);
    read_machine(&r);
    read_nodes(&r, tree, runs, count);
    read_scalings(&r, tree);
    check_arithmetic(&r, tree);
    check_line(&r, tree);
    if (r.status == ACCORD_OK)
        *out = r.a;
    else
        accord_arithmetic_free(r.a);
    return r.status;
}

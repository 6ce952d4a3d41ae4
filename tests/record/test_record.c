/* Writers and readers: what is written reads back, what is hostile is refused with a position,
 * pictures and reports stay as the golden files show them (ACCORD_UPDATE_GOLDEN=1 rewrites those;
 * look at the difference before committing it). */
#include "models.h"
#include "record/pictures/outline.h"
#include "record/record.h"
#include "trees.h"
#include "trials.h"
#include <accord/notation.h>
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

static accordi_rng rng;

static bool collect(void *context, const char *text, size_t length)
{
    accordi_buffer_append(context, text, length);
    return true;
}

static bool refuse(void *context, const char *text, size_t length)
{
    (void)context;
    (void)text;
    (void)length;
    return false;
}

static accordi_buffer written(const accord_record *record, const char *writer,
                              const accord_write_options *options)
{
    accordi_buffer out = {0};
    accord_error error = {0};
    if (accord_record_write(record, accord_writer_by_name(writer), options, collect, &out,
                            &error) != ACCORD_OK)
        fail_msg("%s: %s", writer, error.text);
    assert_non_null(out.data);
    return out;
}

static accord_tree *some_tree(void)
{
    return random_tree(&rng, (enum tree_kind)accordi_rng_below(&rng, TREE_KINDS), draw_size(&rng));
}

/* ---- records ---- */

static char *random_text(void)
{
    static const char *const bits[] = {"a",  "Z", " ", "\"", "\\", "/",  "\n", "\t", "\x01",
                                       "<&", "é", "→", "😀",  ":",  "{}", "0",  ",",  "\x7f"};
    accordi_buffer text = {0};
    accordi_buffer_puts(&text, "");
    for (uint64_t count = accordi_rng_below(&rng, 12); count-- > 0;)
        accordi_buffer_puts(&text, bits[accordi_rng_below(&rng, sizeof bits / sizeof *bits)]);
    return text.data;
}

static char *random_environment(void)
{
    static const char *const lines[] = {
        "OMP_NUM_THREADS=4", "MKL_CBWR=AVX2,STRICT", "EMPTY=", "UNSET", "TWO=a=b", "UTF=é\""};
    accordi_buffer text = {0};
    accordi_buffer_puts(&text, "");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (accordi_rng_below(&rng, 2))
            accordi_buffer_printf(&text, "%s%s", text.length > 0 ? "\n" : "", lines[i]);
    return text.data;
}

static double random_double(void)
{
    double value;
    do {
        uint64_t bits = accordi_rng_next(&rng);
        memcpy(&value, &bits, sizeof value);
    } while (!isfinite(value));
    return accordi_rng_below(&rng, 3) ? value : floor(accordi_rng_unit(&rng) * 100);
}

static void fill_randomly(accord_record *record)
{
    const accord_field *field;
    for (size_t i = 0; (field = accord_field_at(i)); i++) {
        void *at = accordi_field_of(record, field);
        if (field->kind == ACCORD_FIELD_TEXT && accordi_rng_below(&rng, 4))
            *(char **)at = random_text();
        else if (field->kind == ACCORD_FIELD_LIST && accordi_rng_below(&rng, 2))
            *(char **)at = accordi_strdup(accordi_rng_below(&rng, 2) ? "usual\nwide\nties é" : "x");
        else if (field->kind == ACCORD_FIELD_ENVIRONMENT)
            *(char **)at = random_environment();
        else if (field->kind == ACCORD_FIELD_INTEGER)
            *(int64_t *)at = (int64_t)accordi_rng_next(&rng) >> accordi_rng_below(&rng, 64);
        else if (field->kind == ACCORD_FIELD_REAL)
            *(double *)at = random_double();
        else if (field->kind == ACCORD_FIELD_BOOL)
            *(bool *)at = accordi_rng_below(&rng, 2);
    }
}

static bool same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static void expect_same(const accord_record *a, const accord_record *b)
{
    const accord_field *field;
    for (size_t i = 0; (field = accord_field_at(i)); i++) {
        const void *x = accord_record_field(a, field), *y = accord_record_field(b, field);
        bool same = field->kind <= ACCORD_FIELD_ENVIRONMENT
                        ? same_text(*(char *const *)x, *(char *const *)y)
                        : memcmp(x, y, field->kind == ACCORD_FIELD_BOOL ? sizeof(bool) : 8) == 0;
        if (!same)
            fail_msg("%s differs", field->name);
    }
    assert_int_equal(!a->tree, !b->tree);
    if (a->tree)
        assert_true(accord_tree_equal(a->tree, b->tree));
}

static void test_json_round_trip(void **state)
{
    (void)state;
    for (size_t trial = trials(500); trial-- > 0;) {
        accord_record a, b;
        accord_error error = {0};
        accordi_record_init(&a);
        accordi_record_init(&b);
        fill_randomly(&a);
        accord_record_set(&b.verdict, "what was here before goes", NULL);
        a.tree = accordi_rng_below(&rng, 8) ? some_tree() : NULL;
        if (a.tree)
            a.n = a.tree->leaves;
        accordi_buffer text = written(&a, "json", NULL);
        if (accord_record_read(text.data, text.length, &b, &error) != ACCORD_OK)
            fail_msg("%s\n%s", error.text, text.data);
        expect_same(&a, &b);
        accordi_buffer again = written(&b, "json", NULL);
        assert_string_equal(text.data, again.data);
        accordi_buffer_clear(&again);
        accordi_buffer_clear(&text);
        accord_record_clear(&a);
        accord_record_clear(&b);
    }
}

/* NaN, infinity and bytes that are not UTF-8 never get into a file. */
static void test_json_of_odd_values(void **state)
{
    (void)state;
    accord_record a, b;
    accordi_record_init(&a);
    accordi_record_init(&b);
    a.mask = HUGE_VAL;
    a.unit = nan("");
    a.scale = -0.0;
    accord_record_set(&a.library, "/tmp/\xff\xc0\x80z\xed\xa0\x80", NULL);
    accord_record_set(&a.environment, "\n=x\nA=1\n\nB=\xfe", NULL);
    accordi_buffer text = written(&a, "json", NULL);
    assert_null(strstr(text.data, "nan"));
    assert_null(strstr(text.data, "inf"));
    assert_int_equal(accord_record_read(text.data, text.length, &b, NULL), ACCORD_OK);
    assert_string_equal(b.environment, "A=1\nB=\xef\xbf\xbd");
    assert_int_equal(strncmp(b.library, "/tmp/\xef\xbf\xbd", 8), 0);
    assert_true(b.mask == 0 && b.unit == 0 && b.scale == 0 && signbit(b.scale));
    accordi_buffer_clear(&text);
    accord_record_clear(&a);
    accord_record_clear(&b);
}

static void test_record_life(void **state)
{
    (void)state;
    accord_record r;
    accordi_record_init(&r);
    assert_true(r.scale == 1 && r.alignment == -1 && !r.tree && !r.proven);
    accord_record_set(&r.target, "one", NULL);
    accord_record_set(&r.target, "two", NULL);
    assert_string_equal(r.target, "two");
    accord_record_set(&r.target, NULL, NULL);
    assert_null(r.target);
    r.n = 5;
    accord_record_clear(&r);
    assert_true(r.n == 0 && r.scale == 1);
    accord_record_clear(&r);
}

/* ---- brackets ---- */

/* Brackets with the children of every node in random order. */
static accordi_buffer shuffled_brackets(const accord_tree *tree)
{
    enum { CLOSE = -1, PLUS = -2 };
    accordi_buffer out = {0}, stack = {0};
    int64_t item = (int64_t)tree->leaves + tree->inner - 1;
    accordi_buffer_append(&stack, &item, sizeof item);
    while (stack.length > 0) {
        stack.length -= sizeof item;
        memcpy(&item, stack.data + stack.length, sizeof item);
        if (item < 0 || item < tree->leaves) {
            if (item >= 0)
                accordi_buffer_printf(&out, "%d", (int)item);
            else
                accordi_buffer_puts(&out, item == CLOSE ? ")" : "+");
            continue;
        }
        uint32_t k = (uint32_t)item - tree->leaves, count = tree->first[k + 1] - tree->first[k];
        uint32_t *children = accordi_alloc(count, sizeof *children);
        memcpy(children, tree->child + tree->first[k], count * sizeof *children);
        accordi_rng_shuffle(&rng, children, count);
        accordi_buffer_puts(&out, "(");
        for (uint32_t c = 0; c < count; c++) {
            item = c ? PLUS : CLOSE;
            accordi_buffer_append(&stack, &item, sizeof item);
            item = children[c];
            accordi_buffer_append(&stack, &item, sizeof item);
        }
        free(children);
    }
    accordi_buffer_clear(&stack);
    return out;
}

static void test_text_round_trip(void **state)
{
    (void)state;
    for (size_t trial = trials(1000); trial-- > 0;) {
        accord_record a, b;
        accordi_record_init(&a);
        accordi_record_init(&b);
        a.tree = some_tree();
        accordi_buffer text = written(&a, "text", NULL), mixed = shuffled_brackets(a.tree);
        assert_int_equal(accord_record_read(text.data, text.length, &b, NULL), ACCORD_OK);
        assert_true(accord_tree_equal(a.tree, b.tree));
        assert_int_equal(b.n, a.tree->leaves);
        assert_null(b.target);
        accord_tree *tree = NULL;
        assert_int_equal(accord_tree_read_brackets(mixed.data, mixed.length, &tree, NULL),
                         ACCORD_OK);
        assert_true(accord_tree_equal(a.tree, tree));
        accordi_buffer again = written(&b, "text", NULL);
        assert_string_equal(text.data, again.data);
        accord_tree_free(tree);
        accordi_buffer_clear(&text);
        accordi_buffer_clear(&mixed);
        accordi_buffer_clear(&again);
        accord_record_clear(&a);
        accord_record_clear(&b);
    }
}

/* Refused with this position and a text that speaks of `word`; the record stays as it was. */
static void expect_refused(const char *text, size_t length, const char *position, const char *word)
{
    accord_record record;
    accord_error error = {0};
    accordi_record_init(&record);
    record.n = 77;
    enum accord_status status = accord_record_read(text, length, &record, &error);
    if (status != ACCORD_PARSE || !strstr(error.text, position) || !strstr(error.text, word))
        fail_msg("%.200s: status %d, '%s', expected '%s' and '%s'", text, (int)status, error.text,
                 position, word);
    assert_true(record.n == 77 && !record.tree);
    assert_null(strchr(error.text, '\n'));
    assert_int_equal(accord_record_read(text, length, &record, NULL), ACCORD_PARSE);
    accord_record_clear(&record);
}

static void test_hostile_text(void **state)
{
    (void)state;
    static const struct {
        const char *text, *position, *word;
    } cases[] = {
        {"", "line 1, column 1", "only white space"},
        {" \n\t", "line 2, column 2", "only white space"},
        {"x", "line 1, column 1", "'x'"},
        {"\xff", "line 1, column 1", "0xff"},
        {"(0+1", "line 1, column 5", "ends"},
        {"(0+", "line 1, column 4", "ends"},
        {"(", "line 1, column 2", "ends"},
        {"(0+1))", "line 1, column 6", "expected the end of the text"},
        {"(0+1)(2+3)", "line 1, column 6", "expected the end of the text"},
        {"0 1", "line 1, column 3", "end of the text"},
        {"()", "line 1, column 2", "')'"},
        {"(0)", "line 1, column 3", "single term"},
        {"((0+1))", "line 1, column 7", "single term"},
        {"(0+1\n+x)", "line 1, column 5", "0x0a"},
        {"\n\n (0+x)", "line 3, column 5", "'x'"},
        {"(0 +1)", "line 1, column 3", "0x20"},
        {"(0+-1)", "line 1, column 4", "'-'"},
        {"(0++1)", "line 1, column 4", "'+'"},
        {"(0+01)", "line 1, column 4", "begins with a zero"},
        {"(00+1)", "line 1, column 2", "begins with a zero"},
        {"(0+2147483647)", "line 1, column 4", "greater than 2147483646"},
        {"(0+99999999999999999999999999)", "line 1, column 4", "greater than 2147483646"},
        {"(0+2147483646)", "line 1, column 4", "leaf 1 is missing"},
        {"(0+2)", "line 1, column 4", "leaf 1 is missing"},
        {"5", "line 1, column 2", "more than one partial sum"},
        {"(0+(1+0))", "line 1, column 7", "leaf 0 occurs twice"},
        {"((0+1)+(1+2))", "line 1, column 9", "leaf 1 occurs twice"},
        {"(0+1)\n{}", "line 2, column 1", "end of the text"},
        {"(1e3+0)", "line 1, column 3", "'e'"},
        {"[0,1]", "line 1, column 1", "'['"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_refused(cases[i].text, strlen(cases[i].text), cases[i].position, cases[i].word);
    expect_refused("(0+1)\0", 6, "line 1, column 6", "0x00");
    expect_refused("\0(0+1)", 6, "line 1, column 1", "0x00");
}

static void test_hostile_depth(void **state)
{
    (void)state;
    enum { DEPTH = 1000000 };
    char *text = malloc(2 * DEPTH + 64);
    memset(text, '(', DEPTH);
    expect_refused(text, DEPTH, "line 1, column 1000001", "ends");
    text[DEPTH] = '0';
    memset(text + DEPTH + 1, ')', DEPTH);
    expect_refused(text, 2 * DEPTH + 1, "line 1, column 1000002", "single term");
    memset(text, '[', DEPTH);
    text[0] = '{';
    expect_refused(text, DEPTH, "line 1, column 2", "not JSON");
    const char *start = "{\"accord\": 1, \"x\": ";
    memcpy(text, start, strlen(start));
    memset(text + strlen(start), '[', DEPTH);
    expect_refused(text, DEPTH, "line 1, column 20", "not JSON");
    start = "{\"tree\": {\"parents\": ";
    memset(text, '[', DEPTH);
    memcpy(text, start, strlen(start));
    expect_refused(text, DEPTH, "line 1, column 23", "number of a node");
    free(text);
}

/* ---- JSON ---- */

#define HEAD "{\"accord\": 1, \"question\": {\"n\": 4}, \"tree\": {\"leaves\": 4, \"inner\": 3, "

static void test_json_accepts(void **state)
{
    (void)state;
    static const char *const texts[] = {
        HEAD "\"parents\": [4,4,5,5,6,6]}}",
        "\n " HEAD "\"parents\":\n[ 4 , 4\n,5,5,6,6 ] } }\n\n",
        /* any numbering of the inner nodes, the root last */
        HEAD "\"parents\": [5,5,4,4,6,6]}}",
        HEAD "\"parents\": [4,4,5,5,6,6], \"fingerprint\": \"ef02d594918dc60448c5655261a533be\"}}",
        /* members that are not known, names in other places */
        "{\"parents\": [1, 2], \"accord\": 1, \"x\": {\"tree\": {\"parents\": []}}, \"tree\": "
        "{\"y\": {\"parents\": 3}, \"z\": \"\\\"parents\\\": [\", \"leaves\": 4, \"inner\": 3, "
        "\"parents\": [4,4,5,5,6,6]}, \"question\": {\"target\": null, \"new\": 1}}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        accord_record record;
        accord_error error = {0};
        accordi_record_init(&record);
        if (accord_record_read(texts[i], strlen(texts[i]), &record, &error) != ACCORD_OK)
            fail_msg("%s: %s", texts[i], error.text);
        accordi_buffer text = written(&record, "text", NULL);
        assert_string_equal(text.data, "((0+1)+(2+3))\n");
        assert_int_equal(record.n, 4);
        accordi_buffer_clear(&text);
        accord_record_clear(&record);
    }
}

static void test_hostile_json(void **state)
{
    (void)state;
    static const struct {
        const char *text, *position, *word;
    } cases[] = {
        {"{", "line 1, column 2", "not JSON"},
        {"{}", "line 1, column 1", "schema version"},
        {"{\"accord\": 2}", "line 1, column 12", "this program reads version 1"},
        {"{\"accord\": 0}", "line 1, column 12", "schema version is 0"},
        {"{\"accord\": \"1\"}", "line 1, column 12", "integer"},
        {"{\"accord\": 1.0}", "line 1, column 12", "integer"},
        {"{\"accord\": 1, \"accord\": 1}", "line 1", "not JSON: duplicate"},
        {"{\"accord\": 1} x", "line 1", "not JSON"},
        {"{\"accord\": 1,\n \"question\": 5}", "line 2, column 14", "has to be an object"},
        {"{\"accord\": 1,\n\"question\": {\"n\": \"5\"}}", "line 2, column 19", "question.n"},
        {"{\"accord\": 1, \"question\": {\"n\": 1.5}}", "column 33", "integer"},
        {"{\"accord\": 1, \"question\": {\"n\": 99999999999999999999}}", "line 1", "too big"},
        {"{\"accord\": 1, \"evidence\": {\"mask\": 1e999}}", "line 1", "overflow"},
        {"{\"accord\": 1, \"evidence\": {\"mask\": \"1\"}}", "column 36", "number"},
        {"{\"accord\": 1, \"answer\": {\"proven\": 1}}", "column 36", "true or false"},
        {"{\"accord\": 1, \"question\": {\"target\": [\"a\"]}}", "column 38", "text"},
        {"{\"accord\": 1, \"question\": {\"target\": \"\\u0000\"}}", "line 1", "not JSON"},
        {"{\"accord\": 1, \"question\": {\"target\": \"\xff\"}}", "line 1", "not JSON"},
        {"{\"accord\": 1, \"question\": {\"environment\": \"A=1\"}}", "column 43", "object"},
        {"{\"accord\": 1, \"question\": {\"environment\": {\"A=\": \"1\"}}}", "column 43", "'='"},
        {"{\"accord\": 1, \"question\": {\"environment\": {\"A\": \"1\\nB=2\"}}}", "column 43",
         "one line"},
        {"{\"accord\": 1, \"evidence\": {\"assumes\": [1]}}", "column 39", "single lines"},
        {"{\"accord\": 1, \"evidence\": {\"assumes\": [\"a\\nb\"]}}", "column 39", "single lines"},
        {"{\"accord\": 1, \"question\": {\"environment\": {\"A\": 1}}}", "column 43", "text"},
        {"{\"accord\": 1, \"tree\": []}", "column 23", "object"},
        {"{\"accord\": 1, \"tree\": {}}", "column 23", "tree.leaves"},
        {"{\"accord\": 1, \"tree\": {\"leaves\": 4, \"inner\": -1}}", "column 46", "count"},
        {"{\"accord\": 1, \"tree\": {\"leaves\": 4000000000, \"inner\": 1}}", "column 34", "count"},
        {"{\"accord\": 1, \"tree\": {\"leaves\": 0, \"inner\": 0, \"parents\": []}}", "column 34",
         "1 or more"},
        {"{\"accord\": 1, \"tree\": {\"leaves\": 2000000000, \"inner\": 1999999999, "
         "\"parents\": []}}",
         "line 1", "has 0 entries"},
        {HEAD "\"x\": 1}}", "line 1, column 45", "tree.parents"},
        {HEAD "\"parents\": 5}}", "column 82", "array"},
        {HEAD "\"parents\": null}}", "column 82", "array"},
        {HEAD "\"parents\": [4,4,5,5,6]}}", "column 82", "has 5 entries"},
        {HEAD "\"parents\": [4,4,5,5,6,6,6]}}", "column 82", "has 7 entries"},
        {HEAD "\"parents\": [4,5,6,6,5,4]}}", "column 82", "cycle"},
        {HEAD "\"parents\": [4,4,4,5,6,6]}}", "column 82", "children"},
        {HEAD "\"parents\": [4,4,5,5,6,7]}}", "column 82", "is 7"},
        {HEAD "\"parents\": [4,4,0,5,6,6]}}", "column 82", "leaf"},
        {HEAD "\"parents\": [4,4,5,5,6,4294967295]}}", "column 93", "too large"},
        {HEAD "\"parents\": [4,4,5,5,6,99999999999999999999999]}}", "column 93", "too large"},
        {HEAD "\"parents\": [4,4,-5]}}", "column 87", "number of a node"},
        {HEAD "\"parents\": [4,4,05]}}", "column 87", "begins with a zero"},
        {HEAD "\"parents\": [4,4,5.0]}}", "column 88", "',' or ']'"},
        {HEAD "\"parents\": [4,4,]}}", "column 87", "number of a node"},
        {HEAD "\"parents\": [4,,4]}}", "column 85", "number of a node"},
        {HEAD "\"parents\": [4,[4]]}}", "column 85", "number of a node"},
        {HEAD "\"parents\": [4,4", "column 86", "ends inside an array"},
        {HEAD "\"parents\": [4,4,5,5,6,6]", "column 95", "not JSON"},
        {HEAD "\"parents\": [4,4,5,5,6,6], \"parents\": []}}", "line 1", "duplicate"},
        {HEAD "\"p\\u0061rents\": [4,4,5,5,6,6]}}", "line 1", "tree.parents"},
        {HEAD "\"parents\":\n[4,4,5,5,6,6]\n, oops}}", "line 3", "not JSON"},
        {HEAD "\"parents\": [4,4,5,5,6,6], \"fingerprint\": \"00\"}}", "column 112", "damaged"},
        {HEAD "\"parents\": [4,4,5,5,6,6], \"fingerprint\": 3}}", "column 112", "damaged"},
        {"{\"accord\": 1, \"question\": {\"n\": 5}, \"tree\": {\"leaves\": 4, \"inner\": 3, "
         "\"parents\": [4,4,5,5,6,6]}}",
         "column 33", "number of leaves"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_refused(cases[i].text, strlen(cases[i].text), cases[i].position, cases[i].word);
}

/* A record that holds a random model; the model's own pointers go with it. */
static accord_record record_of(models_made *made)
{
    accord_record record;
    accordi_record_init(&record);
    record.tree = made->tree;
    record.arithmetic = made->arithmetic;
    record.n = made->tree->leaves;
    return record;
}

static void test_arithmetic_round_trip(void **state)
{
    (void)state;
    for (size_t t = trials(600); t-- > 0;) {
        models_made made;
        accord_record back;
        char one[ACCORD_FINGERPRINT_SIZE], two[ACCORD_FINGERPRINT_SIZE], words[300];
        models_random(&rng, (enum models_kind)accordi_rng_below(&rng, MODELS_KINDS), 60, &made);
        if (made.arithmetic->has_machine && accordi_rng_below(&rng, 2)) {
            made.arithmetic->machine.name = "my own";
            made.arithmetic->machine.fraction = 30;
        }
        accord_record record = record_of(&made);
        accordi_buffer text = written(&record, "json", NULL);
        accordi_record_init(&back);
        accord_error error;
        if (accord_record_read(text.data, text.length, &back, &error) != ACCORD_OK)
            fail_msg("%s\n%s", error.text, text.data);
        assert_non_null(back.arithmetic);
        const accord_model again = {back.tree, back.arithmetic};
        if (accord_model_differ(&made.model, &again, words, sizeof words))
            fail_msg("%s\n%s", words, text.data);
        assert_int_equal(accord_model_fingerprint(&made.model, one, NULL), ACCORD_OK);
        assert_int_equal(accord_model_fingerprint(&again, two, NULL), ACCORD_OK);
        assert_string_equal(one, two);
        accordi_buffer twice = written(&back, "json", NULL);
        assert_string_equal(text.data, twice.data);
        accordi_buffer_clear(&text);
        accordi_buffer_clear(&twice);
        accord_record_clear(&back);
        accord_record_clear(&record);
    }
}

typedef struct way_to_end {
    enum accord_finish finish;
    double factor;
    bool negative_zero;
} way_to_end;

/* A mean of few terms, "divided by 3", and the ways to come to it that are given. */
static accord_record mean_of(const way_to_end *other, size_t count)
{
    accord_record record;
    accordi_record_init(&record);
    record.n = 3;
    assert_int_equal(accord_tree_read_brackets("((0+1)+2)", 9, &record.tree, NULL), ACCORD_OK);
    for (size_t i = 0; i <= count; i++) {
        accord_arithmetic *a = NULL;
        assert_int_equal(accord_arithmetic_plain(ACCORD_TERM_VALUE, ACCORD_F32, ACCORD_F32,
                                                 ACCORD_F32, &a, NULL),
                         ACCORD_OK);
        a->finish = i ? other[i - 1].finish : ACCORD_FINISH_OVER;
        a->factor = i ? other[i - 1].factor : 3;
        a->negative_zero = i && other[i - 1].negative_zero;
        if (i == 0)
            record.arithmetic = a;
        else
            record.alternatives[i - 1] = (accord_alternative){a, (int64_t)(100 * i)};
    }
    return record;
}

static const way_to_end ways[] = {{ACCORD_FINISH_TIMES, 0x1.5555555555555p-2, false},
                                  {ACCORD_FINISH_TIMES, 0x1.555556p-2, false},
                                  {ACCORD_FINISH_OVER, 3, true}};
enum { WAYS = sizeof ways / sizeof *ways };

static void test_alternatives(void **state)
{
    (void)state;
    accord_record record = mean_of(ways, WAYS), back;
    char words[WAYS][300], again[300];
    static const char *const named[WAYS] = {"times 0.3333333333333333", "times 0.3333333432674408",
                                            "(a sum of -0 alone: -0"};
    assert_int_equal(accord_record_alternatives(&record), WAYS);
    for (size_t i = 0; i < WAYS; i++) {
        accord_alternative_words(&record, i, words[i], sizeof words[i]);
        if (!strstr(words[i], named[i]))
            fail_msg("%s", words[i]);
    }
    accord_alternative_words(&record, WAYS, again, sizeof again);
    assert_string_equal(again, "");
    accordi_buffer text = written(&record, "json", NULL);
    accordi_record_init(&back);
    accord_error error;
    if (accord_record_read(text.data, text.length, &back, &error))
        fail_msg("%s\n%s", error.text, text.data);
    accordi_buffer twice = written(&back, "json", NULL);
    assert_string_equal(text.data, twice.data);
    assert_int_equal(back.alternatives[1].searched, 200);
    /* By number and by words; what was chosen and what was there change places. */
    assert_int_equal(accord_record_choose(&back, "2", &error), ACCORD_OK);
    assert_true(back.arithmetic->factor == ways[1].factor);
    accord_alternative_words(&back, 1, again, sizeof again);
    assert_string_equal(again, "divided by 3");
    assert_int_equal(accord_record_choose(&back, "divided by 3", &error), ACCORD_OK);
    assert_int_equal(accord_record_choose(&back, words[2], &error), ACCORD_OK);
    assert_true(back.arithmetic->negative_zero);
    assert_int_equal(accord_record_choose(&back, "0", &error), ACCORD_OK);
    static const char *const none[] = {"4", "-1", "", "1x", "times", "99999999999999999999"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        assert_int_equal(accord_record_choose(&back, none[i], &error), ACCORD_ARG);
        assert_non_null(strstr(error.text, "choose from 1 (times"));
    }
    accordi_buffer_clear(&text);
    accordi_buffer_clear(&twice);
    accord_record_clear(&back);
    accord_record_clear(&record);
}

/* Which of the ways that remain was told is chance: it is no difference. */
static void test_alternatives_compared(void **state)
{
    (void)state;
    static const way_to_end over = {ACCORD_FINISH_OVER, 3, false};
    static char digest[] = "d";
    for (int answers = 0; answers < 3; answers++) {
        accord_record a = mean_of(ways, 1), b = mean_of(&over, 1), c = mean_of(ways, 1);
        assert_int_equal(accord_record_choose(&b, "1", NULL), ACCORD_OK);
        accord_arithmetic_free(b.arithmetic);
        b.arithmetic = c.alternatives[0].arithmetic;
        c.alternatives[0].arithmetic = NULL;
        c.arithmetic->factor = 5;
        for (accord_record *r = &a; answers && r; r = r == &a ? &b : NULL) {
            r->answers = (accord_answers){.generator = 1, .inputs = 1, .digest = strdup(digest)};
            r->answers.bits[0] = answers == 2 && r == &b;
        }
        accord_comparison out;
        enum accord_sameness due = answers == 0   ? ACCORD_CANNOT_TELL
                                   : answers == 1 ? ACCORD_SAME_ON_INPUTS
                                                  : ACCORD_DIFFERS;
        assert_int_equal(accord_record_compare(&a, &b, 0, &out), due);
        assert_int_equal(accord_record_compare(&b, &a, 0, &out), due);
        assert_int_equal(accord_record_compare(&b, &c, 0, &out), ACCORD_DIFFERS);
        accord_record_clear(&a);
        accord_record_clear(&b);
        accord_record_clear(&c);
    }
}

#define TREE                                                                                       \
    "{\"accord\":1,\"tree\":{\"leaves\":4,\"inner\":3,\"parents\":[4,4,5,6,5,6]},\n"               \
    "\"arithmetic\":{"
#define GOOD "\"term\":\"value\",\"input\":\"f32\",\"output\":\"f32\""
#define PLAIN GOOD ",\n\"operations\":[{\"format\":\"f32\"}]"

static void test_hostile_arithmetic(void **state)
{
    (void)state;
    static const struct {
        const char *text, *position, *word;
    } cases[] = {
        {"{\"accord\":1,\"arithmetic\":{}}", "column 26", "no tree"},
        {"{\"accord\":1,\"arithmetic\":7}", "column 26", "object"},
        {TREE "}}", "line 2, column 14", "arithmetic.term has to be one of value, product"},
        {TREE "\"term\":5}}", "line 2, column 22", "one of"},
        {TREE "\"term\":\"value\",\"input\":\"f99\"}}", "line 2", "input has to be one of f64"},
        {TREE GOOD "}}", "line 2", "operations"},
        {TREE GOOD ",\"operations\":5}}", "line 2", "array"},
        {TREE GOOD ",\"operations\":[]}}", "line 2, column 14", "1 to 255 operations"},
        {TREE GOOD ",\"operations\":[4]}}", "line 2", "objects"},
        {TREE GOOD ",\"operations\":[{}]}}", "line 2", "format"},
        {TREE GOOD ",\"operations\":[{\"format\":\"f32\",\"fused\":7}]}}", "line 2", "-1 to 1"},
        {TREE GOOD ",\"operations\":[{\"format\":\"f32\",\"fused\":0}]}}", "line 2", "a sum"},
        {TREE GOOD ",\"operations\":[{\"format\":\"f32\",\"step\":true}]}}", "line 2", "machine"},
        {TREE PLAIN ",\"of_node\":[3]}}", "line 3", "pairs"},
        {TREE PLAIN ",\"of_node\":[2,0]}}", "line 3", "pairs"},
        {TREE PLAIN ",\"of_node\":[4294967290,0,9,0]}}", "line 3", "pairs"},
        {TREE PLAIN ",\"of_node\":[3,256]}}", "line 3", "pairs"},
        {TREE PLAIN ",\"of_node\":[0,0,3,0]}}", "line 3", "pairs"},
        {TREE PLAIN ",\"of_node\":[3,1]}}", "line 2, column 14", "operation 1 of 1"},
        {TREE PLAIN ",\"of_node\":[3,0,]}}", "line 3, column 48", "number"},
        {TREE PLAIN ",\"alpha\":2}}", "line 2, column 14", "alpha is not 1"},
        {TREE PLAIN ",\"alpha\":\"x\"}}", "line 3", "number"},
        {TREE PLAIN ",\"alpha_at\":\"z\"}}", "line 3", "one, x, y, sum"},
        {TREE PLAIN ",\"alpha_node\":-1}}", "line 3", "integer"},
        {TREE PLAIN ",\"skips_zero\":1}}", "line 3", "true or false"},
        {TREE PLAIN ",\"finish\":\"over\",\"factor\":0}}", "line 2", "not 0"},
        {TREE PLAIN ",\"machine\":[]}}", "line 3", "object"},
        {TREE PLAIN ",\"machine\":{\"name\":\"abacus\"}}}", "line 3",
         "neither that of a known machine"},
        {TREE PLAIN ",\"machine\":{\"terms\":1000000000}}}", "line 3", "1 to 64"},
        {TREE PLAIN ",\"machine\":{\"input\":\"f16\"}}}", "line 2", "terms has to be 1 to 64"},
        {TREE PLAIN ",\"of_node\":[3,0], oops}}", "line 3, column 53", "not JSON"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_refused(cases[i].text, strlen(cases[i].text), cases[i].position, cases[i].word);
}

#define OTHER ",\"finish\":\"times\",\"factor\":0.5}"

static void test_hostile_alternatives(void **state)
{
    (void)state;
    static const struct {
        const char *text, *word;
    } cases[] = {
        {"{\"accord\":1,\n\n\"alternatives\":[{}]}", "without an \"arithmetic\""},
        {TREE PLAIN "},\"alternatives\":7}", "array of at most 4"},
        {TREE PLAIN "},\"alternatives\":[7]}", "objects with a count"},
        {TREE PLAIN "},\"alternatives\":[{}]}", "\"searched\""},
        {TREE PLAIN "},\"alternatives\":[{\"searched\":-1," PLAIN OTHER "]}", "\"searched\""},
        {TREE PLAIN "},\"alternatives\":[{\"searched\":1}]}", "alternatives.term"},
        {TREE PLAIN "},\"alternatives\":[{\"searched\":1," PLAIN "}]}", "arithmetics that differ"},
        {TREE PLAIN "},\"alternatives\":[{\"searched\":1," PLAIN OTHER ",{},{},{},{}]}",
         "at most 4"},
        {TREE PLAIN "},\"alternatives\":[{\"searched\":1," PLAIN ",\"of_node\":7" OTHER "]}",
         "of_node"},
        {TREE PLAIN "},\"alternatives\":[{\"searched\":1," PLAIN ",\"of_node\":[3,1]" OTHER "]}",
         "operation 1 of 1"},
        {TREE PLAIN "},\"alternatives\":[{\"searched\":1," PLAIN ",\"of_node\":[-3,0]" OTHER "]}",
         "of_node"},
        {TREE PLAIN "},\"alternatives\":[{\"searched\":1,\"term\":\"value\",\"input\":\"f64\","
                    "\"output\":\"f32\",\"operations\":[{\"format\":\"f32\"}]}]}",
         "the same terms"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_refused(cases[i].text, strlen(cases[i].text), "line 3", cases[i].word);
    static const char good[] = TREE PLAIN "},\"alternatives\":[{\"searched\":1," PLAIN OTHER "]}";
    accord_record record;
    accordi_record_init(&record);
    assert_int_equal(accord_record_read(good, strlen(good), &record, NULL), ACCORD_OK);
    assert_int_equal(accord_record_alternatives(&record), 1);
    accord_record_clear(&record);
}

/* Reads or is refused, never worse; what reads writes and reads back the same. */
static bool read_survives(const char *text, size_t length)
{
    accord_record a, b;
    accord_error error = {0};
    char *copy = malloc(length ? length : 1); /* so that a step too far is seen */
    memcpy(copy, text, length);
    accordi_record_init(&a);
    accordi_record_init(&b);
    enum accord_status status = accord_record_read(copy, length, &a, &error);
    assert_true(status == ACCORD_OK || (status == ACCORD_PARSE && error.text[0]));
    if (status == ACCORD_OK) {
        accordi_buffer again = written(&a, "json", NULL);
        assert_int_equal(accord_record_read(again.data, again.length, &b, NULL), ACCORD_OK);
        expect_same(&a, &b);
        accordi_buffer_clear(&again);
    }
    free(copy);
    accord_record_clear(&a);
    accord_record_clear(&b);
    return status == ACCORD_OK;
}

static void test_damaged_files(void **state)
{
    (void)state;
    static const char *const writers[] = {"json", "text"};
    for (size_t i = 0; i < 2; i++) {
        accord_record record;
        accordi_record_init(&record);
        fill_randomly(&record);
        models_made made;
        do
            models_random(&rng, MODELS_MACHINE, 40, &made);
        while (made.tree->inner < 2 && (models_clear(&made), true));
        record.tree = made.tree;
        record.arithmetic = made.arithmetic;
        record.n = made.tree->leaves;
        accordi_buffer text = written(&record, writers[i], NULL);
        size_t whole = text.length - 1; /* without the last newline */
        for (size_t length = 0; length < whole; length++)
            assert_false(read_survives(text.data, length));
        assert_true(read_survives(text.data, whole));
        for (size_t trial = trials(3000); trial-- > 0;) {
            char *at = text.data + accordi_rng_below(&rng, text.length), old = *at;
            *at = accordi_rng_below(&rng, 2)
                      ? (char)accordi_rng_next(&rng)
                      : "(){}[]+,:\"\\0123456789 \n"[accordi_rng_below(&rng, 23)];
            read_survives(text.data, text.length);
            *at = old;
        }
        accordi_buffer_clear(&text);
        accord_record_clear(&record);
    }
}

/* ---- files ---- */

static void test_load(void **state)
{
    (void)state;
    char path[] = "/tmp/accord-test-XXXXXX", json[sizeof path + 8];
    accord_record record;
    accord_error error = {0};
    int file = mkstemp(path);
    accordi_record_init(&record);
    assert_true(file >= 0 && write(file, " (0+(2+1))\n", 11) == 11);
    assert_int_equal(accord_record_load(path, &record, &error), ACCORD_OK);
    assert_int_equal(record.n, 3);
    assert_true(write(file, "x", 1) == 1);
    assert_int_equal(accord_record_load(path, &record, &error), ACCORD_PARSE);
    assert_non_null(strstr(error.text, path));
    assert_non_null(strstr(error.text, "line 2, column 1"));
    assert_int_equal(record.n, 3);
    assert_true(ftruncate(file, 11) == 0);
    assert_non_null(freopen(path, "r", stdin));
    assert_int_equal(accord_record_load("-", &record, &error), ACCORD_OK);
    assert_int_equal(record.n, 3);
    assert_int_equal(accord_record_load("/tmp", &record, &error), ACCORD_IO);
    assert_non_null(strstr(error.text, strerror(EISDIR)));
    snprintf(json, sizeof json, "%s.none", path);
    assert_int_equal(accord_record_load(json, &record, &error), ACCORD_IO);
    assert_non_null(strstr(error.text, json));
    assert_non_null(strstr(error.text, strerror(ENOENT)));
    assert_int_equal(accord_record_load(json, &record, NULL), ACCORD_IO);
    close(file);
    unlink(path);
    accord_record_clear(&record);
}

/* ---- writers ---- */

static void test_table_of_writers(void **state)
{
    (void)state;
    accord_record empty;
    const accord_writer *writer;
    size_t count = 0;
    accordi_record_init(&empty);
    for (; (writer = accord_writer_at(count)); count++) {
        accord_error error = {0};
        accordi_buffer out = {0};
        assert_ptr_equal(accord_writer_by_name(writer->name), writer);
        enum accord_status status =
            accord_record_write(&empty, writer, NULL, collect, &out, &error);
        assert_int_equal(status, writer->needs_tree ? ACCORD_UNSUPPORTED : ACCORD_OK);
        assert_int_equal(out.length > 0, !writer->needs_tree);
        accordi_buffer_clear(&out);
        empty.tree = random_tree(&rng, BINARY, 9);
        assert_int_equal(accord_record_write(&empty, writer, NULL, refuse, NULL, &error),
                         ACCORD_IO);
        accord_tree_free(empty.tree);
        empty.tree = NULL;
    }
    assert_int_equal(count, 6);
    assert_null(accord_writer_by_name("png"));
    accord_writer none = {"none", "", false};
    assert_int_equal(accord_record_write(&empty, &none, NULL, collect, NULL, NULL), ACCORD_ARG);
}

static accord_record example(accord_tree *tree)
{
    accord_record r;
    accordi_record_init(&r);
    r.tree = tree;
    r.n = tree ? tree->leaves : 32;
    accord_record_set(&r.target, "blas:sdot", NULL);
    accord_record_set(&r.library, "/usr/lib/libexample.so.0", NULL);
    accord_record_set(&r.library_version, "Example 1.2", NULL);
    accord_record_set(&r.cpu, "A CPU <with> \"odd\" & ends", NULL);
    accord_record_set(&r.environment, "OMP_NUM_THREADS=1\nMKL_CBWR", NULL);
    accord_record_set(&r.format, "f32", NULL);
    accord_record_set(&r.accord, "0.1.0", NULL);
    accord_record_set(&r.status, "ok", NULL);
    accord_record_set(&r.verdict,
                      "The terms are added in one fixed order, in plain f32 arithmetic; every "
                      "addition was confirmed and the order replayed bit for bit.",
                      NULL);
    accord_record_set(&r.accumulator, "f32", NULL);
    accord_record_set(&r.assumes, "a fixed tree of additions", NULL);
    r.threads = 2;
    r.proven = true;
    r.discovery_calls = 1117;
    r.certificate_calls = 4031;
    r.discovery_seconds = 0.000234;
    r.certificate_seconds = 0.01234;
    r.replay_seconds = 0.01;
    r.target_seconds = 2.5;
    r.nodes = r.nodes_confirmed = tree ? tree->inner : 0;
    r.repeats = r.repeats_agreed = 20;
    r.replays = 1000;
    r.replays_agreed = 999;
    r.scale = 0.1;
    r.accumulator_bits = 24;
    return r;
}

static void expect_golden(const accord_record *record, const char *writer,
                          const accord_write_options *options, const char *name)
{
    char path[200];
    accordi_buffer found = written(record, writer, options), golden = {0};
    snprintf(path, sizeof path, "tests/golden/%s", name);
    const char *update = getenv("ACCORD_UPDATE_GOLDEN");
    if (update && strcmp(update, "1") == 0) {
        FILE *out = fopen(path, "wb");
        assert_non_null(out);
        assert_int_equal(fwrite(found.data, 1, found.length, out), found.length);
        assert_int_equal(fclose(out), 0);
    }
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("%s: %s (ACCORD_UPDATE_GOLDEN=1 makes it)", path, strerror(errno));
    for (int c; (c = fgetc(file)) != EOF;)
        accordi_buffer_append(&golden, &(char){(char)c}, 1);
    fclose(file);
    if (golden.length != found.length || memcmp(golden.data, found.data, found.length) != 0)
        fail_msg("%s differs from what is written now:\n%s", path, found.data);
    accordi_buffer_clear(&found);
    accordi_buffer_clear(&golden);
}

static accord_tree *tree_of(const char *brackets)
{
    accord_tree *tree = NULL;
    assert_int_equal(accord_tree_read_brackets(brackets, strlen(brackets), &tree, NULL), ACCORD_OK);
    return tree;
}

static void test_golden(void **state)
{
    (void)state;
    accord_write_options plain, color;
    accord_write_options_init(&plain);
    color = plain;
    plain.ascii = true;
    color.color = true;
    color.columns = 60;
    accord_record r = example(tree_of("(((0+1)+(2+3))+((4+5)+(6+7)))"));
    expect_golden(&r, "report", NULL, "pairwise-8.report");
    expect_golden(&r, "report", &plain, "pairwise-8.ascii.report");
    expect_golden(&r, "json", NULL, "pairwise-8.json");
    expect_golden(&r, "dot", NULL, "pairwise-8.dot");
    expect_golden(&r, "svg", NULL, "pairwise-8.svg");
    accord_record_clear(&r);
    r = example(tree_of("(((0+1+2+3)+4+5+6+7)+8)"));
    expect_golden(&r, "report", &color, "fused-9.color.report");
    expect_golden(&r, "dot", NULL, "fused-9.dot");
    expect_golden(&r, "svg", NULL, "fused-9.svg");
    accord_record_clear(&r);
    r = example(tree_of("0"));
    expect_golden(&r, "report", NULL, "single.report");
    expect_golden(&r, "dot", NULL, "single.dot");
    expect_golden(&r, "svg", NULL, "single.svg");
    accord_record_clear(&r);
    r = example(NULL);
    accord_record_set(&r.status, "unable", NULL);
    accord_record_set(&r.reason, "compensated", NULL);
    accord_record_set(&r.verdict, "The rounding errors are carried along.", NULL);
    expect_golden(&r, "report", NULL, "unable.report");
    accord_record_clear(&r);
}

/* 8 lanes of stride 8 in blocks of 128, the blocks pairwise: NumPy's order. */
/* Two fused lanes, folded, and a tail in f64: what is not like most is marked. */
static void test_golden_of_arithmetic(void **state)
{
    (void)state;
    accord_write_options color;
    accord_write_options_init(&color);
    color.color = true;
    accord_record r = example(tree_of("(((((0+2)+4)+((1+3)+5))+6)+7)"));
    accord_arithmetic *plain = NULL;
    accord_arithmetic_plain(ACCORD_TERM_PRODUCT, ACCORD_F32, ACCORD_F32, ACCORD_F32, &plain, NULL);
    accord_arithmetic_copy(plain, r.tree->inner, &r.arithmetic, NULL);
    accord_arithmetic_free(plain);
    free(r.arithmetic->operation);
    r.arithmetic->operations = 3;
    r.arithmetic->operation = accordi_alloc(3, sizeof *r.arithmetic->operation);
    for (int i = 0; i < 3; i++)
        r.arithmetic->operation[i] = (accord_operation){i == 2 ? ACCORD_F64 : ACCORD_F32,
                                                        ACCORD_NEAREST_EVEN,
                                                        ACCORD_F32,
                                                        i == 0 ? 1 : -1,
                                                        ACCORD_F64,
                                                        0,
                                                        ACCORD_ZERO_NONE};
    memcpy(r.arithmetic->of_node, (const uint8_t[]){0, 0, 0, 1, 1, 2, 2}, 7);
    expect_golden(&r, "report", NULL, "mixed-8.report");
    expect_golden(&r, "report", &color, "mixed-8.color.report");
    expect_golden(&r, "json", NULL, "mixed-8.json");
    expect_golden(&r, "dot", NULL, "mixed-8.dot");
    expect_golden(&r, "svg", NULL, "mixed-8.svg");
    accord_record_clear(&r);
}

static accord_tree *numpy_tree(uint32_t n)
{
    drawn d = {n, 0, accordi_alloc(2 * (size_t)n, sizeof(uint32_t))};
    uint32_t tops[64], blocks = 0, scratch[16];
    for (uint32_t begin = 0; begin < n; begin += 128) {
        uint32_t lane[8];
        for (uint32_t j = 0; j < 8; j++) {
            uint32_t count = 0;
            for (uint32_t i = begin + j; i < begin + 128 && i < n; i += 8)
                scratch[count++] = i;
            lane[j] = drawn_chain(&d, scratch, count);
        }
        for (uint32_t step = 1; step < 8; step *= 2)
            for (uint32_t j = 0; j < 8; j += 2 * step)
                lane[j] = drawn_join(&d, (uint32_t[]){lane[j], lane[j + step]}, 2);
        tops[blocks++] = lane[0];
    }
    for (; blocks > 1; blocks = (blocks + 1) / 2)
        for (uint32_t i = 0; i < blocks; i += 2)
            tops[i / 2] =
                i + 1 < blocks ? drawn_join(&d, (uint32_t[]){tops[i], tops[i + 1]}, 2) : tops[i];
    d.parent[tops[0]] = ACCORD_TREE_NO_NODE;
    accord_tree *tree = drawn_tree(&d);
    free(d.parent);
    return tree;
}

/* Chains of `each` leaves at a time, ascending or descending. */
static accord_tree *chain_tree(uint32_t n, uint32_t each, bool down)
{
    drawn d = {n, 0, accordi_alloc(2 * (size_t)n, sizeof(uint32_t))};
    uint32_t nodes[64], count = 0, top;
    for (uint32_t i = 0; i < n; i++) {
        nodes[count++] = down ? n - 1 - i : i;
        if (count == each + 1 || i == n - 1) {
            top = drawn_join(&d, nodes, count);
            nodes[0] = top;
            count = 1;
        }
    }
    d.parent[nodes[0]] = ACCORD_TREE_NO_NODE;
    accord_tree *tree = drawn_tree(&d);
    free(d.parent);
    return tree;
}

static void test_golden_of_large_trees(void **state)
{
    (void)state;
    accord_record r = example(numpy_tree(4000));
    expect_golden(&r, "report", NULL, "numpy-4000.report");
    accord_record_clear(&r);
    r = example(chain_tree(1024, 1, false));
    expect_golden(&r, "report", NULL, "sequential-1024.report");
    accord_record_clear(&r);
    r = example(chain_tree(1000, 1, true));
    expect_golden(&r, "report", NULL, "reverse-1000.report");
    accord_record_clear(&r);
    r = example(chain_tree(1009, 16, false));
    expect_golden(&r, "report", NULL, "fused-1009.report");
    accord_record_clear(&r);
    r = example(chain_tree(24, 1, false));
    expect_golden(&r, "report", NULL, "sequential-24.report");
    accord_record_clear(&r);
}

/* The lines of the tree are as wide as allowed at most, of ASCII alone if asked for. */
static void test_report_keeps_to_the_terminal(void **state)
{
    (void)state;
    for (size_t trial = trials(400); trial-- > 0;) {
        accord_record r;
        accord_write_options options;
        accordi_record_init(&r);
        accord_write_options_init(&options);
        r.tree = some_tree();
        r.n = r.tree->leaves;
        options.columns = 40 + (int)accordi_rng_below(&rng, 100);
        options.ascii = accordi_rng_below(&rng, 2);
        accordi_buffer out = written(&r, "report", &options);
        int column = 0;
        for (size_t i = 0; i < out.length; i++) {
            unsigned char c = (unsigned char)out.data[i];
            if (options.ascii)
                assert_true(c == '\n' || (c >= 0x20 && c < 0x7f));
            if (c == '\n' && column == 0)
                break;
            column = c == '\n' ? 0 : column + ((c & 0xc0) != 0x80);
            if (column > options.columns)
                fail_msg("wider than %d:\n%s", options.columns, out.data);
        }
        accordi_buffer_clear(&out);
        accord_record_clear(&r);
    }
}

/* Text from a file cannot steer the terminal, nor break out of a picture. */
static void test_foreign_text(void **state)
{
    (void)state;
    accord_record r = example(tree_of("(0+1)"));
    accord_record_set(&r.target, "\x1b[2J\xc2\x9b\"]; x</text><script>\\", NULL);
    accord_record_set(&r.verdict, "a\nb\x1b\x07 \xff", NULL);
    accordi_buffer out = written(&r, "report", NULL);
    assert_null(strchr(out.data, '\x1b'));
    assert_null(strstr(out.data, "\xc2\x9b"));
    assert_null(strchr(out.data, '\x07'));
    accordi_buffer_clear(&out);
    out = written(&r, "svg", NULL);
    assert_null(strstr(out.data, "<script"));
    accordi_buffer_clear(&out);
    out = written(&r, "dot", NULL);
    assert_non_null(strstr(out.data, "\\\"]; x</text><script>\\\\\";"));
    accordi_buffer_clear(&out);
    accord_record_clear(&r);
}

/* Every node appears once in the picture, and the tags are balanced. */
static void test_svg(void **state)
{
    (void)state;
    accord_write_options whole;
    accord_write_options_init(&whole);
    whole.expand = 1;
    for (size_t trial = trials(60); trial-- > 0;) {
        accord_record r;
        accordi_record_init(&r);
        r.tree = some_tree();
        accordi_buffer out = written(&r, "svg", &whole);
        size_t titles = 0, opened = 0, closed = 0, paths = 0;
        for (char *c = out.data; *c; c++) {
            titles += strncmp(c, "<title>", 7) == 0;
            paths += strncmp(c, "<path class=\"e", 14) == 0;
            opened += *c == '<' && c[1] != '/';
            closed += (*c == '<' && c[1] == '/') || (*c == '/' && c[1] == '>');
        }
        assert_int_equal(titles, r.tree->leaves + r.tree->inner);
        assert_int_equal(paths, r.tree->inner);
        assert_int_equal(opened, closed);
        accordi_buffer_clear(&out);
        accord_record_clear(&r);
    }
}

/* The terms in closed boxes beneath one copy of an item, a box that refers to another one being as
 * good as that. */
static uint64_t terms_in_boxes(const accordi_outline *o, uint32_t i)
{
    const accordi_outline_item *item = &o->item[i];
    uint64_t terms = 0;
    if (item->kind == ACCORDI_OUTLINE_BOX && o->item[item->like].letter)
        return terms_in_boxes(o, item->like);
    if (item->kind == ACCORDI_OUTLINE_BOX && item->leaves == 2 && item->times == 1)
        return 0;
    if (item->kind == ACCORDI_OUTLINE_BOX || item->kind == ACCORDI_OUTLINE_REST)
        return item->leaves;
    for (uint32_t k = i + 1; k < o->count; k++)
        terms += o->item[k].parent == i ? o->item[k].times * terms_in_boxes(o, k) : 0;
    return terms;
}

/* An outline stands for all terms: those of its ends, each times the copies of what is above. */
static void expect_all_terms(const accord_tree *tree, uint32_t most)
{
    accord_pattern *pattern;
    accordi_outline o;
    uint64_t all = 0;
    assert_int_equal(accord_pattern_of(tree, NULL, &pattern, NULL), ACCORD_OK);
    assert_int_equal(accordi_outline_make(pattern, most, &o, NULL), ACCORD_OK);
    assert_true(o.count <= most + 16);
    for (uint32_t i = 0; i < o.count; i++) {
        const accordi_outline_item *item = &o.item[i];
        uint64_t times = item->times;
        for (uint32_t k = i; k > 0; k = o.item[k].parent)
            times *= o.item[o.item[k].parent].times;
        bool open = item->kind == ACCORDI_OUTLINE_NODE || item->kind == ACCORDI_OUTLINE_CHAIN ||
                    item->kind == ACCORDI_OUTLINE_FOLD;
        all += open ? 0 : times * item->leaves;
        assert_true(item->parent < i || i == 0);
        assert_int_equal(item->leaves, o.item[item->like].leaves);
    }
    assert_int_equal(all, tree->leaves);
    assert_int_equal(o.item[0].hidden, terms_in_boxes(&o, 0));
    accordi_outline_clear(&o);
    accord_pattern_free(pattern);
}

static void test_outlines(void **state)
{
    (void)state;
    static const char *const regular[] = {
        "1000: split to 128 by 8 ((lanes 8; pairs) of 8s; chain)",
        "1000000: chain",
        "300: chain back",
        "1009: fuse 16",
        "700: fuse",
        "4096: lanes 16 (fuse 4); fuse",
        ("1000: (lanes 64 of 960; lanes 8 in 16s of 64; lanes 32; lanes 8; halves) of 992; "
         "chain of last 8; chain")};
    for (size_t trial = trials(200); trial-- > 0;) {
        accord_tree *tree = some_tree();
        expect_all_terms(tree, (uint32_t)accordi_rng_below(&rng, 60) + 1);
        accord_tree_free(tree);
    }
    for (size_t i = 0; i < sizeof regular / sizeof *regular; i++) {
        accord_record r;
        accordi_record_init(&r);
        assert_int_equal(accord_notation_parse(regular[i], &r.tree, NULL, NULL, NULL), ACCORD_OK);
        expect_all_terms(r.tree, 48);
        accordi_buffer out = written(&r, "svg", NULL);
        assert_true(out.length < 20000);
        assert_non_null(strstr(out.data, ">×"));
        accordi_buffer_clear(&out);
        accord_record_clear(&r);
    }
}

static bool says_what_is_left_out(uint32_t n, const char *notation)
{
    accord_record r;
    accordi_record_init(&r);
    if (notation)
        assert_int_equal(accord_notation_parse(notation, &r.tree, NULL, NULL, NULL), ACCORD_OK);
    else
        r.tree = random_tree(&rng, BINARY, n);
    accordi_buffer out = written(&r, "svg", NULL);
    bool says = strstr(out.data, "how these are added is not drawn, but --expand draws it") != NULL;
    assert_true(!says || out.length < 20000);
    accordi_buffer_clear(&out);
    accord_record_clear(&r);
    return says;
}

/* An order that does not repeat is drawn whole, or it says what is left out. */
static void test_hidden_parts(void **state)
{
    (void)state;
    assert_true(says_what_is_left_out(4096, NULL));
    assert_false(says_what_is_left_out(1000, NULL));
    assert_false(says_what_is_left_out(0, "100000: lanes 8; halves"));
    assert_false(
        says_what_is_left_out(0, "4096: split to 128 by 8 ((lanes 8; pairs) of 8s; chain)"));
}

/* Where the arithmetic differs, nothing is taken for a copy. */
static void test_outline_kinds(void **state)
{
    (void)state;
    accord_record r;
    accordi_record_init(&r);
    assert_int_equal(accord_notation_parse("512: halves", &r.tree, NULL, NULL, NULL), ACCORD_OK);
    assert_int_equal(accord_arithmetic_plain(ACCORD_TERM_VALUE, ACCORD_F32, ACCORD_F32, ACCORD_F32,
                                             &r.arithmetic, NULL),
                     ACCORD_OK);
    accordi_buffer plain = written(&r, "svg", NULL);
    assert_non_null(strstr(plain.data, ">9 levels<"));
    accord_arithmetic *two;
    assert_int_equal(accord_arithmetic_copy(r.arithmetic, r.tree->inner, &two, NULL), ACCORD_OK);
    accord_operation *operation = realloc(two->operation, 2 * sizeof *operation);
    assert_non_null(operation);
    operation[1] = operation[0];
    operation[1].format = ACCORD_F64;
    two->operation = operation;
    two->operations = 2;
    two->of_node[100] = 1;
    accord_arithmetic_free(r.arithmetic);
    r.arithmetic = two;
    accordi_buffer mixed = written(&r, "svg", NULL);
    assert_null(strstr(mixed.data, ">9 levels<"));
    assert_non_null(strstr(mixed.data, ">f64</text>"));
    accordi_buffer_clear(&plain);
    accordi_buffer_clear(&mixed);
    /* So where alpha enters at another operand of one term. */
    two->of_node[100] = 0;
    two->alpha = 2;
    two->alpha_at = ACCORD_ALPHA_NODES;
    two->alpha_nodes = (size_t)r.tree->leaves + r.tree->inner;
    two->alpha_of = calloc(two->alpha_nodes, 1);
    assert_non_null(two->alpha_of);
    memset(two->alpha_of, ACCORD_SCALED_X, r.tree->leaves);
    accordi_buffer scaled = written(&r, "svg", NULL);
    assert_non_null(strstr(scaled.data, ">9 levels<"));
    accordi_buffer_clear(&scaled);
    two->alpha_of[7] = ACCORD_SCALED_Y;
    scaled = written(&r, "svg", NULL);
    assert_null(strstr(scaled.data, ">9 levels<"));
    accordi_buffer_clear(&scaled);
    accord_record_clear(&r);
}

/* Below scale 1 of a tenth of the terms. */
static void test_large(void **state)
{
    (void)state;
    static const enum tree_kind kinds[] = {SHUFFLED_CATERPILLAR, BINARY, MULTIWAY, CATERPILLAR};
    const uint32_t most = trials_are_all() ? 1000000 : 100000;
    const uint32_t sizes[] = {most, most / 10, most / 10, 10000};
    static const char *const readable[] = {"json", "text"};
    for (size_t i = 0; i < 4; i++) {
        accord_record a = example(random_tree(&rng, kinds[i], sizes[i]));
        for (size_t k = 0; k < 2; k++) {
            accord_record b;
            accordi_buffer text = written(&a, readable[k], NULL);
            accordi_record_init(&b);
            assert_int_equal(accord_record_read(text.data, text.length, &b, NULL), ACCORD_OK);
            assert_true(accord_tree_equal(a.tree, b.tree));
            expect_refused(text.data, text.length - 9, "line", "");
            accordi_buffer_clear(&text);
            accord_record_clear(&b);
        }
        accordi_buffer report = written(&a, "report", NULL), svg = written(&a, "svg", NULL);
        accordi_buffer dot = written(&a, "dot", NULL);
        assert_true(report.length < 20000);
        assert_true(sizes[i] > 10000 || svg.length < 2000000);
        accordi_buffer_clear(&report);
        accordi_buffer_clear(&svg);
        accordi_buffer_clear(&dot);
        accord_record_clear(&a);
    }
}

/* The string is what the writer sends to a sink. */
static void test_strings(void **state)
{
    (void)state;
    accord_record record;
    accord_error error;
    const accord_writer *writer;
    char *text = NULL;
    accordi_record_init(&record);
    assert_int_equal(
        accord_record_string(&record, accord_writer_by_name("text"), NULL, &text, &error),
        ACCORD_UNSUPPORTED);
    assert_null(text);
    assert_int_equal(accord_record_read("((0+1)+2)", 9, &record, &error), ACCORD_OK);
    for (size_t i = 0; (writer = accord_writer_at(i)); i++) {
        accordi_buffer due = written(&record, writer->name, NULL);
        assert_int_equal(accord_record_string(&record, writer, NULL, &text, &error), ACCORD_OK);
        assert_int_equal(strlen(text), due.length);
        assert_memory_equal(text, due.data, due.length);
        free(text);
        accordi_buffer_clear(&due);
    }
    accord_record_clear(&record);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strings),
        cmocka_unit_test(test_record_life),
        cmocka_unit_test(test_json_round_trip),
        cmocka_unit_test(test_json_of_odd_values),
        cmocka_unit_test(test_text_round_trip),
        cmocka_unit_test(test_hostile_text),
        cmocka_unit_test(test_hostile_depth),
        cmocka_unit_test(test_json_accepts),
        cmocka_unit_test(test_hostile_json),
        cmocka_unit_test(test_arithmetic_round_trip),
        cmocka_unit_test(test_hostile_arithmetic),
        cmocka_unit_test(test_alternatives),
        cmocka_unit_test(test_alternatives_compared),
        cmocka_unit_test(test_hostile_alternatives),
        cmocka_unit_test(test_damaged_files),
        cmocka_unit_test(test_load),
        cmocka_unit_test(test_table_of_writers),
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_golden_of_arithmetic),
        cmocka_unit_test(test_golden_of_large_trees),
        cmocka_unit_test(test_report_keeps_to_the_terminal),
        cmocka_unit_test(test_foreign_text),
        cmocka_unit_test(test_svg),
        cmocka_unit_test(test_outlines),
        cmocka_unit_test(test_outline_kinds),
        cmocka_unit_test(test_hidden_parts),
        cmocka_unit_test(test_large),
    };
    accordi_rng_init(&rng, trials_seed());
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Room survey: identity of questions, keys, circumstances and verdicts, folders of records, groups
 * of many answers. Records are made here field by field, so that each rule is met alone. */
#include "base/base.h"
#include "record/record.h"
#include <accord/accord.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- records ---- */

/* An order in brackets with plain arithmetic, as accord_reveal would leave it. */
static accord_record record_of(const char *brackets)
{
    accord_record record;
    accord_error error;
    accordi_record_init(&record);
    if (accord_record_read(brackets, strlen(brackets), &record, &error) != ACCORD_OK ||
        accord_arithmetic_plain(ACCORD_TERM_VALUE, ACCORD_F32, ACCORD_F32, ACCORD_F32,
                                &record.arithmetic, &error) != ACCORD_OK)
        fail_msg("%s", error.text);
    accord_record_set(&record.target, "synthetic:test", NULL);
    accord_record_set(&record.format, "f32", NULL);
    accord_record_set(&record.status, "ok", NULL);
    accord_record_set(&record.reason, "none", NULL);
    accord_record_set(&record.accord, "0", NULL);
    return record;
}

/* No order: answers alone, or none (digest NULL), of which so many varied. */
static accord_record answers_of(int64_t n, const char *digest, int64_t varied)
{
    accord_record record;
    accordi_record_init(&record);
    record.n = n;
    record.answers.generator = digest ? 1 : 0;
    record.answers.inputs = digest ? 10 : 0;
    record.answers.varied = varied;
    record.answers.digest = digest ? accordi_strdup(digest) : NULL;
    accord_record_set(&record.target, "synthetic:test", NULL);
    accord_record_set(&record.status, "unable", NULL);
    accord_record_set(&record.reason, varied ? "nondeterministic" : "not-a-tree", NULL);
    return record;
}

static accord_error error_of(enum accord_status status, enum accord_reason reason, const char *text)
{
    accord_error error = {.status = status, .reason = reason};
    snprintf(error.text, sizeof error.text, "%s", text);
    return error;
}

/* ---- questions ---- */

static void test_same_question(void **state)
{
    (void)state;
    accord_record a = record_of("((0+1)+2)"), b = record_of("((0+1)+2)");
    assert_true(accord_record_same_question(&a, &b));
    a.alignment = -1; /* not known counts as 0 */
    b.alignment = 0;
    assert_true(accord_record_same_question(&a, &b));
    b.alignment = 4;
    assert_false(accord_record_same_question(&a, &b));
    b.alignment = 0;
    char **const texts[] = {&b.target,    &b.format,  &b.shape,    &b.element,
                            &b.transpose, &b.strides, &b.signature};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char *kept = *texts[i];
        *texts[i] = accordi_strdup("another");
        assert_false(accord_record_same_question(&a, &b));
        assert_false(accord_record_same_question(&b, &a));
        free(*texts[i]);
        *texts[i] = kept;
    }
    double *const reals[] = {&b.alpha, &b.beta};
    for (size_t i = 0; i < 2; i++) {
        *reals[i] += 1;
        assert_false(accord_record_same_question(&a, &b));
        *reals[i] -= 1;
    }
    b.n++;
    assert_false(accord_record_same_question(&a, &b));
    b.n--;
    /* What is no part of the question. */
    accord_record_set(&b.library_version, "2", NULL);
    b.seed = 7;
    assert_true(accord_record_same_question(&a, &b));
    accord_record_clear(&a);
    accord_record_clear(&b);
}

static void test_has_answer(void **state)
{
    (void)state;
    accord_record order = record_of("(0+1)"), none = answers_of(8, "d", 0), failed;
    accordi_record_init(&failed);
    accord_record_set(&failed.target, "blas:sdot", NULL); /* what a failed reveal leaves */
    assert_true(accord_record_has_answer(&order));
    assert_true(accord_record_has_answer(&none));
    assert_false(accord_record_has_answer(&failed));
    accord_record_set(&none.reason, "out-of-range", NULL);
    assert_true(accord_record_has_answer(&none)); /* there are answers to compare */
    none.answers.generator = 0;
    assert_false(accord_record_has_answer(&none));
    accord_record_clear(&order);
    accord_record_clear(&none);
    accord_record_clear(&failed);
}

/* The digits are those of sha256sum, so that they never change unseen. */
static void test_keys(void **state)
{
    (void)state;
    accord_record record;
    char key[ACCORD_KEY_SIZE];
    accordi_record_init(&record);
    assert_int_equal(accord_record_key(&record, key, NULL), ACCORD_OK);
    assert_string_equal(key, "01ba4719c80b"); /* of a newline alone */
    accord_record_set(&record.cpu_features, "avx2 fma", NULL);
    accord_record_set(&record.library_version, "OpenBLAS 0.3", NULL);
    assert_int_equal(accord_record_key(&record, key, NULL), ACCORD_OK);
    assert_string_equal(key, "8ba84431746d");
    accord_record_set(&record.cpu, "another", NULL);
    char same[ACCORD_KEY_SIZE];
    assert_int_equal(accord_record_key(&record, same, NULL), ACCORD_OK);
    assert_string_equal(key, same);
    accord_record_clear(&record);
}

/* ---- a record beside today's answer ---- */

static void test_circumstances(void **state)
{
    (void)state;
    accord_record then = record_of("(0+1)"), now = record_of("(0+1)");
    accord_circumstance moved[ACCORD_CIRCUMSTANCES];
    assert_int_equal(accord_circumstances_compare(&then, &now, moved), 0);
    accord_record_set(&now.cpu, "B", NULL); /* only one tells */
    now.threads = 4;
    assert_int_equal(accord_circumstances_compare(&then, &now, moved), 0);
    accord_record_set(&then.cpu, "A", NULL);
    then.threads = 2;
    accord_record_set(&now.environment, "X=1\n", NULL); /* the other one had no setting */
    assert_int_equal(accord_circumstances_compare(&then, &now, moved), 3);
    assert_string_equal(moved[0].name, "cpu");
    assert_string_equal(moved[0].then, "A");
    assert_string_equal(moved[0].now, "B");
    assert_string_equal(moved[1].name, "environment");
    assert_string_equal(moved[1].then, "none");
    assert_string_equal(moved[2].name, "threads");
    assert_null(moved[2].then);
    assert_int_equal(moved[2].count_then, 2);
    assert_int_equal(moved[2].count_now, 4);
    accord_record_clear(&then);
    accord_record_clear(&now);
}

static void test_verdicts(void **state)
{
    (void)state;
    accord_record one = record_of("((0+1)+2)"), again = record_of("((0+1)+2)");
    accord_record other = record_of("(0+(1+2))"), noise = answers_of(3, "d", 2);
    accord_verdict v;
    accord_verdict_judge(&one, &again, &v);
    assert_true(v.same && !v.open && v.moved == 0);
    assert_string_equal(accord_verdict_name(&v), "same");
    accord_verdict_judge(&one, &other, &v);
    assert_true(!v.same && !v.open);
    assert_string_equal(accord_verdict_name(&v), "changed");
    one.threads = 1;
    other.threads = 2;
    accord_verdict_judge(&one, &other, &v);
    assert_string_equal(accord_verdict_name(&v), "changed-elsewhere");
    accord_verdict_judge(&noise, &noise, &v);
    assert_true(v.open && !v.same);
    assert_string_equal(accord_verdict_name(&v), "cannot-tell");
    accord_record a = answers_of(3, "d", 0), b = answers_of(3, "d", 0);
    accord_verdict_judge(&a, &b, &v);
    assert_true(v.same);
    assert_string_equal(accord_verdict_name(&v), "same-on-inputs");
    accord_record *const all[] = {&one, &again, &other, &noise, &a, &b};
    for (size_t i = 0; i < 6; i++)
        accord_record_clear(all[i]);
}

/* ---- folders ---- */

static bool to_file(void *file, const char *text, size_t length)
{
    return fwrite(text, 1, length, file) == length;
}

static void save(const accord_folder_file *file)
{
    FILE *out = fopen(file->path, "w");
    assert_non_null(out);
    assert_int_equal(accord_records_write(&file->records, to_file, out, NULL), ACCORD_OK);
    fclose(out);
}

static char root[] = "/tmp/accord-survey-XXXXXX";

static int make_root(void **state)
{
    (void)state;
    return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state)
{
    (void)state;
    char command[100];
    snprintf(command, sizeof command, "rm -r %s", root);
    return system(command);
}

static void make(const char *name, const char *file, const char *text)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", root, name);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/%s/%s", root, name, file);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

static void delete (const char *name, const char *file)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s/%s", root, name, file);
    assert_int_equal(unlink(path), 0);
}

static void test_folders(void **state)
{
    (void)state;
    accord_error error;
    char key[ACCORD_KEY_SIZE];
    accord_folder *folder = accord_folder_new(root);
    accord_record one = record_of("((0+1)+2)"), other = record_of("(0+(1+2))");
    accord_record wide = record_of("(((0+1)+2)+3)");
    assert_int_equal(accord_record_key(&one, key, NULL), ACCORD_OK);
    make("a", "ignored.txt", "");
    assert_int_equal(accord_folder_read_file(folder, "a", key, &error), ACCORD_OK);
    assert_null(accord_folder_file_at(folder, 0)); /* it is not there */
    assert_int_equal(accord_folder_read_file(folder, "a", "xyz", &error), ACCORD_ARG);
    assert_int_equal(accord_folder_put(folder, "a", key, &one, &error), ACCORD_OK);
    assert_null(one.tree); /* taken over */
    assert_int_equal(accord_folder_put(folder, "a", key, &wide, &error), ACCORD_OK);
    const accord_folder_file *file, *where = NULL;
    file = accord_folder_file_at(folder, 0);
    assert_int_equal(file->records.count, 2);
    const accord_record *found = accord_folder_find(folder, "a", key, &other, &where);
    assert_ptr_equal(where, file);
    assert_ptr_equal(found, file->records.list[0]);
    assert_ptr_equal(accord_folder_find(folder, "a", NULL, &other, NULL), found);
    assert_null(accord_folder_find(folder, "b", NULL, &other, NULL));
    assert_null(accord_folder_find(folder, "a", "0123456789ab", &other, NULL));
    /* The same question: in its place. */
    assert_int_equal(accord_folder_put(folder, "a", key, &other, &error), ACCORD_OK);
    assert_int_equal(file->records.count, 2);
    assert_true(file->changed);
    save(file);
    char *path = accord_folder_path(folder, "a", key);
    assert_string_equal(path, file->path);
    free(path);
    accord_folder_free(folder);

    folder = accord_folder_new(root);
    assert_int_equal(accord_folder_read(folder, &error), ACCORD_OK);
    file = accord_folder_file_at(folder, 0);
    assert_non_null(file);
    assert_null(accord_folder_file_at(folder, 1));
    assert_string_equal(file->name, "a");
    assert_string_equal(file->key, key);
    assert_false(file->changed);
    assert_int_equal(file->records.count, 2);
    other = record_of("(0+(1+2))");
    found = accord_folder_find(folder, "a", key, &other, NULL);
    assert_true(found && accord_tree_equal(found->tree, other.tree));
    accord_record_clear(&other);
    accord_folder_free(folder);
    accord_folder_free(NULL);
}

static void check_refused(const char *name, const char *file, const char *text, const char *word)
{
    accord_error error = {0};
    accord_folder *folder = accord_folder_new(root);
    make(name, file, text);
    assert_int_equal(accord_folder_read(folder, &error), ACCORD_PARSE);
    if (!strstr(error.text, word))
        fail_msg("%s", error.text);
    delete (name, file);
    accord_folder_free(folder);
}

static void test_bad_folders(void **state)
{
    (void)state;
    accord_error error;
    accord_folder *folder = accord_folder_new("/nonexistent/folder");
    assert_int_equal(accord_folder_read(folder, &error), ACCORD_IO);
    accord_folder_free(folder);
    check_refused("b", "x.json", "{}", "the name of a record");
    check_refused("b", "0123456789ABC.json", "{}", "the name of a record");
    check_refused("b", "01ba4719c80b.json", "[{", "line 1");
    check_refused("b", "01ba4719c80b.json", "[]", "contains no order");
    check_refused("b", "01ba4719c80b.json", "(0+1)", "names no target");
    check_refused(".", "x.json", "{}", "NAME/KEY.json");
#define QUESTION "{\"accord\":1,\"question\":{\"target\":\"synthetic:kahan\",\"n\":8}}"
    check_refused("b", "0123456789ab.json", QUESTION, "rename the file to 01ba4719c80b.json");
    check_refused("b", "01ba4719c80b.json", "[" QUESTION "," QUESTION "]",
                  "two orders, 1 and 2, that answer the same question");
}

/* ---- groups ---- */

typedef struct row {
    size_t terms;
    accord_record *record;
    accord_error error;
} row;

/* The letters of the rows, and the verdict. */
static void check_groups(const row *rows, size_t count, const char *letters,
                         enum accord_sameness sameness, enum accord_status failure)
{
    accord_survey *survey = accord_survey_new();
    accord_survey_verdict verdict;
    accord_error error;
    for (size_t i = 0; i < count; i++) {
        size_t g;
        assert_int_equal(accord_survey_add(survey, rows[i].terms, rows[i].record,
                                           rows[i].error.status ? &rows[i].error : NULL, &g,
                                           &error),
                         ACCORD_OK);
        assert_int_equal(accord_survey_group(survey, g)->letter[0], letters[i]);
    }
    accord_survey_judge(survey, &verdict);
    if (verdict.sameness != sameness)
        fail_msg("%s: %s, not %s (%s)", letters, accord_sameness_name(verdict.sameness),
                 accord_sameness_name(sameness), verdict.text);
    assert_int_equal(verdict.failure, failure);
    accord_survey_free(survey);
}

static void test_groups(void **state)
{
    (void)state;
    accord_record one = record_of("((0+1)+2)"), again = record_of("((0+1)+2)");
    accord_record other = record_of("(0+(1+2))"), wide = record_of("(((0+1)+2)+3)");
    accord_record sure = answers_of(3, "d", 0), noise = answers_of(3, "e", 2);
    accord_record mute = answers_of(3, NULL, 0);
    accord_error varies = error_of(ACCORD_UNABLE, ACCORD_REASON_NONDETERMINISTIC, "varies");
    accord_error unable = error_of(ACCORD_UNABLE, ACCORD_REASON_NOT_A_TREE, "no tree");
    accord_error crash = error_of(ACCORD_TARGET, ACCORD_REASON_NONE, "crashed");
    accord_error late = error_of(ACCORD_TARGET, ACCORD_REASON_NONE, "timed out");
    const struct {
        row rows[4];
        size_t count;
        const char *letters;
        enum accord_sameness sameness;
        enum accord_status failure;
    } cases[] = {
        {{{3, &one, {0}}}, 1, "A", ACCORD_SAME, 0},
        {{{3, &one, {0}}, {3, &again, {0}}}, 2, "AA", ACCORD_SAME, 0},
        {{{3, &one, {0}}, {3, &other, {0}}, {3, &again, {0}}}, 3, "ABA", ACCORD_DIFFERS, 0},
        /* only as many terms are compared */
        {{{3, &one, {0}}, {4, &wide, {0}}, {3, &again, {0}}}, 3, "ABA", ACCORD_SAME, 0},
        /* answers decide where nothing is explained */
        {{{3, &sure, unable}}, 1, "A", ACCORD_SAME_ON_INPUTS, 0},
        {{{3, &sure, unable}, {3, &sure, unable}}, 2, "AA", ACCORD_SAME_ON_INPUTS, 0},
        {{{4, &wide, {0}}, {3, &sure, unable}}, 2, "AB", ACCORD_SAME_ON_INPUTS, 0},
        /* what varies is one group of which nothing can be told, however few it has */
        {{{3, &noise, varies}}, 1, "A", ACCORD_CANNOT_TELL, 0},
        {{{3, &noise, varies}, {3, &noise, varies}}, 2, "AA", ACCORD_CANNOT_TELL, 0},
        {{{4, &wide, {0}}, {3, &noise, varies}}, 2, "AB", ACCORD_CANNOT_TELL, 0},
        {{{3, &mute, unable}, {3, &mute, unable}}, 2, "AA", ACCORD_CANNOT_TELL, 0},
        /* what varies differs from what does not, whichever came first */
        {{{3, &noise, varies}, {3, &sure, unable}}, 2, "AB", ACCORD_DIFFERS, 0},
        {{{3, &sure, unable}, {3, &noise, varies}}, 2, "AB", ACCORD_DIFFERS, 0},
        /* failures: a setting under which there is no answer is not the same as any other */
        {{{3, NULL, crash}, {3, NULL, crash}}, 2, "AA", ACCORD_CANNOT_TELL, ACCORD_TARGET},
        {{{3, NULL, crash}, {3, NULL, late}}, 2, "AB", ACCORD_DIFFERS, ACCORD_TARGET},
        {{{3, &one, {0}}, {3, NULL, crash}}, 2, "AB", ACCORD_DIFFERS, 0},
        {{{3, NULL, crash}, {3, &one, {0}}}, 2, "AB", ACCORD_DIFFERS, 0},
        {{{4, NULL, crash}, {3, &one, {0}}}, 2, "AB", ACCORD_CANNOT_TELL, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_groups(cases[i].rows, cases[i].count, cases[i].letters, cases[i].sameness,
                     cases[i].failure);
    accord_record *const all[] = {&one, &again, &other, &wide, &sure, &noise, &mute};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        accord_record_clear(all[i]);
}

static void test_what_groups_tell(void **state)
{
    (void)state;
    accord_record one = record_of("((0+1)+2)"), sure = answers_of(3, "d", 0);
    accord_error unable = error_of(ACCORD_UNABLE, ACCORD_REASON_NOT_A_TREE, "no tree"), error;
    accord_survey *survey = accord_survey_new();
    accord_survey_verdict verdict;
    char print[ACCORD_FINGERPRINT_SIZE];
    size_t g;
    accord_survey_judge(survey, &verdict); /* of nothing */
    assert_true(verdict.sameness == ACCORD_SAME && verdict.failure == ACCORD_OK);
    assert_int_equal(accord_survey_add(survey, 3, NULL, NULL, &g, &error), ACCORD_ARG);
    assert_null(accord_survey_group(survey, 0));
    accord_survey_add(survey, 3, &one, NULL, &g, &error);
    accord_survey_add(survey, 3, &one, NULL, &g, &error);
    accord_survey_add(survey, 5, &sure, &unable, &g, &error);
    assert_int_equal(g, 1);
    const accord_group *first = accord_survey_group(survey, 0);
    const accord_group *second = accord_survey_group(survey, 1);
    assert_int_equal(first->members, 2);
    assert_int_equal(first->inputs, 0);
    assert_ptr_equal(first->record, &one);
    assert_int_equal(accord_record_fingerprint(&one, print, NULL), ACCORD_OK);
    assert_string_equal(first->fingerprint, print);
    assert_int_equal(accord_record_fingerprint(&sure, print, NULL), ACCORD_ARG);
    assert_string_equal(second->fingerprint, "");
    assert_string_equal(second->error.text, "no tree");
    assert_int_equal(second->inputs, 10);
    accord_survey_judge(survey, &verdict);
    assert_int_equal(verdict.inputs, 10);
    assert_non_null(strstr(verdict.text, "10 inputs"));
    accord_survey_free(survey);
    accord_survey_free(NULL);
    accord_record_clear(&one);
    accord_record_clear(&sure);
}

/* A, B … Z, AA, AB …: a group for each number of terms. */
static void test_letters(void **state)
{
    (void)state;
    static const struct {
        size_t at;
        const char *letter;
    } due[] = {{0, "A"}, {25, "Z"}, {26, "AA"}, {51, "AZ"}, {52, "BA"}, {701, "ZZ"}, {702, "AAA"}};
    accord_record one = record_of("((0+1)+2)");
    accord_survey *survey = accord_survey_new();
    for (size_t i = 0; i <= 702; i++) {
        size_t g;
        assert_int_equal(accord_survey_add(survey, i, &one, NULL, &g, NULL), ACCORD_OK);
        assert_int_equal(g, i);
    }
    for (size_t i = 0; i < sizeof due / sizeof due[0]; i++)
        assert_string_equal(accord_survey_group(survey, due[i].at)->letter, due[i].letter);
    accord_survey_free(survey);
    accord_record_clear(&one);
}

/* ---- several records in one text ---- */

static bool to_buffer(void *buffer, const char *text, size_t length)
{
    accordi_buffer_append(buffer, text, length);
    return true;
}

static bool refuse(void *context, const char *text, size_t length)
{
    (void)context, (void)text, (void)length;
    return false;
}

static void test_records(void **state)
{
    (void)state;
    accord_error error;
    accord_record list[] = {record_of("((0+1)+2)"), record_of("(0+(1+2))")};
    accord_record *both[] = {&list[0], &list[1]};
    accord_records two = {both, 2}, back = {NULL, 0}, none = {NULL, 0};
    accordi_buffer text = {0};
    assert_int_equal(accord_records_write(&two, to_buffer, &text, &error), ACCORD_OK);
    assert_int_equal(accord_records_write(&two, refuse, NULL, &error), ACCORD_IO);
    assert_int_equal(accord_records_write(&none, to_buffer, &text, &error), ACCORD_OK);
    text.length -= strlen("[]\n");
    assert_int_equal(accord_records_read(text.data, text.length, &back, &error), ACCORD_OK);
    assert_int_equal(back.count, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_true(accord_tree_equal(back.list[i]->tree, list[i].tree));
        accord_record_clear(&list[i]);
    }
    accord_records_clear(&back);
    assert_true(back.count == 0 && !back.list);
    assert_int_equal(accord_records_read(" (0+1)", 6, &back, &error), ACCORD_OK);
    assert_int_equal(back.count, 1);
    static const char *const bad[] = {"", "[", "[]", "[7]", "[\"(0+1)\"]", "{", "(0+1", "[{},]"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(accord_records_read(bad[i], strlen(bad[i]), &back, &error), ACCORD_PARSE);
    assert_int_equal(back.count, 1); /* untouched */
    accord_records_clear(&back);
    accordi_buffer_clear(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_question),
        cmocka_unit_test(test_has_answer),
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_circumstances),
        cmocka_unit_test(test_verdicts),
        cmocka_unit_test(test_folders),
        cmocka_unit_test(test_bad_folders),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_what_groups_tell),
        cmocka_unit_test(test_letters),
        cmocka_unit_test(test_records),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}

/* Maps as files: JSON comes back, what is damaged is refused, pictures show the classes. */
#include "map_grids.h"

static void write_map(const accord_map *map, const char *form, accordi_buffer *out)
{
    accord_error error;
    accord_write_options options;
    accord_write_options_init(&options);
    options.ascii = true;
    out->length = 0;
    assert_int_equal(accord_map_write(map, accord_map_writer_by_name(form), &options,
                                      accordi_buffer_write, out, &error),
                     ACCORD_OK);
}

static void some_map(accord_map *map, size_t rows, size_t columns, void (*pattern)(grid *))
{
    grid g;
    accord_error error;
    accordi_rng rng;
    accordi_rng_init(&rng, 3);
    grid_of_two(&g, &rng, rows, columns, 12, ACCORDI_TREE_YULE, ACCORDI_TREE_LANES);
    pattern(&g);
    assert_int_equal(map_grid(&g, 1, map, &error), ACCORD_OK);
    check(&g, map);
    grid_clear(&g);
}

static void test_json_comes_back(void **state)
{
    (void)state;
    accord_map map, again;
    accord_error error;
    accordi_buffer text = {0}, copy = {0};
    some_map(&map, 9, 10, tile);
    accordi_map_init(&again);
    write_map(&map, "json", &text);
    assert_int_equal(accord_map_read(text.data, text.length, &again, &error), ACCORD_OK);
    assert_memory_equal(map.class_of, again.class_of, 90 * sizeof *map.class_of);
    assert_true(accord_tree_equal(map.each[1].record.tree, again.each[1].record.tree));
    write_map(&again, "json", &copy);
    assert_string_equal(text.data, copy.data);
    accord_map_clear(&map);
    accord_map_clear(&again);
    accordi_buffer_clear(&text);
    accordi_buffer_clear(&copy);
}

static void test_damaged_files(void **state)
{
    (void)state;
    accord_map map, before, again;
    accord_error error;
    accordi_rng rng;
    accordi_buffer text = {0};
    accordi_rng_init(&rng, trials_seed());
    some_map(&map, 9, 10, tile);
    write_map(&map, "json", &text);
    accordi_map_init(&again);
    before = again;
    for (size_t cut = 0; cut + 2 < text.length; cut += 1 + text.length / 200) {
        assert_int_equal(accord_map_read(text.data, cut, &again, &error), ACCORD_PARSE);
        assert_memory_equal(&before, &again, sizeof again);
    }
    size_t refused = 0, count = trials(3000);
    for (size_t t = 0; t < count; t++) { /* whatever is read is sound */
        size_t at = (size_t)accordi_rng_below(&rng, text.length);
        char old = text.data[at];
        text.data[at] = "0123456789,[]{}\"-e"[accordi_rng_below(&rng, 18)];
        enum accord_status status = accord_map_read(text.data, text.length, &again, &error);
        assert_true(status == ACCORD_OK || status == ACCORD_PARSE);
        refused += status == ACCORD_PARSE;
        if (status == ACCORD_OK) {
            uint64_t members = 0;
            for (size_t id = 0; id < again.classes; id++)
                members += again.each[id].members;
            assert_int_equal(members, (uint64_t)again.rows * again.columns);
            for (size_t i = 0; i < (size_t)again.rows * again.columns; i++)
                assert_true(again.class_of[i] < again.classes);
        }
        accord_map_clear(&again);
        text.data[at] = old;
    }
    assert_true(refused > count / 4);
    accord_map_clear(&map);
    accordi_buffer_clear(&text);
}

static void test_hostile_files(void **state)
{
    (void)state;
#define RECORD "\"record\": {\"accord\": 1}"
#define CLASS(members)                                                                             \
    "{\"members\": " members ", \"certified\": 0, \"row\": 0, \"column\": 0, " RECORD "}"
#define MAP(rows, columns, of, classes)                                                            \
    "{\"accord\": 1, \"map\": {\"rows\": " rows ", \"columns\": " columns ", \"class_of\": " of    \
    "}, \"classes\": " classes "}"
    static const struct {
        const char *text;
        bool good;
    } files[] = {
        {MAP("2", "3", "[[2,3,0]]", "[" CLASS("6") "]"), true},
        {MAP("2", "3", "[[1,3,0],[1,1,0,2,0]]", "[" CLASS("6") "]"), true},
        {MAP("2", "3", "[[2,3,0]]", "[" CLASS("5") "]"), false},
        {MAP("2", "3", "[[2,2,0]]", "[" CLASS("6") "]"), false},
        {MAP("2", "3", "[[1,3,0]]", "[" CLASS("6") "]"), false},
        {MAP("2", "3", "[[3,3,0]]", "[" CLASS("6") "]"), false},
        {MAP("2", "3", "[[2,3,1]]", "[" CLASS("6") "]"), false},
        {MAP("2", "3", "[[2,3,-1]]", "[" CLASS("6") "]"), false},
        {MAP("2", "3", "[[2,4,0]]", "[" CLASS("6") "]"), false},
        {MAP("2", "3", "[[2,0,0,3,0]]", "[" CLASS("6") "]"), false},
        {MAP("2", "3", "[[0,3,0],[2,3,0]]", "[" CLASS("6") "]"), false},
        {MAP("2", "3", "[[2,3]]", "[" CLASS("6") "]"), false},
        {MAP("2", "3", "[]", "[" CLASS("6") "]"), false},
        {MAP("2", "3", "[2,3,0]", "[" CLASS("6") "]"), false},
        {MAP("2", "3", "{}", "[" CLASS("6") "]"), false},
        {MAP("2", "3", "[[2,3,0]]", "[" CLASS("6") "," CLASS("1") "]"), false},
        {MAP("2", "3", "[[2,3,0]]", "[]"), false},
        {MAP("2", "3", "[[2,3,0]]", "{}"), false},
        {MAP("0", "3", "[[2,3,0]]", "[" CLASS("6") "]"), false},
        {MAP("4294967295", "4294967295", "[[4294967295,4294967295,0]]", "[" CLASS("6") "]"), false},
        {MAP("1e3", "3", "[[2,3,0]]", "[" CLASS("6") "]"), false},
        {MAP("\"2\"", "3", "[[2,3,0]]", "[" CLASS("6") "]"), false},
        {"{\"accord\": 2, \"map\": {}}", false},
        {"{\"accord\": 1}", false},
        {"[]", false},
        {"", false},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        accord_map map;
        accord_error error;
        accordi_map_init(&map);
        enum accord_status status =
            accord_map_read(files[i].text, strlen(files[i].text), &map, &error);
        if ((status == ACCORD_OK) != files[i].good)
            fail_msg("%s: %s", files[i].text, status ? error.text : "read");
        assert_true(status == ACCORD_OK || status == ACCORD_PARSE);
        accord_map_clear(&map);
    }
}

static void test_pictures(void **state)
{
    (void)state;
    accord_map map;
    accordi_buffer text = {0};
    some_map(&map, 3, 5, last_column);
    write_map(&map, "report", &text);
    assert_non_null(strstr(text.data, "      0 AAAAB\n      1 AAAAB\n      2 AAAAB\n"));
    assert_non_null(strstr(text.data, "12 of 15 elements (80.0 %), the first at 0,0"));
    assert_non_null(strstr(text.data, "every element certified"));
    write_map(&map, "svg", &text);
    assert_non_null(strstr(text.data, "M0 0h4v3h-4z"));
    assert_non_null(strstr(text.data, "M4 0h1v3h-1z"));
    assert_non_null(strstr(text.data, "<svg id=\"t1\""));
    accord_map_clear(&map);
    some_map(&map, 4, 200, last_column); /* does not fit: four columns to a mark */
    write_map(&map, "report", &text);
    assert_non_null(strstr(text.data, "Each mark stands for"));
    assert_non_null(strstr(text.data, "AAAAAAAAAAAa\n"));
    accord_map_clear(&map);
    some_map(&map, 30, 1, lone_element); /* one line */
    write_map(&map, "report", &text);
    assert_non_null(strstr(text.data, "      0 AAAAAAAAAAAAAAABAAAAAAAAAAAAAA\n"));
    accord_map_clear(&map);
    accordi_buffer_clear(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json_comes_back),
        cmocka_unit_test(test_damaged_files),
        cmocka_unit_test(test_hostile_files),
        cmocka_unit_test(test_pictures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

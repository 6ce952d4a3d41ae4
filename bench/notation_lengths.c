/* accord-notation-lengths TARGET FORMAT SHAPE ELEMENT N...: reveals the order of TARGET for each
 * number of terms N, or A-B/STEP, and prints a row of a table: how many orders there were, how long
 * their longest notation is, and that notation. SHAPE is what stands before the number of terms in
 * --shape, as in 7x9x; - for vectors. Each notation is parsed back and compared. */
#include <accord/accord.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct tally {
    size_t orders, failed, over, irregular, longest;
    char text[400];
} tally;

static void count(tally *t, const accord_tree *tree)
{
    char *text = NULL;
    bool regular = false;
    accord_tree *again = NULL;
    if (accord_notation_write(tree, NULL, &text, &regular, NULL) ||
        accord_notation_parse(text, &again, NULL, NULL, NULL) || !accord_tree_equal(tree, again)) {
        fprintf(stderr, "a notation is wrong: %.200s\n", text ? text : "");
        exit(1);
    }
    size_t length = strlen(text);
    t->orders++;
    t->over += length > 120;
    t->irregular += !regular;
    if (length > t->longest) {
        t->longest = length;
        snprintf(t->text, sizeof t->text, "%s", text);
    }
    accord_tree_free(again);
    accord_notation_free(text);
}

static void ask(tally *t, char **argument, size_t n)
{
    accord_target_options options;
    accord_reveal_options how;
    accord_target *target = NULL;
    accord_record *record = accord_record_new();
    char shape[64];
    accord_target_options_init(&options);
    accord_reveal_options_init(&how);
    how.no_certificate = true;
    options.n = n;
    options.has_format = accord_format_by_name(argument[2], &options.format);
    snprintf(shape, sizeof shape, "%s%zu", argument[3], n);
    if (strcmp(argument[3], "-") != 0) {
        options.shape = shape;
        options.element = argument[4];
    }
    if (record && accord_target_open(argument[1], &options, &target, NULL) == ACCORD_OK &&
        accord_reveal(target, &how, record, NULL) == ACCORD_OK && record->tree)
        count(t, record->tree);
    else
        t->failed++;
    accord_target_close(target);
    accord_record_free(record);
}

int main(int count_of, char **argument)
{
    tally t = {0};
    if (count_of < 6)
        return 2;
    for (int i = 5; i < count_of; i++) {
        size_t first = 0, last = 0, step = 1;
        int given = sscanf(argument[i], "%zu-%zu/%zu", &first, &last, &step);
        last = given < 2 ? first : last;
        for (size_t n = first; n > 0 && n <= last && step > 0; n += step)
            ask(&t, argument, n);
    }
    printf("| %s | %s | %zu | %zu | %zu | %zu | %zu | `%s` |\n", argument[1], argument[3], t.orders,
           t.failed, t.longest, t.over, t.irregular, t.text);
    return 0;
}

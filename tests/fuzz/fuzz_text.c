/* Fuzzer of the reader of brackets: what reads is canonical, writes, and reads back equal; what
 * does not read leaves nothing behind.
 * Run it with tools/fuzz 60 text. */
#include "base/base.h"
#include <accord/record.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool collect(void *context, const char *text, size_t length)
{
    accordi_buffer_append(context, text, length);
    return true;
}

static void insist(bool true_of_all, const char *what)
{
    if (true_of_all)
        return;
    fprintf(stderr, "%s\n", what);
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    accord_tree *tree = NULL, *again = NULL;
    accord_error error = {0};
    accordi_buffer text = {0};
    enum accord_status status = accord_tree_read_brackets((const char *)data, size, &tree, &error);
    if (status != ACCORD_OK) {
        insist(status == ACCORD_PARSE && !tree && error.text[0], "refused without a reason");
        return 0;
    }
    insist(accord_tree_check(tree, NULL) == ACCORD_OK, "not canonical");
    insist(accord_tree_write_brackets(tree, collect, &text, NULL) == ACCORD_OK, "not written");
    insist(accord_tree_read_brackets(text.data, text.length, &again, NULL) == ACCORD_OK,
           "not read back");
    insist(accord_tree_equal(tree, again), "read back different");
    accord_tree_free(tree);
    accord_tree_free(again);
    accordi_buffer_clear(&text);
    return 0;
}

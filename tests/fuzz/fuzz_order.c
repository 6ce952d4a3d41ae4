/* Fuzzer of notations of orders: what is refused says where and why; what is read makes a tree,
 * whose canonical notation makes the same tree and is the notation of it. */
#include "base/base.h"
#include <accord/notation.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void insist(bool true_of_all, const char *what)
{
    if (true_of_all)
        return;
    fprintf(stderr, "%s\n", what);
    abort();
}

static void check(const accord_tree *tree, const uint32_t *label)
{
    accord_tree *again = NULL;
    uint32_t *labels = NULL;
    char *text = NULL, *second = NULL;
    insist(accord_notation_write(tree, label, &text, NULL, NULL) == ACCORD_OK, "not written");
    insist(accord_notation_parse(text, &again, &labels, NULL, NULL) == ACCORD_OK, "not read");
    insist(accord_tree_equal(tree, again), "another tree");
    insist(memcmp(label, labels, sizeof *label * (tree->leaves + tree->inner)) == 0,
           "other labels");
    insist(accord_notation_write(again, labels, &second, NULL, NULL) == ACCORD_OK &&
               strcmp(text, second) == 0,
           "not canonical");
    accord_notation_free(text);
    accord_notation_free(second);
    accord_notation_free(labels);
    accord_tree_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = accordi_calloc(size + 1, 1);
    memcpy(text, data, size);
    accord_tree *tree = NULL;
    uint32_t *label = NULL;
    size_t place = 0;
    accord_error error = {0};
    if (accord_notation_terms(text) > 2000) { /* large trees take time and find nothing new */
        free(text);
        return 0;
    }
    if (accord_notation_parse(text, &tree, &label, &place, &error) == ACCORD_OK) {
        insist(accord_tree_check(tree, NULL) == ACCORD_OK, "no canonical tree");
        check(tree, label);
    } else {
        insist(error.status == ACCORD_PARSE && error.text[0] && place <= strlen(text) && !tree,
               "refused without a place");
    }
    accord_notation_free(label);
    accord_tree_free(tree);
    free(text);
    return 0;
}

/* Two orders of the same sum, and an input on which they give different bits. */
#include <accord/accord.h>
#include <stdio.h>
#include <string.h>

enum { N = 6 };

int main(void)
{
    static const char *const brackets[2] = {"(((((0+1)+2)+3)+4)+5)", "(((0+1)+(2+3))+(4+5))"};
    accord_error error;
    accord_tree *tree[2] = {NULL, NULL};
    double x[N], sum[2];
    enum accord_status status = ACCORD_OK;
    for (int i = 0; i < 2 && status == ACCORD_OK; i++)
        status = accord_tree_read_brackets(brackets[i], strlen(brackets[i]), &tree[i], &error);
    if (status == ACCORD_OK)
        status = accord_witness(tree[0], tree[1], ACCORD_F32, x, &sum[0], &sum[1], &error);
    if (status == ACCORD_OK) {
        for (int i = 0; i < N; i++)
            printf("x[%d] = %a\n", i, x[i]);
        printf("sequential %a\npairwise   %a\n", sum[0], sum[1]);
    } else {
        fprintf(stderr, "%s\n", error.text);
    }
    accord_tree_free(tree[0]);
    accord_tree_free(tree[1]);
    return status != ACCORD_OK || sum[0] == sum[1];
}

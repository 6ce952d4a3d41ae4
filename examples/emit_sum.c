/* Writes a C function, a dot product that adds in a given order: loops where it is regular. */
#include <accord/accord.h>
#include <stdio.h>
#include <string.h>

static bool print(void *context, const char *text, size_t length)
{
    return fwrite(text, 1, length, context) == length;
}

int main(int argc, char **argv)
{
    const char *brackets = argc > 1 ? argv[1] : "(((0+2)+4)+((1+3)+5))";
    accord_error error;
    accord_tree *tree = NULL;
    accord_arithmetic *arithmetic = NULL;
    enum accord_status status =
        accord_tree_read_brackets(brackets, strlen(brackets), &tree, &error);
    if (status == ACCORD_OK) /* float operands, products rounded to float, additions in double */
        status = accord_arithmetic_plain(ACCORD_TERM_PRODUCT, ACCORD_F32, ACCORD_F64, ACCORD_F32,
                                         &arithmetic, &error);
    if (status == ACCORD_OK) {
        arithmetic->operation[0].product = ACCORD_F32;
        const accord_model model = {tree, arithmetic};
        status = accord_model_emit_c(&model, "my_dot", print, stdout, &error);
    }
    if (status != ACCORD_OK)
        fprintf(stderr, "%s\n", error.text);
    accord_arithmetic_free(arithmetic);
    accord_tree_free(tree);
    return status != ACCORD_OK;
}

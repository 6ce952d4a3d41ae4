/* Replays a saved dot product without the library that it was taken from: products in float, their
 * sum in double. The model is what accord reveal --json writes, or as here the part that matters.
 */
#include <accord/accord.h>
#include <stdio.h>

enum { N = 8 };

int main(int argc, char **argv)
{
    static const float x[N] = {0x1p26f, 1, -0x1p26f}, y[N] = {1, 1, 1};
    const void *row_x[] = {x}, *row_y[] = {y};
    const accord_rows rows = {.rows = 1, .x = row_x, .y = row_y, .is_f32 = true};
    double result = 0;
    char words[120];
    accord_error error;
    accord_record *record = accord_record_new();
    enum accord_status status =
        accord_record_load(argc > 1 ? argv[1] : "dot8.json", record, &error);
    if (status == ACCORD_OK && (!record->arithmetic || record->n != N)) {
        snprintf(error.text, sizeof error.text, "this is no model of %d terms", N);
        status = ACCORD_UNSUPPORTED;
    }
    if (status == ACCORD_OK) {
        const accord_model model = {record->tree, record->arithmetic};
        accord_model_describe(&model, words, sizeof words);
        status = accord_model_replay(&model, &rows, &result, &error);
    }
    if (status == ACCORD_OK)
        printf("%s\n2^26 + 1 - 2^26 = %g\n", words, result);
    else
        fprintf(stderr, "%s\n", error.text);
    accord_record_free(record);
    return status != ACCORD_OK || result != 1; /* plain float would give 0 */
}

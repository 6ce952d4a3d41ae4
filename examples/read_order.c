/* Reads a saved order (JSON or brackets) and prints its brackets and its fingerprint. */
#include <accord/accord.h>
#include <stdio.h>

static bool print(void *context, const char *text, size_t length)
{
    return fwrite(text, 1, length, context) == length;
}

int main(int argc, char **argv)
{
    accord_error error;
    accord_record *record = accord_record_new();
    char fingerprint[ACCORD_FINGERPRINT_SIZE];
    enum accord_status status =
        accord_record_load(argc > 1 ? argv[1] : "pairs.txt", record, &error);
    if (status == ACCORD_OK)
        status = accord_tree_write_brackets(record->tree, print, stdout, &error);
    if (status == ACCORD_OK)
        status = accord_tree_fingerprint(record->tree, fingerprint, &error);
    if (status == ACCORD_OK)
        printf("\n%u terms, fingerprint %s\n", record->tree->leaves, fingerprint);
    else
        fprintf(stderr, "%s\n", error.text);
    accord_record_free(record);
    return status != ACCORD_OK;
}

/* Fuzzer of the reader of records (JSON, or brackets by the first character): what reads writes in
 * every form, and its JSON reads back to the same JSON; what does not read leaves nothing behind.
 * Run it with tools/fuzz 60 json. */
#include "base/base.h"
#include "record/record.h"
#include <accord/notation.h>
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

static accordi_buffer write_as(const accord_record *record, const accord_writer *writer)
{
    accordi_buffer text = {0};
    insist(accord_record_write(record, writer, NULL, collect, &text, NULL) == ACCORD_OK,
           writer->name);
    return text;
}

static void write_all(const accord_record *record)
{
    const accord_writer *writer;
    for (size_t i = 0; (writer = accord_writer_at(i)); i++) {
        if (writer->needs_tree && !record->tree)
            continue;
        accordi_buffer text = write_as(record, writer);
        accordi_buffer_clear(&text);
    }
}

/* Is the text, or a word in it, a notation of many terms? A few bytes make trees of gigabytes,
 * which take time and find nothing new. */
static bool is_large(const uint8_t *data, size_t size)
{
    char *text = accordi_calloc(size + 1, 1), *rest = text;
    memcpy(text, data, size);
    bool large = accord_notation_terms(text) > 2000;
    for (const char *word; !large && (word = strsep(&rest, "\" \t\r\n"));)
        large = accord_notation_terms(word) > 2000;
    free(text);
    return large;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (is_large(data, size))
        return 0;
    const accord_writer *json = accord_writer_by_name("json");
    accord_record first, second;
    accord_error error = {0};
    accordi_record_init(&first);
    accordi_record_init(&second);
    enum accord_status status = accord_record_read((const char *)data, size, &first, &error);
    if (status != ACCORD_OK) {
        insist(status == ACCORD_PARSE && !first.tree && error.text[0], "refused without a reason");
        return 0;
    }
    write_all(&first);
    accordi_buffer text = write_as(&first, json);
    insist(accord_record_read(text.data, text.length, &second, &error) == ACCORD_OK, error.text);
    accordi_buffer again = write_as(&second, json);
    insist(text.length == again.length && memcmp(text.data, again.data, text.length) == 0,
           "read back different");
    insist(!first.tree == !second.tree, "tree lost");
    insist(!first.tree || accord_tree_equal(first.tree, second.tree), "tree different");
    accordi_buffer_clear(&text);
    accordi_buffer_clear(&again);
    accord_record_clear(&first);
    accord_record_clear(&second);
    return 0;
}

/* Fuzzer of what programs answer (doc/command-protocol.md): the greeting, and answers in binary and
 * in text. However the bytes are cut into pieces, the same is heard; what is heard has a size that
 * was asked for or that is allowed, and a text that ends. Run it with tools/fuzz 60 protocol. */
#include "targets/program/command.h"

enum { MOST_SUMS = 16, MOST_RESULTS = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void insist(bool true_of_all, const char *what)
{
    if (true_of_all)
        return;
    fprintf(stderr, "%s\n", what);
    abort();
}

/* What a listener makes of the bytes, of which `piece` come at a time. */
static enum accordi_heard hear(accordi_listener *listener, void *context, const uint8_t *data,
                               size_t size, size_t piece)
{
    accordi_buffer in = {0};
    enum accordi_heard heard = ACCORDI_HEARD_MORE;
    accordi_buffer_append(&in, "", 0);
    for (size_t at = 0; at < size && heard == ACCORDI_HEARD_MORE; at += piece) {
        accordi_buffer_append(&in, data + at, size - at < piece ? size - at : piece);
        heard = listener(context, &in);
        /* More than was due is garbage only if it comes along; behind the end nobody listens. */
        if (heard == ACCORDI_HEARD_ALL && at + piece < size)
            heard = ACCORDI_HEARD_GARBAGE;
    }
    accordi_buffer_clear(&in);
    return heard;
}

static void fuzz_greeting(const uint8_t *data, size_t size, size_t piece)
{
    accordi_greeting whole = {0}, cut = {0};
    accord_error error = {0};
    enum accordi_heard heard = hear(accordi_hear_greeting, &whole, data, size, size);
    insist(heard == hear(accordi_hear_greeting, &cut, data, size, piece) ||
               heard == ACCORDI_HEARD_ALL || size > 512,
           "pieces of a greeting are heard otherwise");
    if (heard != ACCORDI_HEARD_ALL)
        return;
    insist(memchr(whole.version, '\0', sizeof whole.version) != NULL, "a text without an end");
    enum { PRODUCTS = 64 };
    if (!accordi_greeting_check(&whole, PRODUCTS, &error)) {
        insist(whole.rows > 0 && whole.columns > 0 && whole.rows * whole.columns <= 1 << 24,
               "a grid of an impossible size");
        insist(!whole.scaled || (whole.block >= 2 && whole.block <= PRODUCTS &&
                                 (whole.scale == ACCORD_E8M0 || whole.scale == ACCORD_UE4M3) &&
                                 whole.rows * whole.columns == 1),
               "impossible blocks of products that share scales");
    } else {
        insist(error.text[0] != '\0', "refused without a reason");
    }
    if (whole.limited && !whole.window)
        insist(error.text[0] != '\0', "a window of no size");
}

static void fuzz_answers(const uint8_t *data, size_t size, size_t piece, bool text, size_t sums,
                         size_t each)
{
    double whole[MOST_SUMS * MOST_RESULTS], cut[MOST_SUMS * MOST_RESULTS];
    accordi_answers a = {.text = text, .sums = sums, .wanted = sums * each, .result = whole};
    accordi_answers b = a;
    b.result = cut;
    enum accordi_heard heard = hear(accordi_hear_answers, &a, data, size, size);
    enum accordi_heard other = hear(accordi_hear_answers, &b, data, size, piece);
    insist(a.heard <= a.wanted && b.heard <= b.wanted, "more was heard than asked for");
    insist((heard == ACCORDI_HEARD_ALL) == (other == ACCORDI_HEARD_ALL) || (text && size > 4096),
           "pieces of answers are heard otherwise");
    if (heard != ACCORDI_HEARD_ALL || other != heard)
        return;
    insist(a.heard == a.wanted && b.heard == b.wanted, "less was heard than asked for");
    insist(memcmp(whole, cut, a.wanted * sizeof *whole) == 0, "other numbers");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 3)
        return 0;
    size_t piece = 1 + data[1], sums = 1 + data[2] % MOST_SUMS, each = 1 + data[2] / 32;
    if (data[0] % 3 == 0)
        fuzz_greeting(data + 3, size - 3, piece);
    else
        fuzz_answers(data + 3, size - 3, piece, data[0] % 3 == 1, sums, each);
    return 0;
}

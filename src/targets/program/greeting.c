/* Reads what a program answers to the greeting: the first line of the protocol
 * (doc/command-protocol.md). */
#include "targets/program/command.h"

/* A word of the greeting, with a space or the end behind it. */
static bool takes(const char **at, const char *word)
{
    size_t length = strlen(word);
    if (strncmp(*at, word, length) != 0 || !strchr(" \r\n", (*at)[length]))
        return false;
    *at += length;
    *at += strspn(*at, " ");
    return true;
}

/* A format of scales; ACCORD_F64 where the name is of none. */
static enum accord_format takes_scales(const char **at)
{
    static const enum accord_format formats[] = {ACCORD_E8M0, ACCORD_UE4M3};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (takes(at, accord_format_get(formats[i])->name))
            return formats[i];
    return ACCORD_F64;
}

/* "rows=16"; what is no number, or too large a one, becomes 0. */
static bool takes_count(const char **at, const char *name, size_t *count)
{
    size_t length = strlen(name), digits = 0;
    if (strncmp(*at, name, length) != 0)
        return false;
    digits = strspn(*at + length, "0123456789");
    *count = digits && digits < 10 && strchr(" \r\n", (*at)[length + digits])
                 ? strtoul(*at + length, NULL, 10)
                 : 0;
    *at += length + strcspn(*at + length, " \r\n");
    *at += strspn(*at, " ");
    return true;
}

/* What stands behind "accord 2 binary". */
static bool read_sizes(const char **at, accordi_greeting *g)
{
    if (!takes_count(at, "rows=", &g->rows) || !takes_count(at, "columns=", &g->columns))
        return false;
    g->shares = takes(at, "share=rows");
    bool good = g->shares || takes(at, "share=none");
    g->copies = good && takes(at, "copies=columns");
    g->limited = good && takes_count(at, "window=", &g->window);
    g->products = good && takes(at, "products");
    g->scaled = good && !g->products && takes_count(at, "block=", &g->block);
    if (g->scaled && strncmp(*at, "scales=", strlen("scales=")) == 0) {
        *at += strlen("scales=");
        g->scale = takes_scales(at);
    }
    return good;
}

static bool read_greeting(const char *at, accordi_greeting *g)
{
    *g = (accordi_greeting){.rows = 1, .columns = 1, .scale = ACCORD_F64};
    bool known = takes(&at, "accord 1 binary") || (g->text = takes(&at, "accord 1 text")) ||
                 (g->refused = takes(&at, "accord 1 refused")) ||
                 (takes(&at, "accord 2 binary") && read_sizes(&at, g));
    size_t words = strcspn(at, "\r\n");
    snprintf(g->version, sizeof g->version, "%.*s", words < 312 ? (int)words : 312, at);
    return known;
}

enum accordi_heard accordi_hear_greeting(void *context, accordi_buffer *in)
{
    accordi_greeting *g = context;
    char *end = memchr(in->data, '\n', in->length);
    if (!end)
        return in->length > 512 ? ACCORDI_HEARD_GARBAGE : ACCORDI_HEARD_MORE;
    if (!read_greeting(in->data, g) || end + 1 != in->data + in->length)
        return ACCORDI_HEARD_GARBAGE;
    in->length = 0;
    return ACCORDI_HEARD_ALL;
}

/* Blocks of one product, or of more than all, are no blocks. */
static enum accord_status check_scaled(const accordi_greeting *g, size_t n, accord_error *error)
{
    if (g->scale == ACCORD_F64)
        return accordi_fail(error, ACCORD_TARGET,
                            "the program announces scales of no known format; block= is followed "
                            "by scales=e8m0 or scales=ue4m3 (doc/command-protocol.md)");
    if (g->block < 2 || g->block > n)
        return accordi_fail(error, ACCORD_TARGET,
                            "the program announces blocks of no size, or of more products than the "
                            "%zu of a sum; block= is a whole number from 2 on "
                            "(doc/command-protocol.md)",
                            n);
    if (g->rows != 1 || g->columns != 1)
        return accordi_fail(error, ACCORD_TARGET,
                            "the program announces scales and a grid of %zu x %zu results; sums "
                            "whose products share scales have one result",
                            g->rows, g->columns);
    return ACCORD_OK;
}

enum accord_status accordi_greeting_check(const accordi_greeting *g, size_t n, accord_error *error)
{
    enum { MOST_RESULTS = 1 << 24 };
    if (g->limited && !g->window)
        return accordi_fail(error, ACCORD_TARGET,
                            "the program announces a window of no size; window= is a number of "
                            "bytes, from 1 on (doc/command-protocol.md)");
    if (g->products && (g->rows != 1 || g->columns != 1))
        return accordi_fail(error, ACCORD_TARGET,
                            "the program announces products and a grid of %zu x %zu results; sums "
                            "of products whose second factors are asked for have one result",
                            g->rows, g->columns);
    if (g->rows && g->columns && g->rows <= MOST_RESULTS / g->columns)
        return g->scaled ? check_scaled(g, n, error) : ACCORD_OK;
    return accordi_fail(
        error, ACCORD_TARGET,
        "the program announces a grid of no size, or of more than %d results; rows= "
        "and columns= are whole numbers from 1 on (doc/command-protocol.md)",
        MOST_RESULTS);
}

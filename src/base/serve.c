/* Requests are read as doc/command-protocol.md gives them. The machine is little endian, as all are
 * for which accord's workers are built. */
#include "base/serve.h"
#include <stdio.h>

typedef struct head {
    char magic[4];
    uint32_t sums, writes, form;
    double fill;
} head;

enum { FORM_WRITES, FORM_ROWS, FORM_GRID, FORM_PRODUCTS };

/* A request that is being read. */
typedef struct request {
    const accordi_server *server;
    size_t heard; /* bytes since it began, or since more was asked for */
} request;

static bool hear(request *r, void *to, size_t bytes)
{
    size_t window = r->server->window;
    for (char *at = to; bytes > 0;) {
        if (window && r->heard == window) {
            putchar('+');
            fflush(stdout);
            r->heard = 0;
        }
        size_t part = window && bytes > window - r->heard ? window - r->heard : bytes;
        if (fread(at, 1, part, stdin) != part)
            return false;
        r->heard += part;
        at += part;
        bytes -= part;
    }
    return true;
}

/* ---- the greeting ---- */

bool accordi_serve_hear_greeting(size_t *n, char format[16])
{
    char line[256];
    return fgets(line, sizeof line, stdin) &&
           sscanf(line, "accord 1 n=%zu format=%15s", n, format) == 2 && *n > 0;
}

void accordi_serve_say(const char *how, const char *words)
{
    printf("accord %s ", how);
    for (; *words; words++)
        putchar(*words == '\n' || *words == '\r' ? ' ' : *words);
    putchar('\n');
    fflush(stdout);
}

/* ---- a request ---- */

/* The lists of a request of writes. */
typedef struct lists {
    double *value;
    uint32_t *index, *start;
} lists;

static bool hear_lists(request *r, const head *h, lists *l)
{
    l->value = accordi_calloc((size_t)h->writes + 1, sizeof *l->value);
    l->index = accordi_calloc((size_t)h->writes + 1, sizeof *l->index);
    l->start = accordi_calloc((size_t)h->sums + 1, sizeof *l->start);
    return l->value && l->index && l->start && hear(r, l->value, 8 * (size_t)h->writes) &&
           hear(r, l->index, 4 * (size_t)h->writes) && hear(r, l->start, 4 * ((size_t)h->sums + 1));
}

static void clear_lists(lists *l)
{
    free(l->value);
    free(l->index);
    free(l->start);
}

static void put(const accordi_server *s, size_t i, double value)
{
    if (s->f64)
        ((double *)s->terms)[i] = value;
    else
        ((float *)s->terms)[i] = (float)value;
}

static bool make_writes(const accordi_server *s, const head *h, const lists *l, size_t sum)
{
    for (uint32_t w = l->start[sum]; w < l->start[sum + 1]; w++) {
        if (w >= h->writes || l->index[w] >= s->n)
            return false;
        put(s, l->index[w], l->value[w]);
    }
    return true;
}

static bool is_understood(const accordi_server *s, const head *h)
{
    bool grid = h->form == FORM_GRID;
    return memcmp(h->magic, "accq", 4) == 0 && h->form <= FORM_PRODUCTS &&
           (s->second != NULL) == (h->form == FORM_PRODUCTS) &&
           (!grid || (s->rows > 1 && h->sums == 1));
}

static bool take_all(request *r, const head *h, double *result)
{
    const accordi_server *s = r->server;
    size_t row = s->n * (s->f64 ? sizeof(double) : sizeof(float));
    size_t bytes = h->form == FORM_GRID ? s->rows * row : row;
    lists l = {0};
    bool good = h->form != FORM_WRITES || hear_lists(r, h, &l);
    good = good && (!s->begin || s->begin(s->context, h->sums, h->form == FORM_GRID));
    for (size_t i = 0; i < s->n; i++)
        put(s, i, h->fill);
    for (size_t p = 0; p < h->sums && good; p++)
        good = (h->form == FORM_WRITES ? make_writes(s, h, &l, p) : hear(r, s->terms, bytes)) &&
               (!s->second || hear(r, s->second, bytes)) &&
               s->take(s->context, p, result + p * s->results);
    clear_lists(&l);
    return good && (!s->finish || s->finish(s->context, h->sums, result));
}

/* ---- answers ---- */

void accordi_runs_put(accordi_runs *r, size_t count, double value)
{
    uint32_t *length = (uint32_t *)(void *)r->length.data;
    const double *last = (const double *)(void *)r->value.data;
    r->numbers += count;
    if (r->runs && accordi_same_bits(last[r->runs - 1], value) &&
        count <= UINT32_MAX - length[r->runs - 1]) {
        length[r->runs - 1] += (uint32_t)count;
        return;
    }
    uint32_t word = (uint32_t)count;
    accordi_buffer_append(&r->length, &word, sizeof word);
    accordi_buffer_append(&r->value, &value, sizeof value);
    r->runs += !r->length.failed && !r->value.failed;
}

void accordi_serve_say_failure(const char *words)
{
    uint32_t length = (uint32_t)strlen(words);
    fwrite("acce", 1, 4, stdout);
    fwrite(&length, 4, 1, stdout);
    fwrite(words, 1, length, stdout);
    fflush(stdout);
}

static void say_numbers(size_t sums, const double *number, size_t count)
{
    uint32_t word = (uint32_t)sums;
    fwrite("acca", 1, 4, stdout);
    fwrite(&word, 4, 1, stdout);
    fwrite(number, sizeof *number, count, stdout);
}

/* Whichever is shorter. `number` has room for all. */
static bool say_runs(size_t sums, const accordi_runs *r, double *number)
{
    const uint32_t word[2] = {(uint32_t)sums, (uint32_t)r->runs};
    const uint32_t *length = (const uint32_t *)(void *)r->length.data;
    const double *value = (const double *)(void *)r->value.data;
    if (r->length.failed || r->value.failed)
        return false;
    if (r->runs < r->numbers / 2) {
        fwrite("accr", 1, 4, stdout);
        fwrite(word, sizeof *word, 2, stdout);
        fwrite(length, sizeof *length, r->runs, stdout);
        fwrite(value, sizeof *value, r->runs, stdout);
        return true;
    }
    for (size_t i = 0, at = 0; i < r->runs; i++)
        for (size_t k = 0; k < length[i]; k++)
            number[at++] = value[i];
    say_numbers(sums, number, r->numbers);
    return true;
}

static bool answer(request *r, const head *h, double *result)
{
    const accordi_server *s = r->server;
    accordi_runs runs = {.runs = 0};
    bool good = is_understood(s, h) && take_all(r, h, result);
    if (good && s->finish_runs) {
        good = s->finish_runs(s->context, h->sums, &runs) &&
               runs.numbers == (size_t)h->sums * s->results && say_runs(h->sums, &runs, result);
    } else if (good) {
        say_numbers(h->sums, result, (size_t)h->sums * s->results);
    }
    accordi_buffer_clear(&runs.length);
    accordi_buffer_clear(&runs.value);
    return fflush(stdout) == 0 && good;
}

/* The input ends, or a request of zeros says that it would. */
static bool hear_head(request *r, head *h)
{
    static const char farewell[sizeof *h];
    return hear(r, h, sizeof *h) && memcmp(h, farewell, sizeof *h) != 0;
}

bool accordi_serve(const accordi_server *s)
{
    head h;
    bool good = true;
    for (request r; good && (r = (request){.server = s}, hear_head(&r, &h));) {
        double *result = accordi_calloc((size_t)h.sums * s->results + 1, sizeof *result);
        good = result && answer(&r, &h, result);
        free(result);
    }
    return good;
}

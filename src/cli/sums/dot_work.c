/* The work of accord dot on open files: two streams that advance together. */
#include "base/parallel.h"
#include "cli/sums/work.h"

enum { CHUNK = 4096 };

/* The numbers of a reader, as f64, some at a time. */
typedef struct stream {
    cli_reader *reader;
    cli_block block;
    size_t used;      /* of the block */
    const double *at; /* `left` numbers */
    size_t left;
    uint64_t count; /* numbers met so far */
    double converted[CHUNK];
} stream;

typedef struct product {
    stream a, b;
    accord_exact_wide sum;
    double naive;
    const cli_addition *how;
    cli_progress *progress;
    cli_device *device; /* NULL: this CPU */
    bool first, good;
} product;

/* False at the end and after an error. */
static bool fill_block(stream *s)
{
    if (s->left)
        return true;
    if (s->used == s->block.count) {
        s->used = s->block.count = 0;
        if (!cli_reader_next(s->reader, &s->block))
            return false;
    }
    size_t more = s->block.count - s->used;
    if (s->block.format == ACCORD_F64) {
        s->at = (const double *)s->block.data + s->used;
    } else {
        more = more < CHUNK ? more : CHUNK;
        for (size_t i = 0; i < more; i++)
            s->converted[i] = cli_block_value(&s->block, s->used + i);
        s->at = s->converted;
    }
    s->used += more;
    s->left = more;
    s->count += more;
    return true;
}

static bool add_products(product *p)
{
    size_t n = p->a.left < p->b.left ? p->a.left : p->b.left;
    enum accord_format format = p->how->format;
    if (!p->device)
        accord_exact_wide_add_products_f64(&p->sum, n, p->a.at, 1, p->b.at, 1);
    else if (!cli_device_multiply(p->device, &p->sum, n, p->a.at, p->b.at, &p->a.reader->error))
        return false;
    for (size_t i = 0; p->how->naive && i < n; i++) {
        double a = cli_naive_round(format, p->a.at[i]), b = cli_naive_round(format, p->b.at[i]);
        p->naive = cli_naive_add(p->naive, format, a * b);
    }
    p->a.at += n;
    p->b.at += n;
    p->a.left -= n;
    p->b.left -= n;
    return true;
}

/* Fails at the other end of the stream that is shorter, too. */
static void multiply_and_add(product *p)
{
    p->good = true;
    while (p->good) {
        bool more_a = fill_block(&p->a), more_b = fill_block(&p->b);
        if (!more_a || !more_b)
            break;
        p->good = add_products(p) && cli_progress_step(p->progress, p->a.reader, p->first) &&
                  cli_progress_step(p->progress, p->b.reader, false);
    }
    if (p->a.reader->error.status != ACCORD_OK || p->b.reader->error.status != ACCORD_OK ||
        p->a.left || p->b.left)
        p->good = false;
    if (!p->good)
        atomic_store(&p->progress->stop, true);
}

/* ---- parts ---- */

typedef struct part {
    product product;
    cli_reader a, b;
} part;

static bool open_part(const product *whole, size_t i, size_t parts, part *p)
{
    p->product.how = whole->how;
    p->product.progress = whole->progress;
    p->product.first = i == 0;
    p->product.a.reader = &p->a;
    p->product.b.reader = &p->b;
    return cli_reader_part(whole->a.reader, i, parts, &p->a) &&
           cli_reader_part(whole->b.reader, i, parts, &p->b);
}

static void work_on_part(void *parts, size_t i, int worker)
{
    (void)worker;
    multiply_and_add(&((part *)parts)[i].product);
}

/* Nothing is added unless all parts are good. */
static bool work_in_parts(product *whole, size_t parts)
{
    part *all = accordi_calloc(parts, sizeof *all);
    bool good = all;
    for (size_t i = 0; all && i < parts; i++)
        all[i].a.source.fd = all[i].b.source.fd = -1;
    for (size_t i = 0; good && i < parts; i++)
        good = open_part(whole, i, parts, &all[i]);
    if (good)
        accordi_parallel(parts, (int)parts, work_on_part, all);
    for (size_t i = 0; good && i < parts; i++)
        good = all[i].product.good;
    for (size_t i = 0; all && i < parts; i++) {
        accord_error error;
        /* as many terms as files can hold: it cannot fail */
        if (good)
            accord_exact_wide_add(&whole->sum, &all[i].product.sum, &error);
        cli_reader_close(&all[i].a);
        cli_reader_close(&all[i].b);
    }
    free(all);
    return good;
}

/* ---- two files ---- */

static int unequal(const char *name_a, uint64_t a, const char *name_b, uint64_t b)
{
    return cli_misuse(
        "%s contains %llu numbers, but %s contains %llu; give two files with equally many numbers",
        name_a, (unsigned long long)a, name_b, (unsigned long long)b);
}

/* Counts what is left of either, so that the error can say it. */
static int unequal_streams(product *p)
{
    stream *both[] = {&p->a, &p->b};
    for (size_t i = 0; i < 2; i++) {
        do
            both[i]->left = 0;
        while (!cli_signal() && fill_block(both[i]));
        if (both[i]->reader->error.status != ACCORD_OK)
            return cli_reader_fail(both[i]->reader);
    }
    return unequal(p->a.reader->source.name, p->a.count, p->b.reader->source.name, p->b.count);
}

static int multiply(product *p, size_t threads)
{
    cli_reader *a = p->a.reader, *b = p->b.reader;
    uint64_t numbers_a = cli_reader_picks(a) ? a->rows : a->left;
    uint64_t numbers_b = cli_reader_picks(b) ? b->rows : b->left;
    if (a->counted && b->counted && numbers_a != numbers_b)
        return unequal(a->source.name, numbers_a, b->source.name, numbers_b);
    /* Parts are cut by the numbers in the file: those of columns need not belong together. */
    bool cut = a->counted && b->counted && !cli_reader_picks(a) && !cli_reader_picks(b);
    size_t parts = cut ? cli_parts(threads, a) : 1;
    if (parts > 1 && work_in_parts(p, parts))
        return CLI_YES;
    atomic_store(&p->progress->stop, false);
    atomic_store(&p->progress->done, 0);
    multiply_and_add(p);
    if (p->good)
        return CLI_YES;
    if (a->error.status == ACCORD_OK && b->error.status == ACCORD_OK)
        return unequal_streams(p);
    return cli_reader_fail(a->error.status != ACCORD_OK ? a : b);
}

int cli_dot_readers(cli_reader *a, cli_reader *b, cli_products *products, size_t threads,
                    cli_progress *progress)
{
    product *p = cli_need(accordi_calloc(1, sizeof *p));
    p->a.reader = a;
    p->b.reader = b;
    p->how = &products->how;
    p->device = products->device;
    p->progress = progress;
    p->first = true;
    int status = multiply(p, threads);
    products->all = p->sum;
    products->naive = p->naive;
    free(p);
    return status;
}

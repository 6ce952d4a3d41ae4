/* Batches of products, whose blocks may share scales, as the bytes of form 3 of the protocol of
 * programs (doc/command-protocol.md).
 *
 * A sum is a record of all that belongs to it: its first factors, their scales, its second factors,
 * their scales. So a program reads a table, and sparse batches, which have no scales, need no form
 * of their own. */
#include "targets/program/command.h"

enum { HEAD = 24, FORM = 3, MOST_BYTES = 1 << 20 };

bool accordi_records_init(accordi_records *r, size_t n, size_t share, bool f64)
{
    *r = (accordi_records){.blocks = share ? (n + share - 1) / share : 0, .f64 = f64};
    r->first = r->second = (accordi_cells){.n = n, .stride = 1, .storage = ACCORDI_F64};
    r->first.base = accordi_calloc(n, sizeof(double));
    r->second.base = accordi_calloc(n, sizeof(double));
    return r->first.base && r->second.base;
}

void accordi_records_clear(accordi_records *r)
{
    accordi_cells_clear(&r->first);
    accordi_cells_clear(&r->second);
    free(r->first.base);
    free(r->second.base);
    accordi_buffer_clear(&r->out);
    r->first.base = r->second.base = NULL;
}

static char *put_bytes(char *at, uint64_t bits, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        *at++ = (char)(bits >> (8 * i));
    return at;
}

/* NULL: all are 1. */
static char *put_numbers(char *at, bool f64, const double *x, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double wide = x ? x[i] : 1;
        float narrow = (float)wide;
        uint64_t all;
        uint32_t some;
        memcpy(&all, &wide, sizeof all);
        memcpy(&some, &narrow, sizeof some);
        at = put_bytes(at, f64 ? all : some, f64 ? sizeof all : sizeof some);
    }
    return at;
}

typedef struct saying {
    accordi_records *records;
    const accord_batch *batch;
    const size_t *step;
    accordi_say_records *say;
    void *context;
    double *result;
    size_t probe, said;
    enum accord_status status;
    accord_error *error;
} saying;

static const double *scales_of(const saying *s, const double *all)
{
    return all ? all + s->probe * s->records->blocks : NULL;
}

static bool put_record(saying *s)
{
    accordi_records *r = s->records;
    size_t n = r->first.n, bytes = 2 * (r->f64 ? sizeof(double) : sizeof(float)) * (n + r->blocks);
    size_t head = r->held ? 0 : HEAD;
    char *at = accordi_buffer_reserve(&r->out, head + bytes);
    if (!at)
        return false;
    if (head) {
        memset(at, 0, HEAD);
        memcpy(at, "accq", 4);
        put_bytes(at + 12, FORM, 4);
        at += HEAD;
    }
    at = put_numbers(at, r->f64, r->first.base, n);
    at = put_numbers(at, r->f64, scales_of(s, s->batch->scale_first), r->blocks);
    at = put_numbers(at, r->f64, r->second.base, n);
    put_numbers(at, r->f64, scales_of(s, s->batch->scale_second), r->blocks);
    r->out.length += head + bytes;
    put_bytes(r->out.data + 4, ++r->held, 4);
    return true;
}

/* One sum of the batch; its answer comes later. */
static double add_record(void *context)
{
    saying *s = context;
    accordi_records *r = s->records;
    if (!s->status && !put_record(s))
        s->status = accordi_nomem(s->error);
    s->probe++;
    bool full = r->held >= *s->step || r->out.length >= MOST_BYTES;
    if (!s->status && (full || s->probe == s->batch->probes)) {
        s->status = s->say(s->context, r->held, s->result + s->said);
        s->said += r->held;
        r->held = r->out.length = 0;
    }
    return 0;
}

enum accord_status accordi_records_run(accordi_records *r, const accord_batch *batch,
                                       const size_t *step, accordi_say_records *say, void *context,
                                       double *result, accord_error *error)
{
    saying s = {r, batch, step, say, context, result, .error = error};
    double *none = accordi_alloc(batch->probes, sizeof *none);
    r->held = r->out.length = 0;
    enum accord_status status =
        none ? accordi_cells_run(&r->first, &r->second, batch, add_record, &s, none, NULL, error)
             : accordi_nomem(error);
    free(none);
    return status ? status : s.status;
}

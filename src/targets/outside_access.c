/* Tests whether a target of any kind uses or changes memory outside its operands.
 *
 * There is a margin around each operand, and there are gaps between the elements of a strided
 * vector or the rows of a padded matrix. The same question, with all terms 1, is asked with NaN and
 * then with large numbers in all margins and gaps. If the answer changes, the target has used what
 * it read there; each margin and gap is then filled alone to find out which. If the contents of a
 * margin or gap, or of an operand that should only be read, have changed, the target has written
 * there. Five calls are needed if nothing is found. */
#include "targets/outside_access.h"
#include <math.h>
#include <stdatomic.h>

enum { MOST_COPIED = 1 << 26 };

typedef struct examination {
    const accordi_area *area;
    size_t areas;
    accordi_call *call;
    void *context;
    _Atomic uint32_t *done;
    accord_outside_access *out;
} examination;

static double ask_with_all_ones(examination *e)
{
    double answer = e->call(e->context);
    e->out->calls++;
    if (e->done)
        atomic_fetch_add(e->done, 1);
    return answer;
}

/* The i-th stretch of a zone; false past the last. Margins are one, gaps as many as there are. */
static bool stretch_at(const accordi_area *a, int zone, int64_t i, char **at, int64_t *count)
{
    int64_t size = (int64_t)accordi_storage_size(a->storage), margin = ACCORDI_MARGIN / size;
    char *base = a->base;
    if (zone == ACCORD_ZONE_BETWEEN) {
        int64_t from = i * a->apart + a->width, to = (i + 1) * a->apart;
        to = to < a->count ? to : a->count;
        *at = base + from * size;
        *count = to - from;
        return from < to;
    }
    *at = zone == ACCORD_ZONE_BEFORE ? base - margin * size : base + a->count * size;
    *count = margin;
    return i == 0;
}

static void paint(const accordi_area *a, int zone, double value)
{
    char *at;
    int64_t count;
    for (int64_t i = 0; stretch_at(a, zone, i, &at, &count); i++)
        accordi_operands_fill(at, count, a->storage, value);
}

static bool is_painted(const accordi_area *a, int zone, double value)
{
    char *at, element[8];
    int64_t count;
    size_t size = accordi_storage_size(a->storage);
    accordi_operands_fill(element, 1, a->storage, value);
    for (int64_t i = 0; stretch_at(a, zone, i, &at, &count); i++)
        for (int64_t k = 0; k < count; k++)
            if (memcmp(at + k * (int64_t)size, element, size) != 0)
                return false;
    return true;
}

static void calm(const examination *e)
{
    for (size_t a = 0; a < e->areas; a++)
        for (int zone = 0; zone < ACCORD_ZONE_COUNT; zone++)
            paint(&e->area[a], zone, zone == ACCORD_ZONE_BETWEEN ? 1 : 0);
}

/* Asks with and without the value in turn, many times: results that vary by themselves do not
 * follow it. */
static bool result_follows(examination *e, const accordi_area *area, int zone, double value,
                           double due)
{
    enum { TURNS = 12 };
    for (int turn = 0; turn < TURNS; turn++) {
        calm(e);
        if (!accordi_same_bits(ask_with_all_ones(e), due))
            return false;
        paint(area, zone, value);
        if (accordi_same_bits(ask_with_all_ones(e), due))
            return false;
    }
    return true;
}

/* Fills each zone alone, to find which one is read. */
static void find_reads(examination *e, double value, double due)
{
    for (size_t a = 0; a < e->areas; a++)
        for (int zone = 0; zone < ACCORD_ZONE_COUNT; zone++) {
            calm(e);
            paint(&e->area[a], zone, value);
            if (!accordi_same_bits(ask_with_all_ones(e), due) &&
                result_follows(e, &e->area[a], zone, value, due))
                e->out->reads |= 1u << zone;
        }
}

static void try_value(examination *e, double value, double due)
{
    for (size_t a = 0; a < e->areas; a++)
        for (int zone = 0; zone < ACCORD_ZONE_COUNT; zone++)
            paint(&e->area[a], zone, value);
    bool other = !accordi_same_bits(ask_with_all_ones(e), due);
    for (size_t a = 0; a < e->areas; a++)
        for (int zone = 0; zone < ACCORD_ZONE_COUNT; zone++)
            if (!is_painted(&e->area[a], zone, value))
                e->out->writes |= 1u << zone;
    if (other && !e->out->writes)
        find_reads(e, value, due);
}

/* What is in the operands that are only read, before and after a call. */
static double ask_and_compare(examination *e)
{
    size_t bytes[ACCORDI_AREAS] = {0}, all = 0;
    for (size_t a = 0; a < e->areas; a++)
        if (e->area[a].input)
            all += bytes[a] = (size_t)e->area[a].count * accordi_storage_size(e->area[a].storage);
    char *copy = all <= MOST_COPIED ? accordi_alloc(all, 1) : NULL, *at = copy;
    for (size_t a = 0; copy && a < e->areas; at += bytes[a++])
        memcpy(at, e->area[a].base, bytes[a]);
    double answer = ask_with_all_ones(e);
    at = copy;
    for (size_t a = 0; copy && a < e->areas; at += bytes[a++])
        e->out->writes_input |= memcmp(at, e->area[a].base, bytes[a]) != 0;
    free(copy);
    return answer;
}

void accordi_memory_examine(const accordi_area *area, size_t areas, accordi_call *call,
                            void *context, _Atomic uint32_t *done, accord_outside_access *out)
{
    examination e = {
        .area = area, .areas = areas, .call = call, .context = context, .done = done, .out = out};
    *out = (accord_outside_access){.calls = 0};
    calm(&e);
    double due = ask_and_compare(&e);
    if (!out->writes_input &&
        accordi_same_bits(ask_with_all_ones(&e), due)) { /* else nothing can be compared */
        try_value(&e, (double)NAN, due);
        calm(&e);
        if (!out->reads && !out->writes)
            try_value(&e, 0x1p60, due);
    }
    calm(&e);
}

/* Packs questions about disjoint sets of terms (requests) into as few probes as possible. */
#include "reveal/probes/requests.h"
#include <math.h>

enum { MISFITS = 48, PROBES_A_BATCH = 2048, ENTRIES_A_BATCH = 1 << 21 };

/* Where a request's answer stands: `width` bits from `offset` of the result of `probe`. */
typedef struct placement {
    accordi_request *request;
    uint32_t probe, from; /* READ: the first item */
    uint8_t offset, width;
} placement;

typedef struct queue {
    size_t next, end; /* requests of one domain */
} queue;

typedef struct packer {
    accordi_asker *asker;
    accordi_requests *requests;
    queue *queues;
    size_t alive;
    placement *placed;
    size_t placements, capacity;
    /* COUNT fields whose units stay from probe to probe */
    accordi_request *base[64];
    uint8_t base_offset[64];
    size_t based;
} packer;

accordi_request *accordi_requests_add(accordi_asker *asker, accordi_requests *requests)
{
    if (!accordi_ask_grow(asker, (void **)&requests->item, &requests->capacity, requests->count + 1,
                          sizeof *requests->item))
        return NULL;
    accordi_request *request = &requests->item[requests->count++];
    memset(request, 0, sizeof *request);
    return request;
}

void accordi_requests_clear(accordi_requests *requests)
{
    free(requests->item);
    memset(requests, 0, sizeof *requests);
}

static int width_of(uint64_t greatest)
{
    int width = 1;
    while (greatest >> width)
        width++;
    return width;
}

/* The part of a set that gets units: all of it, or as many as can be counted. */
static uint32_t count_sampled(const accordi_asker *asker, uint32_t count)
{
    uint64_t capacity = accordi_ask_capacity(asker);
    return count <= capacity + 2 ? count : (uint32_t)capacity;
}

bool accordi_count_is_exact(const accordi_asker *asker, uint32_t terms)
{
    return count_sampled(asker, terms) == terms;
}

static int width_needed(const packer *p, const accordi_request *request)
{
    if (request->kind == ACCORDI_RAW)
        return p->asker->bits;
    if (request->kind != ACCORDI_COUNT)
        return 1;
    uint32_t part = count_sampled(p->asker, request->count);
    return width_of(part == request->count ? (part > 2 ? part - 2 : 1) : part);
}

static bool place_request(packer *p, accordi_request *request, int offset, int width, uint32_t from)
{
    if (!accordi_ask_grow(p->asker, (void **)&p->placed, &p->capacity, p->placements + 1,
                          sizeof *p->placed))
        return false;
    p->placed[p->placements++] =
        (placement){request, (uint32_t)p->asker->probes, from, (uint8_t)offset, (uint8_t)width};
    return true;
}

/* Chooses what goes into the next probe: walks the domains, taking what fits. Placements from
 * `first` on belong to it. */
static bool choose_requests(packer *p)
{
    int free_bits = p->asker->bits, misfits = 0;
    for (size_t d = 0; d < p->alive && free_bits > 0 && misfits < MISFITS;) {
        queue *q = &p->queues[d];
        accordi_request *request = &p->requests->item[q->next];
        int width = width_needed(p, request);
        if (width > free_bits) {
            misfits++;
            d++;
            continue;
        }
        uint32_t from = request->done;
        if (request->kind == ACCORDI_READ) {
            uint32_t left = request->count - request->done;
            width = left < (uint32_t)free_bits ? (int)left : free_bits;
            request->done += (uint32_t)width;
        }
        if (!place_request(p, request, p->asker->bits - free_bits, width, from))
            return false;
        free_bits -= width;
        if (request->kind != ACCORDI_READ || request->done == request->count)
            q->next++;
        if (q->next == q->end) /* an empty domain makes room for the last one */
            *q = p->queues[--p->alive];
        else
            d++;
    }
    return true;
}

static void write_base(packer *p, accordi_request *request, double weight)
{
    uint32_t part = count_sampled(p->asker, request->count);
    for (uint32_t i = 0; i < part; i++)
        accordi_ask_stay(p->asker, request->items[i], weight);
}

/* Units of COUNTs stay from one probe to the next while the same sets are counted. */
static void update_base(packer *p, size_t first)
{
    accordi_request *now[64];
    uint8_t offset[64];
    size_t count = 0;
    for (size_t i = first; i < p->placements; i++)
        if (p->placed[i].request->kind == ACCORDI_COUNT) {
            now[count] = p->placed[i].request;
            offset[count++] = p->placed[i].offset;
        }
    bool same = count == p->based;
    for (size_t i = 0; same && i < count; i++)
        same = now[i]->items == p->base[i]->items && now[i]->count == p->base[i]->count &&
               offset[i] == p->base_offset[i];
    if (same)
        return;
    for (size_t i = 0; i < p->based; i++)
        write_base(p, p->base[i], 0);
    for (size_t i = 0; i < count; i++) {
        write_base(p, now[i], ldexp(p->asker->unit, offset[i]));
        p->base[i] = now[i];
        p->base_offset[i] = offset[i];
    }
    p->based = count;
}

/* Masks of which no part cancels but all: what lies under their LCA is swallowed. */
static void write_masks(accordi_asker *asker, const uint32_t *set, uint32_t count)
{
    for (uint32_t i = 0; i + 1 < count; i++)
        accordi_ask_own(asker, set[i], asker->mask);
    accordi_ask_own(asker, set[count - 1], -asker->mask * (double)(count - 1));
}

static void write_raw(accordi_asker *asker, const accordi_request *r)
{
    for (uint32_t i = 0; i < r->count; i++)
        accordi_ask_own(asker, r->items[i], r->amount);
    if (r->extra != ACCORD_TREE_NO_NODE)
        accordi_ask_own(asker, r->extra, r->amount);
    accordi_ask_own(asker, r->a, r->mask);
    if (r->b != ACCORD_TREE_NO_NODE)
        accordi_ask_own(asker, r->b, -r->mask);
}

static void write_probe(packer *p, size_t first)
{
    accordi_asker *asker = p->asker;
    update_base(p, first);
    for (size_t i = first; i < p->placements; i++) {
        const placement *at = &p->placed[i];
        const accordi_request *r = at->request;
        if (r->kind == ACCORDI_TEST) {
            write_masks(asker, r->items, r->count);
            accordi_ask_own(asker, r->a, ldexp(asker->unit, at->offset));
        } else if (r->kind == ACCORDI_RAW) {
            write_raw(asker, r);
        } else {
            for (int k = 0; r->kind == ACCORDI_READ && k < at->width; k++)
                accordi_ask_own(asker, r->items[at->from + (uint32_t)k],
                                ldexp(asker->unit, at->offset + k));
            if (r->set) {
                write_masks(asker, r->set, r->set_count);
            } else {
                accordi_ask_own(asker, r->a, asker->mask);
                accordi_ask_own(asker, r->b, -asker->mask);
            }
        }
    }
    accordi_ask_end(asker);
}

/* Leaves under the LCA, from the survivors among the terms that carried units. */
static uint32_t leaves_under(const accordi_asker *asker, const accordi_request *r, uint64_t alive)
{
    uint32_t part = count_sampled(asker, r->count);
    if (part == r->count)
        return r->count - (uint32_t)alive;
    double gone = 1 - (double)alive / (double)part;
    return 2 + (uint32_t)(gone * (double)(r->count - 2));
}

static enum accord_status read_answers(packer *p)
{
    accordi_asker *asker = p->asker;
    for (size_t i = 0; i < p->placements; i++) {
        placement *at = &p->placed[i];
        accordi_request *r = at->request;
        double raw = asker->result[at->probe];
        if (r->kind == ACCORDI_RAW) {
            *r->raw = raw;
            continue;
        }
        uint64_t units = 0;
        if (accordi_ask_decode(asker, raw, &units))
            return asker->status;
        uint64_t field = units >> at->offset & (((uint64_t)1 << at->width) - 1);
        if (r->kind == ACCORDI_READ)
            for (int k = 0; k < at->width; k++)
                r->answer[r->items[at->from + (uint32_t)k]] = (uint32_t)(field >> k & 1);
        else if (r->kind == ACCORDI_TEST)
            *r->answer = (uint32_t)field;
        else if (field > r->count - (r->count > 1 ? 2u : 0u))
            return accordi_ask_unable(asker, ACCORD_REASON_NOT_A_TREE,
                                      "more units remain than a probe contained");
        else
            *r->answer = leaves_under(asker, r, field);
    }
    return ACCORD_OK;
}

static enum accord_status ask_batch(packer *p)
{
    accordi_asker *asker = p->asker;
    p->placements = 0;
    p->based = 0;
    accordi_ask_begin(asker, 0);
    while (p->alive && asker->probes < PROBES_A_BATCH && asker->entries < ENTRIES_A_BATCH) {
        size_t first = p->placements;
        if (choose_requests(p))
            write_probe(p, first);
        if (asker->status)
            return asker->status;
    }
    if (accordi_ask_run(asker))
        return asker->status;
    return read_answers(p);
}

enum accord_status accordi_requests_ask(accordi_asker *asker, accordi_requests *requests)
{
    packer p = {.asker = asker, .requests = requests};
    p.queues = accordi_ask_alloc(asker, requests->count + 1, sizeof *p.queues);
    if (!p.queues)
        return asker->status;
    for (size_t i = 0; i < requests->count; i++) {
        if (i == 0 || requests->item[i].domain != requests->item[i - 1].domain)
            p.queues[p.alive++] = (queue){i, i};
        p.queues[p.alive - 1].end = i + 1;
    }
    while (p.alive && !asker->status)
        ask_batch(&p);
    free(p.queues);
    free(p.placed);
    return asker->status;
}

/* An order as data for the script of a page:
 *
 *     {"terms": 1000, "kinds": [{"words": "f32 to nearest", "mark": ""}], "shapes": [[…], …]}
 *
 * A shape is a row of integers: leaves, span, depth, label, steps and stride as in
 * accord/pattern.h (the label is the number of a kind from 1, or 0), and then four for each group
 * of equal parts: shape, shift, number of copies, distance of copies. The last shape is the whole.
 * Where an order is so irregular that this would be too long, its smallest parts are left out: such
 * a shape has -1 steps and no parts. */
#include "record/pictures/page_data.h"
#include "record/pictures/outline.h"

enum { MOST_GROUPS = 200000, BITS = 32 };

/* Groups of the shapes with at least 2^bit terms, for each bit. */
static void count_groups(const accord_pattern *pattern, uint64_t groups[BITS])
{
    accordi_group group;
    memset(groups, 0, BITS * sizeof *groups);
    for (uint32_t id = 0; id < accord_pattern_nodes(pattern); id++) {
        uint32_t leaves = accord_pattern_at(pattern, id)->leaves, at = 0;
        uint64_t count = 1;
        while (accordi_next_group(pattern, id, &at, &group))
            count++;
        for (int bit = 0; bit < BITS && leaves >> bit; bit++)
            groups[bit] += count;
    }
}

static bool is_left_out(const accord_pattern_node *node, int least)
{
    return node->steps > 0 && node->leaves >> least == 0;
}

/* The shapes that are written get new numbers, counted from 1; the others 0. */
static void number_shapes(const accord_pattern *pattern, int least, uint32_t *number)
{
    accordi_group group;
    uint32_t count = 0, nodes = accord_pattern_nodes(pattern);
    number[nodes - 1] = 1;
    for (uint32_t id = nodes; id-- > 0;) {
        uint32_t at = 0;
        bool open = number[id] && !is_left_out(accord_pattern_at(pattern, id), least);
        while (open && accordi_next_group(pattern, id, &at, &group))
            number[group.shape] = 1;
    }
    for (uint32_t id = 0; id < nodes; id++)
        number[id] = number[id] ? ++count : 0;
}

static void put_integer(accordi_stream *s, int64_t value)
{
    accordi_stream_puts(s, value < 0 ? "-" : "");
    accordi_stream_number(s, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

static void put_shape(accordi_stream *s, const accord_pattern *pattern, uint32_t id, int least,
                      const uint32_t *number)
{
    const accord_pattern_node *node = accord_pattern_at(pattern, id);
    bool left_out = is_left_out(node, least);
    accordi_group group;
    accordi_stream_printf(s, "[%u,%u,%u,%u,", node->leaves, node->span, node->depth, node->label);
    put_integer(s, left_out ? -1 : (int64_t)node->steps);
    accordi_stream_char(s, ',');
    put_integer(s, node->stride);
    for (uint32_t at = 0; !left_out && accordi_next_group(pattern, id, &at, &group);)
        accordi_stream_printf(s, ",%u,%u,%u,%u", number[group.shape] - 1, group.shift, group.count,
                              group.gap);
    accordi_stream_char(s, ']');
}

enum accord_status accordi_page_data(accordi_stream *s, const accordi_kinds *kinds,
                                     const accord_pattern *pattern, accord_error *error)
{
    uint32_t nodes = accord_pattern_nodes(pattern);
    uint32_t *number = accordi_calloc(nodes, sizeof *number);
    uint64_t groups[BITS];
    int least = 0;
    if (!number)
        return accordi_nomem(error);
    count_groups(pattern, groups);
    while (least < BITS - 1 && groups[least] > MOST_GROUPS)
        least++;
    number_shapes(pattern, least, number);
    accordi_stream_printf(s, "{\"terms\": %u,\n\"kinds\": [",
                          accord_pattern_at(pattern, nodes - 1)->leaves);
    for (uint32_t i = 0; i < kinds->count; i++)
        accordi_stream_printf(s, "%s\n{\"words\": \"%s\", \"mark\": \"%s\"}", i ? "," : "",
                              kinds->kind[i].words, kinds->kind[i].mark ? kinds->kind[i].mark : "");
    accordi_stream_puts(s, "],\n\"shapes\": [");
    for (uint32_t id = 0, put = 0; id < nodes; id++) {
        if (!number[id])
            continue;
        accordi_stream_puts(s, put++ ? ",\n" : "\n");
        put_shape(s, pattern, id, least, number);
    }
    accordi_stream_puts(s, "]}");
    free(number);
    return ACCORD_OK;
}

/* Text and letters that all drawings of a map share. */
#include "map/picture.h"

const accordi_color accordi_colors[ACCORDI_COLORS] = {
    {"#9ec5f0", 117}, {"#f2a65a", 215}, {"#7fc99a", 115}, {"#d98fc1", 176},
    {"#f3dd6d", 221}, {"#6f8fc9", 68},  {"#c8553d", 167}, {"#4f9d8f", 72},
    {"#a98ad0", 140}, {"#b5b35c", 143}, {"#8a8f98", 245}, {"#5b4b3a", 94},
};

void accordi_class_name(size_t id, char out[8])
{
    if (id < 26)
        snprintf(out, 8, "%c", (char)('A' + id));
    else
        snprintf(out, 8, "#%u", (unsigned)(uint16_t)id);
}

accordi_canvas accordi_canvas_of(const accord_map *map, size_t width)
{
    accordi_canvas c = {.map = map, .rows = map->rows, .columns = map->columns};
    size_t count = (size_t)map->rows * map->columns;
    c.wrapped = (c.rows == 1 || c.columns == 1) && count > 1;
    if (c.wrapped) {
        c.columns = count < width ? count : width;
        c.rows = (count + c.columns - 1) / c.columns;
    }
    return c;
}

size_t accordi_canvas_at(const accordi_canvas *c, size_t row, size_t column)
{
    size_t at = row * c->columns + column, count = (size_t)c->map->rows * c->map->columns;
    return row < c->rows && column < c->columns && at < count ? c->map->class_of[at] : SIZE_MAX;
}

void accordi_map_title(const accord_map *map, accordi_buffer *out)
{
    const accord_record *first = &map->each[0].record;
    accordi_buffer_printf(out, "%s: %u x %u results of %lld terms, %zu class%s",
                          first->target ? first->target : "a target", map->rows, map->columns,
                          (long long)first->n, map->classes, map->classes == 1 ? "" : "es");
}

void accordi_class_share(const accord_map *map, size_t id, accordi_buffer *out)
{
    const accord_class *class = &map->each[id];
    uint64_t all = (uint64_t)map->rows * map->columns;
    uint64_t permille = (class->members * 1000 + all / 2) / all;
    accordi_buffer_printf(out, "%llu of %llu elements (", (unsigned long long)class->members,
                          (unsigned long long)all);
    if (permille == 0)
        accordi_buffer_puts(out, "below 0.1 %)");
    else
        accordi_buffer_printf(out, "%llu.%llu %%)", (unsigned long long)permille / 10,
                              (unsigned long long)permille % 10);
    if (map->columns > 1)
        accordi_buffer_printf(out, ", the first at %u,%u", class->row, class->column);
    else
        accordi_buffer_printf(out, ", the first at %u", class->row);
}

void accordi_class_order(const accord_class *class, accordi_buffer *out)
{
    const accord_record *r = &class->record;
    char print[ACCORD_FINGERPRINT_SIZE];
    if (!r->tree || accord_tree_fingerprint(r->tree, print, NULL)) {
        accordi_buffer_printf(out, "no order: %s", r->reason ? r->reason : "unknown");
        return;
    }
    char words[ACCORD_DESCRIPTION_SIZE] = "arithmetic not known";
    const accord_model model = {r->tree, r->arithmetic};
    if (r->arithmetic)
        accord_model_describe(&model, words, sizeof words);
    else if (r->accumulator)
        snprintf(words, sizeof words, "%s", r->accumulator);
    accordi_buffer_printf(out, "order %.8s, %s", print, words);
}

/* The i-th line of a list, if there is one; else takes the number of its lines from *i. */
static const char *line_of(const char *list, size_t *i, int *length)
{
    for (; list && *list; list += *length + (list[*length] == '\n')) {
        *length = (int)strcspn(list, "\n");
        if ((*i)-- == 0)
            return list;
    }
    return NULL;
}

bool accordi_class_note(const accord_class *class, size_t i, accordi_buffer *out)
{
    int length;
    const char *line = line_of(class->record.circumstances, &i, &length);
    const char *kind = "holds also ";
    if (!line) {
        line = line_of(class->record.warnings, &i, &length);
        kind = "warning: ";
    }
    if (line)
        accordi_buffer_printf(out, "%s%.*s", kind, length, line);
    return line;
}

bool accordi_class_is_sure(const accord_class *class)
{
    const char *status = class->record.status;
    return !status || strcmp(status, accord_status_name(ACCORD_OK)) == 0;
}

void accordi_class_proof(const accord_class *class, accordi_buffer *out)
{
    if (class->certified == 0)
        accordi_buffer_puts(out, "not certified");
    else if (class->certified == class->members)
        accordi_buffer_puts(out, "every element certified");
    else
        accordi_buffer_printf(out, "%llu of them certified", (unsigned long long)class->certified);
    const accord_record *r = &class->record;
    if (r->tree && !accordi_class_is_sure(class))
        accordi_buffer_printf(out, " (%s)", r->reason ? r->reason : "unknown");
    if (r->replays > 0)
        accordi_buffer_printf(out, ", %lld of %lld random results replayed",
                              (long long)r->replays_agreed, (long long)r->replays);
    if (!r->arithmetic && r->answers.digest) /* nothing else tells such classes apart */
        accordi_buffer_printf(out, ", answers %.12s on %lld inputs", r->answers.digest,
                              (long long)r->answers.inputs);
}

/* The text in pictures: the caption, and the names of the items of an outline. */
#include "record/pictures/svg.h"

static void put_grouped(accordi_buffer *out, uint64_t value)
{
    char text[ACCORDI_GROUPED];
    accordi_put_count(text, (int64_t)value);
    accordi_buffer_puts(out, text);
}

/* "8", "0, 1", "8, 16, … 992", "8 and others". */
static void put_terms(const accordi_outline_item *item, accordi_buffer *out)
{
    long long first = item->low, gap = item->gap;
    uint64_t times = item->times;
    accordi_buffer_printf(out, "%lld", first);
    if (times == 1)
        return;
    if (gap == 0) {
        accordi_buffer_puts(out, ", …");
        return;
    }
    if (times == 2)
        accordi_buffer_printf(out, ", %lld", first + gap);
    else
        accordi_buffer_printf(out, ", %lld, %s%lld", first + gap, times > 3 ? "… " : "",
                              first + gap * (long long)(times - 1));
}

static void put_extent(const accordi_outline *outline, const accordi_outline_item *item,
                       accordi_buffer *out)
{
    uint32_t span = accord_pattern_at(outline->pattern, item->shape)->span;
    uint32_t high = item->low + span - 1;
    if (item->leaves == 2)
        accordi_buffer_printf(out, ": %u and %u", item->low, high);
    else
        accordi_buffer_printf(out, ": %s%u … %u", span == item->leaves ? "" : "between ", item->low,
                              high);
}

void accordi_outline_text(const accordi_outline *outline, const accordi_outline_item *item,
                          accordi_buffer *out)
{
    const accordi_outline_item *like = &outline->item[item->like];
    switch (item->kind) {
    case ACCORDI_OUTLINE_TERM:
        put_terms(item, out);
        break;
    case ACCORDI_OUTLINE_CHAIN:
        put_grouped(out, item->steps);
        accordi_buffer_puts(out, item->operands > 2 ? " fused sums" : " additions");
        break;
    case ACCORDI_OUTLINE_FOLD:
        put_grouped(out, item->steps);
        accordi_buffer_puts(out, " levels");
        break;
    case ACCORDI_OUTLINE_NODE:
        break;
    case ACCORDI_OUTLINE_REST:
        accordi_buffer_puts(out, "and ");
        put_grouped(out, item->leaves);
        accordi_buffer_puts(out, " more");
        break;
    case ACCORDI_OUTLINE_BOX:
        put_grouped(out, item->leaves);
        accordi_buffer_puts(out, " terms");
        if (like->letter)
            accordi_buffer_printf(out, ", as %c", like->letter);
        else if (item->times == 1)
            put_extent(outline, item, out);
    }
}

char *accordi_svg_caption(const accord_record *record)
{
    char *target = accordi_utf8(record->target ? record->target : "", true);
    accordi_buffer caption = {0};
    if (!target)
        return NULL;
    accordi_buffer_puts(&caption, "");
    if (*target)
        accordi_buffer_printf(&caption, "%s, %u term%s", target, record->tree->leaves,
                              record->tree->leaves == 1 ? "" : "s");
    free(target);
    if (caption.failed)
        accordi_buffer_clear(&caption);
    return caption.data;
}

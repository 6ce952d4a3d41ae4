/* A family of orders as text: which rule holds where, what the rules say, and how far they were
 * checked. */
#include "cli/orders/family.h"

enum { STEPS = 64 };

void cli_family_forms_make(cli_family_forms *all, const accord_family *family)
{
    size_t rules = accord_family_rules(family);
    *all = (cli_family_forms){.family = family};
    all->form = cli_need(accordi_alloc(rules, sizeof *all->form));
    for (size_t i = 0; i < rules; i++) {
        const char *form = accord_family_rule_at(family, i).form;
        if (cli_family_form(all, form) == all->forms)
            all->form[all->forms++] = form;
    }
}

void cli_family_forms_clear(cli_family_forms *all)
{
    free(all->form);
    *all = (cli_family_forms){.form = NULL};
}

size_t cli_family_form(const cli_family_forms *all, const char *form)
{
    size_t i = 0;
    while (i < all->forms && strcmp(all->form[i], form) != 0)
        i++;
    return i;
}

bool cli_family_is_shared(const cli_family_forms *all, size_t form)
{
    uint64_t held = 0;
    for (size_t i = 0; i < accord_family_rules(all->family); i++) {
        accord_family_rule r = accord_family_rule_at(all->family, i);
        if (strcmp(r.form, all->form[form]) == 0)
            held += (uint64_t)r.asked + r.predicted;
    }
    return held > 1;
}

void cli_family_letter(size_t form, char letter[16])
{
    if (form < 26)
        snprintf(letter, 16, "%c", (char)('A' + form));
    else
        snprintf(letter, 16, "%c%u", (char)('A' + form % 26), (unsigned)(form / 26 % 1000000));
}

static void put_where(char where[80], const accord_family_rule *r)
{
    int used = r->from == r->to ? snprintf(where, 80, "%u", r->from)
                                : snprintf(where, 80, "%u..%u", r->from, r->to);
    if (r->modulus == 1)
        return;
    if (r->low == r->high)
        snprintf(where + used, 80 - (size_t)used, ", n mod %u = %u", r->modulus, r->low);
    else
        snprintf(where + used, 80 - (size_t)used, ", n mod %u = %u..%u", r->modulus, r->low,
                 r->high);
}

/* Rules of single n, which no other n shares, are counted beyond these. */
enum { MOST_SINGLE = 12 };

static void put_rules(accordi_buffer *out, const cli_family_forms *all)
{
    size_t single = 0;
    cli_table *table = cli_table_new(4);
    const char *const head[] = {"n", "rule", "asked", "predicted"};
    for (size_t i = 0; i < 4; i++)
        cli_table_put(table, head[i]);
    for (size_t i = 0; i < accord_family_rules(all->family); i++) {
        accord_family_rule r = accord_family_rule_at(all->family, i);
        size_t form = cli_family_form(all, r.form);
        char where[80], letter[16];
        if (!cli_family_is_shared(all, form) && ++single > MOST_SINGLE)
            continue;
        put_where(where, &r);
        cli_family_letter(form, letter);
        cli_table_put(table, where);
        cli_table_put(table, letter);
        cli_table_printf(table, "%u", r.asked);
        cli_table_printf(table, "%u", r.predicted);
    }
    cli_table_write(table, "report", out);
    cli_table_free(table);
    if (single > MOST_SINGLE)
        accordi_buffer_printf(out,
                              "  and %zu more n that were asked and have an order of their own, "
                              "which no rule explains\n",
                              single - MOST_SINGLE);
}

/* A long text in lines of some words, each behind as many spaces. */
static void put_lines(accordi_buffer *out, const char *text, int indent)
{
    enum { WIDTH = 100 };
    size_t room = WIDTH - (size_t)indent;
    while (*text) {
        size_t length = strlen(text);
        if (length > room) {
            size_t cut = room;
            while (cut > room / 2 && text[cut] != ' ')
                cut--;
            length = text[cut] == ' ' ? cut : room;
        }
        accordi_buffer_printf(out, "%*s%.*s\n", indent, "", (int)length, text);
        text += length + (text[length] == ' ');
    }
}

/* What the steps of a form do, over all its rules: where each begins, and where it ends. */
static void put_uses(accordi_buffer *out, const cli_family_forms *all, size_t form)
{
    accord_family_use use[STEPS], sum[STEPS];
    char text[ACCORD_STEP_SIZE];
    size_t steps = 0;
    uint32_t first = UINT32_MAX, last = 0;
    for (size_t i = 0; i < accord_family_rules(all->family); i++) {
        accord_family_rule r = accord_family_rule_at(all->family, i);
        if (strcmp(r.form, all->form[form]) != 0)
            continue;
        size_t count = accord_family_uses(all->family, i, use);
        for (size_t k = 0; k < count; k++) {
            if (k >= steps || sum[k].from == 0)
                sum[k] = use[k];
            else if (use[k].from)
                sum[k].to = use[k].to;
        }
        steps = count > steps ? count : steps;
        first = r.from < first ? r.from : first;
        last = r.to > last ? r.to : last;
    }
    for (size_t k = 0; k < steps; k++) {
        if (sum[k].from == 0 || !accord_form_step(all->form[form], k, text))
            continue;
        accordi_buffer_printf(out, "       %s: ", text);
        if (sum[k].from <= first + 1 && sum[k].to == last && sum[k].always)
            accordi_buffer_puts(out, "always\n");
        else
            accordi_buffer_printf(out, "%sfrom n = %u%s\n", sum[k].always ? "" : "at some n, ",
                                  sum[k].from, sum[k].to + 128 < last ? ", not to the end" : "");
    }
}

/* Why there is no order at the first n that has none. */
static void put_why(accordi_buffer *out, const accord_family *f)
{
    uint32_t n;
    const char *why = NULL;
    for (size_t i = 0; !why && (n = accord_family_asked(f, i)) != 0; i++)
        why = accord_family_why(f, n);
    char *clean = why ? accordi_utf8(why, true) : NULL;
    accordi_buffer line = {0};
    accordi_buffer_printf(&line, "n = %u: %s", n, clean ? clean : "");
    if (clean)
        put_lines(out, cli_need(line.data), 5);
    accordi_buffer_clear(&line);
    free(clean);
}

static void put_forms(accordi_buffer *out, const cli_family_forms *all)
{
    enum { SHORT = 400 };
    size_t single = 0;
    for (size_t i = 0; i < all->forms; i++) {
        char letter[16], words[ACCORD_FORM_WORDS_SIZE];
        bool shared = cli_family_is_shared(all, i);
        if (!shared && ++single > MOST_SINGLE)
            continue;
        cli_family_letter(i, letter);
        if (!*all->form[i]) {
            accordi_buffer_printf(out, "\n%3s  no order\n", letter);
            put_why(out, all->family);
            continue;
        }
        bool cut = strlen(all->form[i]) > SHORT;
        accordi_buffer_printf(out, "\n%3s  %.*s%s\n", letter, SHORT, all->form[i],
                              cut ? "..." : "");
        accord_form_words(all->form[i], words);
        if (strcmp(words, all->form[i]) != 0 && !cut)
            put_lines(out, words, 5);
        if (shared)
            put_uses(out, all, i);
    }
}

static void put_changes(accordi_buffer *out, const accord_family *family)
{
    enum { SHOWN = 24 };
    uint32_t n[SHOWN];
    size_t count = accord_family_changes(family, n, SHOWN);
    if (count == 0)
        return;
    accordi_buffer_puts(out, "\nThe pattern changes at n = ");
    for (size_t i = 0; i < count && i < SHOWN; i++)
        accordi_buffer_printf(out, i ? ", %u" : "%u", n[i]);
    accordi_buffer_puts(out, count > SHOWN ? ", ...\n" : "\n");
}

/* Where rules say nothing of n that were not asked. In a short range all n are asked at once. */
static void put_ends(accordi_buffer *out, const accord_family *family,
                     const accord_family_account *a)
{
    enum { ASKED_AT_ONCE = 320 };
    uint64_t range = (uint64_t)accord_family_to(family) - accord_family_from(family) + 1;
    if (a->complete && a->unknown > 0)
        accordi_buffer_puts(out, " No rule was found for these; accord reveal shows the order of "
                                 "one of them.");
    else if (a->asked == range && range > ASKED_AT_ONCE)
        accordi_buffer_puts(out, " No rule was found that says more than what was asked, so all n "
                                 "were asked.");
}

void cli_family_report(accordi_buffer *out, const cli_family_forms *all, const char *name,
                       const accord_family_account *a)
{
    accordi_buffer_printf(out, "%s: orders of n = %u to %u terms\n\n", name,
                          accord_family_from(all->family), accord_family_to(all->family));
    put_rules(out, all);
    put_forms(out, all);
    put_changes(out, all->family);
    accordi_buffer_printf(out,
                          "\n%llu n were asked (%llu orders were proven), %llu are predicted, %llu "
                          "are unknown.",
                          (unsigned long long)a->asked, (unsigned long long)a->proven,
                          (unsigned long long)a->predicted, (unsigned long long)a->unknown);
    put_ends(out, all->family, a);
    if (a->checks == 0 && a->complete) { /* all were asked */
        accordi_buffer_puts(out, "\n");
        return;
    }
    if (a->checks)
        accordi_buffer_printf(out, " %llu predictions were checked%s.",
                              (unsigned long long)a->checks,
                              a->complete ? " and were right" : " so far");
    else
        accordi_buffer_puts(out, " No prediction was checked with these rules.");
    if (a->refuted)
        accordi_buffer_printf(out, " %llu earlier prediction%s wrong and changed the rules.",
                              (unsigned long long)a->refuted, a->refuted == 1 ? " was" : "s were");
    accordi_buffer_puts(out, "\n");
}

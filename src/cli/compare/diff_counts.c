/* Orders of different counts: accord_common in words. */
#include "cli/compare/diff.h"

const accord_tree *cli_diff_tree(const cli_difference *in, bool of_b)
{
    bool is_longer = of_b == in->counts.b_is_longer;
    return in->by_counts && is_longer ? in->counts.induced : (of_b ? in->b : in->a)->record.tree;
}

void cli_diff_counts_report(accordi_buffer *out, const cli_difference *in)
{
    char words[400];
    const accord_common *c = &in->counts;
    const accord_record *a = &in->a->record, *b = &in->b->record;
    accordi_buffer_printf(out,
                          "%s on the %u term%s that both add%s.\nA is %s, of %lld terms\n"
                          "B is %s, of %lld terms\n\n",
                          c->same_order ? "Same order" : "Different orders", c->common,
                          c->common == 1 ? "" : "s",
                          c->other_arithmetic ? ", different arithmetic" : "", in->a->name,
                          (long long)a->n, in->b->name, (long long)b->n);
    if (in->has_node)
        cli_diff_put_node(out, in);
    accord_common_describe(c, words, sizeof words);
    accordi_buffer_printf(out, "%s\n", words);
    cli_diff_put_arithmetics(out, in);
    if (in->open)
        accordi_buffer_printf(out, "This result is not certain: %s.\n", in->why.text);
}

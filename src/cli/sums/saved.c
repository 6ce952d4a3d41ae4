/* Saved accumulators: reading and writing their files. */
#include "cli/sums/work.h"

/* All bytes of the file, of which there may be at most one more than of the longest form. */
static bool all_bytes(cli_reader *r)
{
    return cli_source_need(&r->source, ACCORD_EXACT_WIDE_BYTES + 1, &r->error) != CLI_MORE_FAILED;
}

bool cli_saved_is_good(cli_reader *r, enum accord_status status, const accord_error *error)
{
    return status == ACCORD_OK ||
           cli_reader_refuse(r, status, "%s: %s", r->source.name, error->text);
}

/* Number of limbs, where it is what the other command saves. */
static bool limbs_are(const cli_reader *r, unsigned char limbs)
{
    const unsigned char *b = (const unsigned char *)r->source.data;
    return r->source.length >= 16 && b[12] == limbs && !b[13] && !b[14] && !b[15];
}

bool cli_load_sum(cli_reader *r, accord_exact *sum)
{
    accord_error error;
    if (!all_bytes(r))
        return false;
    if (limbs_are(r, ACCORD_EXACT_WIDE_LIMBS))
        return cli_reader_refuse(r, ACCORD_PARSE,
                                 "%s is a sum of products; accord dot --merge takes it",
                                 r->source.name);
    return cli_saved_is_good(r, accord_exact_load(sum, r->source.data, r->source.length, &error),
                             &error);
}

bool cli_load_wide(cli_reader *r, accord_exact_wide *sum)
{
    accord_error error;
    if (!all_bytes(r))
        return false;
    if (limbs_are(r, ACCORD_EXACT_LIMBS))
        return cli_reader_refuse(r, ACCORD_PARSE,
                                 "%s is a sum, not one of products; accord sum takes it",
                                 r->source.name);
    return cli_saved_is_good(
        r, accord_exact_wide_load(sum, r->source.data, r->source.length, &error), &error);
}

int cli_save(const cli_args *args, const unsigned char *bytes, size_t length)
{
    accordi_buffer saved = {0};
    if (!args->text[CLI_SAVE])
        return CLI_YES;
    accordi_buffer_append(&saved, bytes, length);
    return cli_output_buffer("--save", args->text[CLI_SAVE], &saved);
}

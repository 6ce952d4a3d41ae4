/* Operands and results of GEMV and GEMM in files, for accord explain: with --shape MxNxK the inputs
 * are A and B, as they are stored, and the results a matrix. */
#include "cli/explain/explain.h"
#include <stdio.h>

typedef struct shape {
    size_t m, n, k;
    bool product;        /* of two matrices; else of a matrix and a vector */
    bool turn_a, turn_b; /* as --trans says */
} shape;

static bool read_shape(const cli_args *args, shape *out)
{
    char rest;
    const char *text = args->text[CLI_SHAPE], *trans = args->text[CLI_TRANS];
    size_t extent[3];
    int extents =
        text ? sscanf(text, "%zux%zux%zu%c", &extent[0], &extent[1], &extent[2], &rest) : 0;
    *out = (shape){.m = extents > 1 ? extent[0] : 0, .n = 1, .product = extents == 3};
    if (out->product)
        out->n = extent[1];
    if (extents == 2 || extents == 3)
        out->k = extent[extents - 1];
    out->turn_a = trans && (trans[0] == 'T' || trans[0] == 't');
    out->turn_b = trans && trans[0] && (trans[1] == 'T' || trans[1] == 't');
    return out->m && out->n && out->k;
}

/* A file without a shape holds as many numbers; one with a shape, that shape. */
static bool holds(const cli_numbers *in, size_t rows, size_t columns)
{
    if (in->rows * in->columns != rows * columns)
        return false;
    return !in->shaped || in->rows == 1 || (in->rows == rows && in->columns == columns);
}

static void turn(cli_numbers *in, size_t rows, size_t columns)
{
    double *turned = cli_need(accordi_alloc(rows * columns, sizeof *turned));
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < columns; c++)
            turned[c * rows + r] = in->value[r * columns + c];
    free(in->value);
    in->value = turned;
}

bool cli_given_matrices(const cli_args *args, cli_given *given)
{
    shape s;
    if (!read_shape(args, &s) || (s.m == 1 && s.n == 1) || !given->y.value)
        return false;
    bool fits = holds(&given->x, s.turn_a ? s.k : s.m, s.turn_a ? s.m : s.k);
    if (s.product)
        fits = fits && holds(&given->y, s.turn_b ? s.n : s.k, s.turn_b ? s.k : s.n);
    else
        fits = fits && given->y.rows * given->y.columns == s.k;
    if (!fits || (given->count && given->count != s.m * s.n))
        return false;
    if (s.turn_a)
        turn(&given->x, s.k, s.m);
    if (s.product && !s.turn_b)
        turn(&given->y, s.k, s.n);
    given->inputs.rows = s.m;
    given->inputs.columns = s.n;
    given->inputs.n = s.k;
    return true;
}

int cli_given_start(const cli_args *args, cli_given *given)
{
    accord_explain_inputs *in = &given->inputs;
    size_t sums = in->rows * (in->columns ? in->columns : 1);
    size_t held = given->start.rows * given->start.columns;
    if (!args->text[CLI_START])
        return CLI_YES;
    if (cli_real(args, CLI_BETA, 0) == 0)
        return cli_misuse("--start gives start values; say with --beta what they are multiplied "
                          "by, for example --beta 1");
    if (held != sums)
        return cli_misuse("%s holds %zu start values, but there are %zu sums; give one for each",
                          args->text[CLI_START], held, sums);
    in->start = given->start.value;
    return CLI_YES;
}

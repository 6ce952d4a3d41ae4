/* Bit for bit: every question to every library is revealed, and random inputs are replayed by what
 * was found: vectors of 1 to 70 terms, GEMV of 1 to 70 rows and columns, GEMM of odd shapes with
 * transposes and strides, every element of the result, with and without alpha and beta. What does
 * not replay is listed on stderr with the reason.
 *
 * ACCORD_BITS chooses rows: one is run if "ROUTINE@LIBRARY QUESTIONS" contains that text ("@atlas",
 * "sgemm@", "sgemm@openblas 21 pairs").
 */
#include "bench.h"
#include "map/map.h"
#include "record/record.h"

enum { MOST = 70 };

typedef struct tally {
    uint64_t questions, elements, classes, replays, agreed, failed;
    double seconds;
} tally;

static const char *const libraries[] = {"openblas", "blis", "atlas", "reference", "gsl"};
enum { LIBRARIES = sizeof libraries / sizeof *libraries };

typedef struct shape {
    const char *shape, *transpose;
    int64_t lda, ldb, ldc, incx, incy;
    double alpha, beta; /* alpha 0: 1 and 0 */
} shape;

static const shape gemms[] = {
    {"1x1x1", "NN", 0, 0, 0, 0, 0, 0, 0},      {"1x9x33", "NN", 0, 0, 0, 0, 0, 0, 0},
    {"9x1x33", "NN", 0, 0, 0, 0, 0, 0, 0},     {"2x3x5", "NT", 0, 0, 0, 0, 0, 0, 0},
    {"7x13x24", "NN", 0, 0, 0, 0, 0, 0, 0},    {"7x13x24", "TN", 0, 0, 0, 0, 0, 0, 0},
    {"7x13x24", "NT", 0, 0, 0, 0, 0, 0, 0},    {"7x13x24", "TT", 0, 0, 0, 0, 0, 0, 0},
    {"13x7x24", "NN", 30, 9, 11, 0, 0, 0, 0},  {"13x7x25", "TN", 17, 10, 8, 0, 0, 0, 0},
    {"16x16x16", "NN", 0, 0, 0, 0, 0, 0, 0},   {"17x31x2", "NN", 0, 0, 0, 0, 0, 0, 0},
    {"33x33x48", "NN", 0, 0, 0, 0, 0, 0, 0},   {"33x33x48", "TT", 0, 0, 0, 0, 0, 0, 0},
    {"5x5x300", "NN", 0, 0, 0, 0, 0, 0, 0},    {"5x6x513", "NT", 520, 515, 7, 0, 0, 0, 0},
    {"40x3x129", "NN", 0, 0, 0, 0, 0, 0, 0},   {"3x40x129", "TN", 0, 0, 0, 0, 0, 0, 0},
    {"64x65x66", "NN", 0, 0, 0, 0, 0, 0, 0},   {"19x23x97", "NT", 100, 101, 29, 0, 0, 0, 0},
    {"24x24x1000", "NN", 0, 0, 0, 0, 0, 0, 0}, {"50x70x11", "TT", 55, 12, 71, 0, 0, 0, 0},
};

static void fail(tally *t, const char *notation, const char *what, const char *why)
{
    t->failed++;
    fprintf(stderr, "# %s %s: %s\n", notation, what, why);
}

/* A target without an answer is a line of stderr; without a library, the end of its row. */
static accord_target *open(const char *notation, const accord_target_options *options,
                           accord_error *error)
{
    accord_target *target = NULL;
    if (accord_target_open(notation, options, &target, error) == ACCORD_TARGET)
        return NULL;
    if (!target)
        bench_die(notation, error);
    return target;
}

static void ask_vector(const char *notation, size_t n, const char *element, tally *t)
{
    accord_target_options options;
    accord_record record;
    accord_error error;
    char what[32];
    accord_target_options_init(&options);
    accordi_record_init(&record);
    options.n = n;
    options.element = element;
    snprintf(what, sizeof what, "n = %zu%s%s", n, element ? " " : "", element ? element : "");
    accord_target *target = open(notation, &options, &error);
    enum accord_status status =
        target ? accord_reveal(target, NULL, &record, &error) : ACCORD_TARGET;
    t->questions++;
    t->elements++;
    t->classes++;
    t->replays += (uint64_t)record.replays;
    t->agreed += (uint64_t)record.replays_agreed;
    if (status)
        fail(t, notation, what, record.verdict ? record.verdict : error.text);
    accord_record_clear(&record);
    accord_target_close(target);
}

/* As options of the command. */
static const char *words_of(const shape *s, char text[128])
{
    int used = snprintf(text, 128, "--shape %s --trans %s", s->shape, s->transpose);
    if (s->alpha != 0 && used < 128)
        snprintf(text + used, 128 - (size_t)used, " --alpha %.17g --beta %.17g", s->alpha, s->beta);
    return text;
}

static void ask_map(const char *notation, const shape *s, size_t n, tally *t)
{
    char what[128];
    accord_target_options options;
    accord_map map;
    accord_error error;
    accord_target_options_init(&options);
    accordi_map_init(&map);
    options.n = n;
    options.shape = s->shape;
    options.transpose = s->transpose;
    options.lda = s->lda;
    options.ldb = s->ldb;
    options.ldc = s->ldc;
    options.incx = s->incx;
    options.incy = s->incy;
    if (s->alpha != 0) {
        options.alpha = s->alpha;
        options.beta = s->beta;
    }
    options.n += options.beta != 0;
    accord_target *target = open(notation, &options, &error);
    t->questions++;
    if (!target || accord_map_reveal(target, NULL, &map, &error)) {
        fail(t, notation, words_of(s, what), error.text);
    } else {
        t->elements += (uint64_t)map.rows * map.columns;
        t->classes += map.classes;
        t->replays += map.replays;
        t->agreed += map.replays_agreed;
        for (size_t c = 0; c < map.classes; c++)
            if (!map.each[c].record.arithmetic)
                fail(t, notation, words_of(s, what),
                     map.each[c].record.verdict ? map.each[c].record.verdict : "no order");
    }
    accord_map_clear(&map);
    accord_target_close(target);
}

static void ask_vectors(const char *notation, tally *t)
{
    for (size_t n = 1; n <= MOST; n++)
        ask_vector(notation, n, NULL, t);
}

/* Two terms for each element. */
static void ask_complex(const char *notation, tally *t)
{
    for (size_t n = 2; n <= 2 * MOST; n += 2)
        ask_vector(notation, n, NULL, t);
}

static void ask_parts(const char *notation, tally *t)
{
    ask_complex(notation, t);
    for (size_t n = 2; n <= 2 * MOST; n += 2)
        ask_vector(notation, n, "im", t);
}

/* Square, upright and transposed, and with strides; the lines have room for a band. */
static void ask_gemvs(const char *notation, tally *t)
{
    for (int n = 1; n <= MOST; n++) {
        char text[32];
        bool strided = n % 3 == 0;
        snprintf(text, sizeof text, "%dx%d", n, n);
        shape s = {.shape = text, .transpose = n % 2 ? "N" : "T"};
        if (strided)
            s = (shape){
                .shape = text, .transpose = s.transpose, .lda = 2 * n + 3, .incx = 2, .incy = 3};
        ask_map(notation, &s, (size_t)n, t);
    }
}

static void ask_gemms(const char *notation, tally *t)
{
    for (size_t i = 0; i < sizeof gemms / sizeof *gemms; i++) {
        const char *k = strrchr(gemms[i].shape, 'x') + 1;
        ask_map(notation, &gemms[i], (size_t)strtoull(k, NULL, 10), t);
    }
}

/* Factors with code of their own in libraries, and others. */
static const double factors[][2] = {
    {1, 1},      {1, 0.1}, {1, -1.7},  {-1, 0},     {-1, 1},     {-1, -0.7},   {2, 0.1},
    {1.3, 0},    {1.3, 1}, {1.3, 0.1}, {1.3, 0.5},  {1.3, -1.7}, {-0.7, 0},    {-0.7, -1},
    {-0.7, 1.3}, {0.1, 0}, {0.1, 2},   {1. / 3, 0}, {1. / 3, 1}, {1. / 3, .5}, {1. / 3, -1.7}};
enum { FACTORS = sizeof factors / sizeof *factors };

static void ask_scaled_gemvs(const char *notation, tally *t)
{
    static const int counts[] = {1, 2, 3, 5, 8, 13, 31, 70};
    for (size_t f = 0; f < FACTORS; f++)
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            char text[32];
            int n = counts[i], m = 1 + n / 2;
            bool strided = (f + i) % 3 == 0;
            snprintf(text, sizeof text, "%dx%d", m, n);
            shape s = {.shape = text,
                       .transpose = (f + i) % 2 ? "N" : "T",
                       .lda = strided ? n + 3 : 0,
                       .incx = strided ? 2 : 0,
                       .incy = strided ? 3 : 0,
                       .alpha = factors[f][0],
                       .beta = factors[f][1]};
            ask_map(notation, &s, (size_t)n, t);
        }
}

static void ask_scaled_gemms(const char *notation, tally *t)
{
    static const shape shapes[] = {{.shape = "2x3x5", .transpose = "NT"},
                                   {.shape = "7x13x24", .transpose = "NN"},
                                   {.shape = "13x7x40", .transpose = "TN"}};
    for (size_t f = 0; f < FACTORS; f++)
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
            shape s = shapes[i];
            s.alpha = factors[f][0];
            s.beta = factors[f][1];
            ask_map(notation, &s, (size_t)strtoull(strrchr(s.shape, 'x') + 1, NULL, 10), t);
        }
}

static const struct {
    const char *name, *questions;
    void (*ask)(const char *notation, tally *t);
} rows[] = {
    {"sdot", "n = 1…70", ask_vectors},
    {"ddot", "n = 1…70", ask_vectors},
    {"dsdot", "n = 1…70", ask_vectors},
    {"cdotu", "1…70 elements, both parts", ask_parts},
    {"cdotc", "1…70 elements, both parts", ask_parts},
    {"zdotu", "1…70 elements, both parts", ask_parts},
    {"zdotc", "1…70 elements, both parts", ask_parts},
    {"sasum", "n = 1…70", ask_vectors},
    {"dasum", "n = 1…70", ask_vectors},
    {"scasum", "1…70 elements", ask_complex},
    {"dzasum", "1…70 elements", ask_complex},
    {"snrm2", "n = 1…70", ask_vectors},
    {"dnrm2", "n = 1…70", ask_vectors},
    {"scnrm2", "1…70 elements", ask_complex},
    {"dznrm2", "1…70 elements", ask_complex},
    {"sgemv", "n × n, n = 1…70, N and T, strides", ask_gemvs},
    {"dgemv", "n × n, n = 1…70, N and T, strides", ask_gemvs},
    {"sgbmv", "n × n, n = 1…70, N and T, strides", ask_gemvs},
    {"dgbmv", "n × n, n = 1…70, N and T, strides", ask_gemvs},
    {"sgemm", "22 shapes, NN NT TN TT, strides", ask_gemms},
    {"dgemm", "22 shapes, NN NT TN TT, strides", ask_gemms},
    {"sgemv", "21 pairs of alpha and beta, 8 shapes", ask_scaled_gemvs},
    {"dgemv", "21 pairs of alpha and beta, 8 shapes", ask_scaled_gemvs},
    {"sgemm", "21 pairs of alpha and beta, 3 shapes", ask_scaled_gemms},
    {"dgemm", "21 pairs of alpha and beta, 3 shapes", ask_scaled_gemms},
    {"sbdot", "n = 1…70", ask_vectors},
    {"sbgemv", "n × n, n = 1…70, N and T, strides", ask_gemvs},
    {"sbgemm", "22 shapes, NN NT TN TT, strides", ask_gemms},
    {"sbgemm", "21 pairs of alpha and beta, 3 shapes", ask_scaled_gemms},
};

/* Not every library has every routine. */
static bool exists(const char *notation)
{
    accord_target_options options;
    accord_target *target = NULL;
    accord_error error;
    accord_target_options_init(&options);
    options.n = 2;
    enum accord_status status = accord_target_open(notation, &options, &target, &error);
    accord_target_close(target);
    if (status && status != ACCORD_TARGET)
        bench_die(notation, &error);
    return !status;
}

static void print_row(const char *library, size_t r)
{
    char notation[64], all[128];
    const char *chosen = getenv("ACCORD_BITS");
    tally t = {0};
    double from = accordi_now();
    snprintf(notation, sizeof notation, "blas:%s@%s", rows[r].name, library);
    snprintf(all, sizeof all, "%s %s", notation, rows[r].questions);
    if ((chosen && !strstr(all, chosen)) || !exists(notation))
        return;
    rows[r].ask(notation, &t);
    printf("| %s | %s | %s |", library, rows[r].name, rows[r].questions);
    bench_whole(" ", (double)t.elements, " |");
    bench_whole(" ", (double)t.classes, " |");
    bench_whole(" ", (double)t.replays, " |");
    bench_whole(" ", (double)(t.replays - t.agreed), " |");
    bench_whole(" ", (double)t.failed, " |");
    printf(" %.1f |\n", accordi_now() - from);
    fflush(stdout);
}

void bench_bits(void)
{
    puts("### Bits: what is revealed replays\n");
    printf("Random inputs replayed by the model found, every element of the result, and how many "
           "gave other bits than the library (OPENBLAS_CORETYPE=%s).\n\n",
           getenv("OPENBLAS_CORETYPE") ? getenv("OPENBLAS_CORETYPE") : "unset");
    puts("| library | routine | questions | elements | orders | inputs replayed | other bits | not "
         "explained | seconds |");
    puts("|---|---|---|---|---|---|---|---|---|");
    for (size_t l = 0; l < LIBRARIES; l++)
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
            print_row(libraries[l], r);
}

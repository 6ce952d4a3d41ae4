/* How many sums discovery asks for. The figures to compare with are calls of discovery alone at
 * n = 1024: `basic` and `FPRev` are Algorithms 2 and 4 of the paper; H is a prototype that splits
 * at random pivots (see src/reveal/discover/split.c), whose figures auto must not exceed. */
#include "bench.h"

enum { SEEDS = 11, NONE = -1 };

typedef struct family {
    const char *name, *target;
    double basic, fprev, h_f32, h_f64;
    bool random;
} family;

static const family families[] = {
    {"sequential", "synthetic:sequential", 523776, 1023, 1309, 1296, false},
    {"reverse", "synthetic:reverse", 523776, 523776, 1315, 1282, false},
    {"permuted caterpillar", "synthetic:caterpillar", 523776, 2141, 1549, 1514, true},
    {"pairwise", "synthetic:pairwise", 523776, 5120, 662, 379, false},
    {"8 lanes strided", "synthetic:lanes:8", 523776, 2552, 884, 760, false},
    {"NumPy-like", "synthetic:numpy", 523776, 4032, 677, 378, false},
    {"random Yule", "synthetic:yule", 523776, 4723, 1205, 1017, true},
    {"random uniform", "synthetic:uniform", 523776, 4163, 1688, 1597, true},
    {"multiway ≤ 8", "synthetic:multiway:8", NONE, 7932, 4224, NONE, true},
    {"16+1 fused chain", "synthetic:fused:16", NONE, 8688, 2750, NONE, false},
    {"one n-way node", "synthetic:star", NONE, 523776, 1029, NONE, false},
};
enum { FAMILIES = sizeof families / sizeof *families };

/* The median of calls; *certificate, if wanted, gets the median of those of the certificate. */
static double calls(const family *f, enum accord_format format, const char *algorithm, size_t seeds,
                    double *certificate)
{
    double found[SEEDS], certified[SEEDS];
    for (size_t s = 0; s < seeds; s++) {
        bench_question question = {f->target, 1024, format, s + 1, algorithm, certificate != NULL};
        bench_answer answer;
        bench_ask(&question, &answer);
        found[s] = answer.calls;
        certified[s] = answer.certificate_calls;
    }
    if (certificate)
        *certificate = bench_median(certified, seeds);
    return bench_median(found, seeds);
}

static void row(const family *f, enum accord_format format)
{
    double certificate, h = format == ACCORD_F32 ? f->h_f32 : f->h_f64;
    double automatic = calls(f, format, "auto", SEEDS, &certificate);
    printf("| %s | %s |", f->name, accord_format_get(format)->name);
    bench_whole(" ", f->basic, " |");
    bench_whole(" ", f->fprev, " |");
    bench_whole(" ", h, " |");
    bench_whole(" ", automatic, " |");
    bench_whole(" ", calls(f, format, "split", SEEDS, NULL), " |");
    bench_whole(" ", calls(f, format, "fprev", f->random ? SEEDS : 1, NULL), " |");
    bench_whole(" ", certificate, " |");
    printf(" %s |\n", h == NONE ? "–" : automatic <= h ? "yes" : "**no**");
    fflush(stdout);
}

void bench_calls(void)
{
    puts("### Calls of discovery, n = 1024\n\n"
         "Calibration included; medians of 11 seeds. `basic`, `FPRev`, `H`: published or measured "
         "elsewhere, without calibration. `split` is auto that does not guess.\n\n"
         "| order | format | basic | FPRev | H | auto | split | fprev (ours) | certificate of auto "
         "| auto ≤ H |\n|---|---|--:|--:|--:|--:|--:|--:|--:|---|");
    for (size_t i = 0; i < FAMILIES; i++) {
        row(&families[i], ACCORD_F32);
        row(&families[i], ACCORD_F64);
    }
    puts("");
}

void bench_reverse(void)
{
    static const char *const algorithms[] = {"auto", "split"};
    const size_t n = 4096;
    puts("### Reverse order, n = 4096: calls of discovery\n\n"
         "| algorithm | format | median of 11 seeds | most | 4n |\n|---|---|--:|--:|--:|");
    for (size_t a = 0; a < 2; a++)
        for (int wide = 0; wide < 2; wide++) {
            double found[SEEDS];
            enum accord_format format = wide ? ACCORD_F64 : ACCORD_F32;
            for (size_t s = 0; s < SEEDS; s++) {
                bench_question question = {"synthetic:reverse", n,    format, s + 1,
                                           algorithms[a],       false};
                bench_answer answer;
                bench_ask(&question, &answer);
                found[s] = answer.calls;
            }
            double median = bench_median(found, SEEDS);
            printf("| %s | %s |", algorithms[a], accord_format_get(format)->name);
            bench_whole(" ", median, " |");
            bench_whole(" ", found[SEEDS - 1], " |");
            bench_whole(" ", 4.0 * (double)n, " |\n");
        }
    puts("");
}

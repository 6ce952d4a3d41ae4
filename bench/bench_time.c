/* Where the time goes on a real library. */
#include "bench.h"

enum { RUNS = 11 };

static double seconds(const char *algorithm, size_t n, size_t runs)
{
    double took[RUNS];
    for (size_t r = 0; r < runs; r++) {
        bench_question question = {"blas:sdot", n, ACCORD_F32, r + 1, algorithm, false};
        bench_answer answer;
        bench_ask(&question, &answer);
        took[r] = answer.seconds;
    }
    return bench_median(took, runs);
}

void bench_algorithms(void)
{
    static const struct {
        const char *name;
        size_t most; /* terms that it takes */
    } algorithms[] = {{"naive", 9}, {"basic", 1 << 16}, {"fprev", 1 << 16}, {"auto", 1 << 16}};
    bool over[4] = {false};
    puts("### Algorithms against each other: blas:sdot, discovery alone, seconds\n\n"
         "As in Figure 5 of the paper: twice as many terms until a second is passed (naive takes "
         "at most 9 terms); medians of 3 runs.\n\n"
         "| n | naive | basic | fprev | auto |\n|--:|--:|--:|--:|--:|");
    for (size_t n = 4; n <= 1 << 16; n *= 2) {
        bench_whole("| ", (double)n, " |");
        for (size_t a = 0; a < 4; a++) {
            double took =
                over[a] || n > algorithms[a].most ? -1 : seconds(algorithms[a].name, n, 3);
            over[a] = over[a] || took > 1;
            if (took < 0)
                printf(" – |");
            else
                printf(" %.6f |", took);
        }
        puts("");
        fflush(stdout);
    }
    puts("");
}

void bench_share(void)
{
    static const char *const algorithms[] = {"auto", "split", "fprev"};
    puts("### accord's own share of discovery: blas:sdot, n = 16384\n\n"
         "Own share: what is left of the wall time without the time in which the worker process "
         "wrote terms and called; medians of 11 seeds.\n\n"
         "| algorithm | calls | wall (ms) | in the target (ms) | own share "
         "|\n|---|--:|--:|--:|--:|");
    for (size_t a = 0; a < 3; a++) {
        double calls[RUNS], wall[RUNS], inside[RUNS], share[RUNS];
        for (size_t r = 0; r < RUNS; r++) {
            bench_question question = {"blas:sdot", 16384, ACCORD_F32, r + 1, algorithms[a], false};
            bench_answer answer;
            bench_ask(&question, &answer);
            calls[r] = answer.calls;
            wall[r] = 1e3 * answer.seconds;
            inside[r] = 1e3 * answer.target_seconds;
            share[r] = 100 * (answer.seconds - answer.target_seconds) / answer.seconds;
        }
        printf("| %s |", algorithms[a]);
        bench_whole(" ", bench_median(calls, RUNS), " |");
        printf(" %.2f | %.2f | %.0f %% |\n", bench_median(wall, RUNS), bench_median(inside, RUNS),
               bench_median(share, RUNS));
    }
    puts("");
}

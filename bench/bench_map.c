/* Maps of whole results: how many of them are asked for, and how long it takes. */
#include "bench.h"
#include "map/map.h"

typedef struct shape {
    const char *target, *shape;
    size_t n;
} shape;

static void print_row(const shape *s, const accord_map *map, double whole)
{
    int64_t first = map->each[0].record.discovery_calls, further = -1;
    uint64_t certified = 0;
    for (size_t i = 0; i < map->classes; i++) {
        int64_t calls = map->each[i].record.discovery_calls;
        further = i > 0 && calls > further ? calls : further;
        certified += map->each[i].certified;
    }
    uint64_t all = (uint64_t)map->rows * map->columns;
    printf("| %s %s | %zu | %llu | %.2f | %lld |", s->target, s->shape, map->classes,
           (unsigned long long)map->sorting_calls, map->sorting_seconds, (long long)first);
    bench_whole(" ", (double)further, " |");
    printf(" %.2f | %llu | %.2f | %s |", map->discovery_seconds,
           (unsigned long long)map->certificate_calls, map->certificate_seconds,
           certified == all ? "all" : "**not all**");
    bench_whole(" ", (double)map->replay_calls, " |");
    bench_whole(" ", (double)map->replays_agreed, " of");
    bench_whole(" ", (double)map->replays, " |");
    printf(" %.2f | %.2f |\n", map->replay_seconds, whole);
}

void bench_map(void)
{
    static const shape shapes[] = {
        {"sgemm", "7x13x24", 24},
        {"sgemm", "33x33x48", 48},
        {"sgemm", "256x256x256", 256},
        {"sgemm", "1024x1024x1024", 1024},
        {"sgemm", "2048x2048x2048", 2048},
        {"dgemm", "1024x1024x1024", 1024},
        {"sgemv", "70x64", 64},
        {"sgemv", "1024x1024", 1024},
        {"sgemv", "4096x4096", 4096},
    };
    puts("### Maps: OpenBLAS, every element its order\n\n"
         "Whole results (GEMMs or GEMVs) asked for, and seconds, of all classes together; those "
         "that discover the first class and, at most, any further one are listed apart. Random "
         "results are replayed element by element.\n\n"
         "| what | classes | sorting | s | first class | further, each | discovery s | certificate "
         "| s | certified | random | replayed | s | whole s |\n"
         "|---|--:|--:|--:|--:|--:|--:|--:|--:|---|--:|--:|--:|--:|");
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const shape *s = &shapes[i];
        accord_target_options options;
        accord_target *target;
        accord_map map;
        accord_error error;
        char notation[64];
        accord_target_options_init(&options);
        options.shape = s->shape;
        options.n = s->n;
        snprintf(notation, sizeof notation, "blas:%s@openblas", s->target);
        accordi_map_init(&map);
        if (accord_target_open(notation, &options, &target, &error)) {
            printf("\n- %s: %s\n", notation, error.text);
            break;
        }
        double from = accordi_now();
        if (accord_map_reveal(target, NULL, &map, &error))
            bench_die(notation, &error);
        print_row(s, &map, accordi_now() - from);
        fflush(stdout);
        accord_map_clear(&map);
        accord_target_close(target);
    }
    puts("");
}

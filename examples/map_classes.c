/* Which elements of a matrix product add alike? The product is our own: four columns at a time with
 * two partial sums, as vector code does it, and what is left over one term after the other. */
#include <accord/accord.h>
#include <stdio.h>

enum { M = 3, N = 6, K = 9 };

static void my_gemm(void *context, const accord_grid *grid, double *results)
{
    const float *a = grid->a, *b = grid->b; /* columns of B one after the other */
    (void)context;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            const int step = j < N / 4 * 4 ? 2 : 1;
            float sum[2] = {0, 0};
            for (int k = 0; k < K; k++)
                sum[k % step] += a[i * K + k] * b[j * K + k];
            results[i * N + j] = (double)(step == 2 ? sum[0] + sum[1] : sum[0]);
        }
}

static bool print(void *context, const char *text, size_t length)
{
    return fwrite(text, 1, length, context) == length;
}

int main(void)
{
    const accord_grid_callback gemm = {.call = my_gemm,
                                       .rows = M,
                                       .columns = N,
                                       .n = K,
                                       .term = ACCORD_TERM_PRODUCT,
                                       .is_f32 = true};
    accord_error error;
    accord_target *target;
    accord_map *map = accord_map_new();
    enum accord_status status = accord_target_from_grid(&gemm, &target, &error);
    if (status == ACCORD_OK) {
        status = accord_map_reveal(target, NULL, map, &error);
        accord_target_close(target);
    }
    for (size_t c = 0; status == ACCORD_OK && c < map->classes; c++) {
        printf("%d elements: ", (int)accord_map_class_at(map, c)->members);
        status = accord_record_write(&accord_map_class_at(map, c)->record,
                                     accord_writer_by_name("text"), NULL, print, stdout, &error);
    }
    if (status != ACCORD_OK)
        fprintf(stderr, "%s\n", error.text);
    const bool expected = map->classes == 2 && accord_map_class_at(map, 0)->members == M * 4;
    accord_map_free(map);
    return status != ACCORD_OK || !expected;
}

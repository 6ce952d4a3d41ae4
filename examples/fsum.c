/* fsum: Python's math.fsum in C. The sum is correctly rounded. As in Python, the sum of no numbers,
 * and of zeros of any sign, is +0.0 (the library's own sum is -0.0 for no numbers and for -0.0
 * alone, as in JavaScript's Math.sumPrecise). Unlike in Python, nothing overflows before the end
 * (math.fsum raises OverflowError), and inf - inf is NaN (math.fsum raises ValueError).
 *
 *     fsum NUMBER ...   their sum;   fsum -   the sum of each line of the input */
#define _POSIX_C_SOURCE 200809L /* getline */
#include <accord/accord.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 100000 };
static double numbers[MOST];

static double fsum(size_t n, const double *x)
{
    double sum = 0;
    accord_sum_exact_f64(n, x, 1, NULL, &sum, NULL); /* cannot fail: the arguments are right */
    return sum == 0 ? 0.0 : sum;
}

static int no_number(const char *text)
{
    fprintf(stderr, "fsum: '%s' is not a number\n", text);
    return 2;
}

static int sum_lines(FILE *input)
{
    char *line = NULL, *end;
    size_t capacity = 0;
    while (getline(&line, &capacity, input) >= 0) {
        size_t n = 0;
        for (char *word = strtok(line, " \t\n"); word; word = strtok(NULL, " \t\n")) {
            double x = strtod(word, &end);
            if (*end || n == MOST)
                return no_number(*end ? word : "one too many on a line");
            numbers[n++] = x;
        }
        double sum = fsum(n, numbers);
        printf("%.17g %a\n", sum, sum);
    }
    free(line);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "-") == 0)
        return sum_lines(stdin);
    if (argc > MOST)
        return no_number("one too many");
    for (int i = 1; i < argc; i++) {
        char *end;
        numbers[i - 1] = strtod(argv[i], &end);
        if (*end || !*argv[i])
            return no_number(argv[i]);
    }
    printf("%.17g\n", fsum((size_t)argc - 1, numbers));
    return 0;
}

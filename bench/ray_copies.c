/* The discriminant of the experiments' ray again and again, each of a new copy of a scene that no
 * compiler knows: `ray_copies COUNT`. */
#include <stdio.h>
#include <stdlib.h>

#include "../python/accord/experiments/programs/ray.cl"

static volatile const scene scenes[] = {
    {{-10.998046875f, -16, -15}, {-10.4194345474f, -15, -14}, .015625f},
    {{5.37f, -3.41f, -16.33f}, {6.1f, -3.98f, -19.26f}, .0499f},
    {{2.2f, -4.31f, 70.66f}, {2.14f, -5.4f, 81.48f}, .342f},
    {{-49.51f, -13.51f, -48.81f}, {-47.71f, -13.7f, -47}, .454f},
    {{1.99f, 32.29f, 77.77f}, {1.79f, 33.01f, 79.03f}, .0878f},
    {{-32.77f, -36.52f, 33.77f}, {-30.01f, -33.54f, 31.49f}, .184f},
    {{12.13f, .5f, -27.19f}, {12.89f, .51f, -29.62f}, .0886f},
};

int main(int count, char **word)
{
    int n = count > 1 ? atoi(word[1]) : 1;
    float sum = 0;
    for (int i = 0; i < n; i++) {
        scene s = scenes[i % 7];
        sum += discriminant(&s);
    }
    printf("%.9g\n", sum);
    return 0;
}

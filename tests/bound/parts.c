/* Numbers of which a part is read or overwritten, and memory that only looks like that. Each
 * `unknown` must be unknown; each `known` must have bounds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEEP __attribute__((noinline))
static void unknown(double x)
{
    printf("%g\n", x);
}
static void known(double x)
{
    printf("%g\n", x);
}

union halves {
    double number;
    float half[2];
    unsigned word[2];
};
struct pair {
    float first, second;
};
#pragma pack(push, 4)
struct packed {
    float before;
    double number;
    float after;
};
#pragma pack(pop)

/* 0 without contraction, and otherwise not. */
static KEEP double zero(double x)
{
    return x * x - .01;
}

/* The same, and away from 0. */
static KEEP double wide(double x)
{
    return zero(x) * 1e17 + 1;
}

static void reads(double v)
{
    union halves u = {wide(v)};
    struct pair *p = (struct pair *)&u;
    unknown((double)u.half[0]);
    unknown((double)u.half[1]);
    unknown((double)p->second);
    known(u.number);
    float f[4] = {(float)wide(v), (float)zero(v), 2, 3};
    double d;
    memcpy(&d, f, sizeof d);
    unknown(d);
    memcpy(&d, f + 1, sizeof d);
    unknown(d);
    memcpy(&d, f + 2, sizeof d);
    known(d);
    float copy;
    memcpy(&copy, (char *)&u + 4, sizeof copy);
    unknown((double)copy);
    memcpy(&copy, f + 1, sizeof copy);
    known((double)copy);
}

static void overwrites(double v, int i)
{
    union halves u = {zero(v)};
    known(u.number);
    u.half[i] = 2;
    unknown(u.number);
    known((double)u.half[1]);
    unknown((double)u.half[0]);
    u.half[0] = 1;
    known((double)u.half[0]);
    u.number = wide(v);
    u.half[0] = u.half[0];
    unknown(u.number);
    u.number = zero(v); /* the same bits, whatever that is */
    memset((char *)&u + 4 * i, 0, 4);
    unknown(u.number);
    u.number = wide(v);
    u.word[0] = 7;
    unknown(u.number);
    u.number = wide(v);
    u.word[1] = 0x40100000;
    unknown(u.number);
    u.number = wide(v);
    float other = 3;
    memcpy(&u, &other, sizeof other);
    unknown(u.number);
    memcpy(&u.half[1], &other, sizeof other);
    known((double)u.half[0] + u.half[1]);
    u.number = 5;
    u.half[0] = 2;
    known(u.number);
}

static void next_to_each_other(double v)
{
    struct packed p = {1, zero(v), 2}, q;
    p.before = 3;
    p.after = 4;
    known(p.number);
    q = p;
    known(q.number);
    known((double)q.after);
    double list[4] = {v, zero(v), zero(v), v};
    float *reused = (float *)list;
    for (int i = 0; i < 8; i++)
        reused[i] = (float)i;
    for (int i = 0; i < 8; i++)
        known((double)reused[i]);
    for (int i = 0; i < 4; i++)
        list[i] = v * v + i;
    for (int i = 0; i < 4; i++)
        known(list[i]);
    memmove(list + 1, list, 3 * sizeof *list);
    known(list[0]);
    known(list[3]);
    memset(list, 0, sizeof list);
    known(list[1]);
    char text[] = "2.5";
    list[2] = zero(v);
    if (sscanf(text, "%lf", &list[2]) == 1)
        known(list[2]);
}

int main(int count, char **word)
{
    double v = atof(count > 1 ? word[1] : ".1");
    reads(v);
    overwrites(v, 1);
    next_to_each_other(v);
    return 0;
}

/* The discriminant of ray.c, in C and in OpenCL C. */
typedef struct scene {
    float ray[3], sphere[3], square; /* direction, center, square of the radius */
} scene;

static float product(const float *a, const float *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static float discriminant(const scene *s)
{
    float a = product(s->ray, s->ray);
    float b = -2.0 * product(s->sphere, s->ray);
    float c = product(s->sphere, s->sphere) - s->square;
    return b * b - 4 * a * c;
}

#ifdef __OPENCL_VERSION__
__kernel void ray(__global const scene *s, __global float *out)
{
    scene here = *s;
    *out = discriminant(&here);
}
#endif

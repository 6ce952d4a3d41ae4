/* Linked with each build of a program: writes the floating-point numbers that the program passes to
 * printf and its relatives, and what it passes to fwrite, to the file that ACCORD_NUMBERS names.
 * The functions then do what they always do. Read by numbers.c.
 *
 * Linkers put these functions in the place of the others (--wrap), or, where a linker cannot, the
 * preprocessor renames the calls and ACCORD_RENAMED is defined here. Records are written at once,
 * so that none is lost in a crash.
 *
 * With ACCORD_KERNELS, builds of OpenCL also write which device their kernels are compiled for, a
 * line each time, to that file with ".device" behind its name. */
#include <errno.h>
#include <fcntl.h>
#include <printf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>
#include <wchar.h>

enum { ARGUMENTS = 256, ABOVE = 200 };

#ifdef ACCORD_RENAMED
#define __real_vfprintf vfprintf
#define __real_fwrite fwrite
#else
int __real_vfprintf(FILE *stream, const char *format, va_list args);
size_t __real_fwrite(const void *data, size_t size, size_t count, FILE *stream);
#endif

static int numbers_file(void)
{
    static int fd = -2;
    const char *path = getenv("ACCORD_NUMBERS");
    if (fd != -2)
        return fd;
    int low = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
    fd = low < 0 ? -1 : fcntl(low, F_DUPFD_CLOEXEC, ABOVE); /* the program's own count from 3 */
    if (low >= 0)
        close(low);
    return fd;
}

static void put(const void *head, size_t head_bytes, const void *data, size_t bytes)
{
    int why = errno, fd = numbers_file();
    struct iovec parts[2] = {{(void *)head, head_bytes}, {(void *)data, bytes}};
    ssize_t written = fd < 0 ? 0 : writev(fd, parts, 2);
    (void)written;
    errno = why;
}

/* A double, or a long double as three doubles whose sum it is. */
static size_t add_number(char *record, long double x, int wide)
{
    double part[3];
    size_t bytes = wide ? sizeof part : sizeof part[0];
    for (int i = 0; i < 3; i++) {
        part[i] = (double)x;
        x = part[i] - part[i] == 0 ? x - part[i] : 0; /* 0 after an infinity or a NaN */
    }
    record[0] = wide ? 'l' : 'd';
    memcpy(record + 1, part, bytes);
    return 1 + bytes;
}

static void put_arguments(const char *format, va_list given)
{
    int type[ARGUMENTS];
    char record[ARGUMENTS * (1 + 3 * sizeof(double))];
    size_t length = 0, count = parse_printf_format(format, ARGUMENTS, type);
    va_list args;
    va_copy(args, given);
    for (size_t i = 0; i < count && i < ARGUMENTS; i++) {
        int kind = type[i] & ~PA_FLAG_MASK;
        if ((type[i] & PA_FLAG_PTR) || kind == PA_STRING || kind == PA_WSTRING ||
            kind == PA_POINTER)
            (void)va_arg(args, void *);
        else if (kind == PA_DOUBLE && (type[i] & PA_FLAG_LONG_DOUBLE))
            length += add_number(record + length, va_arg(args, long double), 1);
        else if (kind == PA_DOUBLE || kind == PA_FLOAT)
            length += add_number(record + length, va_arg(args, double), 0);
        else if (kind == PA_WCHAR)
            (void)va_arg(args, wint_t);
        else if (type[i] & PA_FLAG_LONG_LONG)
            (void)va_arg(args, long long);
        else if (type[i] & PA_FLAG_LONG)
            (void)va_arg(args, long);
        else
            (void)va_arg(args, int);
    }
    va_end(args);
    if (length)
        put(record, length, "", 0);
}

int __wrap_vfprintf(FILE *stream, const char *format, va_list args)
{
    put_arguments(format, args);
    return __real_vfprintf(stream, format, args);
}

int __wrap_vprintf(const char *format, va_list args)
{
    return __wrap_vfprintf(stdout, format, args);
}

int __wrap_fprintf(FILE *stream, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int result = __wrap_vfprintf(stream, format, args);
    va_end(args);
    return result;
}

int __wrap_printf(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int result = __wrap_vfprintf(stdout, format, args);
    va_end(args);
    return result;
}

size_t __wrap_fwrite(const void *data, size_t size, size_t count, FILE *stream)
{
    unsigned long long head[2] = {size, (unsigned long long)size * count};
    char record[1 + sizeof head] = {'w'};
    memcpy(record + 1, head, sizeof head);
    if (size && size % 4 == 0)
        put(record, sizeof record, data, size * count);
    return __real_fwrite(data, size, count, stream);
}

#ifdef ACCORD_KERNELS
/* The types and numbers of OpenCL's header, which need not be there. */
int __real_clBuildProgram(void *program, unsigned count, void *const *devices, const char *options,
                          void (*notify)(void *, void *), void *data);
int clGetProgramInfo(void *program, unsigned what, size_t room, void *out, size_t *size);
int clGetDeviceInfo(void *device, unsigned what, size_t room, void *out, size_t *size);
int clGetPlatformInfo(void *platform, unsigned what, size_t room, void *out, size_t *size);
enum { PLATFORM_NAME = 0x902, PROGRAM_DEVICES = 0x1163 };
enum { DEVICE_NAME = 0x102B, DRIVER_VERSION = 0x102D, DEVICE_VERSION = 0x102F, PLATFORM = 0x1031 };

static void put_device(void *device)
{
    static const unsigned what[] = {DEVICE_NAME, DEVICE_VERSION, DRIVER_VERSION};
    char text[4][256] = {"", "", "", ""}, path[4096];
    void *platform = NULL;
    const char *numbers = getenv("ACCORD_NUMBERS");
    for (int i = 0; i < 3; i++)
        clGetDeviceInfo(device, what[i], sizeof text[i] - 1, text[i], NULL);
    if (clGetDeviceInfo(device, PLATFORM, sizeof platform, &platform, NULL) == 0)
        clGetPlatformInfo(platform, PLATFORM_NAME, sizeof text[3] - 1, text[3], NULL);
    if (!numbers || snprintf(path, sizeof path, "%s.device", numbers) >= (int)sizeof path)
        return;
    FILE *file = fopen(path, "ae");
    if (!file)
        return;
    for (int i = 0; i < 4; i++)
        fprintf(file, "%s%c", text[i], i < 3 ? '\t' : '\n');
    fclose(file);
}

int __wrap_clBuildProgram(void *program, unsigned count, void *const *devices, const char *options,
                          void (*notify)(void *, void *), void *data)
{
    void *own[64] = {NULL};
    size_t size = 0;
    if (!devices && clGetProgramInfo(program, PROGRAM_DEVICES, sizeof own, own, &size) == 0)
        count = (unsigned)(size / sizeof own[0]);
    for (unsigned i = 0; i < count && (devices || i < 64); i++)
        put_device(devices ? devices[i] : own[i]);
    return __real_clBuildProgram(program, devices ? count : 0, devices, options, notify, data);
}
#endif

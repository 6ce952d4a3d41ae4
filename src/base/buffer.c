/* Text buffers that grow. */
#include "base/base.h"

void accordi_buffer_clear(accordi_buffer *buffer)
{
    free(buffer->data);
    *buffer = (accordi_buffer){0};
}

/* Capacity doubles, so that n appends cost O(n); one byte is kept for the final zero. */
char *accordi_buffer_reserve(accordi_buffer *buffer, size_t extra)
{
    if (buffer->failed)
        return NULL;
    if (extra >= SIZE_MAX - buffer->length) {
        buffer->failed = true;
        return NULL;
    }
    size_t need = buffer->length + extra + 1;
    if (need > buffer->capacity) {
        size_t capacity = buffer->capacity ? buffer->capacity : 64;
        while (capacity < need)
            capacity = capacity > SIZE_MAX / 2 ? need : capacity * 2;
        char *data = realloc(buffer->data, capacity);
        if (!data) {
            buffer->failed = true;
            return NULL;
        }
        buffer->data = data;
        buffer->capacity = capacity;
        buffer->data[buffer->length] = '\0';
    }
    return buffer->data + buffer->length;
}

void accordi_buffer_append(accordi_buffer *buffer, const void *data, size_t length)
{
    char *end = accordi_buffer_reserve(buffer, length);
    if (!end)
        return;
    if (length)
        memcpy(end, data, length);
    end[length] = '\0';
    buffer->length += length;
}

void accordi_buffer_puts(accordi_buffer *buffer, const char *text)
{
    accordi_buffer_append(buffer, text, strlen(text));
}

bool accordi_buffer_write(void *context, const char *text, size_t length)
{
    accordi_buffer *buffer = context;
    accordi_buffer_append(buffer, text, length);
    return !buffer->failed;
}

void accordi_buffer_printf(accordi_buffer *buffer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char small[256];
    int length = vsnprintf(small, sizeof small, format, arguments);
    va_end(arguments);
    if (length < 0) {
        buffer->failed = true;
    } else if ((size_t)length < sizeof small) {
        accordi_buffer_append(buffer, small, (size_t)length);
    } else {
        char *end = accordi_buffer_reserve(buffer, (size_t)length);
        if (!end)
            return;
        va_start(arguments, format);
        vsnprintf(end, (size_t)length + 1, format, arguments);
        va_end(arguments);
        buffer->length += (size_t)length;
    }
}

void accordi_put_decimal(char text[ACCORDI_DECIMAL], double x, int digits, bool single)
{
    do
        snprintf(text, ACCORDI_DECIMAL, "%.*g", digits, x);
    while ((single ? (double)strtof(text, NULL) : strtod(text, NULL)) != x && digits++ < 17);
}

void accordi_put_count(char text[ACCORDI_GROUPED], int64_t value)
{
    char digits[ACCORDI_GROUPED];
    int length = snprintf(digits, sizeof digits, "%lld", (long long)value);
    for (int i = 0; i < length; i++) {
        if (i > 0 && digits[i - 1] != '-' && (length - i) % 3 == 0)
            *text++ = ',';
        *text++ = digits[i];
    }
    *text = '\0';
}

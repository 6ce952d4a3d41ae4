#include "targets/program/settings.h"

enum accord_status accordi_take_text(const accordi_setting *s, const char *value, void *plan,
                                     accord_error *error)
{
    if (strlen(value) >= s->most)
        return accordi_fail(error, ACCORD_ARG, "%s= has at most %zu bytes", s->name, s->most - 1);
    memcpy((char *)plan + s->at, value, strlen(value) + 1);
    return ACCORD_OK;
}

enum accord_status accordi_take_count(const accordi_setting *s, const char *value, void *plan,
                                      accord_error *error)
{
    /* 1000, or 1e6 */
    size_t digits = strspn(value, "0123456789"), count = s->most + 1;
    size_t zeros = value[digits] == 'e' ? strspn(value + digits + 1, "0123456789") : 0;
    if (digits > 0 && digits < 12 && zeros < 3 && !value[digits + (zeros ? 1 + zeros : 0)])
        count = strtoul(value, NULL, 10);
    for (unsigned long z = zeros ? strtoul(value + digits + 1, NULL, 10) : 0;
         z > 0 && count && count <= s->most; z--)
        count *= 10;
    if (count < s->least || count > s->most)
        return accordi_fail(error, ACCORD_ARG, "%s= is a whole number from %zu to %zu, not '%.40s'",
                            s->name, s->least, s->most, value);
    memcpy((char *)plan + s->at, &count, sizeof count);
    return ACCORD_OK;
}

enum accord_status accordi_take_word(const accordi_setting *s, const char *value, void *plan,
                                     accord_error *error)
{
    (void)value;
    (void)error;
    ((char *)plan)[s->at] = true;
    return ACCORD_OK;
}

/* "write local=, global= or, as the last one, build=" */
static enum accord_status unknown(const char *text, const char *kind,
                                  const accordi_setting *settings, size_t count,
                                  accord_error *error)
{
    accordi_buffer names = {0};
    for (size_t i = 0; i < count; i++)
        accordi_buffer_printf(&names, "%s%s%s%s", accordi_joint(i, count),
                              settings[i].rest ? "as the last one " : "", settings[i].name,
                              settings[i].word ? "" : "=");
    enum accord_status status =
        names.failed ? accordi_nomem(error)
                     : accordi_fail(error, ACCORD_ARG,
                                    "'%.*s' is not a setting of %s: targets; there are %s",
                                    (int)strcspn(text, ","), text, kind, names.data);
    accordi_buffer_clear(&names);
    return status;
}

static const accordi_setting *find(const char *text, const accordi_setting *settings, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(settings[i].name);
        char after = strncmp(settings[i].name, text, length) == 0 ? text[length] : '?';
        if (settings[i].word ? after == ',' || after == '\0' : after == '=')
            return &settings[i];
    }
    return NULL;
}

enum accord_status accordi_settings_read(const char *text, const char *kind,
                                         const accordi_setting *settings, size_t count, void *plan,
                                         accord_error *error)
{
    enum accord_status status = ACCORD_OK;
    while (*text && status == ACCORD_OK) {
        const accordi_setting *s = find(++text, settings, count);
        if (!s)
            return unknown(text, kind, settings, count, error);
        text += strlen(s->name) + !s->word;
        size_t length = s->rest ? strlen(text) : strcspn(text, ",");
        char *value = strndup(text, length);
        status = value ? s->take(s, value, plan, error) : accordi_nomem(error);
        free(value);
        text += length;
    }
    return status;
}

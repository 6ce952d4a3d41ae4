/* Answers in JSON. Their members depend on each other, so they have no rows in fields.c; what does
 * not fit together is refused. */
#include "record/json/answers.h"

enum { DIGITS = 64, MOST_INPUTS = 1 << 24 };

static const char hex[] = "0123456789abcdef";

static size_t kept_of(int64_t inputs)
{
    return inputs < ACCORD_ANSWERS_KEPT ? (size_t)inputs : ACCORD_ANSWERS_KEPT;
}

json_t *accordi_answers_json(const accord_answers *answers)
{
    json_t *bits = json_array();
    for (size_t i = 0; i < kept_of(answers->inputs); i++) {
        char text[17];
        snprintf(text, sizeof text, "%016llx", (unsigned long long)answers->bits[i]);
        json_array_append_new(bits, json_string(text));
    }
    json_t *object =
        json_pack("{s:I, s:I, s:I, s:s, s:o}", "generator", (json_int_t)answers->generator,
                  "inputs", (json_int_t)answers->inputs, "varied", (json_int_t)answers->varied,
                  "digest", answers->digest, "bits", bits);
    if (object && json_array_size(bits) == kept_of(answers->inputs))
        return object;
    json_decref(object);
    return NULL;
}

static bool is_hex(const char *text, size_t digits)
{
    return text && strlen(text) == digits && strspn(text, hex) == digits;
}

static bool read_integer(const json_t *object, const char *name, int64_t least, int64_t most,
                         int64_t *out)
{
    const json_t *value = json_object_get(object, name);
    *out = json_integer_value(value);
    return json_is_integer(value) && *out >= least && *out <= most;
}

static bool read_bits(const json_t *list, accord_answers *out)
{
    size_t count = kept_of(out->inputs);
    bool good = json_is_array(list) && json_array_size(list) == count;
    for (size_t i = 0; good && i < count; i++) {
        const char *text = json_string_value(json_array_get(list, i));
        good = is_hex(text, 16);
        if (good)
            out->bits[i] = strtoull(text, NULL, 16);
    }
    return good;
}

enum accord_status accordi_answers_read(const accordi_json_text *text, const json_t *object,
                                        accord_answers *out)
{
    accord_answers a = {0};
    const char *digest = json_string_value(json_object_get(object, "digest"));
    if (!json_is_object(object))
        return accordi_json_fail(text, NULL, "answers", "has to be an object");
    if (!read_integer(object, "generator", 1, INT32_MAX, &a.generator))
        return accordi_json_fail(text, "answers", "generator",
                                 "has to be a version of the inputs, 1 or more");
    if (!read_integer(object, "inputs", 1, MOST_INPUTS, &a.inputs))
        return accordi_json_fail(text, "answers", "inputs", "has to be a count of inputs");
    if (!read_integer(object, "varied", 0, a.inputs, &a.varied))
        return accordi_json_fail(text, "answers", "varied",
                                 "has to be a count of inputs, no greater than \"inputs\"");
    if (!is_hex(digest, DIGITS))
        return accordi_json_fail(text, "answers", "digest",
                                 "has to be a SHA-256, 64 hexadecimal digits in lower case");
    if (!read_bits(json_object_get(object, "bits"), &a))
        return accordi_json_fail(text, "answers", "bits",
                                 "has to be an array of 16 hexadecimal digits in lower case for "
                                 "each of the first 64 inputs");
    a.digest = accordi_strdup(digest);
    if (!a.digest)
        return accordi_nomem(text->error);
    *out = a;
    return ACCORD_OK;
}

/* The frame of a page. It holds no link, and its policy forbids whatever it does not hold itself:
 * of scripts, the one whose digest the policy names. So even markup that got into the page by an
 * error could neither run nor load anything. */
#include "record/pictures/page.h"
#include "page_css.h"
#include "page_js.h"

static void put_base64(accordi_stream *s, const unsigned char *bytes, size_t length)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < length; i += 3) {
        unsigned word = 0;
        for (size_t k = 0; k < 3; k++)
            word = word << 8 | (i + k < length ? bytes[i + k] : 0);
        for (int k = 0; k < 4; k++)
            accordi_stream_char(s,
                                i + (size_t)k > length ? '=' : digits[word >> (18 - 6 * k) & 63]);
    }
}

static unsigned digit(char c)
{
    return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
}

/* 'sha256-…' of the script. */
static void put_digest(accordi_stream *s, const char *const *script, size_t parts)
{
    accordi_sha256 sha;
    char hex[65];
    unsigned char bytes[32];
    accordi_sha256_init(&sha);
    for (size_t i = 0; i < parts; i++)
        accordi_sha256_add(&sha, script[i], strlen(script[i]));
    accordi_sha256_hex(&sha, hex);
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(digit(hex[2 * i]) << 4 | digit(hex[2 * i + 1]));
    accordi_stream_puts(s, "'sha256-");
    put_base64(s, bytes, sizeof bytes);
    accordi_stream_puts(s, "'");
}

enum accord_status accordi_page_text(accordi_stream *s, const char *text, accord_error *error)
{
    char *clean = accordi_utf8(text, true);
    if (!clean)
        return accordi_nomem(error);
    accordi_stream_puts(s, "<bdi>");
    accordi_stream_escape(s, clean);
    accordi_stream_puts(s, "</bdi>");
    free(clean);
    return ACCORD_OK;
}

enum accord_status accordi_page_head(accordi_stream *s, const char *title,
                                     const char *const *script, size_t parts, accord_error *error)
{
    char *clean = accordi_utf8(title, true);
    if (!clean)
        return accordi_nomem(error);
    accordi_stream_puts(s, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                           "<meta name=\"viewport\" content=\"width=device-width, "
                           "initial-scale=1\">\n<meta http-equiv=\"Content-Security-Policy\" "
                           "content=\"default-src 'none'; style-src 'unsafe-inline'; script-src ");
    put_digest(s, script, parts);
    accordi_stream_puts(s, "\">\n<style>\n");
    accordi_stream_puts(s, page_css);
    accordi_stream_puts(s, "</style>\n<title>");
    accordi_stream_escape(s, clean);
    accordi_stream_puts(s, "</title>\n</head>\n<body>\n<h1><bdi>");
    accordi_stream_escape(s, clean);
    accordi_stream_puts(s, "</bdi></h1>\n");
    free(clean);
    return ACCORD_OK;
}

const char *accordi_page_script(void)
{
    return page_js;
}

void accordi_page_end(accordi_stream *s, const char *const *script, size_t parts)
{
    accordi_stream_puts(s, "<script>");
    for (size_t i = 0; i < parts; i++)
        accordi_stream_puts(s, script[i]);
    accordi_stream_puts(s, "</script>\n</body>\n</html>\n");
}

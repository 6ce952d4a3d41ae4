/* Makes text of unknown origin valid, printable UTF-8, and measures its width on a terminal. */
#include "base/base.h"

size_t accordi_utf8_length(const char *at)
{
    const unsigned char *s = (const unsigned char *)at;
    size_t length = s[0] < 0x80   ? 1
                    : s[0] < 0xc2 ? 0
                    : s[0] < 0xe0 ? 2
                    : s[0] < 0xf0 ? 3
                    : s[0] < 0xf5 ? 4
                                  : 0;
    for (size_t i = 1; i < length; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    bool overlong = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xf0 && s[1] < 0x90);
    bool beyond = (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf4 && s[1] > 0x8f);
    return overlong || beyond ? 0 : length;
}

char *accordi_utf8(const char *text, bool plain)
{
    char *out = accordi_alloc(3 * strlen(text) + 1, 1), *to = out;
    while (out && *text) {
        const unsigned char *s = (const unsigned char *)text;
        size_t length = accordi_utf8_length(text);
        bool control = s[0] < 0x20 || s[0] == 0x7f || (s[0] == 0xc2 && s[1] < 0xa0);
        if (length == 0) {
            memcpy(to, "\xef\xbf\xbd", 3);
            to += 3;
        } else if (plain && control) {
            *to++ = ' ';
        } else {
            memcpy(to, text, length);
            to += length;
        }
        text += length ? length : 1;
    }
    if (out)
        *to = '\0';
    return out;
}

/* The table of number formats: one row adds one. The room rounds values into formats and encodes
 * them: a value and a row of this table come in, the rounded value (round.c, wide.c) or its bits
 * (encode.c) go out. */
#include "format/format.h"

/* A new format is a row here and a name in the enum: rounding, addition, encoding and decoding
 * read everything from the row. Bits of the exponent field: bits - precision; its bias:
 * 1 - min_exponent. */
const accord_format_info accordi_formats[ACCORD_FORMAT_COUNT] = {
    /*             name  bits bytes p  emax   emin  greatest               least       infinity */
    [ACCORD_F64] = {"f64", 64, 8, 53, 1023, -1022, 0x1.fffffffffffffp1023, 0x1p-1074, true},
    [ACCORD_F32] = {"f32", 32, 4, 24, 127, -126, 0x1.fffffep127, 0x1p-149, true},
    [ACCORD_F16] = {"f16", 16, 2, 11, 15, -14, 0x1.ffcp15, 0x1p-24, true},
    [ACCORD_BF16] = {"bf16", 16, 2, 8, 127, -126, 0x1.fep127, 0x1p-133, true},
    [ACCORD_TF32] = {"tf32", 19, 4, 11, 127, -126, 0x1.ffcp127, 0x1p-136, true},
    [ACCORD_E4M3] = {"e4m3", 8, 1, 4, 8, -6, 0x1.cp8, 0x1p-9, false},
    [ACCORD_E5M2] = {"e5m2", 8, 1, 3, 15, -14, 0x1.cp15, 0x1p-16, true},
};

const accord_format_info *accord_format_get(enum accord_format format)
{
    return (unsigned)format < ACCORD_FORMAT_COUNT ? &accordi_formats[format] : NULL;
}

bool accord_format_by_name(const char *name, enum accord_format *out)
{
    for (int i = 0; name && i < ACCORD_FORMAT_COUNT; i++)
        if (!strcmp(name, accordi_formats[i].name)) {
            *out = (enum accord_format)i;
            return true;
        }
    return false;
}

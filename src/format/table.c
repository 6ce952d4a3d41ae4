/* The table of number formats: one row adds one. The room rounds values into formats and encodes
 * them: a value and a row of this table come in, the rounded value (round.c, wide.c) or its bits
 * (encode.c) go out. */
#include "format/format.h"

/* A new format is a row here and a name in the enum: rounding, addition, encoding and decoding
 * read everything from the row. Bits of the exponent field: bits - precision, and one more without
 * a sign; its bias: 1 - min_exponent, in e8m0 -min_exponent. */
#define NUMBERS .has_nan = true, .has_sign = true, .has_zero = true
#define ELEMENTS .has_sign = true, .has_zero = true
const accord_format_info accordi_formats[ACCORD_ALL_FORMATS] = {
    /*             name  bits bytes p  emax   emin  greatest               least       infinity */
    [ACCORD_F64] = {"f64", 64, 8, 53, 1023, -1022, 0x1.fffffffffffffp1023, 0x1p-1074, true,
                    NUMBERS},
    [ACCORD_F32] = {"f32", 32, 4, 24, 127, -126, 0x1.fffffep127, 0x1p-149, true, NUMBERS},
    [ACCORD_F16] = {"f16", 16, 2, 11, 15, -14, 0x1.ffcp15, 0x1p-24, true, NUMBERS},
    [ACCORD_BF16] = {"bf16", 16, 2, 8, 127, -126, 0x1.fep127, 0x1p-133, true, NUMBERS},
    [ACCORD_TF32] = {"tf32", 19, 4, 11, 127, -126, 0x1.ffcp127, 0x1p-136, true, NUMBERS},
    [ACCORD_E4M3] = {"e4m3", 8, 1, 4, 8, -6, 0x1.cp8, 0x1p-9, false, NUMBERS},
    [ACCORD_E5M2] = {"e5m2", 8, 1, 3, 15, -14, 0x1.cp15, 0x1p-16, true, NUMBERS},
    [ACCORD_E3M2] = {"e3m2", 6, 1, 3, 4, -2, 28, 0x1p-4, false, ELEMENTS},
    [ACCORD_E2M3] = {"e2m3", 6, 1, 4, 2, 0, 7.5, 0x1p-3, false, ELEMENTS},
    [ACCORD_E2M1] = {"e2m1", 4, 1, 2, 2, 0, 6, 0x1p-1, false, ELEMENTS},
    [ACCORD_E8M0] = {"e8m0", 8, 1, 1, 127, -127, 0x1p127, 0x1p-127, false, .has_nan = true},
    [ACCORD_UE4M3] = {"ue4m3", 7, 1, 4, 8, -6, 0x1.cp8, 0x1p-9, false, .has_nan = true,
                      .has_zero = true},
};

const accord_format_info *accord_format_get(enum accord_format format)
{
    return (unsigned)format < ACCORD_ALL_FORMATS ? &accordi_formats[format] : NULL;
}

static bool find_among(const char *name, int count, enum accord_format *out)
{
    for (int i = 0; name && i < count; i++)
        if (!strcmp(name, accordi_formats[i].name)) {
            *out = (enum accord_format)i;
            return true;
        }
    return false;
}

bool accord_format_by_name(const char *name, enum accord_format *out)
{
    return find_among(name, ACCORD_FORMAT_COUNT, out);
}

bool accord_format_operand_by_name(const char *name, enum accord_format *out)
{
    return find_among(name, ACCORD_E8M0, out);
}

/* The reference of the cross-platform test: 100 sums of 10^6 numbers, as bits, computed on a V100
 * GPU. Source: the repository of "Impacts of floating-point non-associativity on reproducibility
 * for HPC and deep learning applications" (https://github.com/minnervva/fpna-robustness, BSD
 * license), reduce_test.cpp, reference_values_v100; the values only. accord/methods.h says how they
 * were computed. */
#include <accord/methods.h>

/* clang-format off */
static const uint64_t bits[ACCORD_CROSS_PLATFORM_ARRAYS] = {
    0x4088aadc4d7d66f9, 0xc0a06542c32c56d0, 0xc09909802a95df8a, 0xc0556565d156b821,
    0x40a7c35eced3b108, 0x40ab116c5466dddd, 0x409bbb30d2f6dc9d, 0xc0a6641f93cfae58,
    0x408f970b4855c84a, 0xc0861279a19a8fe0, 0xc0a3148b0cd0589b, 0xc09bddd730473acf,
    0xc0ad9a4cd6437282, 0x40b0fa343a55eb74, 0xc09108d5c0380f15, 0xc0b22a51858db8e4,
    0xc08d6306d324b436, 0x40b457c006c2162c, 0xc0a84a3be6011dc4, 0xc0b56fe8c50c43a1,
    0x40a95fbcb33276d4, 0xc0aba6fa8f38fecd, 0x40a814445518ea57, 0x40792e76197d6659,
    0xc0b8332d4cd0e061, 0x40a0e4c2333039ec, 0x409958c3d99d172e, 0xc081239b82f55b49,
    0xc0bd63b44bc6eb96, 0xc0a16ffbe1d3e58e, 0x40a29eb4e2766228, 0xc08b2c94a7117d96,
    0x40869ad828f9f466, 0xc0bc809a96f8d4b1, 0xc09662df0264ec9d, 0xc0a0959ec1fe8fdf,
    0xc073f3943734c84d, 0xc0b65464b23d2413, 0xc0997a22080c1c40, 0xc094f034979d00b2,
    0xc0ac80657dde0b57, 0xc0a9e3592b6874c3, 0x40959e487d58b512, 0x404e30d224700181,
    0x40a4a75abb2bbd46, 0x40901bc68f2979ab, 0x408b667d4577ea7d, 0xc0433cc853acafe7,
    0xc08413ff93b3206e, 0x40b1b3643aae56bf, 0x4094ef481201a8bd, 0xc0ad5dec08e61367,
    0xc0ad1df2c55f3816, 0xc089370f100157b3, 0x406a8e0cb0b8a036, 0x4088e5477fa89fb8,
    0x4079de37759eed86, 0xc097edcc3d81366c, 0xc0b0258223dc3769, 0x40901cb3dcad267d,
    0x40b0d0440cf3dcac, 0xc0b0f0dac41a8232, 0xc0937d78ef3f941a, 0x40b338bcaee50f12,
    0xc07df17229151c5e, 0xc07d3d2c45763bb6, 0xc0b62ee3a15db949, 0x407150ef98c4a802,
    0xc09aedf25d32e248, 0x40b043652ab83dc2, 0x4091a6eae4c9ad5e, 0x40a7e54f9aab0ce3,
    0x4085411444858b4c, 0x40b40d736dd7d20c, 0x40789225b4096b10, 0xc05dc34bd79c768a,
    0x40a78ece1a211390, 0xc0af967cc576b0bb, 0xc069b1f872911c76, 0xc0a752063e2b1aec,
    0x40931208c9765b96, 0xc065f886839c4f81, 0xc0a65486cd62b604, 0x40a33079946df58c,
    0x40a0f04a730a8ce0, 0xc0861357e9019bd1, 0xc0a3114afcefbd3b, 0x40ac89a87a117778,
    0xc0adf6741b606a2b, 0xc0a55eb5d389c41e, 0xc09dd26bc45f342e, 0x40ab6f28a83aaa29,
    0x40b416d0efe26de4, 0xc09a82c0ba76b590, 0xc073e59c5202ac5b, 0xc0aac55297dd04ab,
    0xc0a719c47cfb1437, 0x40b4db896e16b1b4, 0x4099f05780b24f47, 0xc08aaedab816ae70,
};
/* clang-format on */

uint64_t accord_cross_platform_bits(size_t i)
{
    return i < ACCORD_CROSS_PLATFORM_ARRAYS ? bits[i] : 0;
}

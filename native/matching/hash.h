// Hashes ids. Each call of the kernel draws a new seed, so no file can be made to cause collisions.
#pragma once

#include <cstdint>
#include <string_view>

#include "text/text.h"

#if defined(_MSC_VER) && !defined(__clang__) && !defined(CAROB_PORTABLE)
#include <intrin.h>
#endif

namespace carob {

inline std::uint64_t fold_multiply(std::uint64_t a, std::uint64_t b) {
#if defined(__SIZEOF_INT128__) && !defined(CAROB_PORTABLE)
    __extension__ using wide = unsigned __int128;
    const wide product = static_cast<wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
#elif defined(_MSC_VER) && defined(_M_X64) && !defined(CAROB_PORTABLE)
    std::uint64_t high;
    const std::uint64_t low = _umul128(a, b, &high);
    return low ^ high;
#elif defined(_MSC_VER) && defined(_M_ARM64) && !defined(CAROB_PORTABLE)
    return (a * b) ^ __umulh(a, b);
#else
    const std::uint64_t a0 = a & 0xFFFFFFFFu, a1 = a >> 32, b0 = b & 0xFFFFFFFFu, b1 = b >> 32;
    const std::uint64_t low = a0 * b0, cross = a1 * b0 + (low >> 32), other = a0 * b1 + (cross & 0xFFFFFFFFu);
    return (a * b) ^ (a1 * b1 + (cross >> 32) + (other >> 32));
#endif
}

std::uint64_t fresh_seed();

inline constexpr std::uint64_t HASH_A = 0x9E3779B97F4A7C15u;
inline constexpr std::uint64_t HASH_B = 0xD1B54A32D192ED03u;

// Reads no bytes outside the id.
inline std::uint64_t hash_id(std::string_view id, std::uint64_t seed) {
    const char* p = id.data();
    std::size_t n = id.size();
    std::uint64_t state = seed ^ (n * HASH_A);
    while (n > 16) {
        state = fold_multiply(load8(p) ^ state ^ HASH_A, load8(p + 8) ^ HASH_B);
        p += 16;
        n -= 16;
    }
    std::uint64_t a = 0;
    std::uint64_t b = 0;
    if (n >= 8) {
        a = load8(p);
        b = load8(p + n - 8);
    } else if (n >= 4) {
        std::uint32_t low, high;
        std::memcpy(&low, p, 4);
        std::memcpy(&high, p + n - 4, 4);
        a = low;
        b = high;
    } else if (n > 0) {
        a = static_cast<unsigned char>(p[0]);
        b = static_cast<std::uint64_t>(static_cast<unsigned char>(p[n / 2])) << 8 |
            static_cast<unsigned char>(p[n - 1]);
    }
    return fold_multiply(a ^ state ^ HASH_B, b ^ seed ^ HASH_A);
}

}  // namespace carob

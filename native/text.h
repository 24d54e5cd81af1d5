// This file finds blanks, lines and fields in bytes: a blank is C's isspace, only '\n' ends a line.
//
// Fast scanning reads up to PADDING bytes on either side of the text it was given. Whoever owns the text (see blocks.h)
// provides that room.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#if defined(__SSE2__) || defined(_M_X64) || (defined(_M_IX86_FP) && _M_IX86_FP >= 2)
#include <emmintrin.h>
#define KARAT_SSE2 1
#elif defined(__aarch64__) || defined(_M_ARM64)
#include <arm_neon.h>
#define KARAT_NEON 1
#endif

namespace karat {

inline constexpr std::size_t PADDING = 64;

inline bool is_blank(char c) {
    return c == ' ' || (static_cast<unsigned char>(c) - 9u) < 5u;
}

inline bool is_digit(char c) {
    return (static_cast<unsigned char>(c) - unsigned{'0'}) < 10u;
}

inline const char* skip_blanks(const char* p, const char* end) {
    while (p != end && is_blank(*p)) ++p;
    return p;
}

inline const char* skip_token(const char* p, const char* end) {
    while (p != end && !is_blank(*p)) ++p;
    return p;
}

// The text must hold a '\n' at or after p.
inline const char* line_end(const char* p, const char* text_end) {
    return static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(text_end - p)));
}

// Splits the line [p, end) into its first `wanted` fields and returns how many there were of them.
inline int split(const char* p, const char* end, std::string_view* fields, int wanted) {
    int found = 0;
    while (found < wanted) {
        p = skip_blanks(p, end);
        if (p == end) break;
        const char* token = p;
        p = skip_token(p, end);
        fields[found++] = {token, static_cast<std::size_t>(p - token)};
    }
    return found;
}

inline std::int64_t count_fields(const char* p, const char* end) {
    std::int64_t found = 0;
    std::string_view field;
    while (split(p, end, &field, 1) == 1) {
        ++found;
        p = field.data() + field.size();
    }
    return found;
}

inline std::uint64_t load8(const char* p) {
    std::uint64_t word;
    std::memcpy(&word, p, sizeof word);
    return word;
}

// Byte order of ids everywhere: unsigned bytes, a prefix comes first.
inline int compare_ids(std::string_view a, std::string_view b) {
    const std::size_t shared = a.size() < b.size() ? a.size() : b.size();
    const int order = shared == 0 ? 0 : std::memcmp(a.data(), b.data(), shared);
    if (order != 0) return order;
    return a.size() < b.size() ? -1 : a.size() > b.size() ? 1 : 0;
}

// Where the separators of the next 64 bytes are, one bit a byte.
struct Separators {
    std::uint64_t blanks;    // ' ' and '\t'
    std::uint64_t controls;  // every byte up to ' ' that is neither of these two
};

inline Separators separators(const char* p) {
    Separators found{0, 0};
#if defined(KARAT_SSE2)
    const __m128i space = _mm_set1_epi8(' ');
    const __m128i tab = _mm_set1_epi8('\t');
    for (int part = 0; part < 4; ++part) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + 16 * part));
        const __m128i blank = _mm_or_si128(_mm_cmpeq_epi8(bytes, space), _mm_cmpeq_epi8(bytes, tab));
        const __m128i low = _mm_cmpeq_epi8(_mm_min_epu8(bytes, space), bytes);
        const auto blank_bits = static_cast<std::uint64_t>(static_cast<unsigned>(_mm_movemask_epi8(blank)));
        const auto low_bits = static_cast<std::uint64_t>(static_cast<unsigned>(_mm_movemask_epi8(low)));
        found.blanks |= blank_bits << (16 * part);
        found.controls |= low_bits << (16 * part);
    }
    found.controls &= ~found.blanks;
#elif defined(KARAT_NEON)
    const uint8x16_t weights = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    uint8x16_t blank[4];
    uint8x16_t low[4];
    for (int part = 0; part < 4; ++part) {
        const uint8x16_t bytes = vld1q_u8(reinterpret_cast<const std::uint8_t*>(p + 16 * part));
        const uint8x16_t is = vorrq_u8(vceqq_u8(bytes, vdupq_n_u8(' ')), vceqq_u8(bytes, vdupq_n_u8('\t')));
        blank[part] = vandq_u8(is, weights);
        low[part] = vandq_u8(vcleq_u8(bytes, vdupq_n_u8(' ')), weights);
    }
    const auto gather = [](const uint8x16_t* parts) {
        uint8x16_t sum = vpaddq_u8(vpaddq_u8(parts[0], parts[1]), vpaddq_u8(parts[2], parts[3]));
        sum = vpaddq_u8(sum, sum);
        return vgetq_lane_u64(vreinterpretq_u64_u8(sum), 0);
    };
    found.blanks = gather(blank);
    found.controls = gather(low) & ~found.blanks;
#else
    for (int i = 0; i < 64; ++i) {
        const auto byte = static_cast<unsigned char>(p[i]);
        const std::uint64_t bit = std::uint64_t{1} << i;
        if (byte == ' ' || byte == '\t') {
            found.blanks |= bit;
        } else if (byte < ' ') {
            found.controls |= bit;
        }
    }
#endif
    return found;
}

}  // namespace karat

// Finds blanks, lines and fields in bytes: a blank is what C's isspace accepts, and only '\n' ends a line.
//
// Fast scanning reads up to PADDING bytes on either side of the given text. The owner of the text (see blocks.h) must
// provide that room.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

// CAROB_PORTABLE omits all instructions that some machines lack, so the portable code can be tested on any machine.
#if defined(CAROB_PORTABLE)
#elif defined(__SSE2__) || defined(_M_X64) || (defined(_M_IX86_FP) && _M_IX86_FP >= 2)
#include <emmintrin.h>
#define CAROB_SSE2 1
#elif defined(__aarch64__) || defined(_M_ARM64)
#include <arm_neon.h>
#define CAROB_NEON 1
#endif

// Marks functions to inline in each loop that calls them, even if a compiler considers them too long, and functions not
// to inline.
#if defined(__GNUC__)
#define CAROB_ALWAYS_INLINE [[gnu::always_inline]] inline
#define CAROB_NEVER_INLINE [[gnu::noinline]]
#define CAROB_FLATTEN [[gnu::flatten]]
#else
#define CAROB_ALWAYS_INLINE inline
#define CAROB_NEVER_INLINE
#define CAROB_FLATTEN
#endif

namespace carob {

inline constexpr std::size_t PADDING = 64;

inline bool is_blank(char c) { return c == ' ' || (static_cast<unsigned char>(c) - 9u) < 5u; }

inline bool is_digit(char c) { return (static_cast<unsigned char>(c) - unsigned{'0'}) < 10u; }

inline const char* skip_blanks(const char* p, const char* end) {
    while (p != end && is_blank(*p)) ++p;
    return p;
}

inline const char* skip_token(const char* p, const char* end) {
    while (p != end && !is_blank(*p)) ++p;
    return p;
}

// The text must contain a '\n' at or after p.
inline const char* line_end(const char* p, const char* text_end) {
    return static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(text_end - p)));
}

// Splits the line [p, end) into its first `wanted` fields and returns how many of them it found.
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

// Splits at tabs instead. Blanks around a field do not belong to it, but blanks within it do.
inline int split_at_tabs(const char* p, const char* end, std::string_view* fields, int wanted) {
    int found = 0;
    while (found < wanted) {
        p = skip_blanks(p, end);
        if (p == end) break;
        const auto* const tab = static_cast<const char*>(std::memchr(p, '\t', static_cast<std::size_t>(end - p)));
        const char* const stop = tab == nullptr ? end : tab;
        const char* last = stop;
        while (is_blank(last[-1])) --last;
        fields[found++] = {p, static_cast<std::size_t>(last - p)};
        p = stop;
    }
    return found;
}

// Whether a line has both tabs and other blanks between its fields, so a blank may be part of an id.
inline bool has_tabs_and_blanks(const char* p, const char* end) {
    p = skip_blanks(p, end);
    while (end != p && is_blank(end[-1])) --end;
    if (std::memchr(p, '\t', static_cast<std::size_t>(end - p)) == nullptr) return false;
    for (; p != end; ++p) {
        if (is_blank(*p) && *p != '\t') return true;
    }
    return false;
}

// Splits according to the rules: `loose` rules split at any blanks, other rules at tabs if a line has both tabs and
// blanks.
inline int split_line(const char* p, const char* end, std::string_view* fields, int wanted, bool loose) {
    const bool at_tabs = !loose && has_tabs_and_blanks(p, end);
    return at_tabs ? split_at_tabs(p, end, fields, wanted) : split(p, end, fields, wanted);
}

// The number of fields under a given way of splitting.
template <class Split>
std::int64_t count_by(const char* p, const char* end, Split&& split_off) {
    std::int64_t found = 0;
    for (std::string_view field; split_off(p, end, &field, 1) == 1; p = field.data() + field.size()) ++found;
    return found;
}

inline std::int64_t count_fields(const char* p, const char* end) { return count_by(p, end, split); }

inline std::int64_t count_fields_at_tabs(const char* p, const char* end) { return count_by(p, end, split_at_tabs); }

// The position of the lowest set bit of a word that is not 0.
inline unsigned lowest_bit(std::uint64_t word) {
#if defined(__GNUC__)
    return static_cast<unsigned>(__builtin_ctzll(word));  // std::countr_zero would check for 0 first
#else
    return static_cast<unsigned>(std::countr_zero(word));
#endif
}

inline std::uint64_t load8(const char* p) {
    std::uint64_t word;
    std::memcpy(&word, p, sizeof word);
    return word;
}

inline std::uint32_t load4(const char* p) {
    std::uint32_t word;
    std::memcpy(&word, p, sizeof word);
    return word;
}

// Prefetches the memory at `p`, which will be read soon.
inline void prefetch(const void* p) {
#if defined(__GNUC__)
    __builtin_prefetch(p);
#else
    static_cast<void>(p);
#endif
}

// Compares ids word by word, because ids are short and a call to memcmp costs more than the comparison itself.
inline bool same_id(std::string_view a, std::string_view b) {
    std::size_t n = a.size();
    if (n != b.size()) return false;
    const char* p = a.data();
    const char* q = b.data();
    if (n >= 8) {
        for (; n > 8; n -= 8, p += 8, q += 8) {
            if (load8(p) != load8(q)) return false;
        }
        return load8(p + n - 8) == load8(q + n - 8);
    }
    if (n >= 4) return ((load4(p) ^ load4(q)) | (load4(p + n - 4) ^ load4(q + n - 4))) == 0;
    for (; n != 0; --n) {
        if (*p++ != *q++) return false;
    }
    return true;
}

// The byte order of ids used everywhere: unsigned bytes, with a prefix before a longer id.
inline int compare_ids(std::string_view a, std::string_view b) {
    const std::size_t shared = a.size() < b.size() ? a.size() : b.size();
    const int order = shared == 0 ? 0 : std::memcmp(a.data(), b.data(), shared);
    if (order != 0) return order;
    return a.size() < b.size() ? -1 : a.size() > b.size() ? 1 : 0;
}

// Which of the next 64 bytes are at most ' ', one bit per byte. This includes every blank.
inline std::uint64_t low_bytes(const char* p) {
    std::uint64_t found = 0;
#if defined(CAROB_SSE2)
    const __m128i space = _mm_set1_epi8(' ');
    for (int part = 0; part < 4; ++part) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + 16 * part));
        const __m128i low = _mm_cmpeq_epi8(_mm_min_epu8(bytes, space), bytes);
        found |= static_cast<std::uint64_t>(static_cast<unsigned>(_mm_movemask_epi8(low))) << (16 * part);
    }
#elif defined(CAROB_NEON)
    const std::uint8_t bits[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t weights = vld1q_u8(bits);
    uint8x16_t low[4];
    for (int part = 0; part < 4; ++part) {
        const uint8x16_t bytes = vld1q_u8(reinterpret_cast<const std::uint8_t*>(p + 16 * part));
        low[part] = vandq_u8(vcleq_u8(bytes, vdupq_n_u8(' ')), weights);
    }
    uint8x16_t sum = vpaddq_u8(vpaddq_u8(low[0], low[1]), vpaddq_u8(low[2], low[3]));
    sum = vpaddq_u8(sum, sum);
    found = vgetq_lane_u64(vreinterpretq_u64_u8(sum), 0);
#else
    for (int i = 0; i < 64; ++i) {
        found |= std::uint64_t{static_cast<unsigned char>(p[i]) <= ' '} << i;
    }
#endif
    return found;
}

}  // namespace carob

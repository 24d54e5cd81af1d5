// Converts a token to a number, either strictly or as C's strtod and atol do.
#pragma once

#include <bit>
#include <cfloat>
#include <cstdint>
#include <string_view>

#include "text/text.h"

namespace carob {

enum class Numbers { strict, c };

// `wide` is a whole number that a double cannot represent, so different numbers would become equal.
enum class NumberFault { none, not_a_number, nan, wide };

struct ParsedNumber {
    double value;
    NumberFault fault;
};

inline constexpr double POWERS_OF_TEN[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8};

// Converts eight ASCII digits in memory order to their value; false if one of them is not a digit. (Three
// multiplications: pairs, then fours, then all eight.)
inline bool eight_digits(std::uint64_t text, std::uint64_t& value) {
    const std::uint64_t digits = text - 0x3030303030303030u;
    if ((((text + 0x4646464646464646u) | digits) & 0x8080808080808080u) != 0) return false;
    const std::uint64_t pairs = digits * 10 + (digits >> 8);
    constexpr std::uint64_t mask = 0x000000FF000000FFu;
    value = ((pairs & mask) * 0x000F424000000064u + ((pairs >> 16) & mask) * 0x0000271000000001u) >> 32;
    return true;
}

// Keeps the top `count` (1 to 8) bytes of a word and fills the lower bytes with '0'.
inline std::uint64_t last_digits(std::uint64_t word, std::size_t count) {
    const std::uint64_t keep = ~std::uint64_t{0} << (64 - 8 * count);
    return (word & keep) | (0x3030303030303030u & ~keep);
}

// Reads `ddd.dddddd` with at most eight digits on either side of the point; accesses up to eight bytes before each
// group of digits. The digits are an integer below 2^53 and the power of ten is exact, so one division rounds once and
// correctly (Clinger, "How to read floating point numbers accurately", 1990).
inline bool short_decimal(const char* p, const char* end, double& value) {
    if constexpr (std::endian::native != std::endian::little || FLT_EVAL_METHOD != 0) return false;
    const bool negative = p != end && *p == '-';
    p += negative;
    const auto length = static_cast<std::size_t>(end - p);
    // Marks the first of eight bytes that equals '.'; bytes after it may also be marked, but no bytes before it.
    const std::uint64_t dots = load8(p) ^ 0x2E2E2E2E2E2E2E2Eu;
    const std::uint64_t marks = (dots - 0x0101010101010101u) & ~dots & 0x8080808080808080u;
    const std::size_t whole = marks == 0 ? 8 : lowest_bit(marks) / 8;
    std::uint64_t mantissa = 0;
    std::size_t part = 0;
    if (whole >= length) [[unlikely]] {
        if (length == 0 || !eight_digits(last_digits(load8(end - 8), length), mantissa)) return false;
    } else {
        part = length - whole - 1;
        if (marks == 0 || whole == 0 || part - 1 >= 8) [[unlikely]]
            return false;  // includes `5.`, whose part is 0
        const std::uint64_t front = load8(p + whole - 8);
        const std::uint64_t back = load8(end - 8);
        if (whole + part <= 8) {  // all digits fit in one word
            const std::uint64_t in_back = ~std::uint64_t{0} << (64 - 8 * part);
            const std::uint64_t joined = (back & in_back) | ((front >> (4 * part) >> (4 * part)) & ~in_back);
            if (!eight_digits(last_digits(joined, whole + part), mantissa)) return false;
        } else {
            std::uint64_t fraction = 0;
            if (!eight_digits(last_digits(front, whole), mantissa) ||
                !eight_digits(last_digits(back, part), fraction)) {
                return false;
            }
            mantissa = mantissa * static_cast<std::uint64_t>(POWERS_OF_TEN[part]) + fraction;
            if (mantissa > (std::uint64_t{1} << 53)) return false;
        }
    }
    const double size = static_cast<double>(static_cast<std::int64_t>(mantissa)) / POWERS_OF_TEN[part];
    value = negative ? -size : size;
    return true;
}

// Reads any score on the slow path.
ParsedNumber parse_any_score(std::string_view token, Numbers numbers);

// Reads a score, bit-equal to C's strtod in the "C" locale. Under `c` there is never a fault: the longest valid prefix
// counts, or 0 if there is none, and whole numbers are rounded. The token must have PADDING readable bytes around it.
inline ParsedNumber parse_score(std::string_view token, Numbers numbers) {
    double value = 0;
    if (short_decimal(token.data(), token.data() + token.size(), value)) [[likely]]
        return {value, NumberFault::none};
    return parse_any_score(token, numbers);
}

// Reads a grade: under `strict` any finite decimal; under `c` what atol reads, saturated.
ParsedNumber parse_grade(std::string_view token, Numbers numbers);

// Reads a number as C's atol does: an optional sign and digits, ignoring the rest; saturates.
std::int64_t parse_leading_integer(std::string_view token);

// Reads a token that consists of an optional sign and digits, and fits in the type; false otherwise.
bool parse_integer(std::string_view token, std::int64_t& value);

}  // namespace carob

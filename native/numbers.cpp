// This file turns a token into a number, either strictly or the way C's strtod and atol do.
#include "numbers.h"

#include <cfloat>
#include <charconv>
#include <clocale>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>

#if defined(_WIN32)
#include <locale.h>
#else
#include <locale.h>
#include <stdlib.h>
#if defined(__APPLE__)
#include <xlocale.h>
#endif
#endif

#include "text.h"

namespace karat {
namespace {

// C's own reading, whatever locale the host program has chosen. Slow and rare: hex, inf, overflow, denormals, garbage.
double c_strtod(std::string_view token) {
    const std::string text(token);
#if defined(_WIN32)
    static const _locale_t plain = _create_locale(LC_ALL, "C");
    return _strtod_l(text.c_str(), nullptr, plain);
#else
    static const locale_t plain = newlocale(LC_ALL_MASK, "C", static_cast<locale_t>(nullptr));
    return strtod_l(text.c_str(), nullptr, plain);
#endif
}

double decimal(std::string_view token) {
#if defined(__cpp_lib_to_chars) && __cpp_lib_to_chars >= 201611L
    const char* first = token.data();
    const char* last = first + token.size();
    if (first != last && *first == '+') ++first;
    double value = 0;
    const auto [stopped, fault] = std::from_chars(first, last, value);
    if (fault == std::errc() && stopped == last) return value;
#endif
    return c_strtod(token);
}

bool is_word(std::string_view token, std::string_view lower) {
    if (token.size() != lower.size()) return false;
    for (std::size_t i = 0; i < token.size(); ++i) {
        if ((static_cast<unsigned char>(token[i]) | 0x20) != static_cast<unsigned char>(lower[i])) return false;
    }
    return true;
}

std::string_view without_sign(std::string_view token) {
    if (!token.empty() && (token.front() == '+' || token.front() == '-')) token.remove_prefix(1);
    return token;
}

bool is_decimal(std::string_view token) {
    const std::string_view body = without_sign(token);
    std::size_t i = 0;
    std::size_t digits = 0;
    for (; i < body.size() && is_digit(body[i]); ++i) ++digits;
    if (i < body.size() && body[i] == '.') {
        for (++i; i < body.size() && is_digit(body[i]); ++i) ++digits;
    }
    if (digits == 0) return false;
    if (i == body.size()) return true;
    if ((body[i] | 0x20) != 'e') return false;
    const std::string_view exponent = without_sign(body.substr(i + 1));
    if (exponent.empty()) return false;
    for (const char c : exponent) {
        if (!is_digit(c)) return false;
    }
    return true;
}

constexpr std::uint64_t POWERS_OF_TEN[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

// Eight ASCII digits in memory order to their value, by three multiplications (the well-known SWAR reduction).
inline std::uint64_t eight_digits(std::uint64_t digits) {
    digits = (digits * 10) + (digits >> 8);
    constexpr std::uint64_t mask = 0x000000FF000000FFu;
    return (((digits & mask) * 0x000F424000000064u) + (((digits >> 16) & mask) * 0x0000271000000001u)) >> 32;
}

// The n (1 to 8) bytes before `end` as digits; reads eight bytes. False when one of them is no digit.
inline bool digits_before(const char* end, std::size_t n, std::uint64_t& value) {
    const std::uint64_t keep = ~std::uint64_t{0} << (64 - 8 * n);
    const std::uint64_t kept = (load8(end - 8) & keep) | (0x3030303030303030u & ~keep);
    const std::uint64_t clean = kept - 0x3030303030303030u;
    if ((((kept + 0x4646464646464646u) | clean) & 0x8080808080808080u) != 0) return false;
    value = eight_digits(clean);
    return true;
}

// `ddd.dddddd` with at most eight digits on either side. Its digits are an integer below 2^53 and the power of ten is
// exact, so one division rounds once and correctly (Clinger, "How to read floating point numbers accurately", 1990).
inline bool short_decimal(std::string_view token, double& value) {
    if constexpr (std::endian::native != std::endian::little || FLT_EVAL_METHOD != 0) return false;
    const char* p = token.data();
    const char* end = p + token.size();
    const bool negative = p != end && *p == '-';
    if (negative) ++p;
    const auto length = static_cast<std::size_t>(end - p);
    if (length == 0 || length > 17) return false;
    const auto* dot = static_cast<const char*>(std::memchr(p, '.', length));
    const char* whole_end = dot == nullptr ? end : dot;
    const auto whole_digits = static_cast<std::size_t>(whole_end - p);
    const std::size_t part_digits = dot == nullptr ? 0 : static_cast<std::size_t>(end - dot - 1);
    if (whole_digits == 0 || whole_digits > 8 || part_digits > 8) return false;
    std::uint64_t whole = 0;
    std::uint64_t part = 0;
    if (!digits_before(whole_end, whole_digits, whole)) return false;
    if (part_digits != 0 && !digits_before(end, part_digits, part)) return false;
    const std::uint64_t power = POWERS_OF_TEN[part_digits];
    const std::uint64_t mantissa = whole * power + part;
    if (mantissa > (std::uint64_t{1} << 53)) return false;
    const double size = static_cast<double>(mantissa) / static_cast<double>(power);
    value = negative ? -size : size;
    return true;
}

}  // namespace

ParsedNumber parse_score(std::string_view token, Numbers numbers) {
    double value = 0;
    if (short_decimal(token, value)) return {value, NumberFault::none};
    if (is_decimal(token)) return {decimal(token), NumberFault::none};
    if (numbers == Numbers::c) return {c_strtod(token), NumberFault::none};
    const std::string_view body = without_sign(token);
    if (is_word(body, "inf") || is_word(body, "infinity")) {
        const double infinity = std::numeric_limits<double>::infinity();
        return {token.front() == '-' ? -infinity : infinity, NumberFault::none};
    }
    if (is_word(body, "nan")) return {0, NumberFault::nan};
    return {0, NumberFault::not_a_number};
}

ParsedNumber parse_grade(std::string_view token, Numbers numbers) {
    if (numbers == Numbers::c) return {static_cast<double>(parse_leading_integer(token)), NumberFault::none};
    if (!is_decimal(token)) {
        return {0, is_word(without_sign(token), "nan") ? NumberFault::nan : NumberFault::not_a_number};
    }
    const double value = parse_score(token, Numbers::strict).value;
    return {value, std::isfinite(value) ? NumberFault::none : NumberFault::not_a_number};
}

std::int64_t parse_leading_integer(std::string_view token) {
    const bool negative = !token.empty() && token.front() == '-';
    std::uint64_t size = 0;
    const std::uint64_t limit = (std::uint64_t{1} << 63) - (negative ? 0 : 1);
    for (const char c : without_sign(token)) {
        if (!is_digit(c)) break;
        const auto digit = static_cast<std::uint64_t>(c - '0');
        if (size > (limit - digit) / 10) {
            size = limit;
            break;
        }
        size = size * 10 + digit;
    }
    if (!negative) return static_cast<std::int64_t>(size);
    return size == (std::uint64_t{1} << 63) ? std::numeric_limits<std::int64_t>::min() : -static_cast<std::int64_t>(size);
}

bool parse_integer(std::string_view token, std::int64_t& value) {
    const std::string_view digits = without_sign(token);
    if (digits.empty()) return false;
    const bool negative = token.front() == '-';
    const std::uint64_t limit = (std::uint64_t{1} << 63) - (negative ? 0 : 1);
    std::uint64_t size = 0;
    for (const char c : digits) {
        if (!is_digit(c)) return false;
        const auto digit = static_cast<std::uint64_t>(c - '0');
        if (size > (limit - digit) / 10) return false;
        size = size * 10 + digit;
    }
    value = negative ? static_cast<std::int64_t>(~size + 1) : static_cast<std::int64_t>(size);
    return true;
}

}  // namespace karat

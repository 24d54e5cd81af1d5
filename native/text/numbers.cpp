// Converts a token to a number, either strictly or as C's strtod and atol do.
#include "text/numbers.h"

#include <charconv>
#include <clocale>
#include <cmath>
#include <cstdio>
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

#include "text/text.h"

namespace carob {
namespace {

bool is_word(std::string_view token, std::string_view lower) {
    if (token.size() != lower.size()) return false;
    for (std::size_t i = 0; i < token.size(); ++i) {
        if ((static_cast<unsigned char>(token[i]) | 0x20) != static_cast<unsigned char>(lower[i])) return false;
    }
    return true;
}

// The place after the digits that begin at the given place.
std::size_t after_digits(std::string_view token, std::size_t i, bool hex) {
    for (; i < token.size(); ++i) {
        const int low = token[i] | 0x20;
        if (!is_digit(token[i]) && !(hex && low >= 'a' && low <= 'f')) break;
    }
    return i;
}

// The place after the digits and the point that begin at the given place, or that place itself if there is no digit.
std::size_t after_mantissa(std::string_view token, std::size_t start, bool hex) {
    const std::size_t whole = after_digits(token, start, hex);
    if (whole == token.size() || token[whole] != '.') return whole;
    const std::size_t end = after_digits(token, whole + 1, hex);
    return end > start + 1 ? end : start;
}

// The part at the start of a token that C's strtod reads as a number according to the C standard (C17, 7.22.1.3). Some
// platforms accept more: in the Windows library, 1d2 is 100.
std::string_view c_number(std::string_view token) {
    const auto is_sign = [&](std::size_t k) { return k < token.size() && (token[k] == '+' || token[k] == '-'); };
    const auto is_letter = [&](std::size_t k, char letter) { return k < token.size() && (token[k] | 0x20) == letter; };
    std::size_t i = 0;
    while (i < token.size() && (token[i] == ' ' || (token[i] >= '\t' && token[i] <= '\r'))) ++i;
    if (is_sign(i)) ++i;
    for (const std::string_view word : {"infinity", "inf", "nan"}) {
        if (is_word(token.substr(i, word.size()), word)) return token.substr(0, i + word.size());
    }
    const bool hex = is_letter(i + 1, 'x') && token[i] == '0' && after_mantissa(token, i + 2, true) > i + 2;
    const std::size_t start = hex ? i + 2 : i;
    std::size_t end = after_mantissa(token, start, hex);
    if (end > start && is_letter(end, hex ? 'p' : 'e')) {
        const std::size_t exponent = end + (is_sign(end + 1) ? 2 : 1);
        const std::size_t stop = after_digits(token, exponent, false);
        if (stop > exponent) end = stop;
    }
    return token.substr(0, end);
}

// Calls C's own functions, whatever locale the host program has chosen. Slow, and needed only for rare tokens: hex,
// inf, overflow, denormals, garbage.
double c_strtod(std::string_view token) {
    const std::string text(c_number(token));
#if defined(_WIN32)
    static const _locale_t plain = _create_locale(LC_ALL, "C");
    return _strtod_l(text.c_str(), nullptr, plain);
#else
    static const locale_t plain = newlocale(LC_ALL_MASK, "C", static_cast<locale_t>(nullptr));
    return strtod_l(text.c_str(), nullptr, plain);
#endif
}

double decimal(std::string_view token) {
#if defined(__cpp_lib_to_chars) && __cpp_lib_to_chars >= 201611L && !defined(CAROB_PORTABLE)
    const char* first = token.data();
    const char* last = first + token.size();
    if (first != last && *first == '+') ++first;
    double value = 0;
    const auto [stopped, fault] = std::from_chars(first, last, value);
    if (fault == std::errc() && stopped == last) return value;
#endif
    return c_strtod(token);
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

// Whether a decimal token is a whole number, written without a point or an exponent, that changes when it becomes a
// double. Every whole number of up to 15 digits is exactly a double.
bool rounded_off(std::string_view token, double value) {
    std::string_view digits = without_sign(token);
    while (!digits.empty() && digits.front() == '0') digits.remove_prefix(1);
    if (digits.size() <= 15 || !std::isfinite(value)) return false;
    for (const char c : digits) {
        if (!is_digit(c)) return false;
    }
    char exact[std::numeric_limits<double>::max_exponent10 + 3];
    const int length = std::snprintf(exact, sizeof exact, "%.0f", std::abs(value));
    return digits != std::string_view(exact, static_cast<std::size_t>(length));
}

}  // namespace

ParsedNumber parse_any_score(std::string_view token, Numbers numbers) {
    if (is_decimal(token)) {
        const double value = decimal(token);
        const bool wide = numbers == Numbers::strict && rounded_off(token, value);
        return {value, wide ? NumberFault::wide : NumberFault::none};
    }
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
    const ParsedNumber found = parse_score(token, Numbers::strict);
    return {found.value, std::isfinite(found.value) ? found.fault : NumberFault::not_a_number};
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
    return size == (std::uint64_t{1} << 63) ? std::numeric_limits<std::int64_t>::min()
                                            : -static_cast<std::int64_t>(size);
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

}  // namespace carob

// Writes a number as the shortest decimal that reads back as the same number, in the format of Python's repr.
#include "writing/digits.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace carob {
namespace {

// Python writes an exponent if the first digit represents less than 1e-4, or 1e16 or more.
constexpr int LEAST_EXPONENT = -4, MOST_EXPONENT = 16;

char* copy(const char* from, int count, char* out) { return std::copy(from, from + count, out); }
char* zeros(int count, char* out) { return std::fill_n(out, count, '0'); }

// Writes `count` digits without an exponent; the first digit represents 10^exponent.
char* lay_out(const char* digits, int count, int exponent, char* out) {
    if (exponent < 0) {
        *out++ = '0';
        *out++ = '.';
        return copy(digits, count, zeros(-exponent - 1, out));
    }
    const int whole = exponent + 1;
    out = copy(digits, std::min(count, whole), out);
    if (count <= whole) {
        out = zeros(whole - count, out);
        *out++ = '.';
        *out++ = '0';
        return out;
    }
    *out++ = '.';
    return copy(digits + whole, count - whole, out);
}

// Without to_chars, tries increasing numbers of digits until the text reads back as the same number.
[[maybe_unused]] int shortest_by_trial(double number, char* text, std::size_t size) {
    int written = 0;
    for (int digits = 0; digits < 17; ++digits) {
        written = std::snprintf(text, size, "%.*e", digits, number);
        if (std::strtod(text, nullptr) == number) break;
    }
    return written;
}

}  // namespace

char* write_shortest(double number, char* out) {
    char text[LONGEST_NUMBER] = "0e+00";
    const char* end = text + 5;
    if constexpr (HAS_SHORTEST_DIGITS) end = std::to_chars(text, text + sizeof text, number, std::chars_format::scientific).ptr;
    else end = text + shortest_by_trial(number, text, sizeof text);
    const char* at = text;
    if (*at == '-') *out++ = *at++;
    char digits[LONGEST_NUMBER];
    int count = 0;
    for (; at != end && *at != 'e'; ++at) {
        if (*at >= '0' && *at <= '9') digits[count++] = *at;
    }
    const char* const mark = at;
    int exponent = 0;
    const char* const exponent_digits = mark + 2;  // after the sign, which is always written
    std::from_chars(exponent_digits, end, exponent);
    if (mark[1] == '-') exponent = -exponent;
    if (exponent >= LEAST_EXPONENT && exponent < MOST_EXPONENT) return lay_out(digits, count, exponent, out);
    // Both functions write an exponent with a sign and at least two digits.
    *out++ = digits[0];
    if (count > 1) {
        *out++ = '.';
        out = copy(digits + 1, count - 1, out);
    }
    return std::copy(mark, end, out);
}

}  // namespace carob

// Turns Arrow's decimals into doubles.
#include "frames/decimal.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdlib>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string>

#include "text/numbers.h"
#include "text/text.h"

namespace carob {
namespace {

constexpr std::size_t LIMBS = 8;  // 32 bits each

// The powers of ten that a double represents exactly: dividing by one of them rounds once.
constexpr double EXACT_POWERS[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                   1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// A magnitude without its sign, with the lowest limb first.
struct Size {
    std::uint32_t limbs[LIMBS] = {};
    bool negative = false;

    bool short_enough() const {
        return std::all_of(limbs + 2, limbs + LIMBS, [](std::uint32_t limb) { return limb == 0; });
    }
    std::uint64_t low() const { return limbs[0] | std::uint64_t{limbs[1]} << 32; }
};

Size size_of(const void* value, const DecimalShape& shape) {
    Size size;
    const auto* from = static_cast<const unsigned char*>(value);
    size.negative = shape.with_sign && (from[shape.bytes - 1] & 128) != 0;
    std::uint32_t carry = size.negative ? 1 : 0;
    for (std::size_t i = 0; i < shape.bytes / 4; ++i) {
        std::uint32_t limb;
        std::memcpy(&limb, from + 4 * i, sizeof limb);
        if (size.negative) {
            limb = ~limb + carry;
            carry = carry != 0 && limb == 0 ? 1 : 0;
        }
        size.limbs[i] = limb;
    }
    return size;
}

// Divides by 10^9 and returns the remainder.
std::uint32_t divide(Size& size) {
    constexpr std::uint64_t BILLION = 1'000'000'000;
    std::uint64_t rest = 0;
    for (std::size_t i = LIMBS; i-- > 0;) {
        const std::uint64_t whole = rest << 32 | size.limbs[i];
        size.limbs[i] = static_cast<std::uint32_t>(whole / BILLION);
        rest = whole % BILLION;
    }
    return static_cast<std::uint32_t>(rest);
}

std::string digits_of(Size size) {
    std::string digits;
    while (!size.short_enough() || size.low() != 0) {
        std::string part = std::to_string(divide(size));
        digits.insert(0, std::string(9 - part.size(), '0') + part);
    }
    return digits.empty() ? "0" : digits;
}

}  // namespace

std::optional<DecimalShape> decimal_shape(std::string_view format) {
    // On big-endian machines, the bytes would have to be reversed.
    if (std::endian::native != std::endian::little) return std::nullopt;
    if (format == "_pli128") return DecimalShape{16, 0, true};
    if (format == "_plu128") return DecimalShape{16, 0, false};
    if (format.substr(0, 2) != "d:") return std::nullopt;
    int parts[3] = {0, 0, 128};
    const char* at = format.data() + 2;
    const char* const end = format.data() + format.size();
    int count = 0;
    while (count < 3) {
        const auto [next, error] = std::from_chars(at, end, parts[count]);
        if (error != std::errc()) return std::nullopt;
        ++count;
        if (next == end) {
            at = end;
            break;
        }
        if (*next != ',') return std::nullopt;
        at = next + 1;
    }
    const int bits = parts[2];
    const bool known = bits == 32 || bits == 64 || bits == 128 || bits == 256;
    if (at != end || count < 2 || !known || std::abs(parts[1]) > 400) return std::nullopt;
    return DecimalShape{static_cast<std::size_t>(bits) / 8, parts[1], true};
}

double decimal_number(const void* value, const DecimalShape& shape) {
    const Size size = size_of(value, shape);
    const bool exact = size.short_enough() && size.low() <= std::uint64_t{1} << 53;
    if (exact && shape.scale >= 0 && static_cast<std::size_t>(shape.scale) < std::size(EXACT_POWERS)) {
        const double found = static_cast<double>(size.low()) / EXACT_POWERS[shape.scale];
        return size.negative ? -found : found;
    }
    // The number is read as text, which rounds once.
    std::string text(PADDING, ' ');
    if (size.negative) text += '-';
    text += digits_of(size);
    text += 'e';
    text += std::to_string(-shape.scale);
    const std::size_t length = text.size() - PADDING;
    text.append(PADDING, ' ');
    return parse_any_score(std::string_view(text).substr(PADDING, length), Numbers::strict).value;
}

bool decimal_rounded_off(const void* value, const DecimalShape& shape) {
    if (shape.scale != 0) return false;
    const Size size = size_of(value, shape);
    int first = -1, last = -1;  // bits that are set
    for (std::size_t i = 0; i < LIMBS; ++i) {
        const std::uint32_t limb = size.limbs[i];
        if (limb == 0) continue;
        if (first < 0) first = static_cast<int>(32 * i) + std::countr_zero(limb);
        last = static_cast<int>(32 * i) + 31 - std::countl_zero(limb);
    }
    return last - first >= 53;
}

}  // namespace carob

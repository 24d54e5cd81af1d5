// Declares the conversion of Arrow's decimals to doubles.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace carob {

// A decimal type: whole numbers of a given number of bytes, divided by ten to the power of the scale.
struct DecimalShape {
    std::size_t bytes = 0;
    int scale = 0;
    bool with_sign = true;
};

// Arrow's format `d:digits,scale` or `d:digits,scale,bits`; also Polars' own format for whole numbers of 128 bits.
std::optional<DecimalShape> decimal_shape(std::string_view format);

// The double nearest to the decimal, as if it had been read from text.
double decimal_number(const void* value, const DecimalShape& shape);
// Whether the decimal is a whole number that a double cannot represent.
bool decimal_rounded_off(const void* value, const DecimalShape& shape);

}  // namespace carob

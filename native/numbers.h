// This file turns a token into a number, either strictly or the way C's strtod and atol do.
#pragma once

#include <cstdint>
#include <string_view>

namespace karat {

enum class Numbers { strict, c };

enum class NumberFault { none, not_a_number, nan };

struct ParsedNumber {
    double value;
    NumberFault fault;
};

// A score: bit-equal to C's strtod in the "C" locale. Under `c` never a fault: the longest valid prefix counts, else 0.
// The token must have PADDING readable bytes around it.
ParsedNumber parse_score(std::string_view token, Numbers numbers);

// A grade: under `strict` any finite decimal, under `c` what atol reads, saturating.
ParsedNumber parse_grade(std::string_view token, Numbers numbers);

// What C's atol reads: an optional sign and digits, the rest ignored; saturates.
std::int64_t parse_leading_integer(std::string_view token);

// A whole token that is an optional sign and digits and fits; false otherwise.
bool parse_integer(std::string_view token, std::int64_t& value);

}  // namespace karat

// Scans lines of JSON before a library parses them: how deeply they nest and how long their numbers are.
#pragma once

#include <cstddef>
#include <string_view>

namespace carob {

struct JsonSizes {
    std::size_t depth = 0;   // the largest nesting depth of a line
    std::size_t digits = 0;  // of the longest whole number, ignoring numbers with a fraction or an exponent
};

// Text in quotes affects neither the depth nor the digits.
JsonSizes json_sizes(std::string_view lines);

}  // namespace carob

// Looks over lines of JSON before a library parses them: how deep they nest, how long their numbers are.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carob {

struct JsonSizes {
    std::size_t depth = 0;   // the largest nesting depth of a line
    std::size_t digits = 0;  // of the longest whole number; those with a fraction or an exponent do not count
};

// Neither counts text in quotes.
JsonSizes json_sizes(std::string_view lines);

// The members of these names of the object on each line, as rows of columns between tabs: first `texts` texts, then
// numbers. None if a line is not ordinary: an object of texts without escapes, numbers and words, with each of the names
// once, no empty text among theirs, and no whole number of so many digits that a double may not hold it.
std::optional<std::string> flat_rows(std::string_view lines, const std::vector<std::string>& names, std::size_t texts);

}  // namespace carob

// This file measures how deep lines of JSON are nested.
#pragma once

#include <cstddef>
#include <string_view>

namespace karat {

// The most objects and lists that stand in one another on any line; what stands in a string counts for nothing.
std::size_t deepest(std::string_view lines);

}  // namespace karat

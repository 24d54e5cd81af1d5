// Writes a number as the shortest decimal that reads back as the same number, in the format of Python's repr.
#pragma once

#include <charconv>

namespace carob {

#if defined(__cpp_lib_to_chars) && __cpp_lib_to_chars >= 201611L && !defined(CAROB_PORTABLE)
inline constexpr bool HAS_SHORTEST_DIGITS = true;
#else
inline constexpr bool HAS_SHORTEST_DIGITS = false;  // more slowly, by trial
#endif

inline constexpr int LONGEST_NUMBER = 32;

// Writes a finite number and returns the end of the text, at most LONGEST_NUMBER bytes further.
char* write_shortest(double number, char* out);

}  // namespace carob

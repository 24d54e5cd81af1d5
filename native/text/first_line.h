// Finds out how many fields each line of a run has.
#pragma once

#include "text/run_lines.h"

namespace carob {

// Reads a block up to the first line that can be read, and sets `width` to the number of its fields; 0 if there is none.
std::optional<LineFault> read_first_line(const Block& block, const RunRules& rules, RunNotes& notes, std::int64_t& width);

}  // namespace carob

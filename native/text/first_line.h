// Determines how many fields each line of a run has.
#pragma once

#include "text/run_lines.h"

namespace carob {

// Reads a block up to the first valid line and sets `width` to the number of fields of that line, or to 0 if there is
// no such line.
std::optional<LineFault> read_first_line(const Block& block, const RunRules& rules, RunNotes& notes, std::int64_t& width);

}  // namespace carob

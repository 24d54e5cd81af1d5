// Matches the text of a run with judgments: takes bytes and returns judged rows.
#pragma once

#include <atomic>

#include "matching/parallel.h"
#include "matching/rows.h"
#include "text/source.h"

namespace carob {

// Throws LineFault for the earliest bad line, Interrupted if `go_on` returned false, and what the source throws.
Matched match_text(const Judgments& judgments, Source& source, const MatchOptions& options,
                   std::atomic<std::int64_t>* progress, const GoOn& go_on);

}  // namespace carob

// Declares one query's ranked documents, judged or not.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "matching/ids.h"
#include "matching/parallel.h"
#include "matching/rows.h"
#include "text/source.h"

namespace carob {

struct Ranked {
    std::vector<std::string> documents;
    std::vector<double> scores;  // in the width in which they were compared
};

// The documents of one query, in the run's order.
struct Listed {
    Ids ids;
    std::vector<double> scores;
    std::vector<std::int64_t> ranks;
};

// In the order in which a match ranks them.
Ranked rank_listed(std::string_view query, const Listed& listed, const MatchOptions& options);

// Reads a whole run and keeps one query; the order is the one in which match_text ranks. Throws what match_text throws.
Ranked rank_query(std::string_view query, Source& source, const MatchOptions& options, const GoOn& go_on);

}  // namespace carob

// Declares the ranked documents of some queries and the pool of several runs, with unjudged documents included.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "matching/ids.h"
#include "matching/judgments.h"
#include "matching/parallel.h"
#include "matching/rows.h"
#include "text/source.h"

namespace carob {

struct Ranked {
    std::vector<std::string> documents;
    std::vector<double> scores;  // as compared: rounded if the options say float32
};

// The documents of one query, in the run's order.
struct Listed {
    Ids ids;
    std::vector<double> scores;
    std::vector<std::int64_t> ranks;
};

// In the order in which a match ranks them.
Ranked rank_listed(std::string_view query, const Listed& listed, const MatchOptions& options);

// Reads a whole run once and keeps the documents of some queries, ranked as match_text ranks them. Each query must be
// given once. Throws what match_text throws.
std::vector<Ranked> rank_queries(const std::vector<std::string_view>& queries, Source& source, const MatchOptions& options,
                                 const GoOn& go_on);

// Adds the documents that a run retrieves for judged queries to a pool, in the order of the run's lines. Throws what
// match_text throws.
void add_to_pool(JudgmentsBuilder& pool, const Judgments& judgments, double grade, Source& source, const Reading& reading,
                 const GoOn& go_on);

}  // namespace carob

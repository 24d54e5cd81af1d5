// This file declares how frames become judgments and judged rows.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "frame.h"
#include "parallel.h"
#include "ranked.h"
#include "rows.h"

namespace karat {

// Which column is what.
struct RunColumns {
    std::size_t query, document;
    std::optional<std::size_t> score;  // without scores the lowest rank comes first
    std::optional<std::size_t> rank;
};

struct QrelsColumns {
    std::size_t query, document, grade;
};

// All throw RowFault for the first row that cannot be used.
Judgments judgments_from_frame(const Frame& frame, const QrelsColumns& columns, Duplicates duplicates);
// Interrupted when `go_on` said no.
Matched match_frame(const Judgments& judgments, const Frame& frame, const RunColumns& columns,
                    const MatchOptions& options, const GoOn& go_on);
// The rows of some queries, or all, as they stand: for readers, not for measuring.
struct FrameRows {
    Ids queries, documents;
    std::vector<double> values;
};
FrameRows rows_of_frame(const Frame& frame, const RunColumns& columns, const std::unordered_set<std::string>* wanted);
// All documents of one query in rank order.
Ranked rank_frame(std::string_view query, const Frame& frame, const RunColumns& columns, const MatchOptions& options);

}  // namespace karat

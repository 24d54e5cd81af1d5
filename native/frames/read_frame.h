// Declares the readers of frames: as judgments, as plain rows, and as the ranked documents of one query.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>

#include "frames/columns.h"
#include "matching/ranked.h"
#include "matching/rows.h"

namespace carob {

// All functions throw RowFault for the first row that cannot be used.
Judgments judgments_from_frame(const Frame& frame, const QrelsColumns& columns, Duplicates duplicates);
// The unprocessed rows of some queries or of all queries, for display rather than evaluation. Rows without a score and
// a rank get `constant`.
struct FrameRows {
    Ids queries, documents;
    std::vector<double> values;
};
FrameRows rows_of_frame(const Frame& frame, const RunColumns& columns, const std::unordered_set<std::string>* wanted,
                        double constant = 1);
// Returns all documents of one query in rank order.
Ranked rank_frame(std::string_view query, const Frame& frame, const RunColumns& columns, const MatchOptions& options);

}  // namespace carob

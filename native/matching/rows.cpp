// Puts the workers' findings into the order of the judgments' queries.
#include "matching/rows.h"

#include <algorithm>
#include <iterator>

namespace carob {
namespace {

// The memory of each worker's scores is freed as soon as they are copied.
void arrange_scores(std::vector<Findings>& findings, Matched& matched) {
    std::vector<std::size_t> starts;
    std::size_t total = 0;
    for (const std::int64_t length : matched.length) {
        starts.push_back(total);
        total += static_cast<std::size_t>(std::max<std::int64_t>(length, 0));
    }
    if (std::all_of(findings.begin(), findings.end(), [](const Findings& found) { return found.scores.empty(); })) {
        return;
    }
    matched.scores.resize(total);
    for (Findings& found : findings) {
        for (const QueryRows& query : found.queries) {
            const auto from = found.scores.begin() + static_cast<std::ptrdiff_t>(query.score);
            std::copy_n(from, query.length, matched.scores.begin() + static_cast<std::ptrdiff_t>(
                                                                         starts[static_cast<std::size_t>(query.query)]));
        }
        std::vector<double>().swap(found.scores);
    }
}

}  // namespace

Matched arrange(const Judgments& judgments, const MatchOptions& options, std::vector<Findings>& findings) {
    const auto query_count = static_cast<std::size_t>(judgments.query_count());
    Matched matched;
    matched.relevant_only = options.relevant_only;
    matched.length.assign(query_count, -1);
    matched.judged.assign(query_count, 0);
    matched.first_tie.assign(query_count, 0);
    matched.signs.assign(query_count, 0);
    matched.offsets.assign(query_count + 1, 0);
    for (Findings& found : findings) {
        for (const QueryRows& query : found.queries) {
            const auto q = static_cast<std::size_t>(query.query);
            matched.length[q] = query.length;
            matched.judged[q] = query.judged;
            matched.first_tie[q] = query.first_tie;
            matched.signs[q] = query.signs;
            matched.offsets[q + 1] = static_cast<std::int64_t>(query.row_count);
        }
        matched.dropped += found.dropped;
        matched.noticed.add(std::move(found.noticed));
        matched.unordered += found.unordered;
    }
    for (std::size_t q = 0; q < query_count; ++q) matched.offsets[q + 1] += matched.offsets[q];

    const auto row_count = static_cast<std::size_t>(matched.offsets.back());
    matched.rank.resize(row_count);
    matched.tie_first.resize(row_count);
    matched.tie_last.resize(row_count);
    matched.judgment.resize(row_count);
    for (Findings& found : findings) {
        for (const QueryRows& query : found.queries) {
            auto at = static_cast<std::size_t>(matched.offsets[static_cast<std::size_t>(query.query)]);
            for (std::size_t i = 0; i < query.row_count; ++i, ++at) {
                const Row& row = found.rows[query.row + i];
                matched.rank[at] = row.rank;
                matched.tie_first[at] = row.tie_first;
                matched.tie_last[at] = row.tie_last;
                matched.judgment[at] = row.judgment;
            }
        }
        std::vector<Row>().swap(found.rows);
        std::move(found.repeats.begin(), found.repeats.end(), std::back_inserter(matched.duplicates));
    }
    arrange_scores(findings, matched);
    return matched;
}

}  // namespace carob

// Reduces ranked lists of one query's documents to judged rows.
#pragma once

#include <vector>

#include "fusion/query.h"
#include "matching/reduce.h"

namespace carob {

// Each worker has one, which owns memory that is reused.
class ListReducer {
public:
    ListReducer(const Judgments& judgments, const MatchOptions& options) : options_(options), reducer_(judgments, options) {}

    // Takes a list from the best document down; its rows contain the fuser's document numbers.
    template <class Row>
    void reduce(std::int64_t query, const std::vector<Row>& list, const QueryFuser& fuser, Findings& findings) {
        if (list.empty()) return;
        documents_.clear();
        for (const Row& row : list) {
            const PooledDocument& its = fuser.documents()[row.document];
            documents_.add(its.name(), its.hash, options_.rounded(row.score));
            if (options_.ties == Ties::rank_column) documents_.ranks.push_back(static_cast<std::int64_t>(documents_.size()));
        }
        // If the list had a rank column, it would agree with the scores.
        documents_.accord.compare(1, list.front().score, static_cast<double>(list.size()), list.back().score);
        reducer_.reduce(query, documents_, findings);
    }

private:
    const MatchOptions& options_;
    Reducer reducer_;
    Documents documents_;
};

}  // namespace carob

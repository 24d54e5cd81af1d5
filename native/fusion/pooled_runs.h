// Reads runs in memory query by query; their documents are numbers that index the documents of all runs.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "fusion/by_query.h"
#include "matching/judgments.h"

namespace carob {

// The lists of one run, each from the best document down; rows [offsets[q], offsets[q + 1]) belong to query q.
struct PooledRun {
    std::span<const std::int64_t> offsets, documents;  // numbers of documents among those of all queries
    std::span<const double> scores;
};

// The judgments list the documents of each query. The judgments and the rows must outlive the runs.
class PooledRuns : public RunsByQuery {
public:
    // Throws std::invalid_argument if rows do not fit the judgments.
    PooledRuns(const Judgments& documents, std::vector<PooledRun> runs);

    std::size_t run_count() const override { return runs_.size(); }
    std::size_t query_count() const override { return documents_.queries().size(); }
    std::string_view query(std::size_t q) const override { return documents_.queries()[q]; }
    bool has(std::size_t run, std::size_t q) const override { return runs_[run].offsets[q] < runs_[run].offsets[q + 1]; }
    bool has_plain_ids() const override { return plain_; }
    std::unique_ptr<Reader> reader() const override;

private:
    class RowReader;

    const Judgments& documents_;
    const std::vector<PooledRun> runs_;
    bool plain_ = false;
};

}  // namespace carob

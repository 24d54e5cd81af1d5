// Reads runs in plain files query by query, so only a few queries of each run are in memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "fusion/blocks_of_queries.h"
#include "fusion/by_query.h"
#include "matching/parallel.h"
#include "text/placed.h"

namespace carob {

// The places of a query's lists: one block of lines in each run.
struct PlacedList {
    std::size_t run;
    std::uint64_t begin, end;
};

class PlainRuns final : public RunsByQuery {
public:
    // Throws SourceFault, and NotPlain, also if no two runs have a query in common.
    PlainRuns(const std::vector<NativePath>& paths, int threads, const GoOn& go_on);

    std::size_t run_count() const override { return files_.size(); }
    std::size_t query_count() const override { return queries_.size(); }
    std::string_view query(std::size_t q) const override { return queries_[q]; }
    bool has(std::size_t run, std::size_t q) const override {
        return std::any_of(lists_begin(q), lists_end(q), [run](const PlacedList& list) { return list.run == run; });
    }
    bool has_plain_ids() const override { return true; }
    std::unique_ptr<Reader> reader() const override;

private:
    class FileReader;

    void merge(const std::vector<QueryBlocks>& blocks);
    const PlacedList* lists_begin(std::size_t q) const { return lists_.data() + starts_[q]; }
    const PlacedList* lists_end(std::size_t q) const { return lists_.data() + starts_[q + 1]; }

    std::vector<std::unique_ptr<PlacedFile>> files_;
    Ids queries_;                      // the queries of all runs, in byte order
    std::vector<std::size_t> starts_;  // of the lists of each query
    std::vector<PlacedList> lists_;
};

}  // namespace carob

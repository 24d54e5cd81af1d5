// Fuses runs in plain files query by query, so that memory holds no more than a few queries of each.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fusion/blocks_of_queries.h"
#include "fusion/query.h"
#include "fusion/recipe.h"
#include "matching/parallel.h"
#include "matching/rows.h"
#include "text/placed.h"

namespace carob {

// Where the lists of a query stand: in each of some runs, one block of lines.
struct PlacedList {
    std::size_t run;
    std::uint64_t begin, end;
};

class PlainRuns {
public:
    // Throws NotPlain, also where no two runs have a query in common, and SourceFault.
    PlainRuns(const std::vector<NativePath>& paths, int threads, const GoOn& go_on);
    PlainRuns(const PlainRuns&) = delete;
    PlainRuns& operator=(const PlainRuns&) = delete;

    std::size_t run_count() const { return files_.size(); }
    std::size_t query_count() const { return queries_.size(); }
    std::string_view query(std::size_t q) const { return queries_[q]; }
    const PlacedList* lists_begin(std::size_t q) const { return lists_.data() + starts_[q]; }
    const PlacedList* lists_end(std::size_t q) const { return lists_.data() + starts_[q + 1]; }
    const PlacedFile& file(std::size_t run) const { return *files_[run]; }

    // For each run, how many queries it lacks, and the number of the first of them.
    std::vector<std::pair<std::size_t, std::size_t>> lacking() const;

private:
    void merge(const std::vector<QueryBlocks>& blocks);

    std::vector<std::unique_ptr<PlacedFile>> files_;
    Ids queries_;                      // of all runs, in byte order
    std::vector<std::size_t> starts_;  // of the lists of each query
    std::vector<PlacedList> lists_;
};

// Where the text of fused lists goes: pieces one after the other, from several threads at the same time.
class FusedText {
public:
    virtual ~FusedText() = default;
    virtual void write(std::uint64_t place, std::string_view piece) = 0;
};

// Writes the fused lists as TREC text, the queries in byte order. Throws NotPlain, as match_fused.
void write_fused(const PlainRuns& runs, const FusionRecipe& recipe, int threads, const GoOn& go_on, FusedText& text);

// Matches the fused lists with judgments, as match_text would match that text.
Matched match_fused(const PlainRuns& runs, const FusionRecipe& recipe, const Judgments& judgments, const MatchOptions& options,
                    const GoOn& go_on);

}  // namespace carob

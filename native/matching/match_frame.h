// Declares how frames are matched: a single frame, or many frames that arrive one after another and are not kept.
#pragma once

#include <memory>
#include <vector>

#include "frames/columns.h"
#include "matching/gather.h"
#include "matching/ids.h"
#include "matching/parallel.h"
#include "matching/reduce.h"
#include "matching/rows.h"
#include "frames/stretches.h"

namespace carob {

// Matches a run that arrives frame by frame. Row numbers continue across frames.
//
// Unless options.gathered is set, a query is reduced as soon as a frame continues beyond it, so at most one frame and
// one query are held in memory. With options.gathered, every row of a judged query is kept; see gather.h.
//
// What limits its speed: 100 M rows of text ids and scores are 3.3 GB in Arrow's layout, and reading each byte once
// takes 0.3 s at 10 GB/s. Reading the rows from Parquet takes 2.6 s on two cores, so that is the limit. Matching adds
// 35 ns per row on one core, most of it for looking up the document.
class FrameMatcher {
public:
    FrameMatcher(const Judgments& judgments, const MatchOptions& options);

    // False if a query reappeared after it was reduced; the caller must then begin again with options.gathered. `last`
    // means that no frame follows. Throws RowFault for the first row that cannot be used, Interrupted if `go_on`
    // returned false.
    bool take(const Frame& frame, const RunColumns& columns, bool last, const GoOn& go_on);
    // Call once, at the end.
    Matched finish(const GoOn& go_on);

private:
    // The documents read so far for the query of the last row.
    struct Open {
        std::int64_t query = -1;
        Ids ids;
        std::vector<double> scores;
        std::vector<std::int64_t> ranks;
        std::vector<std::int64_t> rows;  // from 0
        Accord accord;                   // between the rank column and the scores of some rows

        void clear();
        void add_to(Documents& documents, const MatchOptions& options, std::uint64_t seed) const;
    };
    struct Feed;
    class Assembler;

    std::vector<Splitter> splitters_for(const Feed& feed);
    void gather(Feed& feed, const GoOn& go_on);
    Sorted stretches(Feed& feed, const GoOn& go_on);
    bool reduce(Feed& feed, bool last, const GoOn& go_on);
    void keep_open(const Feed& feed, const Sorted& sorted);
    Place row_of(const Place& place) const;

    const Judgments& judgments_;
    const MatchOptions options_;
    const std::int64_t piece_rows_;
    const Buckets buckets_;
    std::vector<std::unique_ptr<Gathered>> gathered_;  // one per worker
    std::vector<std::int64_t> blocks_;                 // where each block of gathered rows begins
    std::vector<Findings> findings_;                   // one per worker
    std::vector<Strings> extra_;                       // one per worker
    std::vector<char> reduced_;                        // which queries were reduced
    Open open_;
    std::int64_t rows_ = 0;
};

// Matches a whole run in one frame, with its rows in any order. Throws what FrameMatcher throws.
Matched match_frame(const Judgments& judgments, const Frame& frame, const RunColumns& columns,
                    const MatchOptions& options, const GoOn& go_on);

}  // namespace carob

// Declares the match of frames: one frame, or many that come one after another and are not kept.
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

// Takes the rows of a run frame after frame. Rows are numbered across frames.
//
// Unless options.gathered, a query is reduced as soon as a frame is taken that does not end within it, so at most one
// frame and one query are held. With options.gathered every row of a judged query is kept, see gather.h.
//
// The limit of its speed: of 100 M rows of text ids and scores, 3.3 GB as Arrow lays them out, each byte has to be read
// once, 0.3 s at 10 GB/s. Reading them out of Parquet takes 2.6 s of two cores, so that is the limit; matching adds 35 ns
// of one core per row, most of it the look-up of the document.
class FrameMatcher {
public:
    FrameMatcher(const Judgments& judgments, const MatchOptions& options);

    // False if a query came back after it was reduced: begin again, gathered. `last` says that no frame follows.
    // Throws RowFault for the first row that cannot be used, Interrupted if `go_on` returned false.
    bool take(const Frame& frame, const RunColumns& columns, bool last, const GoOn& go_on);
    // Call once, at the end.
    Matched finish(const GoOn& go_on);

private:
    // The documents so far of the query that the last row belongs to.
    struct Open {
        std::int64_t query = -1;
        Ids ids;
        std::vector<double> scores;
        std::vector<std::int64_t> ranks;
        std::vector<std::int64_t> rows;  // from 0
        Accord accord;                   // of some rows with the rank column

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

// The whole run in one frame, its rows in any order. Throws as FrameMatcher does.
Matched match_frame(const Judgments& judgments, const Frame& frame, const RunColumns& columns,
                    const MatchOptions& options, const GoOn& go_on);

}  // namespace carob

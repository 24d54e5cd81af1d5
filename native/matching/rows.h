// Declares the result of a match: for each judged query, the ranks of its judged documents.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "matching/judgments.h"
#include "matching/signs.h"
#include "matching/spill.h"

namespace carob {

enum class Ties { trec, ascending, input, rank_column };

struct MatchOptions {
    Ties ties = Ties::trec;
    bool float32 = false;
    Duplicates duplicates = Duplicates::keep;
    bool scores = false;  // keep every score, not only those of judged documents
    bool relevant_only = false;  // report no rows for documents with a grade of 0 or less, only their counts
    Reading reading;
    int threads = 1;
    std::int64_t piece_rows = 0;  // rows of a frame that a thread takes at a time; 0 for the default
    bool gathered = false;  // do not expect the lines of a query to be contiguous
    Spill* spill = nullptr;  // takes the gathered documents that exceed the memory budget
    std::size_t memory = std::size_t{1} << 28;  // bytes of gathered documents held in memory if there is a spill

    double rounded(double score) const { return float32 ? static_cast<double>(static_cast<float>(score)) : score; }
};

// One judged document that was retrieved; ranks are counted from 1.
struct Row {
    std::uint32_t rank;
    std::uint32_t tie_first;  // ranks of the first and last documents with the same score
    std::uint32_t tie_last;
    std::uint32_t judgment;
};

// A line, given by its block and its number within the block from 1. After the lines of earlier blocks are counted, it
// is a line number of the whole text.
struct Place {
    std::int64_t block;
    std::int64_t line;
};

struct Repeat {
    std::int64_t query;
    std::string document;
    Place first;
    Place again;
    std::int64_t first_rank;
    std::int64_t again_rank;
};

struct QueryRows {
    std::int64_t query;
    std::int64_t length;
    std::int64_t judged;     // judged documents retrieved, with or without a row
    std::int64_t signs;      // see sign
    std::int64_t first_tie;  // the first rank that a judged document shares with another document, or 0
    std::size_t row;
    std::size_t row_count;
    std::size_t score = 0;  // where the query's scores begin, if scores are kept
};

// What one worker has found so far.
struct Findings {
    // Begins the report of a query; its rows and its end are added to the returned object.
    QueryRows begin(std::int64_t query, std::size_t length) const {
        return {query, static_cast<std::int64_t>(length), 0, 0, 0, rows.size(), 0, scores.size()};
    }

    void add(QueryRows& its, std::int64_t rank, std::int64_t tie_first, std::int64_t tie_last, std::int64_t judgment,
             bool with_row) {
        const auto narrow = [](std::int64_t number) { return static_cast<std::uint32_t>(number); };
        ++its.judged;
        if (tie_first != tie_last && (its.first_tie == 0 || tie_first < its.first_tie)) its.first_tie = tie_first;
        if (with_row) rows.push_back({narrow(rank), narrow(tie_first), narrow(tie_last), narrow(judgment)});
    }

    void end(QueryRows& its) {
        its.row_count = rows.size() - its.row;
        queries.push_back(its);
    }

    std::vector<Row> rows;
    std::vector<QueryRows> queries;
    std::vector<double> scores;
    std::vector<Repeat> repeats;
    Noticed noticed;
    std::int64_t dropped = 0;
    std::int64_t unordered = 0;
};

struct Matched {
    std::vector<std::int64_t> length;             // -1 for a query that the run lacks
    std::vector<std::int64_t> judged, first_tie, signs;  // per query, see QueryRows
    std::vector<std::int64_t> offsets;
    std::vector<std::int64_t> rank, tie_first, tie_last, judgment;
    std::vector<double> scores;  // if kept: scores of all documents, query by query, highest first, NaN last
    std::vector<std::string> extra;
    std::vector<Repeat> duplicates;  // places are lines of the whole text, with block 0
    Noticed noticed;
    bool relevant_only = false;
    std::int64_t dropped = 0;
    std::int64_t unordered = 0;
    LineCount count;
    std::string tag;
};

// Puts the workers' findings into the order of the judgments' queries.
Matched arrange(const Judgments& judgments, const MatchOptions& options, std::vector<Findings>& findings);

// Compares two tied documents under a rule by id; negative if `a` comes before `b`.
inline int compare_tied(std::string_view a, std::string_view b, Ties ties) {
    return ties == Ties::ascending ? compare_ids(a, b) : compare_ids(b, a);
}

}  // namespace carob

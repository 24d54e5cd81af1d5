// Declares the survey of a text: counts of its lines, columns, ids, ranks and scores, with a first example of each.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "matching/ids.h"
#include "matching/judgments.h"
#include "matching/parallel.h"
#include "text/source.h"

namespace carob {

enum class TextKind { qrels, run };

// How many lines have a certain property, and the first such line.
struct Seen {
    static constexpr std::size_t SHOWN = 60;
    std::int64_t count = 0;
    std::int64_t line = 0;
    std::string excerpt;  // the first bytes of the line, one more than is shown

    void add(std::int64_t number, const char* begin, const char* end);
};

// A judged document that the run has only in another spelling.
struct Spelling {
    std::int64_t judgment;
    std::string document;
    std::int64_t line;
};

struct Survey {
    static constexpr std::size_t MOST_TAGS = 1000;

    std::int64_t lines = 0;
    std::int64_t rows = 0;    // data lines
    std::int64_t usable = 0;  // rows with the right number of fields
    bool marked = false;      // begins with a byte-order mark
    bool closed = true;       // ends with a newline
    std::map<std::int64_t, Seen> widths;  // rows by their number of fields
    Seen returns, padded, nul, undecodable, invisible;
    std::int64_t bare_returns = 0;
    std::int64_t tabs = 0, spaces = 0, comments = 0, blank = 0;
    std::string first, example, last;  // the first row, the first usable one and the last row
    std::int64_t last_line = 0;

    Ids queries;  // of usable rows, in the order of their first lines
    std::vector<std::int64_t> query_lines;
    std::vector<std::uint64_t> query_hashes;
    IdTable query_table;
    bool similar_queries = false;  // two ids may be spellings of one query: Python's normal form decides
    std::int64_t groups = 0;       // how often the query changes from one usable row to the next
    std::int64_t shortest_group = 0, longest_group = 0;  // in consecutive rows of one query, without the last group
    std::int64_t last_group = 0;

    // The following are set only for runs.
    Seen nan, infinite, rank_falls, rank_odd, own;
    std::int64_t low_rank = 0, high_rank = 0;
    std::int64_t own_first = 0, own_queries = 0;
    std::int64_t rises = 0, falls = 0;  // of scores, from one row to the next of the same query
    std::int64_t blurred = 0;           // how often float32 makes different neighbouring scores equal
    std::vector<std::pair<std::string, std::int64_t>> tags;
    std::vector<Spelling> spellings;

    std::uint64_t seed = 0;
    bool has_query(std::string_view query) const;
};

// Reads a text once. If judgments are given, also looks for their documents in other spellings.
Survey survey(Source& source, TextKind kind, const Judgments* judgments, const GoOn& go_on,
              std::size_t block_bytes = 0);

enum class Change { negated, by_rank, without_own };

// Returns the usable lines of a run: with negated scores, with negated ranks as scores, or without each query's own
// document.
std::string changed_run(Source& source, Change change);

// Returns the lines of each given query, unchanged.
std::vector<std::string> lines_of(Source& source, const std::vector<std::string_view>& queries);

}  // namespace carob

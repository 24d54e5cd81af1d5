// Declares the class that makes the lists of all parts of a run in one pass over its rows.
#pragma once

#include <deque>

#include "frames/columns.h"
#include "matching/parallel.h"
#include "text/source.h"
#include "writing/list_maker.h"

namespace carob {

struct RunPart {
    std::optional<Strings> queries;  // of the part; two parts share no query unless their tags differ
    std::optional<std::string> tag;  // of the part's lines; all parts have a tag, or none has
};

// Passes each row to the list maker of its part, and skips rows that belong to no part.
class PartMaker {
public:
    using Emit = std::function<void(std::size_t part, RankedLists)>;

    PartMaker(const ListRules& rules, std::vector<RunPart> parts, const Emit& emit);
    PartMaker(const PartMaker&) = delete;
    PartMaker& operator=(const PartMaker&) = delete;

    // Throws what match_text throws.
    void take(Source& source, const Reading& reading, const GoOn& go_on);
    // Throws RowFault.
    void take(const Frame& frame, const RunColumns& columns);
    void take(std::string_view query, std::string_view document, double score);
    // Call once, at the end.
    void finish();

    std::int64_t rows() const { return rows_; }  // rows read; if parts have tags, only rows of a part
    std::int64_t malformed() const { return malformed_; }
    std::vector<ListCounts> counts() const;

private:
    // How many documents all parts together, and at least one part, may have ready.
    static constexpr std::size_t AT_ONCE = std::size_t{1} << 16, LEAST_AT_ONCE = std::size_t{1} << 12;

    using ByName = std::unordered_map<std::string, ListMaker*, StringHash, std::equal_to<>>;
    class Lines;

    void begin(std::string_view query);
    void begin(std::string_view query, std::string_view tag);
    void add(std::string_view document, double score, std::int64_t rank);

    const bool with_ranks_;
    std::deque<ListMaker> makers_;  // which do not move
    ByName by_query_, by_tag_;
    ListMaker* current_ = nullptr;  // for the part of the next row; null if it has no part
    std::string tag_;               // of current_, if parts have tags
    std::int64_t rows_ = 0, malformed_ = 0;
};

}  // namespace carob

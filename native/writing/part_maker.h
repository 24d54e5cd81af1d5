// Declares what makes the lists of all parts of a run in one pass over its rows.
#pragma once

#include <deque>

#include "frames/columns.h"
#include "matching/parallel.h"
#include "text/source.h"
#include "writing/list_maker.h"

namespace carob {

struct RunPart {
    std::optional<Strings> queries;  // of the part; those of two parts differ, unless their tags do
    std::optional<std::string> tag;  // of its lines; all parts have one, or none has
};

// Passes each row to the maker of the lists of its part, and skips the rows of no part.
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

    std::int64_t rows() const { return rows_; }  // that were read; of lines with tags, those of a part
    std::int64_t malformed() const { return malformed_; }
    std::vector<ListCounts> counts() const;

private:
    // Documents that all parts together may have ready, and one part at least.
    static constexpr std::size_t AT_ONCE = std::size_t{1} << 16, LEAST_AT_ONCE = std::size_t{1} << 12;

    using ByName = std::unordered_map<std::string, ListMaker*, StringHash, std::equal_to<>>;
    class Lines;

    void begin(std::string_view query);
    void begin(std::string_view query, std::string_view tag);
    void add(std::string_view document, double score, std::int64_t rank);

    const bool with_ranks_;
    std::deque<ListMaker> makers_;  // which do not move
    ByName by_query_, by_tag_;
    ListMaker* current_ = nullptr;  // of the part of the next row; none for rows of no part
    std::string tag_;               // of current_, if parts have tags
    std::int64_t rows_ = 0, malformed_ = 0;
};

}  // namespace carob

// Declares how the rows of runs become ranked lists: filtered, without repeats, ranked and cut.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "matching/ids.h"
#include "matching/ranked.h"
#include "matching/rows.h"
#include "writing/ranked_lists.h"

namespace carob {

struct ListRules {
    MatchOptions order;                 // ties, float32 and duplicates
    std::size_t depth = 0;              // documents to keep for each query; 0 for all
    const Judgments* judged = nullptr;  // keep only judged documents
    std::optional<Strings> queries;     // keep only these queries
    bool gathered = false;              // the rows of a query need not be contiguous
    std::size_t at_once = 1 << 16;      // documents that are handed over together
};

struct ListCounts {
    std::int64_t repeats = 0, below_depth = 0, unjudged = 0;
    std::int64_t cut_ties = 0;  // lists whose last kept document and first cut document have equal scores
};

// Thrown if a query reappears after its list was made.
struct CameBack {};

// Thrown if a document is listed twice for a query and the rule for duplicates is `keep`.
struct ListedTwice {
    std::string query, document;
};

// Makes the list of a query after its last row has been read or, if gathered, at the end, in the order in which the
// queries were first read. Passes several lists at a time to `emit`.
class ListMaker {
public:
    using Emit = std::function<void(RankedLists)>;

    ListMaker(ListRules rules, Emit emit) : rules_(std::move(rules)), emit_(std::move(emit)), seed_(seed_for(rules_)) {}
    ListMaker(const ListMaker&) = delete;
    ListMaker& operator=(const ListMaker&) = delete;

    // Sets the query of the next row.
    void begin(std::string_view query);
    void add(std::string_view document, double score, std::int64_t rank);
    // Call once, at the end.
    void finish();

    bool is_at(std::string_view query) const { return begun_ && query == name_; }
    const std::optional<Strings>& queries() const { return rules_.queries; }
    const ListCounts& counts() const { return counts_; }

private:
    static std::uint64_t seed_for(const ListRules& rules) { return rules.judged != nullptr ? rules.judged->seed() : fresh_seed(); }

    bool is_wanted(std::string_view query) const;
    void make(std::string_view query, const Listed& listed);
    void find_documents(std::string_view query, const Listed& listed);
    void keep_judged(std::string_view query);
    void drop_repeats(std::string_view query);
    void sort(const Listed& listed);
    void hand_over();

    // A document and its place among the rows of the query.
    struct Candidate {
        Document document;
        std::size_t row;
    };

    const ListRules rules_;
    const Emit emit_;
    const std::uint64_t seed_;
    ListCounts counts_;
    std::unordered_map<std::string, std::size_t, StringHash, std::equal_to<>> numbers_;  // of queries
    std::vector<Listed> gathered_;
    Listed open_;                // the rows of the query that the last row belongs to
    Listed* current_ = nullptr;  // the list to which rows are added; null for unwanted queries
    std::string name_;           // of the last query
    bool begun_ = false;
    RankedLists made_;
    std::vector<Candidate> candidates_;
    IdTable table_;
    std::vector<std::uint32_t> standing_;
};

}  // namespace carob

// Reduces the documents retrieved for one query to its judged rows.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "matching/ids.h"
#include "matching/rows.h"
#include "matching/standings.h"
#include "matching/words.h"

namespace carob {

// The documents retrieved for one query in file order.
struct Documents {
    std::vector<Document> documents;
    std::vector<std::int64_t> ranks;  // the rank column, if it breaks ties
    std::vector<Place> places;        // empty if find_places() can count them
    Place start{0, 0};                // of the first document
    Accord accord;                    // between the rank column and the scores of some documents
    bool descending = true;           // every score is at most the one before it, so none is NaN

    std::size_t size() const { return documents.size(); }

    void clear() {
        documents.clear();
        ranks.clear();
        places.clear();
        accord = {};
        descending = true;
        last_score_ = std::numeric_limits<double>::infinity();
    }

    void add(std::string_view id, std::uint64_t hash, double score) {
        descending &= score <= last_score_;
        last_score_ = score;
        documents.push_back({id.data(), id.size(), hash, score});
    }

    // Counts the lines between the ids, which all lie in one stretch of text.
    void find_places();

private:
    double last_score_ = std::numeric_limits<double>::infinity();
};

// Each worker has one, which owns the tables that are reused for each query.
class Reducer {
public:
    Reducer(const Judgments& judgments, const MatchOptions& options)
        : judgments_(judgments), ties_(options.ties), policy_(options.duplicates), with_scores_(options.scores),
          relevant_only_(options.relevant_only) {}

    void reduce(std::int64_t query, Documents& documents, Findings& findings);

private:
    static constexpr std::uint32_t NEVER = ~std::uint32_t{0};
    // Finding one score and its tie takes a dozen steps or a pass over the scores; a single walk finds them all.
    static constexpr std::size_t FEW = 8;

    struct Hit {
        std::uint32_t document;
        std::int64_t judgment;
    };
    struct Again {
        std::uint32_t first;
        std::uint32_t document;
        std::int64_t judgment;  // or -1
    };
    struct Spot {
        std::int64_t rank = 0, tie_first = 0, tie_last = 0;
    };

    void join(std::int64_t query, const Documents& documents);
    void notice(std::int64_t query, const Documents& documents, Findings& findings);
    void notice_spellings(std::int64_t query, const Documents& documents, Noticed& noticed);
    void notice_affixes(std::int64_t query, const Documents& documents, Noticed& noticed);
    void drop_repeats(Documents& documents);
    void rank_few(const Documents& documents);
    void rank_many(const Documents& documents);
    void rank_in_ties(const Documents& documents);
    void sort_tied(const Documents& documents, std::uint32_t* first, std::uint32_t* last);
    void rank_with_nan(const Documents& documents);
    bool goes_before(const Documents& documents, std::uint32_t a, std::uint32_t b) const;
    const Spot& spot(std::uint32_t document) const;
    void sort_rows(Findings& findings, std::size_t first, std::size_t documents);
    bool has_row(std::int64_t judgment) const { return !relevant_only_ || judgments_.relevant(judgment); }
    void report_in_order(std::int64_t query, const Documents& documents, Findings& findings);
    void report(std::int64_t query, Documents& documents, Findings& findings);
    void report_scores(const Documents& documents, Findings& findings) const;

    const Judgments& judgments_;
    const Ties ties_;
    const Duplicates policy_;
    const bool with_scores_;
    const bool relevant_only_;

    // A tied document, and some bytes of its id as a number that sorts in the same order as the bytes.
    struct Tied {
        std::uint64_t bytes;
        std::uint32_t document;
    };

    std::int64_t signs_ = 0;  // of the list
    std::vector<char> seen_;
    std::string spelling_;
    WordPairs words_;
    IdTable unjudged_;  // unjudged documents retrieved so far
    std::vector<Hit> hits_;
    std::vector<std::uint32_t> retrieved_as_;  // per judgment of the query: the document, or NEVER
    std::vector<Again> repeats_;
    std::vector<std::uint32_t> wanted_;  // ascending, distinct: documents whose rank is needed
    std::vector<Spot> spots_;            // one for each wanted document
    std::vector<double> scores_;         // of all documents
    std::vector<double> thresholds_;
    std::vector<Standing> standings_;
    std::vector<std::vector<std::uint32_t>> groups_;
    std::vector<std::uint32_t> order_;   // documents by score
    std::vector<std::uint32_t> number_;  // a document's place in wanted_, or a rank's row; or NEVER
    std::vector<Tied> tied_;
    std::vector<Row> rows_;
};

}  // namespace carob

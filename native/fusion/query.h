// Fuses the lists of one query.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "fusion/recipe.h"
#include "matching/ids.h"
#include "matching/judgments.h"

namespace carob {

// A fused document, and the first bytes of its id as a number that orders like them.
struct FusedDocument {
    double score;
    std::uint64_t bytes;
    std::uint32_t document;  // its number among those of the query
};

// One per worker: it owns the tables that are used again for each query. Everything throws NotPlain where a list has
// something that only the other readers understand.
class QueryFuser {
public:
    QueryFuser(const FusionRecipe& recipe, std::size_t runs, std::uint64_t seed);

    void begin();

    // Takes the lines of one run, all of which must have the query. PADDING readable bytes surround them, and they must
    // stay until the next query begins.
    void take(std::size_t run, std::string_view query, const char* begin, const char* end);

    // The best documents that the recipe keeps: from the best down, or in any order.
    const std::vector<FusedDocument>& fuse(bool in_order);

    const Document& document(const FusedDocument& fused) const { return documents_[fused.document]; }

private:
    struct Listed {
        double score;
        std::uint32_t document;
    };
    struct List {
        std::vector<Listed> rows;  // from the best document down
    };

    void add(List& list, std::uint32_t run, std::string_view id, double score);
    bool goes_before(const Listed& a, const Listed& b) const;
    void sort(List& list) const;
    void fill_points();
    void fill_presence();
    void combine();
    void find_extremes(bool greatest);
    void find_medians();
    void find_copeland();
    double absent_value(std::size_t run, std::size_t count);
    void choose(bool in_order);

    const FusionRecipe& recipe_;
    const std::uint64_t seed_;
    std::vector<List> lists_;
    std::vector<Document> documents_;  // of all lists
    std::vector<std::uint32_t> last_run_;  // the last run that has the document
    std::vector<double> number_;           // of the lists that have the document
    IdTable table_;
    Sums sums_;

    std::vector<double> column_, points_;
    std::vector<double> values_;    // the points of every document in each run [runs, documents]
    std::vector<double> presence_;  // the weights of the runs that count for a document [runs, documents]
    std::vector<double> scores_, divisors_;
    std::vector<std::int32_t> votes_;
    std::vector<FusedDocument> best_;
};

}  // namespace carob

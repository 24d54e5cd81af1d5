// Fuses the lists of one query.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "fusion/points.h"
#include "fusion/recipe.h"
#include "matching/ids.h"
#include "matching/judgments.h"

namespace carob {

// A document of any list of a query.
struct PooledDocument {
    const char* id;
    std::uint64_t hash;
    std::uint64_t head;  // the first bytes of the id as a number that orders like them; of short ids, all bytes
    std::uint32_t id_size;
    std::uint16_t last_run;  // the last run that has it
    std::uint16_t number;    // of runs that have it

    std::string_view name() const { return {id, id_size}; }
};

struct FusedDocument {
    double score;
    std::uint64_t head;
    std::uint32_t document;  // its number among those of the query
};

// A row of a list.
struct ListedDocument {
    double score;
    std::uint32_t document;
};

// One list's contribution to the score of a document.
struct ListShare {
    std::size_t rank = 0;  // 0 if the list lacks the document
    double score = 0;
    double points = 0;  // NaN if the list does not count for it
};

// The place of a document among the fused ones: its rank from 1, and those of the first and the last with its score.
struct FusedPlace {
    std::size_t rank, tie_first, tie_last;
};

// One per worker, for fewer than 2^16 runs: it owns the tables that are reused for each query. Everything throws
// NotPlain where a list has something that only the other readers understand, or a number is not finite.
class QueryFuser {
public:
    QueryFuser(const FusionRecipe& recipe, std::size_t runs, std::uint64_t seed);

    void begin();

    // Takes the lines of one run, all of which must have the query. PADDING readable bytes surround them, and they must
    // stay until the next query begins.
    void take(std::size_t run, std::string_view query, const char* begin, const char* end);

    // The same for lists in memory: first every document, then the rows of each list from the best down.
    void add_document(std::string_view id);
    void add_row(std::size_t run, std::uint32_t document, double score);

    // The documents that the recipe keeps, from the best down.
    const std::vector<FusedDocument>& fuse();

    // The number of documents that are kept.
    std::size_t kept() const;
    // Applies other weights than the recipe's, which must stay until the last call of place_of.
    void weigh(const std::vector<double>& weights);
    // The place of a document by these weights. One whose rank is below those that are kept may have any such rank.
    FusedPlace place_of(std::uint32_t document);

    // Each list's contribution to the score of a document, with the weights of the recipe.
    std::vector<ListShare> shares_of(std::uint32_t document);

    const std::vector<PooledDocument>& documents() const { return documents_; }
    // Whether documents can be looked up, which those of lists in memory cannot.
    bool indexed() const { return table_.size() == documents_.size(); }
    // The number of a document with this id and hash, or IdTable::NONE.
    std::uint32_t find(std::string_view id, std::uint64_t hash) const {
        return table_.find(hash, [&](std::uint32_t n) { return same_id(documents_[n].name(), id); });
    }
    const PooledDocument& document(const FusedDocument& fused) const { return documents_[fused.document]; }
    const std::vector<ListedDocument>& list(std::size_t run) const { return lists_[run].rows; }
    // How many fused lists of each run had three documents or more, all of one score.
    const std::vector<std::int64_t>& constant() const { return constant_; }

private:
    struct List {
        std::vector<ListedDocument> rows;  // from the best document down
        // For several weights: the points of every document without a weight, their sizes, and the same as floats.
        bool weighed = false;
        std::vector<double> points;
        std::vector<float> rough;
        std::vector<std::uint32_t> ranks;  // for rrf; that of the last row for documents that have its points, else 0
        double most = 0;                   // the greatest size of the points
    };

    CAROB_ALWAYS_INLINE void add(List& list, std::uint16_t run, std::string_view id, double score);
    bool goes_before(const ListedDocument& a, const ListedDocument& b) const;
    void sort(List& list) const;
    void find_points(std::size_t run, double weight);
    void find_values(std::size_t run, double weight, std::vector<double>& values);
    void find_scores(const std::vector<double>& weights);
    void find_rough_points(std::size_t run);
    void find_rough_scores(const std::vector<double>& weights);
    void find_tops();
    double score_of(std::uint32_t document);
    // Makes near_ the documents whose score passes.
    template <class Passes, class Score>
    void find_near(Passes passes, const std::vector<Score>& scores) {
        near_.clear();
        for (std::uint32_t d = 0; d < documents_.size(); ++d) {
            if (passes(scores[d])) near_.push_back(d);
        }
    }
    FusedPlace place_among(std::uint32_t document, double score, const std::vector<std::uint32_t>& others, std::size_t above);
    void add_presence(const std::vector<double>& weights);
    void combine(const std::vector<double>& weights);
    void find_extremes(bool greatest);
    void find_medians();
    void find_copeland();
    double absent_value();
    std::size_t number_of(std::size_t d) const;
    bool goes_before(const FusedDocument& a, const FusedDocument& b) const;
    void choose();
    void sort_into_buckets();

    static constexpr std::size_t BLOCK = 64;

    const FusionRecipe& recipe_;
    const std::uint64_t seed_;
    std::vector<List> lists_;
    std::vector<PooledDocument> documents_;
    IdTable table_;
    PointFinder finder_;
    Sums sums_;
    std::vector<double> factors_;  // by the number of lists that have a document

    std::vector<std::int64_t> constant_;

    std::vector<double> column_, points_;
    std::vector<const double*> rows_;
    std::vector<std::vector<double>> values_;  // the points of every document in each run, times its weight
    std::vector<double> presence_;             // the weights of the runs that have each document [runs, documents]
    std::vector<double> scores_, divisors_;
    const std::vector<double>* weights_ = nullptr;  // those of weigh
    std::vector<float> rough_;                      // scores that are wrong by less than slack_; empty if scores_ are there
    double slack_ = 0;
    std::vector<float> tops_, sorted_tops_;  // the highest of each block of rough scores
    float least_kept_ = 0;                   // as many documents as are kept have at least this rough score
    std::vector<std::uint32_t> near_;
    std::vector<std::int32_t> votes_;
    std::vector<std::uint32_t> buckets_;  // where each begins
    std::vector<FusedDocument> fused_, best_;
};

}  // namespace carob

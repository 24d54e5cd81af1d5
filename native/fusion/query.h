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
    std::uint64_t head;  // first bytes of the id (all, if short) as a number that sorts like them
    std::uint32_t id_size;
    std::uint16_t last_run;  // the last run that contains it
    std::uint16_t number;    // number of runs that contain it

    std::string_view name() const { return {id, id_size}; }
};

struct FusedDocument {
    double score;
    std::uint64_t head;
    std::uint32_t document;  // its number among the query's documents
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
    double points = 0;  // NaN if the list does not count for the document
};

// The place of a document in the fused list: its rank from 1, and the ranks of the first and last documents with its
// score.
struct FusedPlace {
    std::size_t rank, tie_first, tie_last;
};

// Each worker has one, which owns the tables that are reused for each query; there must be fewer than 2^16 runs. All
// functions throw NotPlain if a list contains something that only the other readers understand, or if a number is not
// finite.
class QueryFuser {
public:
    QueryFuser(const FusionRecipe& recipe, std::size_t runs, std::uint64_t seed);

    void begin();

    // Takes the lines of one run, which must all belong to the query. The lines must be surrounded by PADDING readable
    // bytes and stay valid until the next query begins.
    void take(std::size_t run, std::string_view query, const char* begin, const char* end);

    // The same for lists in memory: add all documents first, then the rows of each list from the best document down.
    void add_document(std::string_view id);
    void add_row(std::size_t run, std::uint32_t document, double score);

    // The documents that the recipe keeps, from the best down.
    const std::vector<FusedDocument>& fuse();

    // The number of documents that are kept.
    std::size_t kept() const;
    // Applies weights other than the recipe's; they must stay valid until the last call of place_of.
    void weigh(const std::vector<double>& weights);
    // The place of a document under these weights. If the document is not among those kept, its rank is any rank below
    // theirs.
    FusedPlace place_of(std::uint32_t document);

    // Each list's contribution to the score of a document, with the weights of the recipe.
    std::vector<ListShare> shares_of(std::uint32_t document);

    const std::vector<PooledDocument>& documents() const { return documents_; }
    // Whether documents can be looked up; documents of lists in memory cannot.
    bool indexed() const { return table_.size() == documents_.size(); }
    // The number of a document with this id and hash, or IdTable::NONE.
    std::uint32_t find(std::string_view id, std::uint64_t hash) const {
        return table_.find(hash, [&](std::uint32_t n) { return same_id(documents_[n].name(), id); });
    }
    const PooledDocument& document(const FusedDocument& fused) const { return documents_[fused.document]; }
    const std::vector<ListedDocument>& list(std::size_t run) const { return lists_[run].rows; }
    // How many fused lists of each run had three documents or more, all with the same score.
    const std::vector<std::int64_t>& constant() const { return constant_; }

private:
    struct List {
        std::vector<ListedDocument> rows;  // from the best document down
        // For tuning weights: the unweighted points of every document, their greatest magnitude, and the points as
        // floats.
        bool weighed = false;
        std::vector<double> points;
        std::vector<float> rough;
        std::vector<std::uint32_t> ranks;  // for rrf; documents not in the list have the last row's rank or 0
        double most = 0;                   // the greatest magnitude of the points
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
    // Sets near_ to the documents whose score passes.
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
    std::vector<double> factors_;  // by the number of lists that contain a document

    std::vector<std::int64_t> constant_;

    std::vector<double> column_, points_;
    std::vector<const double*> rows_;
    std::vector<std::vector<double>> values_;  // points of every document in each run, times its weight
    std::vector<double> presence_;             // weight of each run that contains a document [runs, documents]
    std::vector<double> scores_, divisors_;
    const std::vector<double>* weights_ = nullptr;  // the weights passed to weigh
    std::vector<float> rough_;                      // scores that are wrong by less than slack_; empty if scores_ are there
    double slack_ = 0;
    std::vector<float> tops_, sorted_tops_;  // the highest score of each block of rough scores
    float least_kept_ = 0;                   // as many documents as are kept have at least this rough score
    std::vector<std::uint32_t> near_;
    std::vector<std::int32_t> votes_;
    std::vector<std::uint32_t> buckets_;  // where each bucket begins
    std::vector<FusedDocument> fused_, best_;
};

}  // namespace carob

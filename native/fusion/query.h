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

// One per worker, for fewer than 2^16 runs: it owns the tables that are used again for each query. Everything throws NotPlain where a list has
// something that only the other readers understand.
class QueryFuser {
public:
    QueryFuser(const FusionRecipe& recipe, std::size_t runs, std::uint64_t seed);

    void begin();

    // Takes the lines of one run, all of which must have the query. PADDING readable bytes surround them, and they must
    // stay until the next query begins.
    void take(std::size_t run, std::string_view query, const char* begin, const char* end);

    // The documents that the recipe keeps, from the best down.
    const std::vector<FusedDocument>& fuse();

    const PooledDocument& document(const FusedDocument& fused) const { return documents_[fused.document]; }

private:
    struct Listed {
        double score;
        std::uint32_t document;
    };
    struct List {
        std::vector<Listed> rows;  // from the best document down
    };

    CAROB_ALWAYS_INLINE void add(List& list, std::uint16_t run, std::string_view id, double score);
    bool goes_before(const Listed& a, const Listed& b) const;
    void sort(List& list) const;
    void fill_points();
    void fill_presence();
    void combine();
    void find_extremes(bool greatest);
    void find_medians();
    void find_copeland();
    double absent_value(std::size_t run, std::size_t count);
    std::size_t number_of(std::size_t d) const;
    bool goes_before(const FusedDocument& a, const FusedDocument& b) const;
    void choose();
    void sort_into_buckets();

    const FusionRecipe& recipe_;
    const std::uint64_t seed_;
    std::vector<List> lists_;
    std::vector<PooledDocument> documents_;
    IdTable table_;
    Sums sums_;

    std::vector<double> column_, points_;
    std::vector<double> values_;    // the points of every document in each run [runs, documents]
    std::vector<double> presence_;  // the weights of the runs that count for a document [runs, documents]
    std::vector<double> scores_, divisors_;
    std::vector<std::int32_t> votes_;
    std::vector<std::uint32_t> buckets_;  // where each begins
    std::vector<FusedDocument> fused_, best_;
};

}  // namespace carob

// Fuses runs query by query.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "fusion/by_query.h"
#include "fusion/recipe.h"
#include "matching/parallel.h"
#include "matching/rows.h"

namespace carob {

// The destination of the text of fused lists, which is written in consecutive pieces by several threads concurrently.
class FusedText {
public:
    virtual ~FusedText() = default;
    virtual void write(std::uint64_t place, std::string_view piece) = 0;
};

// Writes the fused lists as TREC text, with the queries in byte order; columns are separated by tabs if an id contains
// a blank. Returns for each run how many of its lists have three documents or more, all with the same score. Throws
// OddId and, like the other functions, NotPlain.
std::vector<std::int64_t> write_fused(const RunsByQuery& runs, const FusionRecipe& recipe, int threads, const GoOn& go_on,
                                      FusedText& text);

// Matches the fused lists with judgments, as match_text would match the text written by write_fused.
Matched match_fused(const RunsByQuery& runs, const FusionRecipe& recipe, const Judgments& judgments, const MatchOptions& options,
                    const GoOn& go_on);

// How a document's score came about: its rank among all documents of the query, and what each list contributed.
struct Explained {
    std::size_t rank = 0;  // 0 if no run has the document
    double score = 0;
    std::vector<ListShare> shares;
};
Explained explain_fused(const RunsByQuery& runs, const FusionRecipe& recipe, std::size_t query, std::string_view document);

// Matches the fused lists for each of several sets of weights, then the lists of each single run. The match must not
// round scores to float32, and must order equal scores as the recipe orders ties.
std::vector<Matched> match_weights(const RunsByQuery& runs, const FusionRecipe& recipe,
                                   const std::vector<std::vector<double>>& weights, const Judgments& judgments,
                                   const MatchOptions& options, const GoOn& go_on);

}  // namespace carob

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

// The destination of the text of fused lists: pieces one after the other, from several threads at the same time.
class FusedText {
public:
    virtual ~FusedText() = default;
    virtual void write(std::uint64_t place, std::string_view piece) = 0;
};

// Writes the fused lists as TREC text, the queries in byte order; columns are separated by tabs if an id has a blank.
// Returns how many lists of each run have three documents or more, all of one score. Throws OddId and, as the others, NotPlain.
std::vector<std::int64_t> write_fused(const RunsByQuery& runs, const FusionRecipe& recipe, int threads, const GoOn& go_on,
                                      FusedText& text);

// Matches the fused lists with judgments, as match_text would match that text.
Matched match_fused(const RunsByQuery& runs, const FusionRecipe& recipe, const Judgments& judgments, const MatchOptions& options,
                    const GoOn& go_on);

// The derivation of a document's score: its place among all documents of the query, and what each list contributed.
struct Explained {
    std::size_t rank = 0;  // 0 if no run has the document
    double score = 0;
    std::vector<ListShare> shares;
};
Explained explain_fused(const RunsByQuery& runs, const FusionRecipe& recipe, std::size_t query, std::string_view document);

// Matches the fused lists of several weights of the runs, then the list of each run alone. The scores must be
// those of doubles, and equal ones in the order of the lists, as with the ties of the recipe.
std::vector<Matched> match_weights(const RunsByQuery& runs, const FusionRecipe& recipe,
                                   const std::vector<std::vector<double>>& weights, const Judgments& judgments,
                                   const MatchOptions& options, const GoOn& go_on);

}  // namespace carob

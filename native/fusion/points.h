// Converts a list to points: by rank, or by normalised scores.
#pragma once

#include <cstddef>
#include <vector>

#include "fusion/recipe.h"

namespace carob {

// Thrown if a list requires an error or a warning, if a number is not finite, or if a run contains something that only
// the other readers understand: a comment, a byte order mark, a query in two places, or a line with a fault. Nothing is
// reported here, because the other readers find it again and report it.
struct NotPlain {};

// Each worker has one, because it keeps powers that are reused. Throws NotPlain.
class PointFinder {
public:
    explicit PointFinder(const FusionRecipe& recipe) : recipe_(recipe) {}

    // `scores` are the scores of one list, from the best document down; `candidates` is the number of documents in all
    // lists. For rrf, the points already include the weight, because it may divide the position.
    void find(std::size_t run, double weight, const std::vector<double>& scores, std::size_t candidates,
              std::vector<double>& points);

    // The points of a document that is missing from a list. `points` are the points of the list's documents, and may be
    // empty.
    double absent(const std::vector<double>& points, std::size_t candidates) const;

private:
    void find_rbc(std::vector<double>& points);

    const FusionRecipe& recipe_;
    std::vector<double> powers_;  // of phi
};

}  // namespace carob

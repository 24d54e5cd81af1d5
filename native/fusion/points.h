// Turns a list into points: by rank, or by normalised scores.
#pragma once

#include <cstddef>
#include <vector>

#include "fusion/recipe.h"

namespace carob {

// Thrown if a list must be refused or warned about, a number is not finite, or a run has something that
// only the other readers understand: a comment, a byte order mark, a query in two places, a line with a fault. Nothing
// is reported here, since they find it again and report it.
struct NotPlain {};

// One per worker, since it keeps powers that are reused. Throws NotPlain.
class PointFinder {
public:
    explicit PointFinder(const FusionRecipe& recipe) : recipe_(recipe) {}

    // `scores` are those of one list, from the best document down; `candidates` is the number of documents in all lists.
    // The points of rrf are those with the weight, since it may divide the position.
    void find(std::size_t run, double weight, const std::vector<double>& scores, std::size_t candidates,
              std::vector<double>& points);

    // The points of a document that a list lacks. `points` are those of the list's documents, and may be empty.
    double absent(const std::vector<double>& points, std::size_t candidates) const;

private:
    void find_rbc(std::vector<double>& points);

    const FusionRecipe& recipe_;
    std::vector<double> powers_;  // of phi
};

}  // namespace carob

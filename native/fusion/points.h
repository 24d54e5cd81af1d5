// Turns a list into points, as carob.fusion.normalisations does: the same operations in the same order, so the same bits.
#pragma once

#include <cstddef>
#include <vector>

#include "fusion/recipe.h"

namespace carob {

// Throws NotPlain where a list is to be refused or warned about, and where a number is not finite.
//
// `scores` are those of one list, from the best document down; `candidates` is the number of documents in all lists.
void find_points(const FusionRecipe& recipe, std::size_t run, const std::vector<double>& scores, std::size_t candidates,
                 std::vector<double>& points);

// The points of each document that a list lacks, for a list of these points, which may be empty.
double absent_points(const FusionRecipe& recipe, const std::vector<double>& points, std::size_t candidates);

}  // namespace carob

// What a fusion computes, as carob.fusion.recipe completed it. The formulas are those of carob.fusion.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "fusion/sums.h"
#include "matching/rows.h"

namespace carob {

// The points of a list: those of its ranks by a table, the points of the method borda, or normalised scores or ranks.
enum class Norm { table, borda_points, none, min_max, max, sum, z_score, l2, dbsf, rank, borda };

// How the points of a document in all lists are combined. `sum` multiplies by a factor for the number of lists.
enum class Combine { sum, mnz, anz, mean, max, min, med, copeland };

enum class Absent { left_out, zero, lowest };

struct Bounds {
    double low, high;  // NaN for the observed one
};

struct FusionRecipe {
    Norm norm = Norm::table;
    Combine combine = Combine::sum;
    Absent absent = Absent::left_out;
    Summation summation = Summation::exact;
    double equal = 1;     // the points in a list of equal scores; NaN for the sign of the score
    bool sample = false;  // the deviation divides by n - 1
    double floor = 0;     // replaces points that are not positive; NaN for none
    std::vector<double> weights;               // of each run
    std::vector<Bounds> bounds;                // of each run
    std::vector<std::vector<double>> tables;   // of each run: the points by rank, from the first
    std::vector<double> factors;               // by the number of lists that have the document, from 0
    std::size_t depth = 0;                     // documents to keep of each query; 0 for all
    Ties ties = Ties::trec;                    // the order of equal scores in the lists: trec, ascending or input
    bool float32 = false;                      // round the scores of the lists first
    bool ascending = false;                    // equal fused scores by id from the lowest up
    std::string tag;                           // the last column

    // Whether a list counts for documents that it lacks.
    bool all_count() const { return absent != Absent::left_out || norm == Norm::borda_points || norm == Norm::borda; }
};

}  // namespace carob

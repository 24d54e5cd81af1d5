// Declares the parameters of a fusion. The formulas are in points.cpp and query.cpp.
#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "fusion/sums.h"
#include "matching/rows.h"

namespace carob {

// How the points of a list are computed: by rank, or as normalised scores or ranks.
enum class Norm { rrf, isr, rbc, borda_points, none, min_max, max, sum, z_score, l2, dbsf, rank, borda };

// How the points of a document from all lists are combined. The methods up to `shifted_log` multiply the sum by a
// factor that depends on the number of lists that contain the document.
enum class Combine { sum, gmnz, mixed, log, shifted_log, mnz, anz, mean, max, min, med, copeland };

enum class Absent { left_out, zero, lowest };

struct Bounds {
    double low, high;  // NaN for the observed bound
};

struct FusionRecipe {
    Norm norm = Norm::rrf;
    Combine combine = Combine::sum;
    Absent absent = Absent::left_out;
    Summation summation = Summation::exact;
    double k = 60, first = 1, phi = 0.8, gamma = 1, sigma = 0.01;  // the parameters of methods
    bool by_position = false;  // a weight divides a document's position instead of multiplying its points (rrf)
    bool from_one = false;     // the first document of a list gets one point (rrf)
    double equal = 1;     // the points if all scores of a list are equal; NaN for the sign of the score
    bool sample = false;  // the standard deviation divides by n - 1
    double floor = 0;     // replaces points that are not positive; NaN for none
    std::vector<double> weights;   // of each run
    std::vector<Bounds> bounds;    // of each run
    std::size_t depth = 0;         // documents to keep for each query; 0 for all
    Ties ties = Ties::trec;        // the order of equal scores in the lists: trec, ascending or input
    bool float32 = false;          // round the scores of the lists to float32 first
    bool ascending = false;        // order equal fused scores by ascending id
    bool checked = false;          // the caller has already checked bounds and negative scores
    std::string tag;               // the last column

    // Whether a list counts for documents that it does not contain.
    bool all_count() const { return absent != Absent::left_out || norm == Norm::borda_points || norm == Norm::borda; }

    // The points of rrf including the weight: w / (k + rank), for ranks that begin at `first`.
    double rrf(double rank, double weight) const {
        const double below = k - 1 + first;
        if (by_position) return weight > 0 ? 1 / (rank / weight + below) : 0;
        return (from_one ? weight * (k + first) : weight) / (rank + below);
    }

    // The factor that multiplies the sum of points of a document contained in this many lists.
    double factor(std::size_t lists) const {
        const auto n = static_cast<double>(lists);
        switch (combine) {
            case Combine::gmnz: return std::pow(n, gamma);
            case Combine::mixed: return std::sqrt(n);
            case Combine::log: return std::log(n);
            case Combine::shifted_log: return std::log(n + sigma);
            default: return 1;
        }
    }
};

}  // namespace carob

// Adds up the points of each document.
#pragma once

#include <cstddef>
#include <vector>

namespace carob {

// Rounded once, so the order of the rows does not matter; row after row in doubles; or row after row in floats.
enum class Summation { exact, left_to_right, single };

// Rows of `columns` values; each row contains the points of one run.
struct PointRows {
    const std::vector<const double*>& rows;
    std::size_t columns;
};

// Computes the sum of each column. Owns memory that is reused for each query.
class Sums {
public:
    explicit Sums(Summation how) : how_(how) {}

    void add(const PointRows& rows, std::vector<double>& sums);

private:
    void exactly(const PointRows& rows, std::vector<double>& sums);
    double rounded_once(const PointRows& rows, std::size_t column);

    const Summation how_;
    std::vector<double> errors_, sizes_, inexact_, column_;
};

// The correctly rounded sum of some numbers (Shewchuk 1997, Discrete and Computational Geometry 18), like Python's
// math.fsum. Not finite if a partial sum overflows.
double exact_sum(const std::vector<double>& values);

}  // namespace carob

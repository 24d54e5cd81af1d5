// Adds up the points of each document, in the ways that carob.fusion.formulas defines: bit for bit the same sums.
#pragma once

#include <cstddef>
#include <vector>

namespace carob {

enum class Summation { exact, left_to_right, single };

// Values in rows of `columns`: the points of one run in each row.
struct PointRows {
    const double* values;
    std::size_t rows, columns;

    double at(std::size_t row, std::size_t column) const { return values[row * columns + column]; }
};

// The sum of each column. Owns memory that is used again for each query.
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

// The correctly rounded sum of some numbers (Shewchuk 1997, Discrete and Computational Geometry 18), as Python's
// math.fsum. Not finite if a partial sum overflows.
double exact_sum(const std::vector<double>& values);

}  // namespace carob

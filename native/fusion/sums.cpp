// Adds up the points of each document, correctly rounded by default.
#include "fusion/sums.h"

#include <cmath>
#include <utility>

namespace carob {
namespace {

// The rounded sum, and its rounding error (Knuth's two-sum).
inline double with_error(double one, double other, double& lost) {
    const double sum = one + other;
    const double part = sum - one;
    lost = (one - (sum - part)) + (other - part);
    return sum;
}

template <class Number>
void in_turn(const PointRows& rows, std::vector<double>& sums) {
    sums.assign(rows.columns, 0.0);
    double* const sum = sums.data();
    for (const double* const row : rows.rows) {
        for (std::size_t c = 0; c < rows.columns; ++c)
            sum[c] = static_cast<double>(static_cast<Number>(static_cast<Number>(sum[c]) + static_cast<Number>(row[c])));
    }
}

}  // namespace

void Sums::add(const PointRows& rows, std::vector<double>& sums) {
    if (how_ == Summation::single) {
        in_turn<float>(rows, sums);
    } else if (how_ == Summation::left_to_right || rows.rows.size() <= 2) {
        in_turn<double>(rows, sums);  // the sum of two numbers is rounded only once anyway
    } else {
        exactly(rows, sums);
    }
}

// Adds up the rounding errors of the additions (Ogita, Rump and Oishi 2005, "Accurate sum and dot product"). If
// rounding in this sum of errors might matter, the column is added up exactly.
void Sums::exactly(const PointRows& rows, std::vector<double>& sums) {
    const std::size_t count = rows.columns;
    sums.assign(rows.rows[0], rows.rows[0] + count);
    errors_.assign(count, 0.0);
    sizes_.resize(count);
    inexact_.assign(count, 0.0);
    for (std::size_t c = 0; c < count; ++c) sizes_[c] = std::abs(sums[c]);
    double* const sum = sums.data();
    double* const error = errors_.data();
    double* const size = sizes_.data();
    double* const inexact = inexact_.data();
    for (std::size_t r = 1; r < rows.rows.size(); ++r) {
        const double* const row = rows.rows[r];
        for (std::size_t c = 0; c < count; ++c) {
            double lost, more;
            sum[c] = with_error(sum[c], row[c], lost);
            error[c] = with_error(error[c], lost, more);
            inexact[c] += std::abs(more);
            size[c] += std::abs(row[c]);
        }
    }
    const double bound = static_cast<double>(rows.rows.size() * rows.rows.size()) * 0x1p-104;
    for (std::size_t c = 0; c < count; ++c) {
        const double slack = inexact[c] == 0 ? 0.0 : bound * size[c];
        const double low = sum[c] + (error[c] - slack), high = sum[c] + (error[c] + slack);
        sum[c] = low == high ? low : rounded_once(rows, c);
    }
}

double Sums::rounded_once(const PointRows& rows, std::size_t column) {
    column_.clear();
    for (const double* const row : rows.rows) column_.push_back(row[column]);
    return exact_sum(column_);
}

double exact_sum(const std::vector<double>& values) {
    std::vector<double> parts;  // from the smallest up, without overlaps
    for (double value : values) {
        std::size_t kept = 0;
        for (double part : parts) {
            if (std::abs(value) < std::abs(part)) std::swap(value, part);
            const double sum = value + part;
            const double lost = part - (sum - value);
            if (lost != 0) parts[kept++] = lost;
            value = sum;
        }
        parts.resize(kept);
        parts.push_back(value);
    }
    if (parts.empty()) return 0;
    std::size_t n = parts.size() - 1;
    double high = parts[n], low = 0;
    while (n > 0) {
        const double before = high, part = parts[--n];
        high = before + part;
        low = part - (high - before);
        if (low != 0) break;
    }
    // A remainder of exactly half a unit is rounded to even; what lies below it decides.
    if (n > 0 && ((low < 0 && parts[n - 1] < 0) || (low > 0 && parts[n - 1] > 0))) {
        const double doubled = low * 2, sum = high + doubled;
        if (doubled == sum - high) high = sum;
    }
    return high;
}

}  // namespace carob

// Converts a list to points.
#include "fusion/points.h"

#include <algorithm>
#include <cmath>

namespace carob {
namespace {

using Doubles = std::vector<double>;

double number(std::size_t count) { return static_cast<double>(count); }

// Adds from left to right, as carob._native.total does.
template <class Term>
double total(const Doubles& values, Term term) {
    double sum = term(values[0]);
    for (std::size_t i = 1; i < values.size(); ++i) sum += term(values[i]);
    return sum;
}

void require(bool good) {
    if (!good) throw NotPlain{};
}

class ListPoints {
public:
    ListPoints(const FusionRecipe& recipe, std::size_t run, const Doubles& scores, Doubles& points)
        : recipe_(recipe), run_(run), scores_(scores), points_(points), high_(scores.front()), low_(scores.back()) {}

    void find(double weight, std::size_t candidates) {
        const double all = number(candidates), own = number(scores_.size());
        switch (recipe_.norm) {
            case Norm::rrf: return by_rank([&](double rank) { return recipe_.rrf(rank, weight); });
            case Norm::isr: return by_rank([](double rank) { return 1 / (rank * rank); });
            case Norm::borda_points: return by_rank([all](double rank) { return all - rank + 1; });
            case Norm::none: points_ = scores_; return;
            case Norm::min_max: return min_max();
            case Norm::max: return by_max();
            case Norm::sum: return by_sum();
            case Norm::z_score: return z_score();
            case Norm::l2: return l2();
            case Norm::dbsf: return dbsf();
            case Norm::rank: return by_rank([own](double rank) { return 1 - (rank - 1) / own; });
            case Norm::borda: return by_rank([all](double rank) { return 1 - (rank - 1) / all; });
            case Norm::rbc: return;  // handled separately, because it needs powers
        }
    }

private:
    struct Moments {
        double mean, deviation;
    };

    template <class Formula>
    void by_rank(Formula formula) {
        points_.resize(scores_.size());
        for (std::size_t i = 0; i < points_.size(); ++i) points_[i] = formula(number(i + 1));
    }

    // Divides the scores minus `low`; if the divisor is not positive, uses the points for equal scores.
    void divide(double low, double below) {
        require(std::isfinite(low) && std::isfinite(below));
        points_.resize(scores_.size());
        for (std::size_t i = 0; i < points_.size(); ++i) {
            if (below > 0) points_[i] = (scores_[i] - low) / below;
            else points_[i] = std::isnan(recipe_.equal) ? (scores_[i] > 0 ? 1.0 : 0.0) : recipe_.equal;
        }
    }

    void min_max() {
        const Bounds& bounds = recipe_.bounds[run_];
        const double low = std::isnan(bounds.low) ? low_ : bounds.low, high = std::isnan(bounds.high) ? high_ : bounds.high;
        require(low <= low_ && high_ <= high);
        divide(low, high - low);
    }

    // A list with negative scores needs a warning or an error.
    void by_max() {
        require(recipe_.checked || low_ >= 0);
        divide(0, high_);
    }

    void by_sum() {
        const double sum = total(scores_, [](double score) { return score; });
        divide(low_, sum - low_ * number(scores_.size()));
    }

    Moments moments() const {
        const double count = number(scores_.size());
        const double mean = low_ == high_ ? low_ : total(scores_, [](double score) { return score; }) / count;
        const double squares = total(scores_, [mean](double score) { return (score - mean) * (score - mean); });
        const double divisor = recipe_.sample ? std::max(count - 1, 1.0) : count;
        return {mean, std::sqrt(squares / divisor)};
    }

    void z_score() {
        const auto [mean, deviation] = moments();
        divide_or_keep(mean, deviation);
    }

    void l2() {
        divide_or_keep(0, std::sqrt(total(scores_, [](double score) { return score * score; })));
    }

    void divide_or_keep(double low, double below) { divide(low, below > 0 ? below : 1.0); }

    void dbsf() {
        const auto [mean, deviation] = moments();
        const double low = mean - 3 * deviation, high = mean + 3 * deviation;
        divide(low, high - low);
    }

    const FusionRecipe& recipe_;
    const std::size_t run_;
    const Doubles& scores_;
    Doubles& points_;
    const double high_, low_;
};

}  // namespace

// (1 - phi) phi^(rank - 1).
void PointFinder::find_rbc(std::vector<double>& points) {
    while (powers_.size() < points.size()) powers_.push_back(std::pow(recipe_.phi, number(powers_.size())));
    for (std::size_t i = 0; i < points.size(); ++i) points[i] = (1 - recipe_.phi) * powers_[i];
}

void PointFinder::find(std::size_t run, double weight, const std::vector<double>& scores, std::size_t candidates,
                       std::vector<double>& points) {
    points.resize(scores.size());
    if (scores.empty()) return;
    if (recipe_.norm == Norm::rbc) find_rbc(points);
    else ListPoints(recipe_, run, scores, points).find(weight, candidates);
    for (double& its : points) {
        require(std::isfinite(its));
        if (its <= 0 && !std::isnan(recipe_.floor)) its = recipe_.floor;
    }
}

double PointFinder::absent(const std::vector<double>& points, std::size_t candidates) const {
    const double length = number(points.size()), all = number(candidates);
    if (recipe_.norm == Norm::borda_points) return (all - length + 1) / 2;
    if (recipe_.norm == Norm::borda) return 0.5 - (length - 1) / (2 * all);
    if (recipe_.absent != Absent::lowest || points.empty()) return 0;
    return *std::min_element(points.begin(), points.end());
}

}  // namespace carob

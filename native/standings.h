// This file finds where scores stand among all scores of a query, without sorting them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace karat {

struct Standing {
    std::size_t above = 0;  // scores strictly greater
    std::size_t equal = 0;  // scores equal, the score itself included
};

// `thresholds` are distinct and descending; no NaN anywhere. `descending` says that `scores` already are.
inline void find_standings(const std::vector<double>& scores, bool descending, const std::vector<double>& thresholds,
                           std::vector<Standing>& standings) {
    standings.assign(thresholds.size(), Standing{});
    if (descending) {
        auto from = scores.begin();
        for (std::size_t t = 0; t < thresholds.size(); ++t) {
            const double threshold = thresholds[t];
            from = std::partition_point(from, scores.end(), [=](double score) { return score > threshold; });
            const auto to = std::partition_point(from, scores.end(), [=](double score) { return score >= threshold; });
            standings[t] = {static_cast<std::size_t>(from - scores.begin()), static_cast<std::size_t>(to - from)};
            from = to;
        }
        return;
    }
    if (thresholds.size() == 1) {
        const double threshold = thresholds[0];
        std::size_t above = 0;
        std::size_t equal = 0;
        for (const double score : scores) {
            above += score > threshold;
            equal += score == threshold;
        }
        standings[0] = {above, equal};
        return;
    }
    // A score is above every threshold after the first that is not greater than it; count there, then run a sum.
    std::vector<std::size_t> entering(thresholds.size() + 1, 0);
    for (const double score : scores) {
        const auto at = std::partition_point(thresholds.begin(), thresholds.end(), [=](double t) { return t > score; });
        auto place = static_cast<std::size_t>(at - thresholds.begin());
        if (at != thresholds.end() && *at == score) ++standings[place++].equal;
        ++entering[place];
    }
    std::size_t above = 0;
    for (std::size_t t = 0; t < thresholds.size(); ++t) {
        above += entering[t];
        standings[t].above = above;
    }
}

inline void sort_distinct_descending(std::vector<double>& values) {
    std::sort(values.begin(), values.end(), [](double a, double b) { return a > b; });
    values.erase(std::unique(values.begin(), values.end()), values.end());
}

// Which of the descending thresholds equals the score; there is one.
inline std::size_t threshold_of(const std::vector<double>& thresholds, double score) {
    const auto at = std::partition_point(thresholds.begin(), thresholds.end(), [=](double t) { return t > score; });
    return static_cast<std::size_t>(at - thresholds.begin());
}

}  // namespace karat

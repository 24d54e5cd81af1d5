// Finds the ranks of some scores among all scores of a query, without sorting.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "lists/segments.h"

namespace carob {

struct Standing {
    std::size_t above = 0;  // scores strictly greater
    std::size_t equal = 0;  // equal scores, including the score itself
};

// Finds standings among the scores score_at(0) … score_at(count - 1), which are in descending order and contain no NaN.
// `thresholds` are distinct and descending, as everywhere in this file.
template <class ScoreAt>
void find_standings_in_order(std::size_t count, ScoreAt&& score_at, const std::vector<double>& thresholds,
                             std::vector<Standing>& standings) {
    standings.clear();
    const auto first_not = [&](std::size_t from, auto&& holds) {
        std::size_t to = count;
        while (from < to) {
            const std::size_t middle = from + (to - from) / 2;
            if (holds(score_at(middle))) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        return from;
    };
    std::size_t from = 0;
    for (const double threshold : thresholds) {
        from = first_not(from, [=](double score) { return score > threshold; });
        const std::size_t to = first_not(from, [=](double score) { return score >= threshold; });
        standings.push_back({from, to - from});
        from = to;
    }
}

// How many of the thresholds are greater than the score. A branch at each step would be mispredicted half the time.
inline std::size_t thresholds_above(const std::vector<double>& thresholds, double score) {
    const double* first = thresholds.data();
    for (std::size_t left = thresholds.size(); left > 0;) {
        const std::size_t half = (left + 1) / 2;
        first += static_cast<std::size_t>(first[half - 1] > score) * half;
        left -= half;
    }
    return static_cast<std::size_t>(first - thresholds.data());
}

// Finds standings among scores in any order.
inline void find_standings(const std::vector<double>& scores, const std::vector<double>& thresholds,
                           std::vector<Standing>& standings) {
    standings.assign(thresholds.size(), Standing{});
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
    // A score is above every threshold that follows the first one not greater than it, so count at that threshold and
    // then take running sums.
    std::vector<std::size_t> entering(thresholds.size() + 1, 0);
    for (const double score : scores) {
        std::size_t place = thresholds_above(thresholds, score);
        if (place < thresholds.size() && thresholds[place] == score) ++standings[place++].equal;
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

// Which of the descending thresholds equals the score; one of them does.
inline std::size_t threshold_of(const std::vector<double>& thresholds, double score) {
    return thresholds_above(thresholds, score);
}

}  // namespace carob

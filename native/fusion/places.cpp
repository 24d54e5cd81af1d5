// Finds the places of a few documents in a fused list without building the list: tuning needs the places of judged
// documents at many weights.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "fusion/query.h"

namespace carob {
namespace {

// The highest value of a block, computed in lanes, because in a plain loop each comparison would wait for the previous
// one.
float highest(const float* values, std::size_t size) {
    constexpr std::size_t LANES = 8;
    float lanes[LANES];
    std::copy_n(values, LANES, lanes);
    for (std::size_t first = LANES; first < size; first += LANES) {
        for (std::size_t i = 0; i < LANES; ++i) lanes[i] = values[first + i] > lanes[i] ? values[first + i] : lanes[i];
    }
    for (std::size_t half = LANES / 2; half > 0; half /= 2) {
        for (std::size_t i = 0; i < half; ++i) lanes[i] = lanes[half + i] > lanes[i] ? lanes[half + i] : lanes[i];
    }
    return lanes[0];
}

}  // namespace

void QueryFuser::weigh(const std::vector<double>& weights) {
    weights_ = &weights;
    const bool weighted_sum = recipe_.combine == Combine::sum || recipe_.combine == Combine::mixed;
    if (weighted_sum && recipe_.summation == Summation::exact && !recipe_.by_position) find_rough_scores(weights);
    else find_scores(weights);
}

void QueryFuser::find_rough_points(std::size_t run) {
    List& list = lists_[run];
    if (list.weighed) return;
    list.weighed = true;
    find_values(run, 1, list.points);
    list.rough.assign(list.points.begin(), list.points.end());
    list.most = 0;
    for (const double value : list.points) list.most = std::max(list.most, std::abs(value));
    if (recipe_.norm != Norm::rrf) return;
    list.ranks.assign(documents_.size(), recipe_.absent == Absent::lowest ? static_cast<std::uint32_t>(list.rows.size()) : 0);
    std::uint32_t rank = 0;
    for (const ListedDocument& row : list.rows) list.ranks[row.document] = ++rank;
}

// Few documents have scores closer together than the rounding error of floats, so few are added up exactly.
void QueryFuser::find_rough_scores(const std::vector<double>& weights) {
    const std::size_t count = documents_.size();
    rough_.assign(count, 0.0f);
    float* const rough = rough_.data();
    double size = 0, steps = 12, factors = 1;
    for (std::size_t run = 0; run < lists_.size(); ++run) {
        if (weights[run] == 0) continue;
        find_rough_points(run);
        const auto weight = static_cast<float>(weights[run]);
        const float* const points = lists_[run].rough.data();
        for (std::size_t d = 0; d < count; ++d) rough[d] += weight * points[d];
        size += weights[run] * lists_[run].most;
        factors += weights[run] + lists_[run].most;
        steps += 3;
    }
    if (recipe_.combine == Combine::mixed) {
        for (std::size_t d = 0; d < count; ++d) rough[d] *= static_cast<float>(factors_[number_of(d)]);
        size *= factors_.back();
    }
    // Each number and each operation has an error of half a unit in the last place of a float, or of the smallest float
    // times a factor.
    slack_ = steps * (size * 0x1p-24 + factors * 0x1p-149);
    if (!(2 * (size + factors) < std::numeric_limits<float>::max())) return find_scores(weights);
    find_tops();
}

void QueryFuser::find_tops() {
    constexpr float NONE = -std::numeric_limits<float>::infinity();
    rough_.resize((rough_.size() + BLOCK - 1) / BLOCK * BLOCK, NONE);
    tops_.clear();
    for (std::size_t first = 0; first < rough_.size(); first += BLOCK) tops_.push_back(highest(rough_.data() + first, BLOCK));
    least_kept_ = NONE;
    if (kept() > tops_.size()) return;
    sorted_tops_ = tops_;
    const auto last_kept = sorted_tops_.begin() + static_cast<std::ptrdiff_t>(kept() - 1);
    std::nth_element(sorted_tops_.begin(), last_kept, sorted_tops_.end(), std::greater<>());
    least_kept_ = *last_kept;
}

double QueryFuser::score_of(std::uint32_t document) {
    column_.clear();
    for (std::size_t run = 0; run < lists_.size(); ++run) {
        const double weight = (*weights_)[run];
        if (weight == 0) continue;
        const List& list = lists_[run];
        if (recipe_.norm != Norm::rrf) column_.push_back(list.points[document] * weight);
        else if (list.ranks[document] != 0) column_.push_back(recipe_.rrf(list.ranks[document], weight));
    }
    double score = exact_sum(column_);
    if (recipe_.combine == Combine::mixed) score *= factors_[number_of(document)];
    if (!std::isfinite(score)) throw NotPlain{};
    return score + 0.0;
}

FusedPlace QueryFuser::place_of(std::uint32_t document) {
    constexpr std::size_t FEW = 32;
    const std::size_t most = kept();
    if (!rough_.empty()) {
        const double own = rough_[document];
        const auto high = static_cast<float>(own + 2 * slack_), low = static_cast<float>(own - 2 * slack_);
        if (high < least_kept_) return {most + 1, most + 1, most + 1};
        std::size_t above = 0, near = 0;
        for (std::size_t block = 0; block < tops_.size() && above < most; ++block) {
            if (tops_[block] < low) continue;
            const float* const values = rough_.data() + block * BLOCK;
            std::int32_t higher = 0, others = 0;
            for (std::size_t i = 0; i < BLOCK; ++i) {
                higher += values[i] > high;
                others += values[i] >= low;
            }
            above += static_cast<std::size_t>(higher);
            near += static_cast<std::size_t>(others - higher);
        }
        if (near <= 1 || above >= most) return {above + 1, above + 1, above + 1};  // no other document is near
        if (near <= FEW) {
            find_near([=](float score) { return score >= low && !(score > high); }, rough_);
            return place_among(document, score_of(document), near_, above);
        }
        find_scores(*weights_);
    }
    const double score = scores_[document];
    find_near([=](double other) { return other >= score; }, scores_);
    return place_among(document, score, near_, 0);
}

// `others` are the documents that may come before this one, including itself; `above` further documents certainly come
// before it.
FusedPlace QueryFuser::place_among(std::uint32_t document, double score, const std::vector<std::uint32_t>& others, std::size_t above) {
    const FusedDocument its{score, documents_[document].head, document};
    FusedPlace place{above + 1, above + 1, above};
    for (const std::uint32_t d : others) {
        const double other = rough_.empty() ? scores_[d] : score_of(d);
        place.rank += goes_before(FusedDocument{other, documents_[d].head, d}, its);
        place.tie_first += other > score;
        place.tie_last += other >= score;
    }
    return place;
}

}  // namespace carob

// Adds, multiplies, compares and orders along segments: values[offsets[q] … offsets[q + 1]) is segment q.
//
// Sums go strictly from left to right, so a result has the same bits as that of a plain loop, on every machine.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>

namespace carob {

using Values = std::span<const double>;
using Offsets = std::span<const std::int64_t>;

// Whether the offsets start at 0 or later, never decrease and end within `size`.
inline bool are_offsets(Offsets offsets, std::size_t size) {
    if (offsets.empty() || offsets.front() < 0) return false;
    for (std::size_t q = 1; q < offsets.size(); ++q) {
        if (offsets[q] < offsets[q - 1]) return false;
    }
    return static_cast<std::uint64_t>(offsets.back()) <= size;
}

// Returns one number per segment: its values combined from left to right, or 0 for an empty segment.
template <class Combine>
void reduce_segments(Values values, Offsets offsets, double* out, Combine combine) {
    for (std::size_t q = 0; q + 1 < offsets.size(); ++q) {
        const auto from = static_cast<std::size_t>(offsets[q]);
        const auto to = static_cast<std::size_t>(offsets[q + 1]);
        double value = from == to ? 0.0 : values[from];
        for (std::size_t i = from + 1; i < to; ++i) value = combine(value, values[i]);
        out[q] = value;
    }
}

// Returns one number per value; the first number of a segment is the value itself. Values outside all segments give 0.
template <class Combine>
void scan_segments(Values values, Offsets offsets, double* out, Combine combine) {
    for (std::size_t i = 0; i < values.size(); ++i) out[i] = 0.0;
    for (std::size_t q = 0; q + 1 < offsets.size(); ++q) {
        double value = 0.0;
        for (auto i = offsets[q]; i < offsets[q + 1]; ++i) {
            const auto at = static_cast<std::size_t>(i);
            value = i == offsets[q] ? values[at] : combine(value, values[at]);
            out[at] = value;
        }
    }
}

// Orders from the highest value down, with NaN last.
inline bool falls(double a, double b) { return a > b || (std::isnan(b) && !std::isnan(a)); }

// Orders the values of one segment that has few distinct values, as grades do: counts each level, and gives every value
// the next place of its level. False if there are too many levels or a NaN.
inline bool order_by_levels(Values values, std::size_t from, std::size_t to, std::int64_t* out) {
    constexpr std::size_t MOST = 8;
    double levels[MOST];
    std::size_t counts[MOST], count = 0;
    for (std::size_t i = from; i < to; ++i) {
        std::size_t k = 0;
        while (k < count && levels[k] != values[i]) ++k;
        if (k == count) {
            if (count == MOST || std::isnan(values[i])) return false;
            levels[count] = values[i];
            counts[count++] = 0;
        }
        ++counts[k];
    }
    std::size_t next[MOST];
    for (std::size_t k = 0; k < count; ++k) {
        next[k] = from;
        for (std::size_t other = 0; other < count; ++other) next[k] += levels[other] > levels[k] ? counts[other] : 0;
    }
    for (std::size_t i = from; i < to; ++i) {
        std::size_t k = 0;
        while (levels[k] != values[i]) ++k;
        out[next[k]++] = static_cast<std::int64_t>(i);
    }
    return true;
}

// Returns the places of the values, segment by segment, each segment from its highest value down with NaN last; equal
// values keep their order. The offsets must cover all values.
inline void order_segments(Values values, Offsets offsets, std::int64_t* out) {
    // The place breaks ties between equal values, because a stable sort would allocate memory for each segment.
    const auto before = [&](std::int64_t i, std::int64_t j) {
        const double a = values[static_cast<std::size_t>(i)], b = values[static_cast<std::size_t>(j)];
        return falls(a, b) || (!falls(b, a) && i < j);
    };
    for (std::size_t q = 0; q + 1 < offsets.size(); ++q) {
        const auto from = static_cast<std::size_t>(offsets[q]), to = static_cast<std::size_t>(offsets[q + 1]);
        if (order_by_levels(values, from, to, out)) continue;
        std::iota(out + from, out + to, offsets[q]);
        std::sort(out + from, out + to, before);
    }
}

}  // namespace carob

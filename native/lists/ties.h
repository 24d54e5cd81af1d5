// The best and the worst order of documents with equal scores.
#pragma once

#include <cstdint>
#include <vector>

#include "lists/segments.h"

namespace karat {

// Lists of judged rows: list q has rows offsets[q] … offsets[q + 1) in rank order, and equal first ranks are one tie. A
// tie may have more documents than rows, since unjudged ones need no row.
struct TiedRows {
    Values grade, tie_first, tie_last;
    Offsets offsets;
};

// What a document with this grade is worth at a higher rank than others: judged not relevant less than not judged.
inline double merit(double grade, double of_zero) { return grade == 0 ? of_zero : grade; }

// The rows of every tie from the greatest merit down (`best`) or from the least up, equal merits in their order. `rank`
// is each row's rank then: relevant documents take the first ranks of a tie in the best order and its last ones in the
// worst, the others its other end, and documents without a row lie between them. `order` is the place of each row before.
inline void arrange_ties(const TiedRows& rows, bool best, double of_zero, double* rank, double* grade,
                         std::int64_t* order) {
    std::vector<double> merits;
    std::vector<std::int64_t> places;
    for (std::size_t q = 0; q + 1 < rows.offsets.size(); ++q) {
        const auto end = static_cast<std::size_t>(rows.offsets[q + 1]);
        for (auto from = static_cast<std::size_t>(rows.offsets[q]), to = from; from < end; from = to) {
            const double first = rows.tie_first[from], last = rows.tie_last[from];
            for (to = from + 1; to < end && rows.tie_first[to] == first;) ++to;
            const std::size_t size = to - from;
            if (size == 1) {
                order[from] = static_cast<std::int64_t>(from);
            } else {
                merits.resize(size);
                places.resize(size);
                for (std::size_t i = 0; i < size; ++i) {
                    const double its = merit(rows.grade[from + i], of_zero);
                    merits[i] = best ? its : -its;
                }
                const std::int64_t whole[] = {0, static_cast<std::int64_t>(size)};
                order_segments(merits, whole, places.data());
                for (std::size_t i = 0; i < size; ++i) order[from + i] = static_cast<std::int64_t>(from) + places[i];
            }
            for (std::size_t i = 0; i < size; ++i) {
                const double its = rows.grade[static_cast<std::size_t>(order[from + i])];
                grade[from + i] = its;
                rank[from + i] = (its > 0) == best ? first + static_cast<double>(i) : last - static_cast<double>(size - 1 - i);
            }
        }
    }
}

}  // namespace karat

// The best and the worst order of documents with equal scores.
#pragma once

#include <cstdint>
#include <vector>

#include "lists/segments.h"

namespace carob {

// Lists of judged rows: list q has rows offsets[q] … offsets[q + 1) in rank order, and rows with equal first ranks form
// one tie. A tie may have more documents than rows, because unjudged documents need no row.
struct TiedRows {
    Values grade, tie_first, tie_last;
    Offsets offsets;
};

// The merit by which tied documents are ordered: a document judged not relevant ranks below an unjudged document.
inline double merit(double grade, double of_zero) { return grade == 0 ? of_zero : grade; }

// The destination of the rows of lists: the rank and the grade of each row, and its earlier place.
struct Arranged {
    double *rank, *grade;
    std::int64_t* order;
};

// Arranges the rows of every tie of a list from the greatest merit down (`best`) or from the least merit up; rows of
// equal merit keep their order. Relevant documents take the first ranks of a tie in the best order and its last ranks
// in the worst order; judged documents that are not relevant take the opposite end, and documents without a row lie
// between.
class TieOrder {
public:
    TieOrder(const TiedRows& rows, bool best, double of_zero) : rows(rows), best(best), of_zero(of_zero) {}

    // Writes the rows [from, end) of a list to the places starting at 0.
    void operator()(std::size_t from, std::size_t end, Arranged out) {
        for (std::size_t to = from, at = 0; from < end; at += to - from, from = to) {
            const double first = rows.tie_first[from], last = rows.tie_last[from];
            for (to = from + 1; to < end && rows.tie_first[to] == first;) ++to;
            const std::size_t size = to - from;
            order_tie(from, size, out.order + at);
            for (std::size_t i = 0; i < size; ++i) {
                const double its = rows.grade[static_cast<std::size_t>(out.order[at + i])];
                const bool leads = (its > 0) == best;
                out.grade[at + i] = its;
                out.rank[at + i] = leads ? first + static_cast<double>(i) : last - static_cast<double>(size - 1 - i);
            }
        }
    }

private:
    void order_tie(std::size_t from, std::size_t size, std::int64_t* order) {
        if (size == 1) {
            *order = static_cast<std::int64_t>(from);
            return;
        }
        merits.resize(size);
        for (std::size_t i = 0; i < size; ++i) {
            const double its = merit(rows.grade[from + i], of_zero);
            merits[i] = best ? its : -its;
        }
        const std::int64_t whole[] = {0, static_cast<std::int64_t>(size)};
        order_segments(merits, whole, order);
        for (std::size_t i = 0; i < size; ++i) order[i] += static_cast<std::int64_t>(from);
    }

    const TiedRows& rows;
    const bool best;
    const double of_zero;
    std::vector<double> merits;
};

// Returns the lists in which a row is tied with another document, whether or not that document has a row.
inline std::vector<std::int64_t> tied_lists(const TiedRows& rows) {
    std::vector<std::int64_t> found;
    for (std::size_t q = 0; q + 1 < rows.offsets.size(); ++q) {
        const auto from = static_cast<std::size_t>(rows.offsets[q]), end = static_cast<std::size_t>(rows.offsets[q + 1]);
        for (std::size_t i = from; i < end; ++i) {
            if (rows.tie_last[i] > rows.tie_first[i]) {
                found.push_back(static_cast<std::int64_t>(q));
                break;
            }
        }
    }
    return found;
}

// Arranges some lists, one after the other.
inline void arrange_lists(const TiedRows& rows, const std::vector<std::int64_t>& lists, bool best, double of_zero,
                          Arranged out) {
    TieOrder arrange(rows, best, of_zero);
    for (const std::int64_t list : lists) {
        const auto q = static_cast<std::size_t>(list);
        const auto from = static_cast<std::size_t>(rows.offsets[q]), end = static_cast<std::size_t>(rows.offsets[q + 1]);
        arrange(from, end, out);
        out = {out.rank + (end - from), out.grade + (end - from), out.order + (end - from)};
    }
}

}  // namespace carob

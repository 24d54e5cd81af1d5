// Binds sums, products, maxima and orders along segments of arrays, and the extreme orders of ties.
#include "lists/segments.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

#include "lists/ties.h"
#include "python/parts.h"

namespace carob::python {

namespace {

template <class Array>
void check_offsets(const Array& values, const Longs& offsets) {
    if (!carob::are_offsets({offsets.data(), offsets.shape(0)}, values.shape(0))) {
        throw nb::value_error("offsets must start at 0 or later, never fall, and end within the values");
    }
}

template <class Combine>
nb::object reduced(const Doubles& values, const Longs& offsets, Combine combine) {
    check_offsets(values, offsets);
    const std::size_t size = offsets.shape(0) - 1;
    auto out = std::make_unique_for_overwrite<double[]>(size);
    carob::reduce_segments({values.data(), values.shape(0)}, {offsets.data(), offsets.shape(0)}, out.get(), combine);
    return new_array(std::move(out), size);
}

nb::object counted(const Marks& marks, const Longs& offsets) {
    check_offsets(marks, offsets);
    const std::size_t size = offsets.shape(0) - 1;
    auto out = std::make_unique_for_overwrite<double[]>(size);
    for (std::size_t q = 0; q < size; ++q) {
        const auto from = marks.data() + offsets.data()[q], to = marks.data() + offsets.data()[q + 1];
        out[q] = static_cast<double>(std::count(from, to, true));
    }
    return new_array(std::move(out), size);
}

template <class Combine>
nb::object scanned(const Doubles& values, const Longs& offsets, Combine combine) {
    check_offsets(values, offsets);
    const std::size_t size = values.shape(0);
    auto out = std::make_unique_for_overwrite<double[]>(size);
    carob::scan_segments({values.data(), size}, {offsets.data(), offsets.shape(0)}, out.get(), combine);
    return new_array(std::move(out), size);
}

void check_cover(const Doubles& values, const Longs& offsets) {
    check_offsets(values, offsets);
    if (offsets.data()[0] != 0 || static_cast<std::size_t>(offsets.data()[offsets.shape(0) - 1]) != values.shape(0)) {
        throw nb::value_error("offsets must cover all values");
    }
}

nb::object ordered(const Doubles& values, const Longs& offsets) {
    check_cover(values, offsets);
    const std::size_t size = values.shape(0);
    auto out = std::make_unique_for_overwrite<std::int64_t[]>(size);
    carob::order_segments({values.data(), size}, {offsets.data(), offsets.shape(0)}, out.get());
    return new_array(std::move(out), size);
}

carob::TiedRows tied_rows(const Doubles& grade, const Doubles& tie_first, const Doubles& tie_last,
                          const Longs& offsets) {
    check_cover(grade, offsets);
    const std::size_t size = grade.shape(0);
    if (tie_first.shape(0) != size || tie_last.shape(0) != size) {
        throw nb::value_error("grade, tie_first and tie_last must have the same length");
    }
    return {{grade.data(), size}, {tie_first.data(), size}, {tie_last.data(), size}, {offsets.data(), offsets.shape(0)}};
}

// The ranks, grades and former places of arranged rows.
struct ArrangedRows {
    explicit ArrangedRows(std::size_t size)
        : rank(std::make_unique_for_overwrite<double[]>(size)),
          grade(std::make_unique_for_overwrite<double[]>(size)),
          order(std::make_unique_for_overwrite<std::int64_t[]>(size)) {}

    carob::Arranged from(std::size_t at) { return {rank.get() + at, grade.get() + at, order.get() + at}; }

    std::unique_ptr<double[]> rank, grade;
    std::unique_ptr<std::int64_t[]> order;
};

nb::tuple arranged(const Doubles& grade, const Doubles& tie_first, const Doubles& tie_last, const Longs& offsets,
                   bool best, double of_zero) {
    const carob::TiedRows rows = tied_rows(grade, tie_first, tie_last, offsets);
    std::vector<std::int64_t> every(offsets.shape(0) - 1);
    std::iota(every.begin(), every.end(), std::int64_t{0});
    const std::size_t size = grade.shape(0);
    ArrangedRows out(size);
    carob::arrange_lists(rows, every, best, of_zero, out.from(0));
    return nb::make_tuple(new_array(std::move(out.rank), size), new_array(std::move(out.grade), size),
                          new_array(std::move(out.order), size));
}

nb::tuple extremes(const Doubles& grade, const Doubles& tie_first, const Doubles& tie_last, const Longs& offsets,
                   double of_zero) {
    const carob::TiedRows rows = tied_rows(grade, tie_first, tie_last, offsets);
    const std::vector<std::int64_t> tied = carob::tied_lists(rows);
    const std::size_t count = tied.size();
    auto numbers = std::make_unique_for_overwrite<std::int64_t[]>(count);
    auto ends = std::make_unique_for_overwrite<std::int64_t[]>(2 * count + 1);
    std::copy(tied.begin(), tied.end(), numbers.get());
    ends[0] = 0;
    for (std::size_t i = 0; i < 2 * count; ++i) {
        const std::int64_t* its = rows.offsets.data() + tied[i < count ? i : i - count];
        ends[i + 1] = ends[i] + its[1] - its[0];
    }
    const auto one = static_cast<std::size_t>(ends[count]);
    ArrangedRows out(2 * one);
    carob::arrange_lists(rows, tied, false, of_zero, out.from(0));
    carob::arrange_lists(rows, tied, true, of_zero, out.from(one));
    return nb::make_tuple(new_array(std::move(out.rank), 2 * one), new_array(std::move(out.grade), 2 * one),
                          new_array(std::move(out.order), 2 * one), new_array(std::move(ends), 2 * count + 1),
                          new_array(std::move(numbers), count));
}

// For each list, by how many standard deviations the relevant documents among its first `until` documents are nearer to
// its end than expected by chance: Σ grade · place minus its mean over all orders, or NaN if the grades do not
// distinguish orders. The result also includes how many values are numbers, how many are above 0, the sum, and the sum
// of the squares of the values above 0.
nb::tuple leans(const Doubles& grade, const Doubles& tie_first, const Doubles& tie_last, const Longs& offsets,
                const Doubles& until) {
    const carob::TiedRows rows = tied_rows(grade, tie_first, tie_last, offsets);
    const std::size_t lists = offsets.shape(0) - 1;
    if (until.shape(0) != lists) throw nb::value_error("until must have one number per list");
    auto out = std::make_unique_for_overwrite<double[]>(lists);
    std::int64_t telling = 0, below = 0;
    double sum = 0, squared = 0;
    for (std::size_t list = 0; list < lists; ++list) {
        const double length = until.data()[list];
        double moved = 0, total = 0, squares = 0;
        for (auto i = static_cast<std::size_t>(rows.offsets[list]); i < static_cast<std::size_t>(rows.offsets[list + 1]); ++i) {
            const double value = rows.grade[i], place = (rows.tie_first[i] + rows.tie_last[i]) / 2;
            if (!(value > 0) || place > length) continue;
            moved += value * place;
            total += value;
            squares += value * value;
        }
        const double spread = (squares - total * total / std::max(length, 1.0)) * length * (length + 1) / 12;
        const bool tells = length > 1 && spread > 1e-9 * squares;
        const double lean = tells ? (moved - total * (length + 1) / 2) / std::sqrt(spread) : std::nan("");
        out[list] = lean;
        if (!tells) continue;
        ++telling;
        sum += lean;
        if (lean > 0) ++below, squared += lean * lean;
    }
    return nb::make_tuple(new_array(std::move(out), lists), telling, below, sum, squared);
}

// Whether the relevant documents of each list have the ranks 1, 2, 3 …
bool relevant_first(const Doubles& grade, const Doubles& rank, const Longs& offsets) {
    check_cover(grade, offsets);
    if (rank.shape(0) != grade.shape(0)) throw nb::value_error("grade and rank must have the same length");
    for (std::size_t list = 0; list + 1 < offsets.shape(0); ++list) {
        double next = 1;
        for (auto i = static_cast<std::size_t>(offsets.data()[list]); i < static_cast<std::size_t>(offsets.data()[list + 1]); ++i) {
            if (grade.data()[i] > 0 && rank.data()[i] != next++) return false;
        }
    }
    return true;
}

const auto add = [](double a, double b) { return a + b; };
const auto multiply = [](double a, double b) { return a * b; };
const auto larger = [](double a, double b) { return b > a || b != b ? b : a; };

}  // namespace

void bind_segments(nb::module_& module) {
    module.def(
        "total", [](const Doubles& values, const Longs& offsets) { return reduced(values, offsets, add); }, "values"_a,
        "offsets"_a);
    module.def("count", &counted, "marks"_a, "offsets"_a);
    module.def(
        "best", [](const Doubles& values, const Longs& offsets) { return reduced(values, offsets, larger); },
        "values"_a, "offsets"_a);
    module.def(
        "running_sum", [](const Doubles& values, const Longs& offsets) { return scanned(values, offsets, add); },
        "values"_a, "offsets"_a);
    module.def(
        "running_product",
        [](const Doubles& values, const Longs& offsets) { return scanned(values, offsets, multiply); }, "values"_a,
        "offsets"_a);
    module.def(
        "running_max", [](const Doubles& values, const Longs& offsets) { return scanned(values, offsets, larger); },
        "values"_a, "offsets"_a);
    module.def("descending", &ordered, "values"_a, "offsets"_a);
    module.def("arranged", &arranged, "grade"_a, "tie_first"_a, "tie_last"_a, "offsets"_a, nb::kw_only(), "best"_a,
               "of_zero"_a);
    module.def("leans", &leans, "grade"_a, "tie_first"_a, "tie_last"_a, "offsets"_a, "until"_a);
    module.def("relevant_first", &relevant_first, "grade"_a, "rank"_a, "offsets"_a);
    module.def("extremes", &extremes, "grade"_a, "tie_first"_a, "tie_last"_a, "offsets"_a, nb::kw_only(), "of_zero"_a);
}

}  // namespace carob::python

// Binds sums, products, maxima and orders along segments of arrays.
#include "lists/segments.h"

#include <memory>

#include "python/parts.h"

namespace karat::python {

namespace {

void check_offsets(const Doubles& values, const Longs& offsets) {
    if (!karat::are_offsets({offsets.data(), offsets.shape(0)}, values.shape(0))) {
        throw nb::value_error("offsets must start at 0 or later, never fall, and end within the values");
    }
}

template <class Combine>
nb::object reduced(const Doubles& values, const Longs& offsets, Combine combine) {
    check_offsets(values, offsets);
    const std::size_t size = offsets.shape(0) - 1;
    auto out = std::make_unique_for_overwrite<double[]>(size);
    karat::reduce_segments({values.data(), values.shape(0)}, {offsets.data(), offsets.shape(0)}, out.get(), combine);
    return new_array(std::move(out), size);
}

template <class Combine>
nb::object scanned(const Doubles& values, const Longs& offsets, Combine combine) {
    check_offsets(values, offsets);
    const std::size_t size = values.shape(0);
    auto out = std::make_unique_for_overwrite<double[]>(size);
    karat::scan_segments({values.data(), size}, {offsets.data(), offsets.shape(0)}, out.get(), combine);
    return new_array(std::move(out), size);
}

nb::object ordered(const Doubles& values, const Longs& offsets) {
    check_offsets(values, offsets);
    const std::size_t size = values.shape(0);
    const Offsets bounds{offsets.data(), offsets.shape(0)};
    if (bounds.front() != 0 || static_cast<std::size_t>(bounds.back()) != size) {
        throw nb::value_error("offsets must cover all values");
    }
    auto out = std::make_unique_for_overwrite<std::int64_t[]>(size);
    karat::order_segments({values.data(), size}, bounds, out.get());
    return new_array(std::move(out), size);
}

const auto add = [](double a, double b) { return a + b; };
const auto multiply = [](double a, double b) { return a * b; };
const auto larger = [](double a, double b) { return b > a || b != b ? b : a; };

}  // namespace

void bind_segments(nb::module_& module) {
    module.def(
        "total", [](const Doubles& values, const Longs& offsets) { return reduced(values, offsets, add); }, "values"_a,
        "offsets"_a);
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
}

}  // namespace karat::python

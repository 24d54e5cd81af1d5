// Converts the kernel's bytes and arrays to Python objects.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace nb = nanobind;
using namespace nb::literals;

namespace carob::python {

using Doubles = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Marks = nb::ndarray<const bool, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Longs = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

inline nb::bytes to_bytes(std::string_view text) { return nb::bytes(text.data(), text.size()); }

// Malformed text may contain any bytes, but the reason is meant to be read.
inline nb::str to_text(std::string_view text) {
    PyObject* made = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "backslashreplace");
    if (made == nullptr) nb::raise_python_error();
    return nb::steal<nb::str>(made);
}

// A read-only view of memory that `owner` keeps alive.
template <class T>
inline nb::object view(const std::vector<T>& values, nb::handle owner) {
    return nb::cast(nb::ndarray<nb::numpy, const T, nb::ndim<1>>(values.data(), {values.size()}, owner),
                    nb::rv_policy::reference);
}

// An array that owns its memory.
template <class T>
inline nb::object new_array(std::unique_ptr<T[]> values, std::size_t size) {
    const nb::capsule owner(values.get(), [](void* p) noexcept { delete[] static_cast<T*>(p); });
    const T* data = values.release();
    return nb::cast(nb::ndarray<nb::numpy, const T, nb::ndim<1>>(data, {size}, owner), nb::rv_policy::reference);
}

inline std::string_view bytes_at(nb::handle list, Py_ssize_t i) {
    PyObject* item = PyList_GetItem(list.ptr(), i);
    char* text = nullptr;
    Py_ssize_t size = 0;
    if (item == nullptr || PyBytes_AsStringAndSize(item, &text, &size) != 0) throw nb::python_error();
    return {text, static_cast<std::size_t>(size)};
}

}  // namespace carob::python

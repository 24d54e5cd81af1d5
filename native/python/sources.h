// Reads bytes from Python's paths, buffers and file objects, and passes records that exceed the memory budget to
// Python.
#pragma once

#include "python/values.h"

#include <memory>
#include <mutex>
#include <string_view>

#include "matching/spill.h"
#include "text/source.h"

namespace carob::python {

// Holds a Python buffer while its bytes are read.
class HeldBuffer {
public:
    explicit HeldBuffer(nb::handle object) {
        if (PyObject_GetBuffer(object.ptr(), &buffer_, PyBUF_SIMPLE) != 0) throw nb::python_error();
    }
    ~HeldBuffer() { PyBuffer_Release(&buffer_); }
    HeldBuffer(const HeldBuffer&) = delete;
    HeldBuffer& operator=(const HeldBuffer&) = delete;

    std::string_view bytes() const { return {static_cast<const char*>(buffer_.buf), static_cast<std::size_t>(buffer_.len)}; }

private:
    Py_buffer buffer_{};
};

// A path in the system's native form.
carob::NativePath native_path(nb::handle path);

// A path, bytes, or an object with readinto() and rewind().
std::unique_ptr<carob::Source> make_source(nb::handle source);

// An object with append(memoryview) -> place and fill(place, memoryview). The mutex is locked before the GIL is
// acquired, because the called method may temporarily release the GIL.
class ObjectSpill final : public carob::Spill {
public:
    explicit ObjectSpill(nb::object object) : object_(std::move(object)) {}

    std::uint64_t append(const char* bytes, std::size_t size) override {
        const std::lock_guard lock(mutex_);
        const nb::gil_scoped_acquire gil;
        const nb::object buffer = memory(const_cast<char*>(bytes), size, PyBUF_READ);
        const auto place = nb::cast<std::uint64_t>(object_.attr("append")(buffer));
        buffer.attr("release")();
        return place;
    }

    void read(std::uint64_t place, char* bytes, std::size_t size) override {
        const std::lock_guard lock(mutex_);
        const nb::gil_scoped_acquire gil;
        const nb::object buffer = memory(bytes, size, PyBUF_WRITE);
        object_.attr("fill")(place, buffer);
        buffer.attr("release")();
    }

private:
    static nb::object memory(char* bytes, std::size_t size, int access) {
        PyObject* made = PyMemoryView_FromMemory(bytes, static_cast<Py_ssize_t>(size), access);
        if (made == nullptr) nb::raise_python_error();
        return nb::steal(made);
    }

    nb::object object_;
    std::mutex mutex_;
};

// Returns null for None.
std::unique_ptr<ObjectSpill> make_spill(nb::handle object);

}  // namespace carob::python

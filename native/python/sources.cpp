// Recognises Python's sources of bytes and reads them from the kernel's threads.
#include "python/sources.h"

#include <string>
#include <utility>

namespace carob::python {

namespace {

// An object with readinto(buffer) -> int and rewind(). It is called from the kernel's threads, so each call acquires
// the GIL.
class ObjectSource final : public carob::Source {
public:
    explicit ObjectSource(nb::object object)
        : object_(std::move(object)),
          slow_(nb::hasattr(object_, "is_slow") && nb::cast<bool>(object_.attr("is_slow"))) {}

    std::size_t read(char* bytes, std::size_t size) override {
        const nb::gil_scoped_acquire gil;
        PyObject* made = PyMemoryView_FromMemory(bytes, static_cast<Py_ssize_t>(size), PyBUF_WRITE);
        if (made == nullptr) nb::raise_python_error();
        const nb::object buffer = nb::steal(made);
        const nb::object got = asked(buffer);
        // The memory belongs to the kernel; an object that keeps the view must not write through it later.
        buffer.attr("release")();
        if (got.is_none()) throw nb::value_error("readinto() returned None: a source that does not block is needed");
        const auto count = nb::cast<std::int64_t>(got);
        if (count < 0 || static_cast<std::size_t>(count) > size)
            throw nb::value_error("readinto() returned an impossible count");
        return static_cast<std::size_t>(count);
    }

    void rewind() override {
        const nb::gil_scoped_acquire gil;
        object_.attr("rewind")();
    }

    // Called after a failed call to Python, which has set an exception.
    void interrupt() override {
        const nb::gil_scoped_acquire gil;
        const nb::error_scope kept;
        if (PyObject_HasAttrString(object_.ptr(), "interrupt") == 0) return;
        Py_XDECREF(PyObject_CallMethod(object_.ptr(), "interrupt", nullptr));
    }

    bool is_slow() const override { return slow_; }
    bool is_at_fault() const override { return at_fault_; }

private:
    nb::object asked(nb::handle buffer) {
        try {
            return object_.attr("readinto")(buffer);
        } catch (const nb::python_error& error) {
            at_fault_ = error.matches(PyExc_Exception);  // which an interruption by the user is not
            throw;
        }
    }

    nb::object object_;
    bool slow_;
    bool at_fault_ = true;
};


class BufferSource final : public carob::Source {
public:
    explicit BufferSource(nb::handle object) : buffer_(object), memory_(buffer_.bytes()) {}
    std::size_t read(char* bytes, std::size_t size) override { return memory_.read(bytes, size); }
    void rewind() override { memory_.rewind(); }

private:
    HeldBuffer buffer_;
    carob::MemorySource memory_;
};

}  // namespace

carob::NativePath native_path(nb::handle path) {
#if defined(_WIN32)
    Py_ssize_t size = 0;
    wchar_t* text = PyUnicode_AsWideCharString(path.ptr(), &size);
    if (text == nullptr) throw nb::python_error();
    carob::NativePath made(text, static_cast<std::size_t>(size));
    PyMem_Free(text);
#else
    PyObject* encoded = PyUnicode_EncodeFSDefault(path.ptr());
    if (encoded == nullptr) throw nb::python_error();
    const nb::bytes bytes = nb::steal<nb::bytes>(encoded);
    carob::NativePath made(bytes.c_str(), bytes.size());
#endif
    if (made.find(carob::NativePath::value_type{}) != carob::NativePath::npos)
        throw nb::value_error("embedded null character in path");
    return made;
}

std::unique_ptr<carob::Source> make_source(nb::handle source) {
    if (nb::isinstance<nb::str>(source)) return std::make_unique<carob::FileSource>(native_path(source));
    if (PyObject_CheckBuffer(source.ptr())) return std::make_unique<BufferSource>(source);
    if (nb::hasattr(source, "readinto") && nb::hasattr(source, "rewind")) {
        return std::make_unique<ObjectSource>(nb::borrow(source));
    }
    throw nb::type_error("source must be a path, bytes, or an object with readinto() and rewind()");
}

std::unique_ptr<ObjectSpill> make_spill(nb::handle object) {
    return object.is_none() ? nullptr : std::make_unique<ObjectSpill>(nb::borrow(object));
}

}  // namespace carob::python

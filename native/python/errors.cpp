// Creates the kernel's exceptions, which state the kind of a fault and where it is.
#include "python/errors.h"

#include <cerrno>
#include <string>

namespace carob::python {

namespace {

PyObject* line_error = nullptr;
PyObject* mapping_error = nullptr;
PyObject* row_error = nullptr;
PyObject* frame_error = nullptr;
PyObject* id_error = nullptr;

PyObject* new_error(nb::module_& module, const char* name, PyObject* parent) {
    PyObject* type = PyErr_NewException((std::string("carob._native.") + name).c_str(), parent, nullptr);
    if (type == nullptr) nb::raise_python_error();
    module.attr(name) = nb::borrow(type);
    return type;
}

}  // namespace

void raise_line_error(const carob::LineFault& fault) {
    const std::string text = "line " + std::to_string(fault.line) + ": " + carob::explain(fault);
    nb::object error = nb::borrow(line_error)(to_text(text));
    error.attr("kind") = nb::str(carob::fault_name(fault.fault).data());
    error.attr("line") = fault.line;
    error.attr("data_line") = fault.data_line;
    error.attr("detail") = to_bytes(fault.detail);
    error.attr("excerpt") = to_bytes(fault.excerpt);
    PyErr_SetObject(line_error, error.ptr());
    throw nb::python_error();
}

void raise_mapping_error(const carob::MappingFault& fault) {
    const nb::object query = fault.query == nullptr ? nb::none() : nb::steal(fault.query);
    const nb::object document = fault.document == nullptr ? nb::none() : nb::steal(fault.document);
    nb::object error = nb::borrow(mapping_error)(to_text(fault.detail));
    error.attr("kind") = nb::str(fault.kind);
    error.attr("query") = query;
    error.attr("document") = document;
    error.attr("detail") = to_text(fault.detail);
    PyErr_SetObject(mapping_error, error.ptr());
    throw nb::python_error();
}

void raise_row_error(const carob::RowFault& fault) {
    nb::object error = nb::borrow(row_error)(to_text(fault.kind + std::string(" in column ") + fault.column));
    error.attr("kind") = nb::str(fault.kind);
    error.attr("column") = to_text(fault.column);
    error.attr("row") = fault.row;
    error.attr("query") = to_bytes(fault.query);
    error.attr("document") = to_bytes(fault.document);
    PyErr_SetObject(row_error, error.ptr());
    throw nb::python_error();
}

void raise_frame_error(const carob::FrameFault& fault) {
    PyErr_SetObject(frame_error, to_text(fault.detail).ptr());
    throw nb::python_error();
}

void raise_id_error(const char* kind, std::string_view query, std::string_view document) {
    nb::object error = nb::borrow(id_error)(to_text(kind + std::string(": ") + std::string(document)));
    error.attr("kind") = nb::str(kind);
    error.attr("query") = to_bytes(query);
    error.attr("document") = to_bytes(document);
    PyErr_SetObject(id_error, error.ptr());
    throw nb::python_error();
}

void raise_source_error(const carob::SourceFault& fault, nb::handle source) {
    errno = fault.error_number;
    PyErr_SetFromErrnoWithFilenameObject(PyExc_OSError, source.ptr());
    throw nb::python_error();
}

bool go_on() {
    const nb::gil_scoped_acquire gil;
    return PyErr_CheckSignals() == 0;
}

void bind_errors(nb::module_& module) {
    line_error = new_error(module, "LineError", PyExc_ValueError);
    mapping_error = new_error(module, "MappingError", PyExc_TypeError);
    row_error = new_error(module, "RowError", PyExc_ValueError);
    id_error = new_error(module, "IdError", PyExc_ValueError);
    frame_error = new_error(module, "FrameError", PyExc_ValueError);
}

}  // namespace carob::python

// The module karat._native, part by part. src/karat/_native.pyi describes it to type checkers.
#include "python/errors.h"
#include "python/parts.h"

NB_MODULE(_native, module) {
    module.doc() = "The kernel: text, mappings and frames in, judged rows out. It knows no measure and holds no state.";
    karat::python::bind_errors(module);
    karat::python::bind_judgments(module);
    karat::python::bind_frames(module);
    karat::python::bind_matched(module);
    karat::python::bind_text(module);
    karat::python::bind_segments(module);
}

// The module carob._native, part by part. src/carob/_native.pyi describes it to type checkers.
#include "python/errors.h"
#include "python/parts.h"

NB_MODULE(_native, module) {
    module.doc() = "The kernel: text, mappings and frames in, judged rows out. It knows no measure and holds no state.";
    carob::python::bind_errors(module);
    carob::python::bind_judgments(module);
    carob::python::bind_frames(module);
    carob::python::bind_matched(module);
    carob::python::bind_text(module);
    carob::python::bind_segments(module);
    carob::python::bind_fusion(module);
    carob::python::bind_writing(module);
}

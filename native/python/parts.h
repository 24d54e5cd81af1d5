// Declares the parts of the module and the functions that parts share.
#pragma once

#include <optional>

#include "matching/ranked.h"
#include "python/values.h"

namespace carob::python {

void bind_judgments(nb::module_& module);
void bind_matched(nb::module_& module);
void bind_frames(nb::module_& module);
void bind_fusion(nb::module_& module);
void bind_text(nb::module_& module);
void bind_segments(nb::module_& module);
void bind_writing(nb::module_& module);

// The first documents of one query, and their scores.
nb::tuple listed_tuple(const carob::Ranked& ranked, std::optional<std::size_t> depth);

}  // namespace carob::python

// Declares the judgments as Python holds them.
#pragma once

#include <memory>

#include "matching/judgments.h"
#include "python/values.h"

namespace carob::python {

struct HeldJudgments {
    carob::Judgments data;
    nb::object queries;  // made on first use

    void check_query(std::int64_t q) const {
        if (q < 0 || q >= data.query_count()) throw nb::index_error("no such query");
    }
    void check_judgment(std::int64_t j) const {
        if (j < 0 || j >= static_cast<std::int64_t>(data.grades().size())) throw nb::index_error("no such judgment");
    }
};

std::unique_ptr<HeldJudgments> hold(carob::Judgments judgments);
nb::list malformed_lines(const carob::LineCount& count);

}  // namespace carob::python

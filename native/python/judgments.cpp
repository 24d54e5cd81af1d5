// Binds judgments from a text, a dict or rows, and other tables of text.
#include "python/judgments.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>

#include "python/errors.h"
#include "python/mapping.h"
#include "python/memory.h"
#include "python/options.h"
#include "python/parts.h"
#include "python/sources.h"

namespace carob::python {

std::unique_ptr<HeldJudgments> hold(carob::Judgments judgments) {
    give_back_memory(judgments.grades().size());
    return std::make_unique<HeldJudgments>(HeldJudgments{std::move(judgments), {}});
}

nb::list malformed_lines(const carob::LineCount& count) {
    nb::list lines;
    for (const carob::LineFault& fault : count.malformed.first)
        lines.append(nb::make_tuple(fault.line, to_text(carob::explain(fault))));
    return lines;
}

namespace {

nb::object list_queries(HeldJudgments& held) {
    if (!held.queries.is_valid()) {
        nb::list queries;
        for (std::int64_t q = 0; q < held.data.query_count(); ++q) queries.append(to_bytes(held.data.query(q)));
        held.queries = queries;
    }
    return held.queries;
}

// All queries joined, and where each query begins and ends.
nb::tuple joined_queries(const HeldJudgments& self) {
    const carob::Ids& queries = self.data.queries();
    auto offsets = std::make_unique_for_overwrite<std::int64_t[]>(queries.size() + 1);
    offsets[0] = 0;
    for (std::size_t q = 0; q < queries.size(); ++q) offsets[q + 1] = static_cast<std::int64_t>(queries.end(q));
    return nb::make_tuple(to_bytes(queries.joined()), new_array(std::move(offsets), queries.size() + 1));
}

std::unique_ptr<HeldJudgments> read_judgments(nb::object source, int columns, const std::string& numbers,
                                              const std::string& comments, const std::string& blank_lines,
                                              const std::string& duplicates, bool lenient, bool loose) {
    if (columns < 3 || columns > 64) throw nb::value_error("columns must be from 3 to 64");
    const carob::Reading reading = reading_rules(numbers, comments, blank_lines, lenient, loose);
    const carob::Duplicates rule = duplicate_rule(duplicates);
    return translated(source, [&] {
        const auto bytes = make_source(source);
        const nb::gil_scoped_release free;
        return hold(carob::read_judgments(*bytes, {columns}, reading, rule));
    });
}

std::unique_ptr<HeldJudgments> judgments_from_mapping(nb::object qrels, bool whole_ids) {
    return translated(qrels, [&] { return hold(carob::judgments_from_mapping(qrels.ptr(), id_kinds(whole_ids))); });
}

std::unique_ptr<HeldJudgments> judgments_from_rows(nb::list queries, nb::list documents, Doubles grades,
                                                   std::optional<Longs> lines, const std::string& duplicates) {
    const std::size_t count = grades.shape(0);
    if (queries.size() != count || documents.size() != count || (lines && lines->shape(0) != count)) {
        throw nb::value_error("queries, documents, grades and lines must have the same length");
    }
    carob::JudgmentsBuilder builder;
    for (std::size_t i = 0; i < count; ++i) {
        const auto at = static_cast<Py_ssize_t>(i);
        builder.add(bytes_at(queries, at), bytes_at(documents, at), grades.data()[i], lines ? lines->data()[i] : 0);
    }
    return hold(builder.finish(duplicate_rule(duplicates)));
}

constexpr std::size_t STATE_SIZE = 7;

// What a pickle stores: the queries, how many judgments each query has, the documents, grades and lines, and the counts
// of lines.
nb::tuple state_of(HeldJudgments& held) {
    const carob::Judgments& data = held.data;
    std::vector<std::int64_t> lines;
    for (std::int64_t j = 0; j < data.offsets().back(); ++j) lines.push_back(data.line(j));
    nb::list documents;
    for (std::int64_t j = 0; j < data.offsets().back(); ++j) documents.append(to_bytes(data.document(j)));
    return nb::make_tuple(list_queries(held), data.offsets(), documents, data.grades(), lines,
                          data.count.malformed.count, data.count.lines);
}

// A pickle may come from anywhere, so everything that the builder and its readers rely on is checked.
void restore(HeldJudgments* self, const nb::tuple& state) {
    if (state.size() != STATE_SIZE) throw nb::value_error("the state of judgments has another number of parts");
    const auto queries = nb::cast<nb::list>(state[0]);
    const auto offsets = nb::cast<std::vector<std::int64_t>>(state[1]);
    const auto documents = nb::cast<nb::list>(state[2]);
    const auto grades = nb::cast<std::vector<double>>(state[3]);
    const auto lines = nb::cast<std::vector<std::int64_t>>(state[4]);
    const auto malformed = nb::cast<std::int64_t>(state[5]), line_count = nb::cast<std::int64_t>(state[6]);
    if (offsets.size() != queries.size() + 1 || offsets[0] != 0 || documents.size() != grades.size() ||
        documents.size() != lines.size() || offsets.back() != static_cast<std::int64_t>(grades.size()) ||
        !std::is_sorted(offsets.begin(), offsets.end())) {
        throw nb::value_error("queries, documents, grades and lines must have the same length");
    }
    if (!std::all_of(grades.begin(), grades.end(), [](double grade) { return std::isfinite(grade); })) {
        throw nb::value_error("a grade is not a finite number");
    }
    if (malformed < 0 || line_count < 0 || std::any_of(lines.begin(), lines.end(), [](auto line) { return line < 0; })) {
        throw nb::value_error("a line's number or a count is negative");
    }
    carob::JudgmentsBuilder builder;
    for (std::size_t q = 0; q < queries.size(); ++q) {
        const std::string_view query = bytes_at(queries, static_cast<Py_ssize_t>(q));
        builder.add_query(query);
        for (auto j = static_cast<std::size_t>(offsets[q]); j < static_cast<std::size_t>(offsets[q + 1]); ++j)
            builder.add(query, bytes_at(documents, static_cast<Py_ssize_t>(j)), grades[j], lines[j]);
    }
    carob::Judgments data = builder.finish(carob::Duplicates::keep);
    if (data.query_count() != static_cast<std::int64_t>(queries.size()) || !data.duplicates.empty()) {
        throw nb::value_error("a query or a document of a query occurs twice");
    }
    data.count.malformed.count = malformed;
    data.count.lines = line_count;
    new (self) HeldJudgments{std::move(data), {}};
}

nb::object line_numbers(const HeldJudgments& self) {
    const std::size_t count = self.data.grades().size();
    auto lines = std::make_unique_for_overwrite<std::int64_t[]>(count);
    for (std::size_t j = 0; j < count; ++j) lines[j] = self.data.line(static_cast<std::int64_t>(j));
    return new_array(std::move(lines), count);
}

std::unique_ptr<HeldJudgments> only(const HeldJudgments& self, std::int64_t q) {
    self.check_query(q);
    const auto at = static_cast<std::size_t>(q);
    carob::JudgmentsBuilder builder;
    builder.add_query(self.data.query(q));
    for (auto j = self.data.offsets()[at]; j < self.data.offsets()[at + 1]; ++j) {
        const auto place = static_cast<std::size_t>(j);
        builder.add(self.data.query(q), self.data.document(j), self.data.grades()[place], self.data.line(j));
    }
    return hold(builder.finish(carob::Duplicates::keep));
}

nb::tuple read_rows(nb::object source, int columns, const std::string& numbers, const std::string& number,
                    const std::string& comments, const std::string& blank_lines, bool lenient, bool loose) {
    if (columns < 2 || columns > 64) throw nb::value_error("columns must be from 2 to 64");
    const carob::Reading reading = reading_rules(numbers, comments, blank_lines, lenient, loose);
    const auto last = choose<carob::LastColumn>(
        number, "number", {{"level", carob::LastColumn::level}, {"grade", carob::LastColumn::grade}});
    const carob::Rows rows = translated(source, [&] {
        const auto bytes = make_source(source);
        const nb::gil_scoped_release free;
        return carob::read_rows(*bytes, columns, last, reading);
    });
    nb::list ids;
    const std::size_t count = rows.values.size();
    for (int column = 0; column < rows.id_columns; ++column) {
        nb::list one;
        for (std::size_t i = 0; i < count; ++i) {
            one.append(
                to_bytes(rows.ids[i * static_cast<std::size_t>(rows.id_columns) + static_cast<std::size_t>(column)]));
        }
        ids.append(one);
    }
    auto values = std::make_unique_for_overwrite<double[]>(count);
    std::copy(rows.values.begin(), rows.values.end(), values.get());
    auto lines = std::make_unique_for_overwrite<std::int64_t[]>(count);
    std::copy(rows.lines.begin(), rows.lines.end(), lines.get());
    return nb::make_tuple(ids, new_array(std::move(values), count), new_array(std::move(lines), count));
}

}  // namespace

void bind_judgments(nb::module_& module) {
    nb::class_<HeldJudgments>(module, "Judgments")
        .def_prop_ro("queries", &list_queries)
        .def_prop_ro("joined_queries", &joined_queries)
        .def_prop_ro("query_count", [](const HeldJudgments& self) { return self.data.query_count(); })
        .def_prop_ro("count", [](const HeldJudgments& self) { return self.data.grades().size(); })
        .def_prop_ro("offsets",
                     [](nb::handle self) { return view(nb::cast<HeldJudgments&>(self).data.offsets(), self); })
        .def_prop_ro("grades", [](nb::handle self) { return view(nb::cast<HeldJudgments&>(self).data.grades(), self); })
        .def_prop_ro("lines", &line_numbers)
        .def("document",
             [](const HeldJudgments& self, std::int64_t j) {
                 self.check_judgment(j);
                 return to_bytes(self.data.document(j));
             })
        .def("documents",
             [](const HeldJudgments& self, std::int64_t q) {
                 self.check_query(q);
                 nb::list documents;
                 const auto at = static_cast<std::size_t>(q);
                 for (auto j = self.data.offsets()[at]; j < self.data.offsets()[at + 1]; ++j)
                     documents.append(to_bytes(self.data.document(j)));
                 return documents;
             })
        .def("only", &only)
        .def("__getstate__", &state_of)
        .def("__setstate__", &restore)
        .def_prop_ro(
            "duplicates",
            [](const HeldJudgments& self) {
                nb::list repeats;
                for (const carob::JudgedTwice& twice : self.data.duplicates) {
                    repeats.append(nb::make_tuple(twice.query, to_bytes(twice.document), twice.first_line, twice.line));
                }
                return repeats;
            })
        .def_prop_ro("dropped", [](const HeldJudgments& self) { return self.data.dropped; })
        .def_prop_ro("blank", [](const HeldJudgments& self) { return self.data.blank; })
        .def_prop_ro("commented", [](const HeldJudgments& self) { return self.data.count.commented; })
        .def_prop_ro("malformed", [](const HeldJudgments& self) { return self.data.count.malformed.count; })
        .def_prop_ro("malformed_lines", [](const HeldJudgments& self) { return malformed_lines(self.data.count); })
        .def_prop_ro("line_count", [](const HeldJudgments& self) { return self.data.count.lines; });

    module.def("read_judgments", &read_judgments, "source"_a, nb::kw_only(), "columns"_a = 4, "numbers"_a = "strict",
               "comments"_a = "any", "blank_lines"_a = "skip", "duplicates"_a = "keep", "lenient"_a = false, "loose"_a = false);
    module.def("judgments_from_mapping", &judgments_from_mapping, "qrels"_a, nb::kw_only(), "whole_ids"_a = true);
    module.def("judgments_from_rows", &judgments_from_rows, "queries"_a, "documents"_a, "grades"_a,
               "lines"_a = nb::none(), "duplicates"_a = "keep");
    module.def("read_rows", &read_rows, "source"_a, nb::kw_only(), "columns"_a, "numbers"_a = "c", "number"_a = "level",
               "comments"_a = "any", "blank_lines"_a = "skip", "lenient"_a = false, "loose"_a = false);
}

}  // namespace carob::python

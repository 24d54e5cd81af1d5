// Binds the surveys that scan a text without matching it: a run, qrels, lines of JSON.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include "python/errors.h"
#include "python/judgments.h"
#include "python/options.h"
#include "python/parts.h"
#include "python/sources.h"
#include "text/json.h"
#include "text/plain_json.h"
#include "text/survey.h"

namespace carob::python {

namespace {

std::unique_ptr<carob::Survey> survey(nb::object source, const std::string& kind, const HeldJudgments* judgments,
                                      std::size_t block_bytes) {
    const auto what =
        choose<carob::TextKind>(kind, "kind", {{"qrels", carob::TextKind::qrels}, {"run", carob::TextKind::run}});
    return translated(source, [&] {
        const auto bytes = make_source(source);
        const nb::gil_scoped_release free;
        return std::make_unique<carob::Survey>(
            carob::survey(*bytes, what, judgments == nullptr ? nullptr : &judgments->data, go_on, block_bytes));
    });
}

nb::bytes changed_run(nb::object source, const std::string& change) {
    const auto what = choose<carob::Change>(change, "change",
                                            {{"negated", carob::Change::negated},
                                             {"by-rank", carob::Change::by_rank},
                                             {"without-own", carob::Change::without_own}});
    return to_bytes(translated(source, [&] {
        const auto bytes = make_source(source);
        const nb::gil_scoped_release free;
        return carob::changed_run(*bytes, what);
    }));
}

nb::list lines_of(nb::object source, const nb::list& queries) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < queries.size(); ++i) names.emplace_back(bytes_at(queries, static_cast<Py_ssize_t>(i)));
    const std::vector<std::string_view> ids(names.begin(), names.end());
    nb::list found;
    for (const std::string& lines : translated(source, [&] {
             const auto bytes = make_source(source);
             const nb::gil_scoped_release free;
             return carob::lines_of(*bytes, ids);
         }))
        found.append(to_bytes(lines));
    return found;
}

// The beginning of the line, for display.
nb::object excerpt_of(const carob::Seen& seen) {
    const std::string_view shown = std::string_view(seen.excerpt).substr(0, carob::Seen::SHOWN);
    PyObject* made = PyUnicode_DecodeUTF8(shown.data(), static_cast<Py_ssize_t>(shown.size()), "replace");
    if (made == nullptr) nb::raise_python_error();
    const nb::object text = nb::steal(made).attr("rstrip")();
    return seen.excerpt.size() > shown.size() ? text + nb::str("…") : text;
}

nb::list fields_in(const std::string& line) {
    nb::list fields;
    const char *at = line.data(), *const end = at + line.size();
    const bool at_tabs = carob::has_tabs_and_blanks(at, end);
    std::string_view field;
    while ((at_tabs ? carob::split_at_tabs : carob::split)(at, end, &field, 1) == 1) {
        fields.append(to_bytes(std::string(field)));
        at = field.data() + field.size();
    }
    return fields;
}

nb::dict queries_of(const carob::Survey& survey) {
    nb::dict queries;
    for (std::size_t n = 0; n < survey.queries.size(); ++n)
        queries[to_bytes(survey.queries[n])] = survey.query_lines[n];
    return queries;
}

// Judged queries that are missing from the text, and queries of the text without judgments.
nb::tuple strangers(const carob::Survey& survey, const HeldJudgments& judgments) {
    nb::list missing, extra;
    for (std::int64_t q = 0; q < judgments.data.query_count(); ++q) {
        if (!survey.has_query(judgments.data.query(q))) missing.append(to_bytes(judgments.data.query(q)));
    }
    for (std::size_t n = 0; n < survey.queries.size(); ++n) {
        if (judgments.data.find_query(survey.queries[n]) < 0) extra.append(to_bytes(survey.queries[n]));
    }
    return nb::make_tuple(missing, extra);
}

nb::list spellings_of(const carob::Survey& survey, const HeldJudgments& judgments) {
    nb::list found;
    for (const carob::Spelling& each : survey.spellings)
        found.append(nb::make_tuple(to_bytes(judgments.data.document(each.judgment)), to_bytes(each.document), each.line));
    return found;
}

std::pair<std::size_t, std::size_t> json_sizes(nb::handle lines) {
    const HeldBuffer buffer(lines);
    const nb::gil_scoped_release free;
    const carob::JsonSizes found = carob::json_sizes(buffer.bytes());
    return {found.depth, found.digits};
}

// The lines of the complete rows in the next bytes, or None.
nb::object take_json(carob::PlainJson& reader, nb::handle text) {
    const HeldBuffer buffer(text);
    std::string lines;
    const bool is_plain = [&] {
        const nb::gil_scoped_release free;
        return reader.take(buffer.bytes(), lines);
    }();
    return is_plain ? nb::object(to_bytes(lines)) : nb::none();
}

}  // namespace

void bind_text(nb::module_& module) {
    using carob::Seen, carob::Survey;
    nb::class_<Seen>(module, "Seen")
        .def_ro("count", &Seen::count)
        .def_ro("line", &Seen::line)
        .def_prop_ro("excerpt", &excerpt_of);
    nb::class_<Survey>(module, "Survey")
        .def_ro("lines", &Survey::lines)
        .def_ro("rows", &Survey::rows)
        .def_ro("usable", &Survey::usable)
        .def_ro("marked", &Survey::marked)
        .def_ro("closed", &Survey::closed)
        .def_prop_ro("widths",
                     [](const Survey& self) {
                         nb::dict widths;
                         for (const auto& [width, seen] : self.widths) widths[nb::int_(width)] = seen;
                         return widths;
                     })
        .def_ro("returns", &Survey::returns)
        .def_ro("bare_returns", &Survey::bare_returns)
        .def_ro("padded", &Survey::padded)
        .def_ro("tabs", &Survey::tabs)
        .def_ro("spaces", &Survey::spaces)
        .def_ro("comments", &Survey::comments)
        .def_ro("blank", &Survey::blank)
        .def_ro("nul", &Survey::nul)
        .def_ro("undecodable", &Survey::undecodable)
        .def_ro("invisible", &Survey::invisible)
        .def_prop_ro("first", [](const Survey& self) { return fields_in(self.first); })
        .def_prop_ro("example", [](const Survey& self) { return fields_in(self.example); })
        .def_prop_ro("last", [](const Survey& self) { return fields_in(self.last); })
        .def_ro("last_line", &Survey::last_line)
        .def_prop_ro("query_count", [](const Survey& self) { return self.queries.size(); })
        .def_prop_ro("queries", &queries_of)
        .def_ro("similar_queries", &Survey::similar_queries)
        .def("strangers", &strangers, "judgments"_a)
        .def_ro("groups", &Survey::groups)
        .def_ro("shortest_group", &Survey::shortest_group)
        .def_ro("longest_group", &Survey::longest_group)
        .def_ro("last_group", &Survey::last_group)
        .def_ro("nan", &Survey::nan)
        .def_ro("infinite", &Survey::infinite)
        .def_ro("rank_falls", &Survey::rank_falls)
        .def_ro("rank_odd", &Survey::rank_odd)
        .def_ro("low_rank", &Survey::low_rank)
        .def_ro("high_rank", &Survey::high_rank)
        .def_ro("own", &Survey::own)
        .def_ro("own_first", &Survey::own_first)
        .def_ro("own_queries", &Survey::own_queries)
        .def_ro("rises", &Survey::rises)
        .def_ro("falls", &Survey::falls)
        .def_ro("blurred", &Survey::blurred)
        .def_prop_ro("tags",
                     [](const Survey& self) {
                         nb::dict tags;
                         for (const auto& [tag, line] : self.tags) tags[to_bytes(tag)] = line;
                         return tags;
                     })
        .def("spellings", &spellings_of, "judgments"_a);
    module.def("survey", &survey, "source"_a, "kind"_a, "judgments"_a = nb::none(), nb::kw_only(), "block_bytes"_a = 0);
    module.def("changed_run", &changed_run, "source"_a, "change"_a);
    module.def("lines_of", &lines_of, "source"_a, "queries"_a);
    module.def("json_sizes", &json_sizes, "lines"_a);
    nb::class_<carob::PlainJson>(module, "PlainJson")
        .def(
            "__init__",
            [](carob::PlainJson* self, const std::string& form, const nb::list& names, const nb::list& others) {
                const auto its = choose<carob::JsonForm>(
                    form, "form", {{"lines", carob::JsonForm::lines}, {"list", carob::JsonForm::list}, {"object", carob::JsonForm::object}});
                const auto texts = [](const nb::list& given) {
                    std::vector<std::string> made;
                    for (std::size_t i = 0; i < given.size(); ++i) made.emplace_back(bytes_at(given, static_cast<Py_ssize_t>(i)));
                    return made;
                };
                if (its != carob::JsonForm::object && names.size() != 3 && names.size() != 4) throw nb::value_error("a row has three or four names");
                new (self) carob::PlainJson(its, texts(names), texts(others));
            },
            "form"_a, "names"_a, "others"_a = nb::list())
        .def("take", &take_json, "text"_a);
}

}  // namespace carob::python

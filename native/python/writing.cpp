// Binds the functions that make ranked lists from the rows of runs and write them as text.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>

#include "python/errors.h"
#include "python/judgments.h"
#include "python/options.h"
#include "python/parts.h"
#include "python/sources.h"
#include "writing/part_maker.h"
#include "writing/run_text.h"

namespace carob::python {

namespace {

void make_lists(carob::RankedLists* self, const nb::list& queries, const Longs& offsets, const nb::list& documents,
                const Doubles& scores) {
    carob::RankedLists lists;
    for (std::size_t i = 0; i < queries.size(); ++i) lists.queries.add(bytes_at(queries, static_cast<Py_ssize_t>(i)));
    for (std::size_t i = 0; i < documents.size(); ++i) lists.documents.add(bytes_at(documents, static_cast<Py_ssize_t>(i)));
    lists.offsets.assign(offsets.data(), offsets.data() + offsets.shape(0));
    lists.scores.assign(scores.data(), scores.data() + scores.shape(0));
    const auto rows = static_cast<std::int64_t>(lists.scores.size());
    if (lists.offsets.size() != queries.size() + 1 || documents.size() != lists.scores.size() || lists.offsets.front() != 0 ||
        lists.offsets.back() != rows || !std::is_sorted(lists.offsets.begin(), lists.offsets.end()))
        throw nb::value_error("the offsets do not cover all documents");
    new (self) carob::RankedLists(std::move(lists));
}

nb::list list_of(const carob::Ids& ids) {
    nb::list found;
    for (std::size_t i = 0; i < ids.size(); ++i) found.append(to_bytes(ids[i]));
    return found;
}

nb::tuple joined(const carob::Ids& ids) {
    auto offsets = std::make_unique_for_overwrite<std::int64_t[]>(ids.size() + 1);
    offsets[0] = 0;
    for (std::size_t i = 0; i < ids.size(); ++i) offsets[i + 1] = static_cast<std::int64_t>(ids.end(i));
    return nb::make_tuple(to_bytes(ids.joined()), new_array(std::move(offsets), ids.size() + 1));
}

bool has_blanks(const carob::RankedLists& lists) {
    return lists.queries.joined().find(' ') != std::string_view::npos || lists.documents.joined().find(' ') != std::string_view::npos;
}

nb::bytes lists_text(const carob::RankedLists& lists, const std::string& layout, const nb::bytes& tag, bool tabs) {
    using carob::RunLayout;
    const auto its = choose<RunLayout>(layout, "layout",
                                       {{"trec", RunLayout::trec},
                                        {"msmarco", RunLayout::msmarco},
                                        {"csv", RunLayout::csv},
                                        {"tsv", RunLayout::tsv},
                                        {"jsonl", RunLayout::json_lines},
                                        {"json", RunLayout::json}});
    try {
        const std::string_view last(tag.c_str(), tag.size());
        const std::string text = [&] {
            const nb::gil_scoped_release free;
            return carob::text_of(lists, its, last, tabs ? '\t' : ' ');
        }();
        return to_bytes(text);
    } catch (const carob::OddId& odd) {
        raise_id_error("odd", "", odd.id);
    }
}

// Keeps alive everything that the list maker refers to.
class HeldMaker {
public:
    HeldMaker(nb::object judged, const carob::ListRules& rules, std::vector<carob::RunPart> parts, nb::object emit)
        : judged_(std::move(judged)),
          emit_(std::move(emit)),
          maker_(rules, std::move(parts), [this](std::size_t part, carob::RankedLists lists) {
              const nb::gil_scoped_acquire gil;
              emit_(part, nb::cast(std::move(lists)));
          }) {}

    bool take_text(nb::object source, bool lenient, bool loose) {
        return taken(source, [&] {
            const auto bytes = make_source(source);
            const nb::gil_scoped_release free;
            maker_.take(*bytes, reading_rules("strict", "any", "skip", lenient, loose), go_on);
        });
    }

    bool take_frame(const carob::Frame& frame, std::size_t query, std::size_t document, std::optional<std::size_t> score,
                    std::optional<std::size_t> rank) {
        if (!score && !rank) throw nb::value_error("a run has scores or ranks");
        const std::size_t most = std::max({query, document, score.value_or(0), rank.value_or(0)});
        if (most >= frame.fields().size()) throw nb::index_error("no such column");
        return taken(nb::none(), [&] {
            const nb::gil_scoped_release free;
            maker_.take(frame, carob::RunColumns{query, document, score, rank});
        });
    }

    bool take_rows(const nb::list& queries, const nb::list& documents, const Doubles& scores) {
        if (queries.size() != documents.size() || queries.size() != scores.shape(0)) throw nb::value_error("rows of several lengths");
        return taken(nb::none(), [&] {
            for (std::size_t i = 0; i < queries.size(); ++i) {
                const auto row = static_cast<Py_ssize_t>(i);
                if (std::isnan(scores.data()[i])) throw nb::value_error("a score is NaN");
                maker_.take(bytes_at(queries, row), bytes_at(documents, row), scores.data()[i]);
            }
        });
    }

    bool finish() {
        return taken(nb::none(), [&] {
            const nb::gil_scoped_release free;
            maker_.finish();
        });
    }

    const carob::PartMaker& maker() const { return maker_; }

    // A given count for each part.
    nb::list counts(std::int64_t carob::ListCounts::*which) const {
        nb::list found;
        for (const carob::ListCounts& each : maker_.counts()) found.append(each.*which);
        return found;
    }

private:
    // Returns false if a query reappeared.
    template <class Work>
    static bool taken(nb::handle source, Work&& work) {
        try {
            translated(source, work);
            return true;
        } catch (const carob::CameBack&) {
            return false;
        } catch (const carob::ListedTwice& twice) {
            raise_id_error("twice", twice.query, twice.document);
        }
    }

    nb::object judged_;
    nb::object emit_;
    carob::PartMaker maker_;
};

void make_maker(HeldMaker* self, nb::object emit, const std::string& ties, bool float32, const std::string& duplicates,
                std::size_t depth, nb::object judged, const std::optional<nb::list>& parts, bool gathered) {
    carob::ListRules rules;
    rules.order = match_options(ties, float32, duplicates);
    rules.depth = depth;
    if (!judged.is_none()) rules.judged = &nb::cast<HeldJudgments&>(judged).data;
    rules.gathered = gathered;
    std::vector<carob::RunPart> made(parts ? 0 : 1);
    if (parts) {
        for (const nb::handle part : *parts) {
            const auto [queries, tag] = nb::cast<std::pair<std::optional<nb::list>, std::optional<nb::bytes>>>(part);
            carob::RunPart& its = made.emplace_back();
            if (queries) {
                its.queries.emplace();
                for (std::size_t i = 0; i < queries->size(); ++i) its.queries->emplace(bytes_at(*queries, static_cast<Py_ssize_t>(i)));
            }
            if (tag) its.tag.emplace(tag->c_str(), tag->size());
        }
    }
    new (self) HeldMaker(std::move(judged), rules, std::move(made), std::move(emit));
}

}  // namespace

void bind_writing(nb::module_& module) {
    using carob::RankedLists;
    nb::class_<RankedLists>(module, "RankedLists")
        .def("__init__", &make_lists, "queries"_a, "offsets"_a, "documents"_a, "scores"_a)
        .def_prop_ro("queries", [](const RankedLists& self) { return list_of(self.queries); })
        .def_prop_ro("joined_queries", [](const RankedLists& self) { return joined(self.queries); })
        .def_prop_ro("joined_documents", [](const RankedLists& self) { return joined(self.documents); })
        .def_prop_ro("offsets", [](nb::object self) { return view(nb::cast<RankedLists&>(self).offsets, self); })
        .def_prop_ro("scores", [](nb::object self) { return view(nb::cast<RankedLists&>(self).scores, self); })
        .def_prop_ro("has_blanks", &has_blanks)
        .def("text", &lists_text, "layout"_a, "tag"_a = nb::bytes("", 0), nb::kw_only(), "tabs"_a = false);
    nb::class_<HeldMaker>(module, "ListMaker")
        .def("__init__", &make_maker, "emit"_a, nb::kw_only(), "ties"_a = "trec", "float32"_a = false, "duplicates"_a = "keep",
             "depth"_a = 0, "judged"_a = nb::none(), "parts"_a = nb::none(), "gathered"_a = false)
        .def("take_text", &HeldMaker::take_text, "source"_a, nb::kw_only(), "lenient"_a = false, "loose"_a = false)
        .def("take_frame", &HeldMaker::take_frame, "frame"_a, nb::kw_only(), "query"_a, "document"_a, "score"_a = nb::none(),
             "rank"_a = nb::none())
        .def("take_rows", &HeldMaker::take_rows, "queries"_a, "documents"_a, "scores"_a)
        .def("finish", &HeldMaker::finish)
        .def_prop_ro("rows", [](const HeldMaker& self) { return self.maker().rows(); })
        .def_prop_ro("malformed", [](const HeldMaker& self) { return self.maker().malformed(); })
        .def_prop_ro("repeats", [](const HeldMaker& self) { return self.counts(&carob::ListCounts::repeats); })
        .def_prop_ro("below_depth", [](const HeldMaker& self) { return self.counts(&carob::ListCounts::below_depth); })
        .def_prop_ro("cut_ties", [](const HeldMaker& self) { return self.counts(&carob::ListCounts::cut_ties); })
        .def_prop_ro("unjudged", [](const HeldMaker& self) { return self.counts(&carob::ListCounts::unjudged); });
}

}  // namespace carob::python

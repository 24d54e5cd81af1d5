// Binds the match of a text or a dict, and the resulting judged rows.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

#include "matching/match.h"
#include "matching/ranked.h"
#include "python/errors.h"
#include "python/judgments.h"
#include "python/memory.h"
#include "python/mapping.h"
#include "python/options.h"
#include "python/parts.h"
#include "python/sources.h"

namespace carob::python {

nb::tuple listed_tuple(const carob::Ranked& ranked, std::optional<std::size_t> depth) {
    const std::size_t count = std::min(ranked.documents.size(), depth.value_or(ranked.documents.size()));
    nb::list documents;
    for (std::size_t i = 0; i < count; ++i) documents.append(to_bytes(ranked.documents[i]));
    auto scores = std::make_unique_for_overwrite<double[]>(count);
    std::copy_n(ranked.scores.begin(), count, scores.get());
    return nb::make_tuple(documents, new_array(std::move(scores), count));
}

namespace {

nb::list listed(const std::vector<carob::Respelled>& pairs) {
    nb::list found;
    for (const carob::Respelled& each : pairs) found.append(nb::make_tuple(each.query, to_bytes(each.judged), to_bytes(each.ranked)));
    return found;
}

struct Progress {
    std::atomic<std::int64_t> bytes{0};
};

std::unique_ptr<carob::Matched> match_text(const HeldJudgments& judgments, nb::object source, const std::string& ties,
                                           bool float32, const std::string& duplicates, const std::string& numbers,
                                           const std::string& comments, const std::string& blank_lines, bool lenient, bool loose,
                                           int threads, Progress* progress, std::size_t block_bytes, bool scores,
                                           bool relevant_only, nb::object spill, std::optional<std::size_t> memory) {
    carob::MatchOptions options = match_options(ties, float32, duplicates, scores, relevant_only, threads);
    const auto overflow = make_spill(spill);
    options.spill = overflow.get();
    options.memory = memory.value_or(options.memory);
    options.reading = reading_rules(numbers, comments, blank_lines, lenient, loose);
    options.reading.block_bytes = block_bytes;
    return translated(source, [&] {
        const auto bytes = make_source(source);
        const nb::gil_scoped_release free;
        auto matched = std::make_unique<carob::Matched>(carob::match_text(
            judgments.data, *bytes, options, progress == nullptr ? nullptr : &progress->bytes, go_on));
        give_back_memory(matched->length.size());
        return matched;
    });
}

nb::list rankings(nb::object source, const nb::list& queries, std::optional<std::size_t> depth, const std::string& ties,
                  bool float32, const std::string& duplicates, const std::string& numbers, const std::string& comments,
                  const std::string& blank_lines, bool lenient, bool loose) {
    carob::MatchOptions options = match_options(ties, float32, duplicates);
    options.reading = reading_rules(numbers, comments, blank_lines, lenient, loose);
    std::vector<std::string> names;  // the list may change in the meantime
    for (std::size_t i = 0; i < queries.size(); ++i) names.emplace_back(bytes_at(queries, static_cast<Py_ssize_t>(i)));
    const std::vector<std::string_view> ids(names.begin(), names.end());
    const std::vector<carob::Ranked> ranked = translated(source, [&] {
        const auto bytes = make_source(source);
        const nb::gil_scoped_release free;
        return carob::rank_queries(ids, *bytes, options, go_on);
    });
    nb::list found;
    for (const carob::Ranked& each : ranked) found.append(listed_tuple(each, depth));
    return found;
}

// The judged documents, followed by the unjudged documents of runs.
class Pool {
public:
    Pool(const HeldJudgments& judgments, double grade) : grade_(grade) {
        if (!std::isfinite(grade)) throw nb::value_error("the grade is not a finite number");
        const carob::Judgments& data = judgments.data;
        carob::JudgmentsBuilder queries;
        for (std::int64_t q = 0; q < data.query_count(); ++q) {
            queries.add_query(data.query(q));
            builder_.add_query(data.query(q));
            for (auto j = data.offsets()[static_cast<std::size_t>(q)]; j < data.offsets()[static_cast<std::size_t>(q) + 1]; ++j)
                builder_.add(data.query(q), data.document(j), data.grades()[static_cast<std::size_t>(j)], data.line(j));
        }
        judged_ = queries.finish(carob::Duplicates::first);
    }

    void take(nb::object source, bool lenient, bool loose) {
        carob::Reading reading;
        reading.lenient = lenient;
        reading.loose = loose;
        const Use use(busy_);
        translated(source, [&] {
            const auto bytes = make_source(source);
            const nb::gil_scoped_release free;
            carob::add_to_pool(builder_, judged_, grade_, *bytes, reading, go_on);
            return true;
        });
    }

    void take_rows(const nb::list& queries, const nb::list& documents) {
        if (queries.size() != documents.size()) throw nb::value_error("queries and documents must have the same length");
        const Use use(busy_);
        for (std::size_t i = 0; i < queries.size(); ++i) {
            const std::int64_t q = judged_.find_query(bytes_at(queries, static_cast<Py_ssize_t>(i)));
            if (q >= 0) builder_.add(judged_.query(q), bytes_at(documents, static_cast<Py_ssize_t>(i)), grade_, 0);
        }
    }

    std::unique_ptr<HeldJudgments> finish() {
        const Use use(busy_);
        return hold(std::exchange(builder_, {}).finish(carob::Duplicates::first));
    }

private:
    // Several Python threads may execute this code while a source is read.
    struct Use {
        explicit Use(std::atomic<bool>& busy) : busy(busy) {
            if (busy.exchange(true)) throw nb::value_error("another thread uses this pool");
        }
        ~Use() { busy.store(false); }
        std::atomic<bool>& busy;
    };

    const double grade_;
    carob::JudgmentsBuilder builder_;
    carob::Judgments judged_;
    std::atomic<bool> busy_{false};
};

std::unique_ptr<carob::Matched> match_mapping(const HeldJudgments& judgments, nb::object run, const std::string& ties,
                                              bool float32, bool scores, bool relevant_only, bool whole_ids) {
    const carob::MatchOptions options = match_options(ties, float32, "keep", scores, relevant_only);
    if (options.ties == carob::Ties::rank_column) throw nb::value_error("a mapping has no rank column");
    return translated(run, [&] {
        return std::make_unique<carob::Matched>(carob::match_mapping(judgments.data, run.ptr(), options, id_kinds(whole_ids)));
    });
}

}  // namespace

void bind_matched(nb::module_& module) {
    nb::class_<Progress>(module, "Progress").def(nb::init<>()).def_prop_ro("bytes", [](const Progress& self) {
        return self.bytes.load();
    });

    nb::class_<carob::Matched>(module, "Matched")
        .def_prop_ro("length", [](nb::handle self) { return view(nb::cast<carob::Matched&>(self).length, self); })
        .def_prop_ro("judged", [](nb::handle self) { return view(nb::cast<carob::Matched&>(self).judged, self); })
        .def_prop_ro("first_tie", [](nb::handle self) { return view(nb::cast<carob::Matched&>(self).first_tie, self); })
        .def_prop_ro("signs", [](nb::handle self) { return view(nb::cast<carob::Matched&>(self).signs, self); })
        .def_prop_ro("infinite", [](const carob::Matched& self) { return self.noticed.infinite; })
        .def_prop_ro("accord", [](const carob::Matched& self) {
            return nb::make_tuple(self.noticed.ranks.agree, self.noticed.ranks.contradict);
        })
        .def_prop_ro("respelled_count", [](const carob::Matched& self) { return self.noticed.respelled_count; })
        .def_prop_ro("respelled", [](const carob::Matched& self) { return listed(self.noticed.respelled); })
        .def_prop_ro("affixed", [](const carob::Matched& self) { return listed(self.noticed.affixed); })
        .def_prop_ro("beyond_ascii", [](const carob::Matched& self) { return self.noticed.odd_ids; })
        .def_prop_ro("offsets", [](nb::handle self) { return view(nb::cast<carob::Matched&>(self).offsets, self); })
        .def_prop_ro("rank", [](nb::handle self) { return view(nb::cast<carob::Matched&>(self).rank, self); })
        .def_prop_ro("tie_first", [](nb::handle self) { return view(nb::cast<carob::Matched&>(self).tie_first, self); })
        .def_prop_ro("tie_last", [](nb::handle self) { return view(nb::cast<carob::Matched&>(self).tie_last, self); })
        .def_prop_ro("judgment", [](nb::handle self) { return view(nb::cast<carob::Matched&>(self).judgment, self); })
        .def_prop_ro("scores", [](nb::handle self) { return view(nb::cast<carob::Matched&>(self).scores, self); })
        .def_prop_ro("extra",
                     [](const carob::Matched& self) {
                         nb::list queries;
                         for (const std::string& query : self.extra) queries.append(to_bytes(query));
                         return queries;
                     })
        .def_prop_ro("duplicates",
                     [](const carob::Matched& self) {
                         nb::list repeats;
                         for (const carob::Repeat& repeat : self.duplicates) {
                             repeats.append(nb::make_tuple(repeat.query, to_bytes(repeat.document), repeat.first.line,
                                                           repeat.again.line, repeat.first_rank, repeat.again_rank));
                         }
                         return repeats;
                     })
        .def_ro("relevant_only", &carob::Matched::relevant_only)
        .def_ro("dropped", &carob::Matched::dropped)
        .def_ro("unordered", &carob::Matched::unordered)
        .def_prop_ro("line_count", [](const carob::Matched& self) { return self.count.lines; })
        .def_prop_ro("commented", [](const carob::Matched& self) { return self.count.commented; })
        .def_prop_ro("malformed", [](const carob::Matched& self) { return self.count.malformed.count; })
        .def_prop_ro("malformed_lines", [](const carob::Matched& self) { return malformed_lines(self.count); })
        .def_prop_ro("tag", [](const carob::Matched& self) { return to_bytes(self.tag); });

    module.def("match_text", &match_text, "judgments"_a, "source"_a, nb::kw_only(), "ties"_a = "trec",
               "float32"_a = false, "duplicates"_a = "keep", "numbers"_a = "strict", "comments"_a = "any",
               "blank_lines"_a = "skip", "lenient"_a = false, "loose"_a = false, "threads"_a = 1, "progress"_a = nb::none(),
               "block_bytes"_a = 0, "scores"_a = false, "relevant_only"_a = false, "spill"_a = nb::none(), "memory"_a = nb::none());
    nb::class_<Pool>(module, "Pool")
        .def(nb::init<const HeldJudgments&, double>(), "judgments"_a, "grade"_a)
        .def("take", &Pool::take, "source"_a, nb::kw_only(), "lenient"_a = false, "loose"_a = false)
        .def("take_rows", &Pool::take_rows, "queries"_a, "documents"_a)
        .def("finish", &Pool::finish);
    module.def("rankings", &rankings, "source"_a, "queries"_a, "depth"_a = nb::none(), nb::kw_only(), "ties"_a = "trec",
               "float32"_a = false, "duplicates"_a = "keep", "numbers"_a = "strict", "comments"_a = "any",
               "blank_lines"_a = "skip", "lenient"_a = false, "loose"_a = false);
    module.def("match_mapping", &match_mapping, "judgments"_a, "run"_a, nb::kw_only(), "ties"_a = "trec",
               "float32"_a = false, "scores"_a = false, "relevant_only"_a = false, "whole_ids"_a = true);
}

}  // namespace carob::python

// Binds frames, which arrive as Arrow streams, and the match of one or many frames.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <unordered_set>

#include "frames/parquet.h"
#include "frames/read_frame.h"
#include "matching/match_frame.h"
#include "python/errors.h"
#include "python/judgments.h"
#include "python/options.h"
#include "python/parts.h"
#include "python/sources.h"

namespace carob::python {

namespace {

// Moves the stream out of its capsule and releases it after everything has been read.
class TakenStream {
public:
    explicit TakenStream(nb::handle capsule) {
        auto* held = static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream"));
        if (held == nullptr) throw nb::python_error();
        if (held->release == nullptr) throw nb::value_error("the stream was read already");
        stream = *held;
        held->release = nullptr;
    }
    ~TakenStream() { stream.release(&stream); }
    TakenStream(const TakenStream&) = delete;
    TakenStream& operator=(const TakenStream&) = delete;

    ArrowArrayStream stream;
};

void make_frame(carob::Frame* self, nb::object capsule) {
    translated(capsule, [&] {
        TakenStream taken(capsule);
        // The producer of the batches may need the GIL on another thread.
        const nb::gil_scoped_release free;
        new (self) carob::Frame(taken.stream);
    });
}

nb::list list_fields(const carob::Frame& frame) {
    nb::list fields;
    for (const carob::Field& field : frame.fields()) {
        const char* holds = field.holds == carob::Holds::text     ? "text"
                            : field.holds == carob::Holds::whole  ? "whole"
                            : field.holds == carob::Holds::number ? "number"
                            : field.holds == carob::Holds::none   ? "none"
                                                                  : "other";
        fields.append(nb::make_tuple(to_text(field.name), nb::str(holds), to_text(field.format)));
    }
    return fields;
}

std::uint64_t written_out(const carob::Frame& frame) {
    return translated(nb::none(), [&] {
        const nb::gil_scoped_release free;
        return frame.written_out();
    });
}

std::size_t checked(const carob::Frame& frame, std::size_t field, bool id) {
    if (field >= frame.fields().size()) throw nb::index_error("no such column");
    const carob::Holds holds = frame.fields()[field].holds;
    const bool fits = holds == carob::Holds::whole || holds == carob::Holds::none ||
                      holds == (id ? carob::Holds::text : carob::Holds::number);
    if (!fits) throw nb::value_error(id ? "a column of ids holds text or whole numbers" : "the column holds no numbers");
    return field;
}

std::unique_ptr<HeldJudgments> judgments_from_frame(const carob::Frame& frame, std::size_t query, std::size_t document,
                                                    std::optional<std::size_t> grade, double constant,
                                                    const std::string& duplicates) {
    carob::QrelsColumns columns{checked(frame, query, true), checked(frame, document, true), std::nullopt, constant};
    if (grade) columns.grade = checked(frame, *grade, false);
    const carob::Duplicates rule = duplicate_rule(duplicates);
    return translated(nb::none(), [&] {
        const nb::gil_scoped_release free;
        return hold(carob::judgments_from_frame(frame, columns, rule));
    });
}

carob::RunColumns run_columns(const carob::Frame& frame, std::size_t query, std::size_t document,
                              std::optional<std::size_t> score, std::optional<std::size_t> rank, carob::Ties ties,
                              bool ranked = true) {
    if (ranked && !score && !rank) throw nb::value_error("a run has scores or ranks");
    if (ties == carob::Ties::rank_column && !rank) throw nb::value_error("there is no rank column");
    carob::RunColumns columns{checked(frame, query, true), checked(frame, document, true), std::nullopt, std::nullopt};
    if (score) columns.score = checked(frame, *score, false);
    if (rank) columns.rank = checked(frame, *rank, false);
    return columns;
}

std::unique_ptr<carob::Matched> match_frame(const HeldJudgments& judgments, const carob::Frame& frame,
                                            std::size_t query, std::size_t document, std::optional<std::size_t> score,
                                            std::optional<std::size_t> rank, const std::string& ties, bool float32,
                                            const std::string& duplicates, int threads, bool scores,
                                            bool relevant_only) {
    const carob::MatchOptions options = match_options(ties, float32, duplicates, scores, relevant_only, threads);
    const carob::RunColumns columns = run_columns(frame, query, document, score, rank, options.ties);
    return translated(nb::none(), [&] {
        const nb::gil_scoped_release free;
        return std::make_unique<carob::Matched>(carob::match_frame(judgments.data, frame, columns, options, go_on));
    });
}

// Keeps alive everything that the matcher refers to. Only one thread at a time may use it.
class HeldMatcher {
    // The matcher cannot continue after a failure or after its end.
    template <class Work>
    auto alone(Work&& work, bool last) {
        if (busy_.exchange(true)) throw nb::value_error("the matcher is in use, or has ended");
        return translated(nb::none(), [&] {
            const nb::gil_scoped_release free;
            auto found = work();
            busy_.store(last);
            return found;
        });
    }

public:
    HeldMatcher(nb::object judgments, carob::RunColumns columns, carob::MatchOptions options,
                std::unique_ptr<ObjectSpill> spill)
        : judgments_(std::move(judgments)),
          columns_(columns),
          options_(options),
          spill_(std::move(spill)),
          matcher_(nb::cast<HeldJudgments&>(judgments_).data, options) {}

    bool take(const carob::Frame& frame) {
        run_columns(frame, columns_.query, columns_.document, columns_.score, columns_.rank, options_.ties);
        return alone([&] { return matcher_.take(frame, columns_, false, go_on); }, false);
    }

    std::unique_ptr<carob::Matched> finish() {
        return alone([&] { return std::make_unique<carob::Matched>(matcher_.finish(go_on)); }, true);
    }

private:
    nb::object judgments_;
    const carob::RunColumns columns_;
    const carob::MatchOptions options_;
    std::unique_ptr<ObjectSpill> spill_;
    carob::FrameMatcher matcher_;
    std::atomic<bool> busy_{false};
};

void make_matcher(HeldMatcher* self, nb::object judgments, std::size_t query, std::size_t document,
                  std::optional<std::size_t> score, std::optional<std::size_t> rank, const std::string& ties,
                  bool float32, const std::string& duplicates, int threads, bool scores, bool relevant_only, bool gathered,
                  nb::object spill, std::optional<std::size_t> memory) {
    nb::cast<HeldJudgments&>(judgments);
    auto overflow = make_spill(spill);
    carob::MatchOptions options = match_options(ties, float32, duplicates, scores, relevant_only, threads);
    options.gathered = gathered;
    options.spill = overflow.get();
    options.memory = memory.value_or(options.memory);
    new (self) HeldMatcher(std::move(judgments), {query, document, score, rank}, options, std::move(overflow));
}

nb::tuple ranked_in_frame(const carob::Frame& frame, nb::bytes wanted, std::size_t query, std::size_t document,
                          std::optional<std::size_t> score, std::optional<std::size_t> rank, const std::string& ties,
                          bool float32, const std::string& duplicates) {
    const carob::MatchOptions options = match_options(ties, float32, duplicates);
    const carob::RunColumns columns = run_columns(frame, query, document, score, rank, options.ties);
    const std::string_view id(wanted.c_str(), wanted.size());
    return translated(nb::none(), [&] {
        return listed_tuple(carob::rank_frame(id, frame, columns, options), std::nullopt);
    });
}

nb::tuple rows_of_frame(const carob::Frame& frame, std::optional<nb::list> wanted, std::size_t query,
                        std::size_t document, std::optional<std::size_t> score, std::optional<std::size_t> rank,
                        double constant) {
    const carob::RunColumns columns = run_columns(frame, query, document, score, rank, carob::Ties::trec, false);
    std::unordered_set<std::string> ids;
    if (wanted) {
        for (std::size_t i = 0; i < wanted->size(); ++i) ids.emplace(bytes_at(*wanted, static_cast<Py_ssize_t>(i)));
    }
    return translated(nb::none(), [&] {
        const carob::FrameRows rows = carob::rows_of_frame(frame, columns, wanted ? &ids : nullptr, constant);
        nb::list queries, documents, values;
        for (std::size_t i = 0; i < rows.values.size(); ++i) {
            queries.append(to_bytes(rows.queries[i]));
            documents.append(to_bytes(rows.documents[i]));
            values.append(rows.values[i]);
        }
        return nb::make_tuple(queries, documents, values);
    });
}

std::optional<std::string> parquet_damage(nb::handle file) {
    const HeldBuffer buffer(file);
    const nb::gil_scoped_release free;
    return carob::parquet_damage(buffer.bytes());
}

}  // namespace

void bind_frames(nb::module_& module) {
    nb::class_<carob::Frame>(module, "Frame")
        .def("__init__", &make_frame, "stream"_a)
        .def_prop_ro("fields", &list_fields)
        .def_prop_ro("rows", &carob::Frame::rows)
        .def_prop_ro("written_out", &written_out);

    module.def("judgments_from_frame", &judgments_from_frame, "frame"_a, nb::kw_only(), "query"_a, "document"_a,
               "grade"_a = nb::none(), "constant"_a = 1.0, "duplicates"_a = "keep");
    module.def("match_frame", &match_frame, "judgments"_a, "frame"_a, nb::kw_only(), "query"_a, "document"_a,
               "score"_a = nb::none(), "rank"_a = nb::none(), "ties"_a = "trec", "float32"_a = false,
               "duplicates"_a = "keep", "threads"_a = 1, "scores"_a = false, "relevant_only"_a = false);
    nb::class_<HeldMatcher>(module, "FrameMatcher")
        .def("__init__", &make_matcher, "judgments"_a, nb::kw_only(), "query"_a, "document"_a, "score"_a = nb::none(),
             "rank"_a = nb::none(), "ties"_a = "trec", "float32"_a = false, "duplicates"_a = "keep", "threads"_a = 1,
             "scores"_a = false, "relevant_only"_a = false, "gathered"_a = false, "spill"_a = nb::none(), "memory"_a = nb::none())
        .def("take", &HeldMatcher::take, "frame"_a)
        .def("finish", &HeldMatcher::finish);
    module.def("rows_of_frame", &rows_of_frame, "frame"_a, "wanted"_a = nb::none(), nb::kw_only(), "query"_a,
               "document"_a, "score"_a = nb::none(), "rank"_a = nb::none(), "constant"_a = 1.0);
    module.def("ranked_in_frame", &ranked_in_frame, "frame"_a, "wanted"_a, nb::kw_only(), "query"_a, "document"_a,
               "score"_a = nb::none(), "rank"_a = nb::none(), "ties"_a = "trec", "float32"_a = false,
               "duplicates"_a = "keep");

    module.def("parquet_damage", &parquet_damage, "file"_a);
}

}  // namespace carob::python

// Binds the fusion of runs.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <mutex>
#include <optional>

#include "fusion/fuse.h"
#include "fusion/plain_runs.h"
#include "fusion/pooled_runs.h"
#include "python/errors.h"
#include "python/judgments.h"
#include "python/options.h"
#include "python/parts.h"
#include "python/sources.h"
#include "writing/trec_lines.h"

namespace carob::python {

namespace {

using Table = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

std::vector<double> numbers_in(const Doubles& values) { return {values.data(), values.data() + values.shape(0)}; }

// The points that a rank-based method assigns. Other methods use the points of the normalisation.
carob::Norm points_of(const std::string& method, const std::string& norm) {
    using carob::Norm;
    if (method == "rrf") return Norm::rrf;
    if (method == "isr" || method == "log_isr" || method == "logn_isr") return Norm::isr;
    if (method == "rbc") return Norm::rbc;
    if (method == "borda") return Norm::borda_points;
    if (method == "copeland") return Norm::none;
    return choose<Norm>(norm, "norm",
                        {{"none", Norm::none},
                         {"min-max", Norm::min_max},
                         {"max", Norm::max},
                         {"sum", Norm::sum},
                         {"z-score", Norm::z_score},
                         {"l2", Norm::l2},
                         {"dbsf", Norm::dbsf},
                         {"rank", Norm::rank},
                         {"borda", Norm::borda}});
}

carob::Combine combine_of(const std::string& method) {
    using carob::Combine;
    return choose<Combine>(method, "method",
                           {{"rrf", Combine::sum},
                            {"isr", Combine::mnz},
                            {"log_isr", Combine::log},
                            {"logn_isr", Combine::shifted_log},
                            {"rbc", Combine::sum},
                            {"borda", Combine::sum},
                            {"copeland", Combine::copeland},
                            {"sum", Combine::sum},
                            {"mnz", Combine::mnz},
                            {"anz", Combine::anz},
                            {"gmnz", Combine::gmnz},
                            {"max", Combine::max},
                            {"min", Combine::min},
                            {"med", Combine::med},
                            {"mean", Combine::mean},
                            {"mixed", Combine::mixed}});
}

double parameter(const nb::dict& parameters, const char* name) {
    return parameters.contains(name) ? nb::cast<double>(parameters[name]) : 0.0;
}

void make_recipe(carob::FusionRecipe* recipe, const std::string& method, const std::string& norm, const nb::dict& parameters,
                 const std::string& absent, const std::string& summation, bool by_position, bool from_one, double equal,
                 bool sample, double floor, const Doubles& weights, const Doubles& low, const Doubles& high, std::size_t depth,
                 const std::string& ties, bool float32, bool ascending, bool checked, const nb::bytes& tag) {
    using carob::Absent, carob::Summation;
    const std::size_t runs = weights.shape(0);
    if (low.shape(0) != runs || high.shape(0) != runs) throw nb::value_error("every run needs a weight and two bounds");
    carob::FusionRecipe made;
    made.norm = points_of(method, norm);
    made.combine = combine_of(method);
    made.k = parameter(parameters, "k");
    made.first = parameter(parameters, "first");
    made.phi = parameter(parameters, "phi");
    made.gamma = parameter(parameters, "gamma");
    made.sigma = parameter(parameters, "sigma");
    made.absent = choose<Absent>(absent, "absent",
                                 {{"left-out", Absent::left_out}, {"zero", Absent::zero}, {"lowest", Absent::lowest}});
    made.summation = choose<Summation>(summation, "summation",
                                       {{"exact", Summation::exact},
                                        {"left-to-right", Summation::left_to_right},
                                        {"single", Summation::single}});
    made.by_position = by_position;
    made.from_one = from_one;
    made.equal = equal;
    made.sample = sample;
    made.floor = floor;
    made.weights = numbers_in(weights);
    for (std::size_t run = 0; run < runs; ++run) made.bounds.push_back({low.data()[run], high.data()[run]});
    made.depth = depth;
    made.ties = tie_rule(ties);
    made.float32 = float32;
    made.ascending = ascending;
    made.checked = checked;
    made.tag = std::string(tag.c_str(), tag.size());
    new (recipe) carob::FusionRecipe(std::move(made));
}

// Returns None if a run is not plain.
nb::object plain_runs(const nb::list& files, int threads) {
    std::vector<carob::NativePath> paths;
    for (const nb::handle file : files) paths.push_back(native_path(file));
    try {
        return nb::cast(translated(files, [&] {
            const nb::gil_scoped_release free;
            return std::make_unique<carob::PlainRuns>(paths, std::clamp(threads, 1, 256), go_on);
        }));
    } catch (const carob::NotPlain&) {
        return nb::none();
    }
}

// Keeps the arrays that contain the lists. An nb::ndarray freed at interpreter exit would outlive the module.
class HeldPool final : public carob::PooledRuns {
public:
    HeldPool(nb::object judgments, const nb::list& offsets, const nb::list& documents, const nb::list& scores)
        : carob::PooledRuns(nb::cast<const HeldJudgments&>(judgments).data, runs_of(offsets, documents, scores)), kept_{judgments} {
        for (const nb::list& list : {offsets, documents, scores}) {
            for (const nb::handle each : list) kept_.push_back(nb::borrow(each));
        }
    }

private:
    template <class Array>
    static auto span_of(nb::handle array) {
        Array its;
        if (!nb::try_cast(array, its, false)) throw nb::type_error("an array of another type");  // a copy would not stay
        return std::span(its.data(), its.shape(0));
    }

    static std::vector<carob::PooledRun> runs_of(const nb::list& offsets, const nb::list& documents, const nb::list& scores) {
        if (offsets.size() != documents.size() || offsets.size() != scores.size())
            throw nb::value_error("every run needs offsets, documents and scores");
        std::vector<carob::PooledRun> runs;
        for (std::size_t run = 0; run < offsets.size(); ++run)
            runs.push_back({span_of<Longs>(offsets[run]), span_of<Longs>(documents[run]), span_of<Doubles>(scores[run])});
        return runs;
    }

    std::vector<nb::object> kept_;
};

// Writes pieces to an open file.
class FileText final : public carob::FusedText {
public:
    explicit FileText(int file) : file_(file) {}
    void write(std::uint64_t place, std::string_view piece) override { carob::write_at(file_, place, piece); }

private:
    const int file_;
};

// Keeps pieces in memory. They may arrive in a different order from that of their places.
class MemoryText final : public carob::FusedText {
public:
    void write(std::uint64_t place, std::string_view piece) override {
        const std::lock_guard lock(mutex_);
        text.resize(std::max<std::size_t>(text.size(), place + piece.size()));
        std::copy(piece.begin(), piece.end(), text.begin() + static_cast<std::ptrdiff_t>(place));
    }

    std::string text;

private:
    std::mutex mutex_;
};

// Runs `work` without the GIL; returns nothing if a list cannot be fused here.
template <class Work>
auto if_plain(const carob::RunsByQuery& runs, const carob::FusionRecipe& recipe, Work&& work) {
    using Made = decltype(work());
    if (recipe.weights.size() != runs.run_count()) throw nb::value_error("the recipe has another number of runs");
    try {
        return translated(nb::none(), [&] {
            const nb::gil_scoped_release free;
            return std::optional<Made>(work());
        });
    } catch (const carob::NotPlain&) {
        return std::optional<Made>();
    } catch (const carob::OddId& odd) {
        raise_id_error("odd", "", odd.id);
    }
}

int team(int threads) { return std::clamp(threads, 1, 256); }

// For each run, the number of its lists whose scores are all equal.
std::optional<std::vector<std::int64_t>> wrote(const carob::RunsByQuery& runs, const carob::FusionRecipe& recipe, int threads,
                                               carob::FusedText& text) {
    return if_plain(runs, recipe, [&] { return carob::write_fused(runs, recipe, team(threads), go_on, text); });
}

std::optional<std::vector<std::int64_t>> write(const carob::RunsByQuery& runs, const carob::FusionRecipe& recipe, int file,
                                               int threads) {
    FileText text(file);
    return wrote(runs, recipe, threads, text);
}

nb::object text_of(const carob::RunsByQuery& runs, const carob::FusionRecipe& recipe, int threads) {
    MemoryText text;
    const auto constant = wrote(runs, recipe, threads, text);
    return constant ? nb::make_tuple(to_bytes(text.text), *constant) : nb::object(nb::none());
}

nb::object match_fused(const carob::RunsByQuery& runs, const carob::FusionRecipe& recipe, const HeldJudgments& judgments,
                       const std::string& ties, bool float32, const std::string& duplicates, bool scores, bool relevant_only,
                       int threads) {
    const carob::MatchOptions options = match_options(ties, float32, duplicates, scores, relevant_only, threads);
    auto found = if_plain(runs, recipe, [&] { return carob::match_fused(runs, recipe, judgments.data, options, go_on); });
    return found ? nb::cast(std::make_unique<carob::Matched>(std::move(*found))) : nb::none();
}

nb::object match_weights(const carob::RunsByQuery& runs, const carob::FusionRecipe& recipe, const Table& weights,
                         const HeldJudgments& judgments, const std::string& ties, bool relevant_only, int threads) {
    if (weights.shape(1) != runs.run_count()) throw nb::value_error("the weights are those of another number of runs");
    std::vector<std::vector<double>> rows;
    for (std::size_t row = 0; row < weights.shape(0); ++row) {
        const double* const first = weights.data() + row * weights.shape(1);
        rows.emplace_back(first, first + weights.shape(1));
    }
    const carob::MatchOptions options = match_options(ties, false, "keep", false, relevant_only, threads);
    auto found = if_plain(runs, recipe, [&] { return carob::match_weights(runs, recipe, rows, judgments.data, options, go_on); });
    if (!found) return nb::none();
    nb::list matched;
    for (carob::Matched& each : *found) matched.append(nb::cast(std::make_unique<carob::Matched>(std::move(each))));
    return matched;
}

// The rank and the score, followed by the rank, score and points in each list.
nb::object explain(const carob::RunsByQuery& runs, const carob::FusionRecipe& recipe, std::size_t query, const nb::bytes& document) {
    if (query >= runs.query_count()) throw nb::index_error("no such query");
    const std::string_view name(document.c_str(), document.size());
    const auto found = if_plain(runs, recipe, [&] { return carob::explain_fused(runs, recipe, query, name); });
    if (!found) return nb::none();
    nb::list shares;
    for (const carob::ListShare& each : found->shares) shares.append(nb::make_tuple(each.rank, each.score, each.points));
    return nb::make_tuple(found->rank, found->score, shares);
}

nb::list queries_in(const carob::RunsByQuery& runs) {
    nb::list queries;
    for (std::size_t q = 0; q < runs.query_count(); ++q) queries.append(to_bytes(runs.query(q)));
    return queries;
}

nb::list lacking_in(const carob::RunsByQuery& runs) {
    nb::list found;
    for (const auto& [count, first] : runs.lacking())
        found.append(nb::make_tuple(count, count == 0 ? nb::bytes("", 0) : to_bytes(runs.query(first))));
    return found;
}

}  // namespace

void bind_fusion(nb::module_& module) {
    using carob::RunsByQuery;
    nb::class_<carob::FusionRecipe>(module, "FusionRecipe")
        .def("__init__", &make_recipe, nb::kw_only(), "method"_a, "norm"_a, "parameters"_a, "absent"_a, "summation"_a,
             "by_position"_a, "from_one"_a, "equal"_a, "sample"_a, "floor"_a, "weights"_a, "low"_a, "high"_a, "depth"_a,
             "ties"_a, "float32"_a, "ascending"_a, "checked"_a, "tag"_a);
    nb::class_<RunsByQuery>(module, "RunsByQuery")
        .def_prop_ro("queries", &queries_in)
        .def_prop_ro("query_count", &RunsByQuery::query_count)
        .def_prop_ro("lacking", &lacking_in)
        .def("write", &write, "recipe"_a, "file"_a, nb::kw_only(), "threads"_a = 1)
        .def("text", &text_of, "recipe"_a, nb::kw_only(), "threads"_a = 1)
        .def("match", &match_fused, "recipe"_a, "judgments"_a, nb::kw_only(), "ties"_a = "trec", "float32"_a = false,
             "duplicates"_a = "keep", "scores"_a = false, "relevant_only"_a = false, "threads"_a = 1)
        .def("match_weights", &match_weights, "recipe"_a, "weights"_a, "judgments"_a, nb::kw_only(), "ties"_a = "trec",
             "relevant_only"_a = false, "threads"_a = 1)
        .def("explain", &explain, "recipe"_a, "query"_a, "document"_a);
    nb::class_<carob::PlainRuns, RunsByQuery>(module, "PlainRuns")
        .def_static("of", &plain_runs, "files"_a, nb::kw_only(), "threads"_a = 1);
    nb::class_<HeldPool, RunsByQuery>(module, "PooledRuns")
        .def(nb::init<nb::object, const nb::list&, const nb::list&, const nb::list&>(), "judgments"_a, "offsets"_a, "documents"_a,
             "scores"_a);
}

}  // namespace carob::python

// Binds the fusion of runs in plain files.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <mutex>

#include "fusion/fuse.h"
#include "python/errors.h"
#include "python/judgments.h"
#include "python/options.h"
#include "python/parts.h"
#include "python/sources.h"

namespace carob::python {

namespace {

using Table = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

std::vector<double> numbers_in(const Doubles& values) { return {values.data(), values.data() + values.shape(0)}; }

carob::Norm norm_named(const std::string& word) {
    using carob::Norm;
    return choose<Norm>(word, "norm",
                        {{"table", Norm::table},
                         {"borda-points", Norm::borda_points},
                         {"none", Norm::none},
                         {"min-max", Norm::min_max},
                         {"max", Norm::max},
                         {"sum", Norm::sum},
                         {"z-score", Norm::z_score},
                         {"l2", Norm::l2},
                         {"dbsf", Norm::dbsf},
                         {"rank", Norm::rank},
                         {"borda", Norm::borda}});
}

carob::Combine combine_named(const std::string& word) {
    using carob::Combine;
    return choose<Combine>(word, "combine",
                           {{"sum", Combine::sum},
                            {"mnz", Combine::mnz},
                            {"anz", Combine::anz},
                            {"mean", Combine::mean},
                            {"max", Combine::max},
                            {"min", Combine::min},
                            {"med", Combine::med},
                            {"copeland", Combine::copeland}});
}

void make_recipe(carob::FusionRecipe* recipe, const std::string& norm, const std::string& combine, const std::string& absent,
                 const std::string& summation, double equal, bool sample, double floor, const Doubles& weights,
                 const Doubles& low, const Doubles& high, const Table& tables, const Doubles& factors, std::size_t depth,
                 const std::string& ties, bool float32, bool ascending, const nb::bytes& tag) {
    using carob::Absent, carob::Summation;
    const std::size_t runs = weights.shape(0);
    if (low.shape(0) != runs || high.shape(0) != runs || tables.shape(0) != runs || factors.shape(0) != runs + 1)
        throw nb::value_error("every run needs a weight, two bounds, a table and a factor");
    carob::FusionRecipe made;
    made.norm = norm_named(norm);
    made.combine = combine_named(combine);
    made.absent = choose<Absent>(absent, "absent",
                                 {{"left-out", Absent::left_out}, {"zero", Absent::zero}, {"lowest", Absent::lowest}});
    made.summation = choose<Summation>(summation, "summation",
                                       {{"exact", Summation::exact},
                                        {"left-to-right", Summation::left_to_right},
                                        {"single", Summation::single}});
    made.equal = equal;
    made.sample = sample;
    made.floor = floor;
    made.weights = numbers_in(weights);
    for (std::size_t run = 0; run < runs; ++run) {
        made.bounds.push_back({low.data()[run], high.data()[run]});
        const double* const table = tables.data() + run * tables.shape(1);
        made.tables.emplace_back(table, table + tables.shape(1));
    }
    made.factors = numbers_in(factors);
    made.depth = depth;
    made.ties = tie_rule(ties);
    if (made.ties == carob::Ties::rank_column) throw nb::value_error("lists in the order of a rank column are not plain");
    made.float32 = float32;
    made.ascending = ascending;
    made.tag = std::string(tag.c_str(), tag.size());
    new (recipe) carob::FusionRecipe(std::move(made));
}

// None if a run is not plain.
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

// Writes pieces to an open file.
class FileText final : public carob::FusedText {
public:
    explicit FileText(int file) : file_(file) {}
    void write(std::uint64_t place, std::string_view piece) override { carob::write_at(file_, place, piece); }

private:
    const int file_;
};

// Keeps pieces in memory. They may come in another order than that of their places.
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

void check_runs(const carob::PlainRuns& runs, const carob::FusionRecipe& recipe) {
    if (recipe.weights.size() != runs.run_count()) throw nb::value_error("the recipe has another number of runs");
}

// False if some list is not plain.
bool wrote(const carob::PlainRuns& runs, const carob::FusionRecipe& recipe, int threads, carob::FusedText& text) {
    check_runs(runs, recipe);
    try {
        return translated(nb::none(), [&] {
            const nb::gil_scoped_release free;
            carob::write_fused(runs, recipe, std::clamp(threads, 1, 256), go_on, text);
            return true;
        });
    } catch (const carob::NotPlain&) {
        return false;
    }
}

bool write(const carob::PlainRuns& runs, const carob::FusionRecipe& recipe, int file, int threads) {
    FileText text(file);
    return wrote(runs, recipe, threads, text);
}

nb::object text_of(const carob::PlainRuns& runs, const carob::FusionRecipe& recipe, int threads) {
    MemoryText text;
    if (!wrote(runs, recipe, threads, text)) return nb::none();
    return to_bytes(text.text);
}

// None if some list is not plain.
nb::object match_fused(const carob::PlainRuns& runs, const carob::FusionRecipe& recipe, const HeldJudgments& judgments,
                       const std::string& ties, bool float32, const std::string& duplicates, bool scores, bool relevant_only,
                       int threads) {
    check_runs(runs, recipe);
    const carob::MatchOptions options = match_options(ties, float32, duplicates, scores, relevant_only, threads);
    try {
        return nb::cast(translated(nb::none(), [&] {
            const nb::gil_scoped_release free;
            return std::make_unique<carob::Matched>(carob::match_fused(runs, recipe, judgments.data, options, go_on));
        }));
    } catch (const carob::NotPlain&) {
        return nb::none();
    }
}

nb::list queries_in(const carob::PlainRuns& runs) {
    nb::list queries;
    for (std::size_t q = 0; q < runs.query_count(); ++q) queries.append(to_bytes(runs.query(q)));
    return queries;
}

nb::list lacking_in(const carob::PlainRuns& runs) {
    nb::list found;
    for (const auto& [count, first] : runs.lacking())
        found.append(nb::make_tuple(count, count == 0 ? nb::bytes("", 0) : to_bytes(runs.query(first))));
    return found;
}

}  // namespace

void bind_fusion(nb::module_& module) {
    nb::class_<carob::FusionRecipe>(module, "FusionRecipe")
        .def("__init__", &make_recipe, nb::kw_only(), "norm"_a, "combine"_a, "absent"_a, "summation"_a, "equal"_a, "sample"_a,
             "floor"_a, "weights"_a, "low"_a, "high"_a, "tables"_a, "factors"_a, "depth"_a, "ties"_a, "float32"_a,
             "ascending"_a, "tag"_a);
    nb::class_<carob::PlainRuns>(module, "PlainRuns")
        .def_static("of", &plain_runs, "files"_a, nb::kw_only(), "threads"_a = 1)
        .def_prop_ro("queries", &queries_in)
        .def_prop_ro("query_count", &carob::PlainRuns::query_count)
        .def_prop_ro("lacking", &lacking_in)
        .def("write", &write, "recipe"_a, "file"_a, nb::kw_only(), "threads"_a = 1)
        .def("text", &text_of, "recipe"_a, nb::kw_only(), "threads"_a = 1)
        .def("match", &match_fused, "recipe"_a, "judgments"_a, nb::kw_only(), "ties"_a = "trec", "float32"_a = false,
             "duplicates"_a = "keep", "scores"_a = false, "relevant_only"_a = false, "threads"_a = 1);
}

}  // namespace carob::python

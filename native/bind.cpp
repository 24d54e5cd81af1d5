// This file gives the kernel its Python face. The face is described in src/karat/_native.pyi.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <atomic>
#include <cerrno>
#include <memory>
#include <mutex>
#include <vector>

#include "json.h"
#include "mapping.h"
#include "match.h"
#include "match_frame.h"
#include "parquet.h"
#include "ranked.h"
#include "read_frame.h"
#include "scan.h"
#include "survey.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using Doubles = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Longs = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

PyObject* line_error = nullptr;
PyObject* mapping_error = nullptr;
PyObject* row_error = nullptr;
PyObject* frame_error = nullptr;

nb::bytes to_bytes(std::string_view text) { return nb::bytes(text.data(), text.size()); }

// Malformed text may hold any bytes; a reason is meant for people.
nb::str to_text(std::string_view text) {
    PyObject* made = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "backslashreplace");
    if (made == nullptr) nb::raise_python_error();
    return nb::steal<nb::str>(made);
}

// A read-only view of memory that `owner` keeps.
template <class T>
nb::object view(const std::vector<T>& values, nb::handle owner) {
    return nb::cast(nb::ndarray<nb::numpy, const T, nb::ndim<1>>(values.data(), {values.size()}, owner),
                    nb::rv_policy::reference);
}

nb::object new_doubles(std::unique_ptr<double[]> values, std::size_t size) {
    const nb::capsule owner(values.get(), [](void* p) noexcept { delete[] static_cast<double*>(p); });
    const double* data = values.release();
    return nb::cast(nb::ndarray<nb::numpy, const double, nb::ndim<1>>(data, {size}, owner), nb::rv_policy::reference);
}

// ---- errors
// ----------------------------------------------------------------------------------------------------------

[[noreturn]] void raise_line_error(const karat::LineFault& fault) {
    const std::string text = "line " + std::to_string(fault.line) + ": " + karat::explain(fault);
    nb::object error = nb::borrow(line_error)(to_text(text));
    error.attr("kind") = nb::str(karat::fault_name(fault.fault).data());
    error.attr("line") = fault.line;
    error.attr("data_line") = fault.data_line;
    error.attr("detail") = to_bytes(fault.detail);
    error.attr("excerpt") = to_bytes(fault.excerpt);
    PyErr_SetObject(line_error, error.ptr());
    throw nb::python_error();
}

[[noreturn]] void raise_mapping_error(const karat::MappingFault& fault) {
    const nb::object query = fault.query == nullptr ? nb::none() : nb::steal(fault.query);
    const nb::object document = fault.document == nullptr ? nb::none() : nb::steal(fault.document);
    nb::object error = nb::borrow(mapping_error)(to_text(fault.detail));
    error.attr("kind") = nb::str(fault.kind);
    error.attr("query") = query;
    error.attr("document") = document;
    error.attr("detail") = to_text(fault.detail);
    PyErr_SetObject(mapping_error, error.ptr());
    throw nb::python_error();
}

[[noreturn]] void raise_row_error(const karat::RowFault& fault) {
    nb::object error = nb::borrow(row_error)(to_text(fault.kind + std::string(" in column ") + fault.column));
    error.attr("kind") = nb::str(fault.kind);
    error.attr("column") = to_text(fault.column);
    error.attr("row") = fault.row;
    error.attr("query") = to_bytes(fault.query);
    error.attr("document") = to_bytes(fault.document);
    PyErr_SetObject(row_error, error.ptr());
    throw nb::python_error();
}

// Runs `work` and turns the kernel's faults into Python's; called with the GIL held.
template <class Work>
auto translated(nb::handle source, Work&& work) {
    try {
        return work();
    } catch (const karat::LineFault& fault) {
        raise_line_error(fault);
    } catch (const karat::MappingFault& fault) {
        raise_mapping_error(fault);
    } catch (const karat::RowFault& fault) {
        raise_row_error(fault);
    } catch (const karat::FrameFault& fault) {
        PyErr_SetObject(frame_error, to_text(fault.detail).ptr());
        throw nb::python_error();
    } catch (const karat::SourceFault& fault) {
        errno = fault.error_number;
        PyErr_SetFromErrnoWithFilenameObject(PyExc_OSError, source.ptr());
        throw nb::python_error();
    } catch (const karat::PythonFault&) {
        throw nb::python_error();
    } catch (const karat::Interrupted&) {
        throw nb::python_error();  // PyErr_CheckSignals has set it
    }
}

// ---- sources
// ---------------------------------------------------------------------------------------------------------

// An object with readinto(buffer) -> int and rewind(). Called from the kernel's threads, so each call takes the GIL.
class ObjectSource final : public karat::Source {
public:
    explicit ObjectSource(nb::object object) : object_(std::move(object)) {}

    std::size_t read(char* bytes, std::size_t size) override {
        const nb::gil_scoped_acquire gil;
        PyObject* made = PyMemoryView_FromMemory(bytes, static_cast<Py_ssize_t>(size), PyBUF_WRITE);
        if (made == nullptr) nb::raise_python_error();
        const nb::object buffer = nb::steal(made);
        const nb::object got = object_.attr("readinto")(buffer);
        // The memory is the kernel's; an object that kept the view must not write through it later.
        buffer.attr("release")();
        if (got.is_none()) throw nb::value_error("readinto() returned None: a source that does not block is needed");
        const auto count = nb::cast<std::int64_t>(got);
        if (count < 0 || static_cast<std::size_t>(count) > size)
            throw nb::value_error("readinto() returned an impossible count");
        return static_cast<std::size_t>(count);
    }

    void rewind() override {
        const nb::gil_scoped_acquire gil;
        object_.attr("rewind")();
    }

private:
    nb::object object_;
};

// Holds a Python buffer for as long as its bytes are read.
class HeldBuffer {
public:
    explicit HeldBuffer(nb::handle object) {
        if (PyObject_GetBuffer(object.ptr(), &buffer_, PyBUF_SIMPLE) != 0) throw nb::python_error();
    }
    ~HeldBuffer() { PyBuffer_Release(&buffer_); }
    HeldBuffer(const HeldBuffer&) = delete;
    HeldBuffer& operator=(const HeldBuffer&) = delete;

    std::string_view bytes() const { return {static_cast<const char*>(buffer_.buf), static_cast<std::size_t>(buffer_.len)}; }

private:
    Py_buffer buffer_{};
};

class BufferSource final : public karat::Source {
public:
    explicit BufferSource(nb::handle object) : buffer_(object), memory_(buffer_.bytes()) {}
    std::size_t read(char* bytes, std::size_t size) override { return memory_.read(bytes, size); }
    void rewind() override { memory_.rewind(); }

private:
    HeldBuffer buffer_;
    karat::MemorySource memory_;
};

karat::NativePath native_path(nb::handle path) {
#if defined(_WIN32)
    Py_ssize_t size = 0;
    wchar_t* text = PyUnicode_AsWideCharString(path.ptr(), &size);
    if (text == nullptr) throw nb::python_error();
    karat::NativePath made(text, static_cast<std::size_t>(size));
    PyMem_Free(text);
#else
    PyObject* encoded = PyUnicode_EncodeFSDefault(path.ptr());
    if (encoded == nullptr) throw nb::python_error();
    const nb::bytes bytes = nb::steal<nb::bytes>(encoded);
    karat::NativePath made(bytes.c_str(), bytes.size());
#endif
    if (made.find(karat::NativePath::value_type{}) != karat::NativePath::npos)
        throw nb::value_error("embedded null character in path");
    return made;
}

std::unique_ptr<karat::Source> make_source(nb::handle source) {
    if (nb::isinstance<nb::str>(source)) return std::make_unique<karat::FileSource>(native_path(source));
    if (PyObject_CheckBuffer(source.ptr())) return std::make_unique<BufferSource>(source);
    if (nb::hasattr(source, "readinto") && nb::hasattr(source, "rewind")) {
        return std::make_unique<ObjectSource>(nb::borrow(source));
    }
    throw nb::type_error("source must be a path, bytes, or an object with readinto() and rewind()");
}

// An object with append(memoryview) -> place and fill(place, memoryview). The mutex is taken before the GIL, which what
// is called may let go for a while.
class ObjectSpill final : public karat::Spill {
public:
    explicit ObjectSpill(nb::object object) : object_(std::move(object)) {}

    std::uint64_t append(const char* bytes, std::size_t size) override {
        const std::lock_guard lock(mutex_);
        const nb::gil_scoped_acquire gil;
        const nb::object buffer = memory(const_cast<char*>(bytes), size, PyBUF_READ);
        const auto place = nb::cast<std::uint64_t>(object_.attr("append")(buffer));
        buffer.attr("release")();
        return place;
    }

    void read(std::uint64_t place, char* bytes, std::size_t size) override {
        const std::lock_guard lock(mutex_);
        const nb::gil_scoped_acquire gil;
        const nb::object buffer = memory(bytes, size, PyBUF_WRITE);
        object_.attr("fill")(place, buffer);
        buffer.attr("release")();
    }

private:
    static nb::object memory(char* bytes, std::size_t size, int access) {
        PyObject* made = PyMemoryView_FromMemory(bytes, static_cast<Py_ssize_t>(size), access);
        if (made == nullptr) nb::raise_python_error();
        return nb::steal(made);
    }

    nb::object object_;
    std::mutex mutex_;
};

std::unique_ptr<ObjectSpill> make_spill(nb::handle object) {
    return object.is_none() ? nullptr : std::make_unique<ObjectSpill>(nb::borrow(object));
}

// ---- options
// ---------------------------------------------------------------------------------------------------------

template <class Choice>
Choice choose(std::string_view given, const char* name,
              std::initializer_list<std::pair<std::string_view, Choice>> choices) {
    std::string known;
    for (const auto& [word, choice] : choices) {
        if (word == given) return choice;
        known += (known.empty() ? "" : ", ") + std::string(word);
    }
    throw nb::value_error(
        (std::string(name) + " must be one of " + known + "; found '" + std::string(given) + "'").c_str());
}

karat::Reading reading_rules(const std::string& numbers, const std::string& comments, const std::string& blank_lines,
                             bool lenient) {
    return {choose<karat::Numbers>(numbers, "numbers", {{"strict", karat::Numbers::strict}, {"c", karat::Numbers::c}}),
            choose<karat::Comments>(comments, "comments",
                                    {{"any", karat::Comments::any},
                                     {"first-byte", karat::Comments::first_byte},
                                     {"none", karat::Comments::none}}),
            choose<bool>(blank_lines, "blank_lines", {{"skip", false}, {"error", true}}), lenient};
}

karat::Duplicates duplicate_rule(const std::string& word) {
    using karat::Duplicates;
    return choose<Duplicates>(word, "duplicates",
                              {{"keep", Duplicates::keep},
                               {"first", Duplicates::first},
                               {"last", Duplicates::last},
                               {"max", Duplicates::max}});
}

karat::Ties tie_rule(const std::string& word) {
    using karat::Ties;
    return choose<Ties>(word, "ties",
                        {{"trec", Ties::trec},
                         {"ascending", Ties::ascending},
                         {"input", Ties::input},
                         {"rank-column", Ties::rank_column}});
}

struct Progress {
    std::atomic<std::int64_t> bytes{0};
};

// ---- judgments
// -------------------------------------------------------------------------------------------------------

struct HeldJudgments {
    karat::Judgments data;
    nb::object queries;  // the list, once it was asked for

    void check_query(std::int64_t q) const {
        if (q < 0 || q >= data.query_count()) throw nb::index_error("no such query");
    }
    void check_judgment(std::int64_t j) const {
        if (j < 0 || j >= static_cast<std::int64_t>(data.grades().size())) throw nb::index_error("no such judgment");
    }
};

nb::list malformed_lines(const karat::LineCount& count) {
    nb::list lines;
    for (const karat::LineFault& fault : count.malformed.first)
        lines.append(nb::make_tuple(fault.line, to_text(karat::explain(fault))));
    return lines;
}

nb::object list_queries(HeldJudgments& held) {
    if (!held.queries.is_valid()) {
        nb::list queries;
        for (std::int64_t q = 0; q < held.data.query_count(); ++q) queries.append(to_bytes(held.data.query(q)));
        held.queries = queries;
    }
    return held.queries;
}

std::unique_ptr<HeldJudgments> hold(karat::Judgments judgments) {
    return std::make_unique<HeldJudgments>(HeldJudgments{std::move(judgments), {}});
}

std::unique_ptr<HeldJudgments> read_judgments(nb::object source, int columns, const std::string& numbers,
                                              const std::string& comments, const std::string& blank_lines,
                                              const std::string& duplicates, bool lenient) {
    if (columns < 3 || columns > 64) throw nb::value_error("columns must be from 3 to 64");
    const karat::Reading reading = reading_rules(numbers, comments, blank_lines, lenient);
    const karat::Duplicates rule = duplicate_rule(duplicates);
    return translated(source, [&] {
        const auto bytes = make_source(source);
        const nb::gil_scoped_release free;
        return hold(karat::read_judgments(*bytes, {columns}, reading, rule));
    });
}

karat::IdKinds id_kinds(bool whole_ids) { return whole_ids ? karat::IdKinds::whole : karat::IdKinds::text; }

std::unique_ptr<HeldJudgments> judgments_from_mapping(nb::object qrels, bool whole_ids) {
    return translated(qrels, [&] { return hold(karat::judgments_from_mapping(qrels.ptr(), id_kinds(whole_ids))); });
}

std::string_view bytes_at(nb::handle list, Py_ssize_t i) {
    PyObject* item = PyList_GetItem(list.ptr(), i);
    char* text = nullptr;
    Py_ssize_t size = 0;
    if (item == nullptr || PyBytes_AsStringAndSize(item, &text, &size) != 0) throw nb::python_error();
    return {text, static_cast<std::size_t>(size)};
}

std::unique_ptr<HeldJudgments> judgments_from_rows(nb::list queries, nb::list documents, Doubles grades,
                                                   std::optional<Longs> lines, const std::string& duplicates) {
    const std::size_t count = grades.shape(0);
    if (queries.size() != count || documents.size() != count || (lines && lines->shape(0) != count)) {
        throw nb::value_error("queries, documents, grades and lines must have the same length");
    }
    karat::JudgmentsBuilder builder;
    for (std::size_t i = 0; i < count; ++i) {
        const auto at = static_cast<Py_ssize_t>(i);
        builder.add(bytes_at(queries, at), bytes_at(documents, at), grades.data()[i], lines ? lines->data()[i] : 0);
    }
    return hold(builder.finish(duplicate_rule(duplicates)));
}

nb::tuple read_rows(nb::object source, int columns, const std::string& numbers, const std::string& number,
                    const std::string& comments, const std::string& blank_lines, bool lenient) {
    if (columns < 2 || columns > 64) throw nb::value_error("columns must be from 2 to 64");
    const karat::Reading reading = reading_rules(numbers, comments, blank_lines, lenient);
    const auto last = choose<karat::LastColumn>(
        number, "number", {{"level", karat::LastColumn::level}, {"grade", karat::LastColumn::grade}});
    const karat::Rows rows = translated(source, [&] {
        const auto bytes = make_source(source);
        const nb::gil_scoped_release free;
        return karat::read_rows(*bytes, columns, last, reading);
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
    const nb::capsule owner(lines.get(), [](void* p) noexcept { delete[] static_cast<std::int64_t*>(p); });
    const std::int64_t* data = lines.release();
    return nb::make_tuple(ids, new_doubles(std::move(values), count),
                          nb::cast(nb::ndarray<nb::numpy, const std::int64_t, nb::ndim<1>>(data, {count}, owner),
                                   nb::rv_policy::reference));
}

// ---- matching
// --------------------------------------------------------------------------------------------------------

bool go_on() {
    const nb::gil_scoped_acquire gil;
    return PyErr_CheckSignals() == 0;
}

std::unique_ptr<karat::Matched> match_text(const HeldJudgments& judgments, nb::object source, const std::string& ties,
                                           bool float32, const std::string& duplicates, const std::string& numbers,
                                           const std::string& comments, const std::string& blank_lines, bool lenient,
                                           int threads, Progress* progress, std::size_t block_bytes, bool scores,
                                           nb::object spill, std::optional<std::size_t> memory) {
    karat::MatchOptions options;
    const auto overflow = make_spill(spill);
    options.spill = overflow.get();
    options.memory = memory.value_or(options.memory);
    options.ties = tie_rule(ties);
    options.float32 = float32;
    options.scores = scores;
    options.duplicates = duplicate_rule(duplicates);
    options.reading = reading_rules(numbers, comments, blank_lines, lenient);
    options.threads = std::clamp(threads, 1, 256);
    options.reading.block_bytes = block_bytes;
    return translated(source, [&] {
        const auto bytes = make_source(source);
        const nb::gil_scoped_release free;
        return std::make_unique<karat::Matched>(karat::match_text(
            judgments.data, *bytes, options, progress == nullptr ? nullptr : &progress->bytes, go_on));
    });
}

nb::tuple listed_tuple(const karat::Ranked& ranked) {
    nb::list documents;
    for (const std::string& document : ranked.documents) documents.append(to_bytes(document));
    auto scores = std::make_unique_for_overwrite<double[]>(ranked.scores.size());
    std::copy(ranked.scores.begin(), ranked.scores.end(), scores.get());
    return nb::make_tuple(documents, new_doubles(std::move(scores), ranked.scores.size()));
}

nb::tuple ranked_documents(nb::object source, nb::bytes query, const std::string& ties, bool float32,
                           const std::string& duplicates, const std::string& numbers, const std::string& comments,
                           const std::string& blank_lines, bool lenient) {
    karat::MatchOptions options;
    options.ties = tie_rule(ties);
    options.float32 = float32;
    options.duplicates = duplicate_rule(duplicates);
    options.reading = reading_rules(numbers, comments, blank_lines, lenient);
    const std::string_view id(query.c_str(), query.size());
    const karat::Ranked ranked = translated(source, [&] {
        const auto bytes = make_source(source);
        const nb::gil_scoped_release free;
        return karat::rank_query(id, *bytes, options, go_on);
    });
    return listed_tuple(ranked);
}

std::unique_ptr<karat::Matched> match_mapping(const HeldJudgments& judgments, nb::object run, const std::string& ties,
                                              bool float32, bool scores, bool whole_ids) {
    karat::MatchOptions options;
    options.ties = tie_rule(ties);
    options.float32 = float32;
    options.scores = scores;
    if (options.ties == karat::Ties::rank_column) throw nb::value_error("a mapping has no rank column");
    return translated(run, [&] {
        return std::make_unique<karat::Matched>(karat::match_mapping(judgments.data, run.ptr(), options, id_kinds(whole_ids)));
    });
}

// ---- surveys
// ---------------------------------------------------------------------------------------------------------

std::unique_ptr<karat::Survey> survey(nb::object source, const std::string& kind, const HeldJudgments* judgments,
                                      std::size_t block_bytes) {
    const auto what =
        choose<karat::TextKind>(kind, "kind", {{"qrels", karat::TextKind::qrels}, {"run", karat::TextKind::run}});
    return translated(source, [&] {
        const auto bytes = make_source(source);
        const nb::gil_scoped_release free;
        return std::make_unique<karat::Survey>(
            karat::survey(*bytes, what, judgments == nullptr ? nullptr : &judgments->data, go_on, block_bytes));
    });
}

nb::bytes changed_run(nb::object source, const std::string& change) {
    const auto what = choose<karat::Change>(change, "change",
                                            {{"negated", karat::Change::negated},
                                             {"by-rank", karat::Change::by_rank},
                                             {"without-own", karat::Change::without_own}});
    return to_bytes(translated(source, [&] {
        const auto bytes = make_source(source);
        const nb::gil_scoped_release free;
        return karat::changed_run(*bytes, what);
    }));
}

// The beginning of the line, for people.
nb::object excerpt_of(const karat::Seen& seen) {
    const std::string_view shown = std::string_view(seen.excerpt).substr(0, karat::Seen::SHOWN);
    PyObject* made = PyUnicode_DecodeUTF8(shown.data(), static_cast<Py_ssize_t>(shown.size()), "replace");
    if (made == nullptr) nb::raise_python_error();
    const nb::object text = nb::steal(made).attr("rstrip")();
    return seen.excerpt.size() > shown.size() ? text + nb::str("…") : text;
}

nb::object fields_in(const std::string& line) { return to_bytes(line).attr("split")(); }

nb::dict queries_of(const karat::Survey& survey) {
    nb::dict queries;
    for (std::size_t n = 0; n < survey.queries.size(); ++n)
        queries[to_bytes(survey.queries[n])] = survey.query_lines[n];
    return queries;
}

// Judged queries that the text lacks, and its queries without judgments.
nb::tuple strangers(const karat::Survey& survey, const HeldJudgments& judgments) {
    nb::list missing, extra;
    for (std::int64_t q = 0; q < judgments.data.query_count(); ++q) {
        if (!survey.has_query(judgments.data.query(q))) missing.append(to_bytes(judgments.data.query(q)));
    }
    for (std::size_t n = 0; n < survey.queries.size(); ++n) {
        if (judgments.data.find_query(survey.queries[n]) < 0) extra.append(to_bytes(survey.queries[n]));
    }
    return nb::make_tuple(missing, extra);
}

nb::list spellings_of(const karat::Survey& survey, const HeldJudgments& judgments) {
    nb::list found;
    for (const karat::Spelling& each : survey.spellings)
        found.append(nb::make_tuple(to_bytes(judgments.data.document(each.judgment)), to_bytes(each.document), each.line));
    return found;
}

void bind_survey(nb::module_& module) {
    using karat::Seen, karat::Survey;
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
}

// ---- frames
// ----------------------------------------------------------------------------------------------------------

// Takes the stream out of its capsule; given back when everything is read.
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

void make_frame(karat::Frame* self, nb::object capsule) {
    translated(capsule, [&] {
        TakenStream taken(capsule);
        // What produces the batches may want Python's lock on another thread.
        const nb::gil_scoped_release free;
        new (self) karat::Frame(taken.stream);
    });
}

nb::list list_fields(const karat::Frame& frame) {
    nb::list fields;
    for (const karat::Field& field : frame.fields()) {
        const char* holds = field.holds == karat::Holds::text     ? "text"
                            : field.holds == karat::Holds::whole  ? "whole"
                            : field.holds == karat::Holds::number ? "number"
                            : field.holds == karat::Holds::none   ? "none"
                                                                  : "other";
        fields.append(nb::make_tuple(to_text(field.name), nb::str(holds), to_text(field.format)));
    }
    return fields;
}

std::size_t checked(const karat::Frame& frame, std::size_t field, bool id) {
    if (field >= frame.fields().size()) throw nb::index_error("no such column");
    const karat::Holds holds = frame.fields()[field].holds;
    const bool fits = holds == karat::Holds::whole || holds == karat::Holds::none ||
                      holds == (id ? karat::Holds::text : karat::Holds::number);
    if (!fits) throw nb::value_error(id ? "a column of ids holds text or whole numbers" : "the column holds no numbers");
    return field;
}

std::unique_ptr<HeldJudgments> judgments_from_frame(const karat::Frame& frame, std::size_t query, std::size_t document,
                                                    std::size_t grade, const std::string& duplicates) {
    const karat::QrelsColumns columns{checked(frame, query, true), checked(frame, document, true),
                                      checked(frame, grade, false)};
    const karat::Duplicates rule = duplicate_rule(duplicates);
    return translated(nb::none(), [&] {
        const nb::gil_scoped_release free;
        return hold(karat::judgments_from_frame(frame, columns, rule));
    });
}

karat::RunColumns run_columns(const karat::Frame& frame, std::size_t query, std::size_t document,
                              std::optional<std::size_t> score, std::optional<std::size_t> rank, karat::Ties ties) {
    if (!score && !rank) throw nb::value_error("a run has scores or ranks");
    if (ties == karat::Ties::rank_column && !rank) throw nb::value_error("there is no rank column");
    karat::RunColumns columns{checked(frame, query, true), checked(frame, document, true), std::nullopt, std::nullopt};
    if (score) columns.score = checked(frame, *score, false);
    if (rank) columns.rank = checked(frame, *rank, false);
    return columns;
}

std::unique_ptr<karat::Matched> match_frame(const HeldJudgments& judgments, const karat::Frame& frame,
                                            std::size_t query, std::size_t document, std::optional<std::size_t> score,
                                            std::optional<std::size_t> rank, const std::string& ties, bool float32,
                                            const std::string& duplicates, int threads, bool scores) {
    karat::MatchOptions options;
    options.ties = tie_rule(ties);
    options.float32 = float32;
    options.duplicates = duplicate_rule(duplicates);
    options.threads = std::clamp(threads, 1, 256);
    options.scores = scores;
    const karat::RunColumns columns = run_columns(frame, query, document, score, rank, options.ties);
    return translated(nb::none(), [&] {
        const nb::gil_scoped_release free;
        return std::make_unique<karat::Matched>(karat::match_frame(judgments.data, frame, columns, options, go_on));
    });
}

// What it is made of lives as long as it does; one thread at a time.
class HeldMatcher {
    // What failed cannot go on, nor what is finished.
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
    HeldMatcher(nb::object judgments, karat::RunColumns columns, karat::MatchOptions options,
                std::unique_ptr<ObjectSpill> spill)
        : judgments_(std::move(judgments)),
          columns_(columns),
          options_(options),
          spill_(std::move(spill)),
          matcher_(nb::cast<HeldJudgments&>(judgments_).data, options) {}

    bool take(const karat::Frame& frame) {
        run_columns(frame, columns_.query, columns_.document, columns_.score, columns_.rank, options_.ties);
        return alone([&] { return matcher_.take(frame, columns_, false, go_on); }, false);
    }

    std::unique_ptr<karat::Matched> finish() {
        return alone([&] { return std::make_unique<karat::Matched>(matcher_.finish(go_on)); }, true);
    }

private:
    nb::object judgments_;
    const karat::RunColumns columns_;
    const karat::MatchOptions options_;
    std::unique_ptr<ObjectSpill> spill_;
    karat::FrameMatcher matcher_;
    std::atomic<bool> busy_{false};
};

void make_matcher(HeldMatcher* self, nb::object judgments, std::size_t query, std::size_t document,
                  std::optional<std::size_t> score, std::optional<std::size_t> rank, const std::string& ties,
                  bool float32, const std::string& duplicates, int threads, bool scores, bool gathered,
                  nb::object spill, std::optional<std::size_t> memory) {
    nb::cast<HeldJudgments&>(judgments);
    auto overflow = make_spill(spill);
    karat::MatchOptions options;
    options.ties = tie_rule(ties);
    options.float32 = float32;
    options.duplicates = duplicate_rule(duplicates);
    options.threads = std::clamp(threads, 1, 256);
    options.scores = scores;
    options.gathered = gathered;
    options.spill = overflow.get();
    options.memory = memory.value_or(options.memory);
    new (self) HeldMatcher(std::move(judgments), {query, document, score, rank}, options, std::move(overflow));
}

nb::tuple ranked_in_frame(const karat::Frame& frame, nb::bytes wanted, std::size_t query, std::size_t document,
                          std::optional<std::size_t> score, std::optional<std::size_t> rank, const std::string& ties,
                          bool float32, const std::string& duplicates) {
    karat::MatchOptions options;
    options.ties = tie_rule(ties);
    options.float32 = float32;
    options.duplicates = duplicate_rule(duplicates);
    const karat::RunColumns columns = run_columns(frame, query, document, score, rank, options.ties);
    const std::string_view id(wanted.c_str(), wanted.size());
    return translated(nb::none(), [&] {
        return listed_tuple(karat::rank_frame(id, frame, columns, options));
    });
}

nb::tuple rows_of_frame(const karat::Frame& frame, std::optional<nb::list> wanted, std::size_t query,
                        std::size_t document, std::optional<std::size_t> score, std::optional<std::size_t> rank) {
    const karat::RunColumns columns = run_columns(frame, query, document, score, rank, karat::Ties::trec);
    std::unordered_set<std::string> ids;
    if (wanted) {
        for (std::size_t i = 0; i < wanted->size(); ++i) ids.emplace(bytes_at(*wanted, static_cast<Py_ssize_t>(i)));
    }
    return translated(nb::none(), [&] {
        const karat::FrameRows rows = karat::rows_of_frame(frame, columns, wanted ? &ids : nullptr);
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
    return karat::parquet_damage(buffer.bytes());
}

std::pair<std::size_t, std::size_t> json_sizes(nb::handle lines) {
    const HeldBuffer buffer(lines);
    const nb::gil_scoped_release free;
    const karat::JsonSizes found = karat::json_sizes(buffer.bytes());
    return {found.depth, found.digits};
}

// ---- segments
// --------------------------------------------------------------------------------------------------------

void check_offsets(const Doubles& values, const Longs& offsets) {
    if (!karat::are_offsets({offsets.data(), offsets.shape(0)}, values.shape(0))) {
        throw nb::value_error("offsets must start at 0 or later, never fall, and end within the values");
    }
}

template <class Combine>
nb::object reduced(const Doubles& values, const Longs& offsets, Combine combine) {
    check_offsets(values, offsets);
    const std::size_t size = offsets.shape(0) - 1;
    auto out = std::make_unique_for_overwrite<double[]>(size);
    karat::reduce_segments({values.data(), values.shape(0)}, {offsets.data(), offsets.shape(0)}, out.get(), combine);
    return new_doubles(std::move(out), size);
}

template <class Combine>
nb::object scanned(const Doubles& values, const Longs& offsets, Combine combine) {
    check_offsets(values, offsets);
    const std::size_t size = values.shape(0);
    auto out = std::make_unique_for_overwrite<double[]>(size);
    karat::scan_segments({values.data(), size}, {offsets.data(), offsets.shape(0)}, out.get(), combine);
    return new_doubles(std::move(out), size);
}

const auto add = [](double a, double b) { return a + b; };
const auto multiply = [](double a, double b) { return a * b; };
const auto larger = [](double a, double b) { return b > a || b != b ? b : a; };

PyObject* new_error(nb::module_& module, const char* name, PyObject* parent) {
    PyObject* type = PyErr_NewException((std::string("karat._native.") + name).c_str(), parent, nullptr);
    if (type == nullptr) nb::raise_python_error();
    module.attr(name) = nb::borrow(type);
    return type;
}

}  // namespace

NB_MODULE(_native, module) {
    module.doc() = "The kernel: text, mappings and frames in, judged rows out. It knows no measure and holds no state.";
    line_error = new_error(module, "LineError", PyExc_ValueError);
    mapping_error = new_error(module, "MappingError", PyExc_TypeError);
    row_error = new_error(module, "RowError", PyExc_ValueError);
    frame_error = new_error(module, "FrameError", PyExc_ValueError);

    nb::class_<Progress>(module, "Progress").def(nb::init<>()).def_prop_ro("bytes", [](const Progress& self) {
        return self.bytes.load();
    });

    nb::class_<HeldJudgments>(module, "Judgments")
        .def_prop_ro("queries", &list_queries)
        .def_prop_ro("offsets",
                     [](nb::handle self) { return view(nb::cast<HeldJudgments&>(self).data.offsets(), self); })
        .def_prop_ro("grades", [](nb::handle self) { return view(nb::cast<HeldJudgments&>(self).data.grades(), self); })
        .def_prop_ro("lines", [](nb::handle self) { return view(nb::cast<HeldJudgments&>(self).data.lines(), self); })
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
        .def_prop_ro(
            "duplicates",
            [](const HeldJudgments& self) {
                nb::list repeats;
                for (const karat::JudgedTwice& twice : self.data.duplicates) {
                    repeats.append(nb::make_tuple(twice.query, to_bytes(twice.document), twice.first_line, twice.line));
                }
                return repeats;
            })
        .def_prop_ro("dropped", [](const HeldJudgments& self) { return self.data.dropped; })
        .def_prop_ro("malformed", [](const HeldJudgments& self) { return self.data.count.malformed.count; })
        .def_prop_ro("malformed_lines", [](const HeldJudgments& self) { return malformed_lines(self.data.count); })
        .def_prop_ro("line_count", [](const HeldJudgments& self) { return self.data.count.lines; });

    nb::class_<karat::Frame>(module, "Frame")
        .def("__init__", &make_frame, "stream"_a)
        .def_prop_ro("fields", &list_fields)
        .def_prop_ro("rows", &karat::Frame::rows);

    nb::class_<karat::Matched>(module, "Matched")
        .def_prop_ro("length", [](nb::handle self) { return view(nb::cast<karat::Matched&>(self).length, self); })
        .def_prop_ro("offsets", [](nb::handle self) { return view(nb::cast<karat::Matched&>(self).offsets, self); })
        .def_prop_ro("rank", [](nb::handle self) { return view(nb::cast<karat::Matched&>(self).rank, self); })
        .def_prop_ro("tie_first", [](nb::handle self) { return view(nb::cast<karat::Matched&>(self).tie_first, self); })
        .def_prop_ro("tie_last", [](nb::handle self) { return view(nb::cast<karat::Matched&>(self).tie_last, self); })
        .def_prop_ro("judgment", [](nb::handle self) { return view(nb::cast<karat::Matched&>(self).judgment, self); })
        .def_prop_ro("scores", [](nb::handle self) { return view(nb::cast<karat::Matched&>(self).scores, self); })
        .def_prop_ro("extra",
                     [](const karat::Matched& self) {
                         nb::list queries;
                         for (const std::string& query : self.extra) queries.append(to_bytes(query));
                         return queries;
                     })
        .def_prop_ro("duplicates",
                     [](const karat::Matched& self) {
                         nb::list repeats;
                         for (const karat::Repeat& repeat : self.duplicates) {
                             repeats.append(nb::make_tuple(repeat.query, to_bytes(repeat.document), repeat.first.line,
                                                           repeat.again.line, repeat.first_rank, repeat.again_rank));
                         }
                         return repeats;
                     })
        .def_ro("dropped", &karat::Matched::dropped)
        .def_ro("tied_queries", &karat::Matched::tied_queries)
        .def_ro("unordered", &karat::Matched::unordered)
        .def_prop_ro("line_count", [](const karat::Matched& self) { return self.count.lines; })
        .def_prop_ro("malformed", [](const karat::Matched& self) { return self.count.malformed.count; })
        .def_prop_ro("malformed_lines", [](const karat::Matched& self) { return malformed_lines(self.count); })
        .def_prop_ro("tag", [](const karat::Matched& self) { return to_bytes(self.tag); });

    module.def("read_judgments", &read_judgments, "source"_a, nb::kw_only(), "columns"_a = 4, "numbers"_a = "strict",
               "comments"_a = "any", "blank_lines"_a = "skip", "duplicates"_a = "keep", "lenient"_a = false);
    module.def("judgments_from_mapping", &judgments_from_mapping, "qrels"_a, nb::kw_only(), "whole_ids"_a = true);
    module.def("judgments_from_rows", &judgments_from_rows, "queries"_a, "documents"_a, "grades"_a,
               "lines"_a = nb::none(), "duplicates"_a = "keep");
    module.def("read_rows", &read_rows, "source"_a, nb::kw_only(), "columns"_a, "numbers"_a = "c", "number"_a = "level",
               "comments"_a = "any", "blank_lines"_a = "skip", "lenient"_a = false);
    module.def("match_text", &match_text, "judgments"_a, "source"_a, nb::kw_only(), "ties"_a = "trec",
               "float32"_a = false, "duplicates"_a = "keep", "numbers"_a = "strict", "comments"_a = "any",
               "blank_lines"_a = "skip", "lenient"_a = false, "threads"_a = 1, "progress"_a = nb::none(),
               "block_bytes"_a = 0, "scores"_a = false, "spill"_a = nb::none(), "memory"_a = nb::none());
    module.def("ranked_documents", &ranked_documents, "source"_a, "query"_a, nb::kw_only(), "ties"_a = "trec",
               "float32"_a = false, "duplicates"_a = "keep", "numbers"_a = "strict", "comments"_a = "any",
               "blank_lines"_a = "skip", "lenient"_a = false);
    module.def("match_mapping", &match_mapping, "judgments"_a, "run"_a, nb::kw_only(), "ties"_a = "trec",
               "float32"_a = false, "scores"_a = false, "whole_ids"_a = true);

    module.def("judgments_from_frame", &judgments_from_frame, "frame"_a, nb::kw_only(), "query"_a, "document"_a,
               "grade"_a, "duplicates"_a = "keep");
    module.def("match_frame", &match_frame, "judgments"_a, "frame"_a, nb::kw_only(), "query"_a, "document"_a,
               "score"_a = nb::none(), "rank"_a = nb::none(), "ties"_a = "trec", "float32"_a = false,
               "duplicates"_a = "keep", "threads"_a = 1, "scores"_a = false);
    nb::class_<HeldMatcher>(module, "FrameMatcher")
        .def("__init__", &make_matcher, "judgments"_a, nb::kw_only(), "query"_a, "document"_a, "score"_a = nb::none(),
             "rank"_a = nb::none(), "ties"_a = "trec", "float32"_a = false, "duplicates"_a = "keep", "threads"_a = 1,
             "scores"_a = false, "gathered"_a = false, "spill"_a = nb::none(), "memory"_a = nb::none())
        .def("take", &HeldMatcher::take, "frame"_a)
        .def("finish", &HeldMatcher::finish);
    module.def("rows_of_frame", &rows_of_frame, "frame"_a, "wanted"_a = nb::none(), nb::kw_only(), "query"_a,
               "document"_a, "score"_a = nb::none(), "rank"_a = nb::none());
    module.def("ranked_in_frame", &ranked_in_frame, "frame"_a, "wanted"_a, nb::kw_only(), "query"_a, "document"_a,
               "score"_a = nb::none(), "rank"_a = nb::none(), "ties"_a = "trec", "float32"_a = false,
               "duplicates"_a = "keep");

    bind_survey(module);

    module.def("parquet_damage", &parquet_damage, "file"_a);
    module.def("json_sizes", &json_sizes, "lines"_a);

    module.def(
        "total", [](const Doubles& values, const Longs& offsets) { return reduced(values, offsets, add); }, "values"_a,
        "offsets"_a);
    module.def(
        "best", [](const Doubles& values, const Longs& offsets) { return reduced(values, offsets, larger); },
        "values"_a, "offsets"_a);
    module.def(
        "running_sum", [](const Doubles& values, const Longs& offsets) { return scanned(values, offsets, add); },
        "values"_a, "offsets"_a);
    module.def(
        "running_product",
        [](const Doubles& values, const Longs& offsets) { return scanned(values, offsets, multiply); }, "values"_a,
        "offsets"_a);
    module.def(
        "running_max", [](const Doubles& values, const Longs& offsets) { return scanned(values, offsets, larger); },
        "values"_a, "offsets"_a);
}

// This file walks Python dictionaries: {query: {document: grade or score}}. Called with the GIL held.
//
// Only public API of the stable ABI. A number's __float__ may run any Python code, also code that changes the
// dictionary under way; PyDict_Next stands that, and a size that changed is an error afterwards.
#include "mapping.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <memory>

#include "standings.h"

namespace karat {
namespace {

struct Release {
    void operator()(PyObject* object) const { Py_XDECREF(object); }
};
using Owned = std::unique_ptr<PyObject, Release>;

[[noreturn]] void fail(const char* kind, PyObject* query, PyObject* document, std::string detail) {
    throw MappingFault{kind, Py_XNewRef(query), Py_XNewRef(document), std::move(detail)};
}

std::string type_name(PyObject* object) {
    const Owned name(PyObject_GetAttrString(reinterpret_cast<PyObject*>(Py_TYPE(object)), "__name__"));
    const char* text = name ? PyUnicode_AsUTF8AndSize(name.get(), nullptr) : nullptr;
    if (text == nullptr) {
        PyErr_Clear();
        return "object";
    }
    return text;
}

// The bytes of an id: UTF-8, with lone surrogates as the bytes they stand for. `held` keeps what had to be made.
class IdBytes {
public:
    std::string_view operator()(PyObject* id, PyObject* query, PyObject* document) {
        if (!PyUnicode_Check(id))
            fail(document == nullptr ? "query" : "document", query, document, "it is " + type_name(id) + ", not str");
        Py_ssize_t size = 0;
        if (const char* text = PyUnicode_AsUTF8AndSize(id, &size)) return {text, static_cast<std::size_t>(size)};
        PyErr_Clear();
        const Owned bytes(PyUnicode_AsEncodedString(id, "utf-8", "surrogateescape"));
        char* text = nullptr;
        if (!bytes || PyBytes_AsStringAndSize(bytes.get(), &text, &size) != 0) {
            PyErr_Clear();
            fail(document == nullptr ? "query" : "document", query, document, "it cannot be written as UTF-8");
        }
        held_.emplace_back(text, static_cast<std::size_t>(size));
        return held_.back();
    }

    void clear() { held_.clear(); }

private:
    std::deque<std::string> held_;
};

Owned text_object(std::string_view id) {
    Owned made(PyUnicode_DecodeUTF8(id.data(), static_cast<Py_ssize_t>(id.size()), "surrogateescape"));
    if (!made) throw PythonFault{};
    return made;
}

// The number in `value`, which the caller keeps alive.
double number(PyObject* value, PyObject* query, PyObject* document) {
    const double found = PyFloat_AsDouble(value);
    if (found == -1.0 && PyErr_Occurred() != nullptr) {
        if (PyErr_ExceptionMatches(PyExc_TypeError) == 0 && PyErr_ExceptionMatches(PyExc_ValueError) == 0 &&
            PyErr_ExceptionMatches(PyExc_OverflowError) == 0) {
            throw PythonFault{};
        }
        const bool too_large = PyErr_ExceptionMatches(PyExc_OverflowError) != 0;
        PyErr_Clear();
        fail("number", query, document,
             too_large ? "an integer too large for a double" : type_name(value) + " is not a number");
    }
    return found;
}

inline double score_of(PyObject* value, PyObject* query, PyObject* document) {
    if (PyFloat_CheckExact(value)) return PyFloat_AsDouble(value);
    const Owned alive(Py_NewRef(value));
    const Owned alive_query(Py_NewRef(query));
    const Owned alive_document(Py_NewRef(document));
    return number(value, query, document);
}

void expect_dict(PyObject* object, const char* what, PyObject* query) {
    if (!PyDict_Check(object))
        fail("mapping", query, nullptr, std::string(what) + " is " + type_name(object) + ", not dict");
}

// One query of a run: the scores in the dictionary's order, then the ranks of what was judged.
class MappingReducer {
public:
    MappingReducer(const Judgments& judgments, const MatchOptions& options)
        : judgments_(judgments), ties_(options.ties), float32_(options.float32), with_scores_(options.scores) {}

    void reduce(std::int64_t query, PyObject* query_object, PyObject* inner, Findings& findings) {
        read_scores(query_object, inner);
        find_judged(query, query_object, inner);
        rank(query_object, inner);
        report(query, findings);
    }

private:
    struct Hit {
        std::int64_t judgment;
        double score;
        std::int64_t rank = 0, tie_first = 0, tie_last = 0;
    };
    struct Member {
        std::string_view id;
        std::uint32_t place;
    };

    double rounded(double score) const { return float32_ ? static_cast<double>(static_cast<float>(score)) : score; }

    void read_scores(PyObject* query, PyObject* inner) {
        scores_.clear();
        const Py_ssize_t size = PyDict_Size(inner);
        if (static_cast<std::uint64_t>(size) >= ~std::uint32_t{0})
            fail("mapping", query, nullptr, "too many documents");
        scores_.reserve(static_cast<std::size_t>(size));
        descending_ = true;
        double last = std::numeric_limits<double>::infinity();
        Py_ssize_t position = 0;
        PyObject* key = nullptr;
        PyObject* value = nullptr;
        while (PyDict_Next(inner, &position, &key, &value)) {
            if (scores_.empty() && !PyUnicode_Check(key)) {
                fail("document", query, key, "it is " + type_name(key) + ", not str");
            }
            const double score = rounded(score_of(value, query, key));
            if (std::isnan(score)) fail("nan", query, key, "the score is NaN");
            descending_ &= score <= last;
            last = score;
            scores_.push_back(score);
            if (scores_.size() > static_cast<std::size_t>(size)) break;
        }
        if (scores_.size() != static_cast<std::size_t>(size) || PyDict_Size(inner) != size) {
            fail("changed", query, nullptr, "the dictionary changed while it was read");
        }
    }

    void find_judged(std::int64_t query, PyObject* query_object, PyObject* inner) {
        hits_.clear();
        const auto q = static_cast<std::size_t>(query);
        const std::int64_t from = judgments_.offsets()[q];
        const std::int64_t to = judgments_.offsets()[q + 1];
        for (std::int64_t j = from; j < to; ++j) {
            const Owned key = text_object(judgments_.document(j));
            PyObject* value = PyDict_GetItemWithError(inner, key.get());
            if (value == nullptr) {
                if (PyErr_Occurred() != nullptr) throw PythonFault{};
                continue;
            }
            hits_.push_back({j, rounded(score_of(value, query_object, key.get()))});
        }
        drop_second_judgments();
    }

    // A document judged twice is met by its first judgment, as in text.
    void drop_second_judgments() {
        if (judgments_.duplicates.empty()) return;
        std::vector<Hit> kept;
        for (const Hit& hit : hits_) {
            const auto same = [&](const Hit& other) {
                return judgments_.document(other.judgment) == judgments_.document(hit.judgment);
            };
            if (std::none_of(kept.begin(), kept.end(), same)) kept.push_back(hit);
        }
        hits_.swap(kept);
    }

    void rank(PyObject* query, PyObject* inner) {
        if (hits_.empty()) return;
        thresholds_.clear();
        for (const Hit& hit : hits_) thresholds_.push_back(hit.score);
        sort_distinct_descending(thresholds_);
        if (descending_) {
            find_standings_in_order(
                scores_.size(), [this](std::size_t i) { return scores_[i]; }, thresholds_, standings_);
        } else {
            find_standings(scores_, thresholds_, standings_);
        }
        bool tied = false;
        for (Hit& hit : hits_) {
            const Standing& standing = standings_[threshold_of(thresholds_, hit.score)];
            hit.tie_first = hit.rank = static_cast<std::int64_t>(standing.above) + 1;
            hit.tie_last = static_cast<std::int64_t>(standing.above + standing.equal);
            tied |= standing.equal > 1;
        }
        if (tied) rank_in_ties(query, inner);
    }

    // Only here are ids of documents that nobody judged looked at.
    void rank_in_ties(PyObject* query, PyObject* inner) {
        std::vector<std::vector<Member>> groups(thresholds_.size());
        bytes_.clear();
        Py_ssize_t position = 0;
        PyObject* key = nullptr;
        PyObject* value = nullptr;
        for (std::uint32_t i = 0; PyDict_Next(inner, &position, &key, &value) && i < scores_.size(); ++i) {
            const std::size_t t = threshold_of(thresholds_, scores_[i]);
            if (t == thresholds_.size() || thresholds_[t] != scores_[i] || standings_[t].equal < 2) continue;
            groups[t].push_back({bytes_(key, query, key), i});
        }
        const auto before = [this](const Member& a, const Member& b) {
            if (ties_ != Ties::input) {
                const int order = compare_tied(a.id, b.id, ties_);
                if (order != 0) return order < 0;
            }
            return a.place < b.place;
        };
        for (auto& group : groups) std::sort(group.begin(), group.end(), before);
        for (Hit& hit : hits_) {
            const auto& group = groups[threshold_of(thresholds_, hit.score)];
            const std::string_view id = judgments_.document(hit.judgment);
            const auto at = ties_ == Ties::input
                                ? std::find_if(group.begin(), group.end(), [=](const Member& m) { return m.id == id; })
                                : std::lower_bound(group.begin(), group.end(), Member{id, 0}, before);
            if (at != group.end()) hit.rank += at - group.begin();
        }
    }

    void report(std::int64_t query, Findings& findings) {
        const std::size_t first = findings.rows.size();
        bool tied = false;
        for (const Hit& hit : hits_) {
            findings.rows.push_back({hit.rank, hit.tie_first, hit.tie_last, hit.judgment});
            tied |= hit.tie_first != hit.tie_last;
        }
        std::sort(findings.rows.begin() + static_cast<std::ptrdiff_t>(first), findings.rows.end(),
                  [](const Row& a, const Row& b) { return a.rank < b.rank; });
        findings.queries.push_back(
            {query, static_cast<std::int64_t>(scores_.size()), first, hits_.size(), findings.scores.size()});
        findings.tied_queries += tied;
        findings.unordered += !descending_;
        if (with_scores_) report_scores(findings);
    }

    void report_scores(Findings& findings) {
        if (!descending_) std::sort(scores_.begin(), scores_.end(), falls);
        findings.scores.insert(findings.scores.end(), scores_.begin(), scores_.end());
    }

    const Judgments& judgments_;
    const Ties ties_;
    const bool float32_;
    const bool with_scores_;
    std::vector<double> scores_;
    bool descending_ = true;
    std::vector<Hit> hits_;
    std::vector<double> thresholds_;
    std::vector<Standing> standings_;
    IdBytes bytes_;
};

}  // namespace

Judgments judgments_from_mapping(PyObject* qrels) {
    expect_dict(qrels, "the judgments", nullptr);
    JudgmentsBuilder builder;
    IdBytes bytes;
    Py_ssize_t position = 0;
    PyObject* query = nullptr;
    PyObject* inner = nullptr;
    while (PyDict_Next(qrels, &position, &query, &inner)) {
        const Owned alive_query(Py_NewRef(query));
        const Owned alive_inner(Py_NewRef(inner));
        bytes.clear();
        const std::string query_id(bytes(query, query, nullptr));
        expect_dict(inner, "what a query has", query);
        builder.add_query(query_id);
        Py_ssize_t inner_position = 0;
        PyObject* document = nullptr;
        PyObject* value = nullptr;
        const Py_ssize_t size = PyDict_Size(inner);
        for (Py_ssize_t i = 0; PyDict_Next(inner, &inner_position, &document, &value); ++i) {
            if (i >= size) fail("changed", query, nullptr, "the dictionary changed while it was read");
            const Owned alive_document(Py_NewRef(document));
            const Owned alive(Py_NewRef(value));
            const double grade = number(value, query, document);
            if (!std::isfinite(grade)) {
                fail(std::isnan(grade) ? "nan" : "infinite", query, document,
                     std::isnan(grade) ? "the grade is NaN" : "the grade is infinite");
            }
            builder.add(query_id, bytes(document, query, document), grade, 0);
        }
    }
    return builder.finish(Duplicates::keep);
}

Matched match_mapping(const Judgments& judgments, PyObject* run, const MatchOptions& options) {
    expect_dict(run, "the run", nullptr);
    std::vector<Findings> findings(1);
    std::vector<std::string> extra;
    std::vector<char> met(static_cast<std::size_t>(judgments.query_count()), 0);
    MappingReducer reducer(judgments, options);
    IdBytes bytes;
    Py_ssize_t position = 0;
    PyObject* query = nullptr;
    PyObject* inner = nullptr;
    const Py_ssize_t size = PyDict_Size(run);
    for (Py_ssize_t i = 0; PyDict_Next(run, &position, &query, &inner); ++i) {
        if (i >= size) fail("changed", nullptr, nullptr, "the dictionary changed while it was read");
        const Owned alive_query(Py_NewRef(query));
        const Owned alive_inner(Py_NewRef(inner));
        bytes.clear();
        const std::string_view id = bytes(query, query, nullptr);
        expect_dict(inner, "what a query has", query);
        const std::int64_t q = judgments.find_query(id);
        if (q < 0) {
            extra.emplace_back(id);
            continue;
        }
        if (met[static_cast<std::size_t>(q)]++ != 0)
            fail("query", query, nullptr, "two queries have the same bytes as id");
        reducer.reduce(q, query, inner, findings[0]);
    }
    Matched matched = arrange(judgments, findings);
    std::sort(extra.begin(), extra.end(), [](const auto& a, const auto& b) { return compare_ids(a, b) < 0; });
    matched.extra = std::move(extra);
    return matched;
}

}  // namespace karat

// Reads Python dictionaries: {query: {document: grade or score}}. Called with the GIL held.
//
// Uses only the public API of the stable ABI, except for one shortcut. A number's __float__ may run any Python code,
// including code that changes the dictionary while it is read. Therefore, anything other than plain text and plain
// numbers is read from a copy, and a changed size is an error afterwards.
#include "python/mapping.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <memory>
#include <optional>

#include "matching/standings.h"
#include "matching/words.h"

namespace carob {
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

[[noreturn]] void fail_id(PyObject* query, PyObject* document, const std::string& detail) {
    fail(document == nullptr ? "query" : "document", query, document, detail);
}

// The UTF-8 of text, or nothing if the text contains surrogates.
std::optional<std::string_view> utf8(PyObject* text) {
    Py_ssize_t size = 0;
    if (const char* bytes = PyUnicode_AsUTF8AndSize(text, &size)) return std::string_view(bytes, static_cast<std::size_t>(size));
    PyErr_Clear();
    return std::nullopt;
}

// Whether an id needs no further checks: it is exactly a str (not a subclass) and contains no surrogates.
inline bool plain_id(PyObject* id) {
    if (!PyUnicode_CheckExact(id)) return false;
#if !defined(Py_LIMITED_API) && !defined(PYPY_VERSION)
    if (PyUnicode_KIND(id) == PyUnicode_1BYTE_KIND) return true;  // up to U+00FF: covers nearly every id without a call
#endif
    return utf8(id).has_value();
}

inline bool plain_number(PyObject* value) { return PyFloat_Check(value) || PyLong_CheckExact(value); }

// The bytes of an id that is a str: UTF-8, with lone surrogates as the bytes they stand for. `held` keeps any object
// that had to be created.
class IdBytes {
public:
    std::string_view operator()(PyObject* id) {
        if (const auto found = utf8(id)) return *found;
        const Owned bytes(PyUnicode_AsEncodedString(id, "utf-8", "surrogateescape"));
        char* text = nullptr;
        Py_ssize_t size = 0;
        if (!bytes || PyBytes_AsStringAndSize(bytes.get(), &text, &size) != 0) throw PythonFault{};
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

// Surrogates may stand only for the bytes of an id that are not UTF-8, so ids differ exactly when their bytes differ.
void expect_bytes(PyObject* id, PyObject* query, PyObject* document) {
    if (utf8(id)) return;
    const Owned bytes(PyUnicode_AsEncodedString(id, "utf-8", "surrogateescape"));
    const Owned again(bytes ? PyUnicode_FromEncodedObject(bytes.get(), "utf-8", "surrogateescape") : nullptr);
    if (again && PyUnicode_Compare(id, again.get()) == 0) return;
    PyErr_Clear();
    fail("surrogates", query, document, "it holds surrogates that stand for no bytes");
}

// An id as an exact str: text, or the decimal text of a whole number if whole numbers are allowed.
Owned id_text(PyObject* id, IdKinds kinds, PyObject* query, PyObject* document) {
    Owned text;
    if (PyUnicode_Check(id)) {
        text.reset(PyUnicode_FromObject(id));
    } else if (kinds == IdKinds::whole && PyIndex_Check(id) && !PyBool_Check(id)) {
        const Owned number(PyNumber_Index(id));
        if (number) text.reset(PyObject_Str(number.get()));
        if (!text) {
            PyErr_Clear();
            fail_id(query, document, type_name(id) + " without decimal text");
        }
    } else {
        fail_id(query, document, "found " + type_name(id));
    }
    if (!text) throw PythonFault{};
    expect_bytes(text.get(), query, document);
    return text;
}

// A copy that no other code can change, whose ids are text. Two ids may become one, which is an error. `query` is the
// query of the documents, or null if the ids are queries.
Owned tamed(PyObject* dict, IdKinds kinds, PyObject* query) {
    Owned copy(PyDict_Copy(dict));
    if (!copy) throw PythonFault{};
    Py_ssize_t position = 0;
    PyObject* id = nullptr;
    PyObject* value = nullptr;
    bool plain = true;
    while (plain && PyDict_Next(copy.get(), &position, &id, nullptr)) plain = plain_id(id);
    if (plain) return copy;
    Owned made(PyDict_New());
    if (!made) throw PythonFault{};
    position = 0;
    for (Py_ssize_t size = 1; PyDict_Next(copy.get(), &position, &id, &value); ++size) {
        PyObject* const its_query = query == nullptr ? id : query;
        PyObject* const its_document = query == nullptr ? nullptr : id;
        const Owned text = id_text(id, kinds, its_query, its_document);
        if (PyDict_SetItem(made.get(), text.get(), value) != 0) throw PythonFault{};
        if (PyDict_Size(made.get()) != size) fail("twice", its_query, its_document, "as text and as a whole number");
    }
    return made;
}

constexpr double WHOLE_LIMIT = 9007199254740992.0;  // 2^53: every smaller whole number is a double

// Whether a whole number changes when it is converted to a double.
bool rounded_off(PyObject* value, double found) {
    if (!(std::abs(found) >= WHOLE_LIMIT) || !std::isfinite(found) || PyFloat_Check(value)) return false;
    const Owned whole(PyNumber_Long(value));
    const Owned back(whole ? PyLong_FromDouble(found) : nullptr);
    const bool is_whole = back && PyObject_RichCompareBool(value, whole.get(), Py_EQ) == 1;
    const int same = is_whole ? PyObject_RichCompareBool(whole.get(), back.get(), Py_EQ) : 1;
    PyErr_Clear();  // only a whole number can be rounded off
    return same == 0;
}

// The number in `value`; the caller keeps `value` alive.
double number(PyObject* value, PyObject* query, PyObject* document) {
    // An integer that is requested as a float would be converted first.
    const double found = PyLong_CheckExact(value) ? PyLong_AsDouble(value) : PyFloat_AsDouble(value);
    if (found == -1.0 && PyErr_Occurred() != nullptr) {
        if (PyErr_ExceptionMatches(PyExc_TypeError) == 0 && PyErr_ExceptionMatches(PyExc_ValueError) == 0 &&
            PyErr_ExceptionMatches(PyExc_OverflowError) == 0) {
            throw PythonFault{};
        }
        const bool too_large = PyErr_ExceptionMatches(PyExc_OverflowError) != 0;
        PyErr_Clear();
        fail("number", query, document,
             too_large ? "an integer too large for a double" : "found " + type_name(value));
    }
    if (rounded_off(value, found)) fail("wide", query, document, "a double does not hold it");
    return found;
}

inline double score_of(PyObject* value, PyObject* query, PyObject* document) {
    if (PyFloat_CheckExact(value)) return PyFloat_AsDouble(value);
    const Owned alive(Py_NewRef(value));
    const Owned alive_query(Py_NewRef(query));
    const Owned alive_document(Py_NewRef(document));
    return number(value, query, document);
}

[[noreturn]] void fail_changed(PyObject* query) {
    fail("changed", query, nullptr, "the dictionary changed while it was read");
}

void expect_dict(PyObject* object, PyObject* query) {
    if (!PyDict_Check(object)) fail("mapping", query, nullptr, "found " + type_name(object));
}

// Handles one query of a run: reads the scores in the dictionary's order, then ranks the judged documents.
class MappingReducer {
public:
    MappingReducer(const Judgments& judgments, const MatchOptions& options, IdKinds ids)
        : judgments_(judgments), ids_(ids), ties_(options.ties), float32_(options.float32), with_scores_(options.scores),
          relevant_only_(options.relevant_only) {}

    void reduce(std::int64_t query, PyObject* query_object, PyObject* inner, Findings& findings) {
        Owned copy;
        PyObject* read = inner;
        if (!read_scores(query_object, inner, false)) {
            copy = tamed(inner, ids_, query_object);
            read = copy.get();
            const Py_ssize_t size = PyDict_Size(read);
            read_scores(query_object, read, true);
            if (PyDict_Size(inner) != size) fail_changed(query_object);
        }
        find_judged(query, query_object, read);
        notice(query, read, findings);
        rank(query_object, read);
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
    struct Entry {
        PyObject* id;
        PyObject* value;
    };

    double rounded(double score) const { return float32_ ? static_cast<double>(static_cast<float>(score)) : score; }

    // Returns false if an id is not plain text or a number is not plain, unless the dictionary is `tame`.
    bool read_scores(PyObject* query, PyObject* inner, bool tame) {
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
        // Entries are close together in memory, but ids and numbers are not, so those of a few entries are prefetched
        // together. If a number may run code, which may free other objects, entries are read one at a time.
        constexpr std::size_t AHEAD = 32;
        Entry ahead[AHEAD];
        const std::size_t most = tame ? 1 : AHEAD;
        for (std::size_t count = most; count == most;) {
            count = 0;
            while (count < most && PyDict_Next(inner, &position, &key, &value)) {
                prefetch(key);
                prefetch(value);
                ahead[count++] = {key, value};
            }
            for (std::size_t i = 0; i < count; ++i) {
                const auto [id, its] = ahead[i];
                if (!tame && (!plain_id(id) || !plain_number(its))) return false;
                const double score = rounded(score_of(its, query, id));
                if (std::isnan(score)) fail("nan", query, id, "the score is NaN");
                descending_ &= score <= last;
                last = score;
                scores_.push_back(score);
            }
            if (scores_.size() > static_cast<std::size_t>(size)) break;
        }
        if (scores_.size() != static_cast<std::size_t>(size) || PyDict_Size(inner) != size) fail_changed(query);
        return true;
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

    // A document judged twice counts with its first judgment, as in text.
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

    void notice(std::int64_t query, PyObject* inner, Findings& findings) {
        const auto score_at = [this](std::size_t i) { return scores_[i]; };
        signs_ = signs_of(scores_.size(), descending_, score_at, seen_, findings.noticed.infinite);
        if (hits_.size() == scores_.size()) return;
        const bool few_judged = Sample::few(hits_.size(), scores_.size());
        if (few_judged && Sample::parts(query, judgments_.query_count())) notice_affixes(query, inner, findings.noticed);
        if (!Sample::holds(query, judgments_.query_count())) return;
        std::int64_t left = Sample::of(scores_.size(), judgments_.query_count());
        std::size_t width = 0;
        Py_ssize_t position = 0;
        PyObject* key = nullptr;
        for (std::size_t i = 0; i < std::min(Sample::RETRIEVED, static_cast<std::size_t>(left)) && PyDict_Next(inner, &position, &key, nullptr); ++i) {
            const auto id = utf8(key);
            if (!id) continue;
            findings.noticed.odd_ids |= is_odd(*id);
            if (i < 4 && !id->empty() && id->front() == '0') width = std::max(width, id->size());
        }
        const std::int64_t from = judgments_.offsets()[static_cast<std::size_t>(query)];
        const std::int64_t to = judgments_.offsets()[static_cast<std::size_t>(query) + 1];
        std::size_t hit = 0;  // in the order of the judgments, like the hits
        for (std::int64_t j = from; j < to && left > 0; ++j) {
            if (hit < hits_.size() && hits_[hit].judgment == j) {
                ++hit;
                continue;
            }
            if (!judgments_.relevant(j)) continue;
            --left;
            const std::string_view id = judgments_.document(j);
            findings.noticed.odd_ids |= is_odd(id);
            each_spelling(id, width, spelling_, [&](std::string_view other) {
                if (!holds_unjudged(query, inner, other)) return;
                ++findings.noticed.respelled_count;
                if (findings.noticed.respelled.size() < Noticed::EXAMPLES)
                    findings.noticed.respelled.push_back({query, std::string(id), std::string(other)});
            });
        }
    }

    // As Reducer::notice_affixes().
    void notice_affixes(std::int64_t query, PyObject* inner, Noticed& noticed) {
        const std::size_t most = Sample::parted(judgments_.query_count());
        words_.clear();
        std::size_t hit = 0;
        const std::int64_t to = judgments_.offsets()[static_cast<std::size_t>(query) + 1];
        for (std::int64_t j = judgments_.offsets()[static_cast<std::size_t>(query)]; j < to && words_.missing.size() < most; ++j) {
            if (hit < hits_.size() && hits_[hit].judgment == j)
                ++hit;
            else if (judgments_.relevant(j))
                words_.missing.add(judgments_.document(j));
        }
        Py_ssize_t position = 0;
        PyObject* key = nullptr;
        for (std::size_t i = 0; i < most && words_.missing.size() > 0 && PyDict_Next(inner, &position, &key, nullptr); ++i) {
            const auto id = utf8(key);
            if (id && judgment_of(query, *id) < 0) words_.unjudged.add(*id);
        }
        words_.find(query, noticed.affixed);
    }

    std::int64_t judgment_of(std::int64_t query, std::string_view id) const {
        const Document document{id.data(), id.size(), hash_id(id, judgments_.seed()), 0};
        std::int64_t judgment = -1;
        judgments_.find_documents(query, &document, 1, &judgment);
        return judgment;
    }

    bool holds_unjudged(std::int64_t query, PyObject* inner, std::string_view id) const {
        const Owned key = text_object(id);
        const int there = PyDict_Contains(inner, key.get());
        if (there < 0) throw PythonFault{};
        return there != 0 && judgment_of(query, id) < 0;
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
            if (standing.equal == 0) fail_changed(query);  // a number that changes on each read
            hit.tie_first = hit.rank = static_cast<std::int64_t>(standing.above) + 1;
            hit.tie_last = static_cast<std::int64_t>(standing.above + standing.equal);
            tied |= standing.equal > 1;
        }
        if (tied) rank_in_ties(inner);
    }

    // Ids of unjudged documents are examined only here.
    void rank_in_ties(PyObject* inner) {
        std::vector<std::vector<Member>> groups(thresholds_.size());
        bytes_.clear();
        Py_ssize_t position = 0;
        PyObject* key = nullptr;
        PyObject* value = nullptr;
        for (std::uint32_t i = 0; PyDict_Next(inner, &position, &key, &value) && i < scores_.size(); ++i) {
            const std::size_t t = threshold_of(thresholds_, scores_[i]);
            if (t == thresholds_.size() || thresholds_[t] != scores_[i] || standings_[t].equal < 2) continue;
            groups[t].push_back({bytes_(key), i});
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
        QueryRows its = findings.begin(query, scores_.size());
        its.signs = signs_;
        for (const Hit& hit : hits_) {
            findings.add(its, hit.rank, hit.tie_first, hit.tie_last, hit.judgment,
                         !relevant_only_ || judgments_.relevant(hit.judgment));
        }
        std::sort(findings.rows.begin() + static_cast<std::ptrdiff_t>(its.row), findings.rows.end(),
                  [](const Row& a, const Row& b) { return a.rank < b.rank; });
        findings.end(its);
        findings.unordered += !descending_;
        if (with_scores_) report_scores(findings);
    }

    void report_scores(Findings& findings) {
        if (!descending_) std::sort(scores_.begin(), scores_.end(), falls);
        findings.scores.insert(findings.scores.end(), scores_.begin(), scores_.end());
    }

    const Judgments& judgments_;
    const IdKinds ids_;
    const Ties ties_;
    const bool float32_;
    const bool with_scores_;
    const bool relevant_only_;
    std::vector<double> scores_;
    bool descending_ = true;
    std::int64_t signs_ = 0;
    std::vector<char> seen_;
    std::string spelling_;
    WordPairs words_;
    std::vector<Hit> hits_;
    std::vector<double> thresholds_;
    std::vector<Standing> standings_;
    IdBytes bytes_;
};

// Calls take(query, its dictionary) for each query, even if the dictionary changes in the meantime; queries are text.
template <class Take>
void each_query(PyObject* dict, IdKinds ids, Take&& take) {
    expect_dict(dict, nullptr);
    const Py_ssize_t size = PyDict_Size(dict);
    const Owned held = tamed(dict, ids, nullptr);
    Py_ssize_t position = 0;
    PyObject* query = nullptr;
    PyObject* inner = nullptr;
    while (PyDict_Next(held.get(), &position, &query, &inner)) {
        expect_dict(inner, query);
        take(query, inner);
    }
    if (PyDict_Size(dict) != size) fail_changed(nullptr);
}

}  // namespace

Judgments judgments_from_mapping(PyObject* qrels, IdKinds ids) {
    JudgmentsBuilder builder;
    IdBytes bytes;
    each_query(qrels, ids, [&](PyObject* query, PyObject* inner) {
        const Py_ssize_t size = PyDict_Size(inner);
        bytes.clear();
        const std::string_view query_id = bytes(query);
        builder.add_query(query_id);
        Owned copy;
        PyObject* read = inner;
        Py_ssize_t position = 0, done = 0;
        PyObject* document = nullptr;
        PyObject* value = nullptr;
        while (PyDict_Next(read, &position, &document, &value)) {
            if (!copy && (!plain_id(document) || !plain_number(value))) {
                copy = tamed(inner, ids, query);
                read = copy.get();
                position = 0;
                for (Py_ssize_t i = 0; i < done; ++i) PyDict_Next(read, &position, &document, &value);
                continue;
            }
            ++done;
            const double grade = number(value, query, document);
            if (!std::isfinite(grade)) {
                fail(std::isnan(grade) ? "nan" : "infinite", query, document,
                     std::isnan(grade) ? "the grade is NaN" : "the grade is infinite");
            }
            builder.add(query_id, bytes(document), grade, 0);
        }
        if (PyDict_Size(inner) != size) fail_changed(query);
    });
    return builder.finish(Duplicates::keep);
}

Matched match_mapping(const Judgments& judgments, PyObject* run, const MatchOptions& options, IdKinds ids) {
    std::vector<Findings> findings(1);
    std::vector<std::string> extra;
    MappingReducer reducer(judgments, options, ids);
    IdBytes bytes;
    each_query(run, ids, [&](PyObject* query, PyObject* inner) {
        bytes.clear();
        const std::string_view id = bytes(query);
        const std::int64_t q = judgments.find_query(id);
        if (q < 0) {
            extra.emplace_back(id);
        } else {
            reducer.reduce(q, query, inner, findings[0]);
        }
    });
    Matched matched = arrange(judgments, options, findings);
    std::sort(extra.begin(), extra.end(), [](const auto& a, const auto& b) { return compare_ids(a, b) < 0; });
    matched.extra = std::move(extra);
    return matched;
}

}  // namespace carob

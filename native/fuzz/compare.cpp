// Compares the kernel's result with the oracle's.
#include "compare.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

[[noreturn]] void disagree(const char* what) {
    std::fprintf(stderr, "carob-fuzz: %s\n", what);
    std::abort();
}

void compare(const carob::LineFault& found, const std::optional<oracle::Refusal>& wanted) {
    expect(found.line >= 1 && found.data_line >= 1, "a refusal names no line");
    expect(wanted.has_value(), "refused what is fine");
    expect(found.fault == wanted->fault, "refused for another reason");
    expect(found.line == wanted->line, "refused another line");
    expect(found.data_line == wanted->data_line, "counted lines of data otherwise");
    expect(found.detail == wanted->detail, "gave another detail");
    expect(found.excerpt.size() <= carob::EXCERPT_LIMIT, "a long excerpt");
}

void compare(const carob::Judgments& found, const oracle::Judged& wanted) {
    expect(!wanted.refusal, "judgments: took what is to be refused");
    expect(found.query_count() == static_cast<std::int64_t>(wanted.queries.size()), "judgments: other queries");
    std::size_t j = 0;
    for (std::size_t q = 0; q < wanted.queries.size(); ++q) {
        expect(found.query(static_cast<std::int64_t>(q)) == wanted.queries[q], "judgments: another query");
        expect(found.find_query(wanted.queries[q]) == static_cast<std::int64_t>(q), "judgments: a query is not found");
        for (const oracle::Judgment& one : wanted.judgments[q]) {
            expect(j < found.grades().size() && found.document(static_cast<std::int64_t>(j)) == one.document,
                   "judgments: another document");
            expect(found.grades()[j] == one.grade && found.line(static_cast<std::int64_t>(j)) == one.line,
                   "judgments: another grade or line");
            ++j;
        }
        expect(found.offsets()[q + 1] == static_cast<std::int64_t>(j), "judgments: other offsets");
    }
    expect(found.count.lines == wanted.lines && found.count.malformed.count == wanted.malformed,
           "judgments: other counts");
    expect(found.dropped == wanted.dropped, "judgments: dropped others");
}

static bool same_repeat(const carob::Repeat& a, const carob::Repeat& b, bool ranks_too) {
    return a.query == b.query && a.document == b.document && a.first.line == b.first.line &&
           a.again.line == b.again.line &&
           (!ranks_too || (a.first_rank == b.first_rank && a.again_rank == b.again_rank));
}

static bool same_scores(const std::vector<double>& a, const std::vector<double>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

void compare(const carob::Ranked& found, const oracle::Listed& wanted) {
    expect(!wanted.refusal, "one query: took what is to be refused");
    expect(same_scores(found.scores, wanted.scores), "one query: other scores");
    expect(found.documents.size() == found.scores.size(), "one query: documents and scores do not pair");
    expect(wanted.uncertain || found.documents == wanted.documents, "one query: other documents, or another order");
}

void compare(const carob::Matched& found, const oracle::Ranked& wanted, bool with_scores) {
    expect(!wanted.refusal, "took what is to be refused");
    const carob::Matched& want = wanted.matched;
    expect(found.length == want.length, "other lengths");
    expect(found.offsets == want.offsets, "other offsets");
    for (std::size_t q = 0; q < found.length.size(); ++q) {
        if (wanted.uncertain[q]) continue;
        for (auto i = static_cast<std::size_t>(found.offsets[q]); i < static_cast<std::size_t>(found.offsets[q + 1]);
             ++i) {
            expect(found.rank[i] == want.rank[i], "other ranks");
            expect(found.tie_first[i] == want.tie_first[i] && found.tie_last[i] == want.tie_last[i], "other ties");
            expect(found.judgment[i] == want.judgment[i], "other judgments");
        }
    }
    expect(!with_scores ? found.scores.empty() : same_scores(found.scores, want.scores), "other scores");
    expect(found.extra == want.extra, "other extra queries");
    expect(found.duplicates.size() == want.duplicates.size(), "other duplicates");
    for (std::size_t i = 0; i < found.duplicates.size(); ++i) {
        const bool certain = !wanted.uncertain[static_cast<std::size_t>(want.duplicates[i].query)];
        expect(same_repeat(found.duplicates[i], want.duplicates[i], certain), "another duplicate");
    }
    expect(found.dropped == want.dropped, "another count of drops");
    expect(found.judged == want.judged, "other numbers of judged documents");
    for (std::size_t q = 0; q < found.length.size(); ++q) {
        expect(wanted.uncertain[q] || found.first_tie[q] == want.first_tie[q], "another first tie");
    }
    expect(found.unordered == want.unordered, "other count of unordered queries");
    expect(found.count.lines == want.count.lines, "other count of lines");
    expect(found.count.malformed.count == want.count.malformed.count, "other count of malformed lines");
    expect(found.tag == want.tag, "another tag");
}

// This file is the fuzz target: any bytes become options, judgments and a run; the kernel must agree with the oracle.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "oracle.h"
#include "ranked.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

// Holds most inputs whole; the default block is so large that its memory would take most of the time.
constexpr std::size_t ONE_BLOCK = 16384;

[[noreturn]] void disagree(const char* what) {
    std::fprintf(stderr, "karat-fuzz: %s\n", what);
    std::abort();
}

void expect(bool agrees, const char* what) {
    if (!agrees) disagree(what);
}

void compare(const karat::LineFault& found, const std::optional<oracle::Refusal>& wanted) {
    expect(found.line >= 1 && found.data_line >= 1, "a refusal names no line");
    expect(wanted.has_value(), "refused what is fine");
    expect(found.fault == wanted->fault, "refused for another reason");
    expect(found.line == wanted->line, "refused another line");
    expect(found.data_line == wanted->data_line, "counted lines of data otherwise");
    expect(found.detail == wanted->detail, "gave another detail");
    expect(found.excerpt.size() <= karat::EXCERPT_LIMIT, "a long excerpt");
}

void compare(const karat::Judgments& found, const oracle::Judged& wanted) {
    expect(!wanted.refusal, "judgments: took what is to be refused");
    expect(found.query_count() == static_cast<std::int64_t>(wanted.queries.size()), "judgments: other queries");
    std::size_t j = 0;
    for (std::size_t q = 0; q < wanted.queries.size(); ++q) {
        expect(found.query(static_cast<std::int64_t>(q)) == wanted.queries[q], "judgments: another query");
        expect(found.find_query(wanted.queries[q]) == static_cast<std::int64_t>(q), "judgments: a query is not found");
        for (const oracle::Judgment& one : wanted.judgments[q]) {
            expect(j < found.grades().size() && found.document(static_cast<std::int64_t>(j)) == one.document,
                   "judgments: another document");
            expect(found.grades()[j] == one.grade && found.lines()[j] == one.line, "judgments: another grade or line");
            ++j;
        }
        expect(found.offsets()[q + 1] == static_cast<std::int64_t>(j), "judgments: other offsets");
    }
    expect(found.count.lines == wanted.lines && found.count.malformed.count == wanted.malformed,
           "judgments: other counts");
    expect(found.dropped == wanted.dropped, "judgments: dropped others");
}

bool same_repeat(const karat::Repeat& a, const karat::Repeat& b, bool ranks_too) {
    return a.query == b.query && a.document == b.document && a.first.line == b.first.line &&
           a.again.line == b.again.line &&
           (!ranks_too || (a.first_rank == b.first_rank && a.again_rank == b.again_rank));
}

bool same_scores(const std::vector<double>& a, const std::vector<double>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

void compare(const karat::Ranked& found, const oracle::Listed& wanted) {
    expect(!wanted.refusal, "one query: took what is to be refused");
    expect(same_scores(found.scores, wanted.scores), "one query: other scores");
    expect(found.documents.size() == found.scores.size(), "one query: documents and scores do not pair");
    expect(wanted.uncertain || found.documents == wanted.documents, "one query: other documents, or another order");
}

void compare(const karat::Matched& found, const oracle::Ranked& wanted, bool with_scores) {
    expect(!wanted.refusal, "took what is to be refused");
    const karat::Matched& want = wanted.matched;
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
    expect(found.dropped == want.dropped && found.tied_queries == want.tied_queries, "other counts of drops or ties");
    expect(found.unordered == want.unordered, "other count of unordered queries");
    expect(found.count.lines == want.count.lines, "other count of lines");
    expect(found.count.malformed.count == want.count.malformed.count, "other count of malformed lines");
    expect(found.tag == want.tag, "another tag");
}

// A file that is none.
class MemorySpill final : public karat::Spill {
public:
    std::uint64_t append(const char* bytes, std::size_t size) override {
        const std::lock_guard lock(mutex_);
        const std::size_t place = bytes_.size();
        bytes_.append(bytes, size);
        return place;
    }
    void read(std::uint64_t place, char* bytes, std::size_t size) override {
        const std::lock_guard lock(mutex_);
        expect(place + size <= bytes_.size(), "reads back what was not written");
        std::memcpy(bytes, bytes_.data() + place, size);
    }

private:
    std::mutex mutex_;
    std::string bytes_;
};

// One after the other, so that the last bits of the options decide on few things at once.
class Choices {
public:
    explicit Choices(std::uint32_t bits) : bits_(bits) {}
    std::uint32_t operator()(std::uint32_t count) {
        const std::uint32_t chosen = bits_ % count;
        bits_ /= count;
        return chosen;
    }

private:
    std::uint32_t bits_;
};

karat::Reading reading_from(Choices& choose) {
    karat::Reading reading;
    reading.numbers = choose(2) == 0 ? karat::Numbers::strict : karat::Numbers::c;
    reading.comments = static_cast<karat::Comments>(choose(3));
    reading.blank_lines_are_errors = choose(4) == 0;
    reading.lenient = choose(2) == 0;
    return reading;
}

void match_and_compare(const karat::Judgments& judgments, const std::string& run, const karat::MatchOptions& options,
                       const oracle::Ranked& wanted) {
    karat::MemorySource source(run);
    try {
        compare(karat::match_text(judgments, source, options, nullptr, {}), wanted, options.scores);
    } catch (const karat::LineFault& fault) {
        compare(fault, wanted.refusal);
    }
}

void rank_and_compare(const std::string& query, const std::string& run, const karat::MatchOptions& options) {
    const oracle::Listed wanted = oracle::rank_query(query, run, options);
    karat::MemorySource source(run);
    try {
        compare(karat::rank_query(query, source, options, {}), wanted);
    } catch (const karat::LineFault& fault) {
        compare(fault, wanted.refusal);
    }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 8) return 0;
    std::uint32_t bits = 0;
    std::memcpy(&bits, data, sizeof bits);
    const std::size_t tiny_block = 8 + data[4] % 120;
    const bool threaded = data[5] % 64 == 0;
    const std::string text(reinterpret_cast<const char*>(data + 8), size - 8);
    const std::size_t cut = (data[6] + std::size_t{256} * data[7]) % (text.size() + 1);
    const std::string qrels = text.substr(0, cut);
    const std::string run = text.substr(cut);

    Choices choose(bits);
    const karat::Reading qrels_reading = reading_from(choose);
    const auto qrels_policy = static_cast<karat::Duplicates>(choose(4));
    const oracle::Judged judged = oracle::read_judgments(qrels, qrels_reading, qrels_policy);
    std::optional<karat::Judgments> judgments;
    for (const std::size_t block : {tiny_block, ONE_BLOCK}) {
        karat::Reading reading = qrels_reading;
        reading.block_bytes = block;
        karat::MemorySource source(qrels);
        try {
            judgments = karat::read_judgments(source, {4}, reading, qrels_policy);
            compare(*judgments, judged);
        } catch (const karat::LineFault& fault) {
            compare(fault, judged.refusal);
        }
    }
    if (!judgments) return 0;

    karat::MatchOptions options;
    options.reading = reading_from(choose);
    options.reading.block_bytes = ONE_BLOCK;
    options.ties = static_cast<karat::Ties>(choose(4));
    options.duplicates = static_cast<karat::Duplicates>(choose(4));
    options.float32 = choose(2) == 0;
    options.scores = choose(2) == 0;
    const oracle::Ranked ranked = oracle::match(judged, run, options);
    match_and_compare(*judgments, run, options, ranked);
    std::vector<std::string> queries = judged.queries;  // and those that nobody judged
    queries.insert(queries.end(), ranked.matched.extra.begin(), ranked.matched.extra.end());
    const std::string query = queries.empty() ? "1" : queries[choose(static_cast<std::uint32_t>(queries.size()))];
    rank_and_compare(query, run, options);
    options.reading.block_bytes = tiny_block;
    rank_and_compare(query, run, options);
    match_and_compare(*judgments, run, options, ranked);
    options.gathered = true;
    match_and_compare(*judgments, run, options, ranked);
    MemorySpill spill;
    options.spill = &spill;
    options.memory = 1;
    match_and_compare(*judgments, run, options, ranked);
    if (threaded) {
        options.threads = 2;
        match_and_compare(*judgments, run, options, ranked);
        options.gathered = false;
        match_and_compare(*judgments, run, options, ranked);
    }
    return 0;
}

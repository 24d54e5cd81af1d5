// Ranks all documents that a run retrieves for some queries, and pools the documents of runs.
#include "matching/ranked.h"

#include <algorithm>
#include <exception>
#include <unordered_map>

#include "matching/reduce.h"
#include "text/read_run.h"

namespace carob {
namespace {

// Copies the lines of the queries, because the blocks that contained them no longer exist when the documents are
// ranked.
class QueriesSink {
public:
    QueriesSink(const std::vector<std::string_view>& wanted, const std::atomic<bool>& stop) : listed(wanted.size()), stop_(stop) {
        for (std::size_t i = 0; i < wanted.size(); ++i) places_.emplace(wanted[i], &listed[i]);
    }

    bool stopped() const { return stop_.load(std::memory_order_relaxed); }
    void finish() {}

    void query(std::string_view id, std::int64_t) {
        const auto found = places_.find(id);
        inside_ = found == places_.end() ? nullptr : found->second;
    }

    void document(const RunLine& line) {
        if (inside_ == nullptr) return;
        inside_->ids.add(line.document);
        inside_->scores.push_back(line.score);
        inside_->ranks.push_back(line.rank);
    }

    std::vector<Listed> listed;

private:
    const std::atomic<bool>& stop_;
    std::unordered_map<std::string_view, Listed*> places_;
    Listed* inside_ = nullptr;
};

class PoolSink {
public:
    PoolSink(JudgmentsBuilder& pool, const Judgments& judgments, double grade, const std::atomic<bool>& stop)
        : pool_(pool), judgments_(judgments), grade_(grade), stop_(stop) {}

    bool stopped() const { return stop_.load(std::memory_order_relaxed); }
    void finish() {}
    void query(std::string_view id, std::int64_t) { number_ = judgments_.find_query(id); }

    void document(const RunLine& line) {
        if (number_ >= 0) pool_.add(judgments_.query(number_), line.document, grade_, 0);
    }

private:
    JudgmentsBuilder& pool_;
    const Judgments& judgments_;
    const double grade_;
    const std::atomic<bool>& stop_;
    std::int64_t number_ = -1;
};

// Runs on its own thread if the caller can stop it.
template <class Sink>
void read_into(Sink& sink, Source& source, const RunRules& rules, std::atomic<bool>& stop, const GoOn& go_on) {
    std::exception_ptr failure;
    const bool wanted = run_in_parallel(1, !go_on, stop, go_on, [&](int) {
        try {
            read_run(sink, source, rules, [&] { return !stop.load(); });
        } catch (...) {
            failure = std::current_exception();
        }
    });
    if (!wanted) throw Interrupted{};
    if (failure) std::rethrow_exception(failure);
}

}  // namespace

Ranked rank_listed(std::string_view query, const Listed& listed, const MatchOptions& options) {
    // Every document counts as judged relevant here, so its rank is computed.
    JudgmentsBuilder builder;
    for (std::size_t i = 0; i < listed.ids.size(); ++i) builder.add(query, listed.ids[i], 1, 0);
    const Judgments everything = builder.finish(Duplicates::first);
    Documents documents;
    for (std::size_t i = 0; i < listed.ids.size(); ++i) {
        documents.add(listed.ids[i], hash_id(listed.ids[i], everything.seed()), options.rounded(listed.scores[i]));
        documents.places.push_back({0, 0});
    }
    if (options.ties == Ties::rank_column) documents.ranks = listed.ranks;
    Findings findings;
    MatchOptions with_scores = options;
    with_scores.scores = true;
    if (documents.size() != 0) Reducer(everything, with_scores).reduce(0, documents, findings);

    Ranked ranked;
    for (const Row& row : findings.rows) ranked.documents.emplace_back(everything.document(row.judgment));
    ranked.scores = std::move(findings.scores);
    return ranked;
}

std::vector<Ranked> rank_queries(const std::vector<std::string_view>& queries, Source& source, const MatchOptions& options,
                                 const GoOn& go_on) {
    std::atomic<bool> stop{false};
    QueriesSink sink(queries, stop);
    read_into(sink, source, {options.reading, options.ties == Ties::rank_column}, stop, interrupting(source, go_on));
    std::vector<Ranked> found;
    for (std::size_t i = 0; i < queries.size(); ++i) {
        found.push_back(rank_listed(queries[i], sink.listed[i], options));
        sink.listed[i] = {};
    }
    return found;
}

void add_to_pool(JudgmentsBuilder& pool, const Judgments& judgments, double grade, Source& source, const Reading& reading,
                 const GoOn& go_on) {
    std::atomic<bool> stop{false};
    PoolSink sink(pool, judgments, grade, stop);
    read_into(sink, source, {reading}, stop, interrupting(source, go_on));
}

}  // namespace carob

// Ranks all documents that a run has for one query.
#include "matching/ranked.h"

#include <algorithm>
#include <exception>

#include "matching/reduce.h"
#include "text/run_lines.h"

namespace carob {
namespace {

// Copies what belongs to the query; the blocks that contained its lines no longer exist when they are ranked.
class QuerySink {
public:
    QuerySink(std::string_view wanted, const std::atomic<bool>& stop) : wanted_(wanted), stop_(stop) {}

    bool stopped() const { return stop_.load(std::memory_order_relaxed); }
    void query(std::string_view id, std::int64_t) { inside_ = id == wanted_; }
    void finish() {}

    void document(const RunLine& line) {
        if (!inside_) return;
        listed.ids.add(line.document);
        listed.scores.push_back(line.score);
        listed.ranks.push_back(line.rank);
    }

    Listed listed;

private:
    const std::string_view wanted_;
    const std::atomic<bool>& stop_;
    bool inside_ = false;
};

// On its own thread if the caller can stop it.
void read_query(QuerySink& sink, Source& source, const MatchOptions& options, std::atomic<bool>& stop,
                const GoOn& go_on) {
    Blocks blocks(source, Cut::lines, options.reading.block_bytes);
    std::exception_ptr failure;
    const bool wanted = run_in_parallel(1, !go_on, stop, go_on, [&](int) {
        try {
            RunNotes notes;
            RunReader<QuerySink> reader({options.reading, options.ties == Ties::rank_column}, sink, notes);
            std::int64_t lines = 0;
            std::int64_t data_lines = 0;
            for (Block block; !stop.load() && blocks.next(block);) {
                if (auto fault = reader.read(block)) {
                    fault->line += lines;
                    fault->data_line += data_lines;
                    throw std::move(*fault);
                }
                lines += notes.blocks.back().lines;
                data_lines += notes.blocks.back().data_lines;
                notes = {};
            }
        } catch (...) {
            failure = std::current_exception();
        }
    });
    if (!wanted) throw Interrupted{};
    if (failure) std::rethrow_exception(failure);
}

}  // namespace

Ranked rank_listed(std::string_view query, const Listed& listed, const MatchOptions& options) {
    // Here every document counts as judged relevant, so that its rank is computed.
    JudgmentsBuilder builder;
    for (std::size_t i = 0; i < listed.ids.size(); ++i) builder.add(query, listed.ids[i], 1, 0);
    const Judgments everything = builder.finish(Duplicates::first);
    Documents documents;
    for (std::size_t i = 0; i < listed.ids.size(); ++i) {
        const double score = options.float32 ? static_cast<double>(static_cast<float>(listed.scores[i])) : listed.scores[i];
        documents.add(listed.ids[i], hash_id(listed.ids[i], everything.seed()), score);
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

Ranked rank_query(std::string_view query, Source& source, const MatchOptions& options, const GoOn& go_on) {
    std::atomic<bool> stop{false};
    QuerySink sink(query, stop);
    read_query(sink, source, options, stop, interrupting(source, go_on));
    return rank_listed(query, sink.listed, options);
}

}  // namespace carob

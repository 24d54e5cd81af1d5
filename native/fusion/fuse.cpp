// Fuses runs query by query.
#include "fusion/fuse.h"

#include <algorithm>
#include <condition_variable>

#include "fusion/list_reducer.h"
#include "fusion/share_queries.h"
#include "writing/trec_lines.h"

namespace carob {
namespace {

// Assigns each piece of a text its place, in the order of the pieces' numbers.
class Turns {
public:
    // Returns false if the work has been stopped.
    bool take(std::size_t number, std::size_t size, const std::atomic<bool>& stop, std::uint64_t& place) {
        std::unique_lock lock(mutex_);
        // A worker that throws cannot notify the workers that are waiting.
        while (!changed_.wait_for(lock, std::chrono::milliseconds(50), [&] { return next_ == number; })) {
            if (stop.load()) return false;
        }
        place = end_;
        end_ += size;
        ++next_;
        lock.unlock();
        changed_.notify_all();
        return true;
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::size_t next_ = 0;
    std::uint64_t end_ = 0;
};

class Writing {
public:
    Writing(const RunsByQuery& runs, const FusionRecipe& recipe, char separator, std::uint64_t seed, Turns& turns, FusedText& text)
        : runs_(runs), fuser_(recipe, runs.run_count(), seed), reader_(runs.reader()), lines_(recipe.tag, separator, false),
          turns_(turns), text_(text) {}

    bool operator()(std::size_t piece, std::size_t first, std::size_t last, const std::atomic<bool>& stop) {
        lines_.clear();
        for (std::size_t q = first; q < last; ++q) {
            reader_->read(q, fuser_);
            lines_.begin(runs_.query(q));
            std::size_t rank = 0;
            for (const FusedDocument& each : fuser_.fuse()) lines_.add(fuser_.document(each).name(), ++rank, each.score);
        }
        std::uint64_t place = 0;
        if (!turns_.take(piece, lines_.text().size(), stop, place)) return false;
        text_.write(place, lines_.text());
        return true;
    }

    const std::vector<std::int64_t>& constant() const { return fuser_.constant(); }

private:
    const RunsByQuery& runs_;
    QueryFuser fuser_;
    std::unique_ptr<RunsByQuery::Reader> reader_;
    TrecLines lines_;
    Turns& turns_;
    FusedText& text_;
};

class Matching {
public:
    Matching(const RunsByQuery& runs, const FusionRecipe& recipe, const Judgments& judgments, const MatchOptions& options)
        : runs_(runs), judgments_(judgments), fuser_(recipe, runs.run_count(), judgments.seed()), reader_(runs.reader()),
          lists_(judgments, options) {}

    bool operator()(std::size_t, std::size_t first, std::size_t last, const std::atomic<bool>&) {
        for (std::size_t q = first; q < last; ++q) {
            reader_->read(q, fuser_);  // even if unjudged, to detect what is not plain
            const std::vector<FusedDocument>& fused = fuser_.fuse();
            lines += static_cast<std::int64_t>(fused.size());
            const std::int64_t query = judgments_.find_query(runs_.query(q));
            if (query < 0) extra.emplace_back(runs_.query(q));
            else lists_.reduce(query, fused, fuser_, findings);
        }
        return true;
    }

    Findings findings;
    std::vector<std::string> extra;
    std::int64_t lines = 0;

private:
    const RunsByQuery& runs_;
    const Judgments& judgments_;
    QueryFuser fuser_;
    std::unique_ptr<RunsByQuery::Reader> reader_;
    ListReducer lists_;
};

}  // namespace

std::vector<std::int64_t> write_fused(const RunsByQuery& runs, const FusionRecipe& recipe, int threads, const GoOn& go_on,
                                      FusedText& text) {
    const std::uint64_t seed = fresh_seed();
    const char separator = runs.has_plain_ids() ? ' ' : '\t';
    Turns turns;
    std::vector<Writing> workers;
    for (int worker = 0; worker < threads; ++worker) workers.emplace_back(runs, recipe, separator, seed, turns, text);
    share_queries(runs, workers, go_on);
    std::vector<std::int64_t> constant(runs.run_count());
    for (const Writing& worker : workers) {
        for (std::size_t run = 0; run < constant.size(); ++run) constant[run] += worker.constant()[run];
    }
    return constant;
}

Matched match_fused(const RunsByQuery& runs, const FusionRecipe& recipe, const Judgments& judgments, const MatchOptions& options,
                    const GoOn& go_on) {
    std::vector<Matching> workers;
    for (int worker = 0; worker < options.threads; ++worker) workers.emplace_back(runs, recipe, judgments, options);
    share_queries(runs, workers, go_on);
    std::vector<Findings> findings;
    for (Matching& worker : workers) findings.push_back(std::move(worker.findings));
    Matched matched = arrange(judgments, options, findings);
    for (Matching& worker : workers) {
        matched.count.lines += worker.lines;
        matched.extra.insert(matched.extra.end(), worker.extra.begin(), worker.extra.end());
    }
    std::sort(matched.extra.begin(), matched.extra.end(),
              [](const std::string& a, const std::string& b) { return compare_ids(a, b) < 0; });
    matched.tag = recipe.tag;
    return matched;
}

Explained explain_fused(const RunsByQuery& runs, const FusionRecipe& recipe, std::size_t query, std::string_view document) {
    QueryFuser fuser(recipe, runs.run_count(), fresh_seed());
    runs.reader()->read(query, fuser);
    Explained found;
    const auto is_meant = [&](const PooledDocument& each) { return each.name() == document; };
    const auto at = std::find_if(fuser.documents().begin(), fuser.documents().end(), is_meant);
    if (at == fuser.documents().end()) return found;
    const auto number = static_cast<std::uint32_t>(at - fuser.documents().begin());
    const std::vector<FusedDocument>& fused = fuser.fuse();
    for (std::size_t i = 0; i < fused.size(); ++i) {
        if (fused[i].document == number) found = {i + 1, fused[i].score, {}};
    }
    found.shares = fuser.shares_of(number);
    return found;
}

}  // namespace carob

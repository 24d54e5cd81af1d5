// Matches the fused lists of the same runs for many sets of weights; the runs are read only once.
#include <algorithm>

#include "fusion/fuse.h"
#include "fusion/list_reducer.h"
#include "fusion/share_queries.h"

namespace carob {
namespace {

using Weights = std::vector<std::vector<double>>;

class Trying {
public:
    Trying(const RunsByQuery& runs, const FusionRecipe& recipe, const Weights& weights, const Judgments& judgments,
           const MatchOptions& options)
        : findings(weights.size() + runs.run_count()), extra(runs.run_count()), runs_(runs), weights_(weights), judgments_(judgments),
          options_(options), fuser_(recipe, runs.run_count(), judgments.seed()), reader_(runs.reader()),
          lists_(judgments, options) {}

    bool operator()(std::size_t, std::size_t first, std::size_t last, const std::atomic<bool>& stop) {
        for (std::size_t q = first; q < last && !stop.load(std::memory_order_relaxed); ++q) {
            const std::int64_t query = judgments_.find_query(runs_.query(q));
            if (query < 0) {
                note_extra(q);
                continue;
            }
            reader_->read(q, fuser_);
            if (fuser_.documents().empty()) continue;
            find_judged(query);
            for (std::size_t i = 0; i < weights_.size(); ++i) place_judged(query, weights_[i], findings[i]);
            for (std::size_t run = 0; run < runs_.run_count(); ++run)
                lists_.reduce(query, fuser_.list(run), fuser_, findings[weights_.size() + run]);
        }
        return true;
    }

    std::vector<Findings> findings;  // for each set of weights and each run
    std::vector<std::vector<std::string>> extra;  // the unjudged queries of each run

private:
    struct Judged {
        std::uint32_t document;
        std::int64_t judgment;
    };

    void note_extra(std::size_t q) {
        for (std::size_t run = 0; run < runs_.run_count(); ++run) {
            if (runs_.has(run, q)) extra[run].emplace_back(runs_.query(q));
        }
    }

    void find_judged(std::int64_t query) {
        judged_.clear();
        const std::vector<PooledDocument>& pooled = fuser_.documents();
        const std::int64_t first = judgments_.offsets()[static_cast<std::size_t>(query)];
        const std::int64_t last = judgments_.offsets()[static_cast<std::size_t>(query) + 1];
        if (fuser_.indexed() && static_cast<std::size_t>(last - first) < pooled.size() && judgments_.duplicates.empty()) {
            for (std::int64_t judgment = first; judgment < last; ++judgment) {
                const std::uint32_t number = fuser_.find(judgments_.document(judgment), judgments_.hash(judgment));
                if (number != IdTable::NONE) judged_.push_back({number, judgment});
            }
            return;
        }
        for (std::size_t start = 0; start < pooled.size(); start += Judgments::TOGETHER) {
            const std::size_t some = std::min(Judgments::TOGETHER, pooled.size() - start);
            Document asked[Judgments::TOGETHER];
            std::int64_t found[Judgments::TOGETHER];
            for (std::size_t i = 0; i < some; ++i)
                asked[i] = {pooled[start + i].id, pooled[start + i].id_size, pooled[start + i].hash, 0};
            judgments_.find_documents(query, asked, some, found);
            for (std::size_t i = 0; i < some; ++i) {
                if (found[i] >= 0) judged_.push_back({static_cast<std::uint32_t>(start + i), found[i]});
            }
        }
    }

    void place_judged(std::int64_t query, const std::vector<double>& weights, Findings& found) {
        fuser_.weigh(weights);
        const std::size_t kept = fuser_.kept();
        QueryRows its = found.begin(query, kept);
        for (const Judged& each : judged_) {
            const FusedPlace place = fuser_.place_of(each.document);
            if (place.rank > kept) continue;
            const auto rank = static_cast<std::int64_t>(place.rank), first = static_cast<std::int64_t>(place.tie_first);
            const auto last = static_cast<std::int64_t>(std::min(place.tie_last, kept));
            found.add(its, rank, first, last, each.judgment, !options_.relevant_only || judgments_.relevant(each.judgment));
        }
        std::sort(found.rows.begin() + static_cast<std::ptrdiff_t>(its.row), found.rows.end(),
                  [](const Row& a, const Row& b) { return a.rank < b.rank; });
        found.end(its);
    }

    const RunsByQuery& runs_;
    const Weights& weights_;
    const Judgments& judgments_;
    const MatchOptions& options_;
    QueryFuser fuser_;
    std::unique_ptr<RunsByQuery::Reader> reader_;
    ListReducer lists_;
    std::vector<Judged> judged_;
};

}  // namespace

std::vector<Matched> match_weights(const RunsByQuery& runs, const FusionRecipe& recipe, const Weights& weights,
                                   const Judgments& judgments, const MatchOptions& options, const GoOn& go_on) {
    std::vector<Trying> workers;
    for (int worker = 0; worker < options.threads; ++worker) workers.emplace_back(runs, recipe, weights, judgments, options);
    share_queries(runs, workers, go_on);
    std::vector<Matched> matched;
    for (std::size_t i = 0; i < weights.size() + runs.run_count(); ++i) {
        std::vector<Findings> found;
        for (Trying& worker : workers) found.push_back(std::move(worker.findings[i]));
        matched.push_back(arrange(judgments, options, found));
    }
    for (std::size_t run = 0; run < runs.run_count(); ++run) {
        std::vector<std::string>& extra = matched[weights.size() + run].extra;
        for (Trying& worker : workers) extra.insert(extra.end(), worker.extra[run].begin(), worker.extra[run].end());
        std::sort(extra.begin(), extra.end(), [](const std::string& a, const std::string& b) { return compare_ids(a, b) < 0; });
    }
    return matched;
}

}  // namespace carob

// Reads runs in memory query by query.
#include "fusion/pooled_runs.h"

#include <cmath>
#include <limits>
#include <stdexcept>

#include "lists/segments.h"

namespace carob {

class PooledRuns::RowReader final : public Reader {
public:
    explicit RowReader(const PooledRuns& runs) : runs_(runs) {}

    void read(std::size_t query, QueryFuser& fuser) override {
        fuser.begin();
        const std::int64_t from = runs_.documents_.offsets()[query], end = runs_.documents_.offsets()[query + 1];
        for (std::int64_t d = from; d < end; ++d) fuser.add_document(runs_.documents_.document(d));
        for (std::size_t run = 0; run < runs_.runs_.size(); ++run) {
            const PooledRun& its = runs_.runs_[run];
            const auto first = static_cast<std::size_t>(its.offsets[query]), last = static_cast<std::size_t>(its.offsets[query + 1]);
            for (std::size_t row = first; row < last; ++row)
                fuser.add_row(run, static_cast<std::uint32_t>(its.documents[row] - from), its.scores[row]);
        }
    }

private:
    const PooledRuns& runs_;
};

PooledRuns::PooledRuns(const Judgments& documents, std::vector<PooledRun> runs) : documents_(documents), runs_(std::move(runs)) {
    if (runs_.size() > std::numeric_limits<std::uint16_t>::max()) throw std::invalid_argument("too many runs");
    for (const PooledRun& run : runs_) {
        if (run.offsets.size() != query_count() + 1 || run.documents.size() != run.scores.size() ||
            !are_offsets(run.offsets, run.scores.size()))
            throw std::invalid_argument("the offsets do not fit the rows");
        for (std::size_t q = 0; q < query_count(); ++q) {
            for (auto row = static_cast<std::size_t>(run.offsets[q]); row < static_cast<std::size_t>(run.offsets[q + 1]); ++row) {
                if (run.documents[row] < documents_.offsets()[q] || run.documents[row] >= documents_.offsets()[q + 1])
                    throw std::invalid_argument("a row has a document of another query");
                if (!std::isfinite(run.scores[row])) throw std::invalid_argument("a score is not finite");
            }
        }
    }
    plain_ = documents_.queries().joined().find(' ') == std::string_view::npos;
    for (std::int64_t d = 0; plain_ && d < documents_.offsets().back(); ++d)
        plain_ = documents_.document(d).find(' ') == std::string_view::npos;
}

std::unique_ptr<RunsByQuery::Reader> PooledRuns::reader() const { return std::make_unique<RowReader>(*this); }

}  // namespace carob

// Sorts gathered documents into their queries again, bucket by bucket, and reduces them.
#include "matching/regroup.h"

#include <algorithm>

#include "matching/reduce.h"

namespace carob {
namespace {

// The documents of a bucket from all workers, grouped by query, with each query's documents in file order.
class Regrouper {
public:
    Regrouper(const Judgments& judgments, const MatchOptions& options, const Buckets& buckets,
              const std::vector<std::unique_ptr<Gathered>>& gathered)
        : judgments_(judgments),
          options_(options),
          buckets_(buckets),
          gathered_(gathered),
          with_rank_(options.ties == Ties::rank_column),
          reducer_(judgments, options),
          rooms_(gathered.size()),
          chunks_(gathered.size()) {}

    void reduce(std::size_t bucket, Findings& findings) {
        const std::size_t first_query = bucket * buckets_.width;
        for (std::size_t w = 0; w < gathered_.size(); ++w) chunks_[w] = gathered_[w]->load(bucket, rooms_[w]);
        count();
        sort_records();
        for (std::size_t q = 0; q < buckets_.width; ++q) {
            if (starts_[q] == starts_[q + 1]) continue;
            documents_.clear();
            for (std::size_t i = starts_[q]; i < starts_[q + 1]; ++i) add(records_[i]);
            reducer_.reduce(static_cast<std::int64_t>(first_query + q), documents_, findings);
        }
    }

private:
    struct Record {
        std::uint64_t place;
        const char* body;
    };

    void count() {
        starts_.assign(buckets_.width + 1, 0);
        for (const Chunk* chunk : chunks_) {
            for (RecordCursor at(chunk, with_rank_); !at.done(); at.advance()) ++starts_[at.query() + 1];
        }
        for (std::size_t q = 0; q < buckets_.width; ++q) starts_[q + 1] += starts_[q];
    }

    // Every worker's records are stored block after block, so visiting the blocks in turn restores the file order.
    void sort_records() {
        records_.resize(starts_.back());
        next_.assign(starts_.begin(), starts_.end() - 1);
        std::vector<RecordCursor> cursors;
        for (const Chunk* chunk : chunks_) {
            RecordCursor at(chunk, with_rank_);
            if (!at.done()) cursors.push_back(at);
        }
        while (!cursors.empty()) {
            const auto earlier = [](const RecordCursor& a, const RecordCursor& b) { return a.block() < b.block(); };
            const auto least = std::min_element(cursors.begin(), cursors.end(), earlier);
            const std::uint64_t block = least->block();
            for (; !least->done() && least->block() == block; least->advance())
                records_[next_[least->query()]++] = {least->place(), least->body()};
            if (least->done()) cursors.erase(least);
        }
    }

    void add(const Record& record) {
        const std::string_view id = body_document(record.body, with_rank_);
        documents_.add(id, hash_id(id, judgments_.seed()), options_.rounded(body_score(record.body)));
        documents_.places.push_back(place_of(record.place));
        if (with_rank_) documents_.ranks.push_back(body_rank(record.body));
    }

    const Judgments& judgments_;
    const MatchOptions& options_;
    const Buckets buckets_;
    const std::vector<std::unique_ptr<Gathered>>& gathered_;
    const bool with_rank_;
    Reducer reducer_;
    Documents documents_;
    std::vector<std::unique_ptr<char[]>> rooms_;
    std::vector<const Chunk*> chunks_;  // of the bucket, one per worker
    std::vector<std::size_t> starts_, next_;
    std::vector<Record> records_;
};

}  // namespace

void reduce_gathered(const Judgments& judgments, const MatchOptions& options, const Buckets& buckets,
                     const std::vector<std::unique_ptr<Gathered>>& gathered, bool small, const GoOn& go_on,
                     const std::vector<Findings*>& findings) {
    std::atomic<bool> stop{false};
    std::atomic<std::size_t> next_bucket{0};
    share(static_cast<int>(findings.size()), small, stop, go_on, [&](int worker) {
        Regrouper regrouper(judgments, options, buckets, gathered);
        for (std::size_t b; !stop.load() && (b = next_bucket.fetch_add(1)) < buckets.count;) {
            regrouper.reduce(b, *findings[static_cast<std::size_t>(worker)]);
        }
    });
}

}  // namespace carob

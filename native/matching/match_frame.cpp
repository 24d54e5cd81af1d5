// Matches the rows of frames with judgments: takes Arrow columns and returns judged rows.
#include "matching/match_frame.h"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "matching/regroup.h"

namespace carob {
namespace {

constexpr std::int64_t PIECE = std::int64_t{1} << 16;  // rows that a worker takes at once; one is enough for half as many

}  // namespace

// The state that the workers share while they read a frame.
struct FrameMatcher::Feed {
    const Frame& frame;
    const std::vector<Columns> columns;
    const Names names;
    const std::int64_t before;  // rows of earlier frames
    const std::int64_t piece_rows;
    const int workers;
    std::atomic<bool> stop{false};
    std::atomic<std::int64_t> next_piece{0};
    std::mutex mutex;
    std::optional<RowFault> fault;

    Feed(const Frame& frame_, const RunColumns& its, std::int64_t before_, std::int64_t piece_rows_, int threads)
        : frame(frame_),
          columns(columns_of(frame_, its)),
          names(names_of(frame_, its)),
          before(before_),
          piece_rows(piece_rows_),
          workers(frame_.rows() < piece_rows / 2 ? 1 : threads) {}

    std::size_t pieces() const { return static_cast<std::size_t>((frame.rows() + piece_rows - 1) / piece_rows); }

    // Calls take(worker, piece, batch, from, to) on every worker for the rows of each piece, batch by batch, with the
    // pieces in ascending order; row numbers are relative to the batch.
    template <class Take>
    void survey(const GoOn& go_on, Take&& take) {
        share(workers, workers == 1, stop, go_on, [&](int worker) {
            const std::int64_t rows = frame.rows();
            for (std::int64_t piece; !stop.load() && (piece = next_piece.fetch_add(1)) * piece_rows < rows;) {
                const std::int64_t end = std::min(rows, (piece + 1) * piece_rows);
                for (std::int64_t from = piece * piece_rows; from < end;) {
                    const std::size_t batch = frame.batch_of(from);
                    const std::int64_t start = frame.start(batch);
                    const std::int64_t to = std::min(end, frame.start(batch + 1));
                    if (unfit(batch, from - start, to - start)) break;
                    take(worker, piece, batch, from - start, to - start);
                    from = to;
                }
            }
        });
        if (fault) throw std::move(*fault);
    }

private:
    // Pieces before a faulty piece are still processed to the end, so the earliest fault is found.
    bool unfit(std::size_t batch, std::int64_t from, std::int64_t to) {
        auto found = first_fault(columns[batch], before + frame.start(batch), from, to, names);
        if (!found) return false;
        stop.store(true);
        const std::lock_guard lock(mutex);
        if (!fault || found->row < fault->row) fault = std::move(found);
        return true;
    }
};

void FrameMatcher::Open::clear() {
    query = -1;
    ids.clear();
    scores.clear();
    ranks.clear();
    rows.clear();
    accord = {};
}

void FrameMatcher::Open::add_to(Documents& documents, const MatchOptions& options, std::uint64_t seed) const {
    for (std::size_t i = 0; i < ids.size(); ++i) {
        documents.add(ids[i], hash_id(ids[i], seed), options.rounded(scores[i]));
        documents.places.push_back({0, rows[i] + 1});
    }
    documents.ranks = ranks;
    documents.accord.add(accord);
}

// Compares a rank column with the scores for a few rows of a list.
void compare_ranks(const Frame& frame, const std::vector<Columns>& all, const Stretch* from, const Stretch* end,
                   std::int64_t queries, Accord& accord) {
    if (from == end || !all.front().rank || !all.front().value) return;
    std::size_t rows = 0;
    for (const Stretch* at = from; at != end; ++at) rows += at->length;
    if (rows < 2) return;
    const std::size_t step = std::max<std::size_t>(1, rows / Sample::ranks(rows, 8, queries));
    std::size_t row = 0;
    double last = 0, last_score = 0;
    for (const Stretch* at = from; at != end; ++at) {
        const std::size_t batch = frame.batch_of(at->first);
        const Columns& columns = all[batch];
        const std::int64_t start = at->first - frame.start(batch);
        for (std::size_t i = (step - row % step) % step; i < at->length; i += step) {
            const std::int64_t place = start + static_cast<std::int64_t>(i);
            const double rank = columns.rank->number(place), score = columns.score(place);
            if (row + i != 0) accord.compare(last, last_score, rank, score);
            last = rank;
            last_score = score;
        }
        row += at->length;
    }
}

// Collects the documents of a query and hands them to the reducer. Each worker has one.
class FrameMatcher::Assembler {
public:
    Assembler(const FrameMatcher& matcher, const Feed& feed, const Sorted& sorted)
        : options_(matcher.options_),
          open_(matcher.open_),
          feed_(feed),
          sorted_(sorted),
          seed_(matcher.judgments_.seed()),
          queries_(matcher.judgments_.query_count()),
          reducer_(matcher.judgments_, matcher.options_) {}

    void reduce(std::size_t query, Findings& findings) {
        documents_.clear();
        if (open_.query == static_cast<std::int64_t>(query)) open_.add_to(documents_, options_, seed_);
        const Stretch* const end = sorted_.end(query);
        std::size_t rows = 0;
        for (const Stretch* at = sorted_.begin(query); at != end; ++at) rows += at->length;
        // Ids made from numbers must not move while they are used.
        if (digits_size_ < rows * LONGEST_WHOLE) {
            digits_size_ = rows * LONGEST_WHOLE;
            digits_ = std::make_unique_for_overwrite<char[]>(digits_size_);
        }
        if (static_cast<std::size_t>(end - sorted_.begin(query)) > rows / 4) fetch(sorted_.begin(query), end);
        char* room = digits_.get();
        for (const Stretch* at = sorted_.begin(query); at != end; ++at) add(*at, room);
        compare_ranks(feed_.frame, feed_.columns, sorted_.begin(query), end, queries_, documents_.accord);
        reducer_.reduce(static_cast<std::int64_t>(query), documents_, findings);
    }

private:
    // Many rows are fetched together, because processing them one by one would wait for memory at every row.
    void fetch(const Stretch* from, const Stretch* end) {
        std::uint64_t all = 0;
        for (const Stretch* at = from; at != end; ++at) {
            const std::size_t batch = feed_.frame.batch_of(at->first);
            const Columns& columns = feed_.columns[batch];
            const std::int64_t row = at->first - feed_.frame.start(batch);
            all ^= columns.document.touched(row);
            if (columns.value) all ^= columns.value->touched(row);
        }
        fetched_ = all;
    }

    void add(const Stretch& stretch, char*& room) {
        const std::size_t batch = feed_.frame.batch_of(stretch.first);
        const Columns& columns = feed_.columns[batch];
        const std::int64_t start = feed_.frame.start(batch);
        const bool by_rank = options_.ties == Ties::rank_column;
        for (std::int64_t row = stretch.first - start; row < stretch.first - start + stretch.length; ++row) {
            const std::string_view id = columns.document.id(row, room);
            documents_.add(id, hash_id(id, seed_), options_.rounded(columns.score(row)));
            documents_.places.push_back({0, feed_.before + start + row + 1});
            if (by_rank) documents_.ranks.push_back(static_cast<std::int64_t>(columns.rank->number(row)));
        }
    }

    const MatchOptions& options_;
    const Open& open_;
    const Feed& feed_;
    const Sorted& sorted_;
    const std::uint64_t seed_;
    const std::int64_t queries_;
    Reducer reducer_;
    Documents documents_;
    volatile std::uint64_t fetched_ = 0;  // volatile, or a compiler would omit the reads
    std::unique_ptr<char[]> digits_;
    std::size_t digits_size_ = 0;
};

FrameMatcher::FrameMatcher(const Judgments& judgments, const MatchOptions& options)
    : judgments_(judgments),
      options_(options),
      piece_rows_(options.piece_rows == 0 ? PIECE : options.piece_rows),
      buckets_(static_cast<std::size_t>(judgments.query_count())),
      findings_(static_cast<std::size_t>(options.threads)),
      extra_(static_cast<std::size_t>(options.threads)),
      reduced_(static_cast<std::size_t>(judgments.query_count()), 0) {
    for (int worker = 0; options.gathered && worker < options.threads; ++worker) {
        gathered_.push_back(std::make_unique<Gathered>(buckets_, options.ties == Ties::rank_column, options.spill,
                                                       options.memory / static_cast<std::size_t>(options.threads)));
    }
}

bool FrameMatcher::take(const Frame& frame, const RunColumns& columns, bool last, const GoOn& go_on) {
    Feed feed(frame, columns, rows_, piece_rows_, options_.threads);
    bool together = true;
    if (options_.gathered) {
        gather(feed, go_on);
    } else {
        together = reduce(feed, last, go_on);
    }
    rows_ += frame.rows();
    return together;
}

std::vector<Splitter> FrameMatcher::splitters_for(const Feed& feed) {
    std::vector<Splitter> splitters;
    for (int worker = 0; worker < feed.workers; ++worker)
        splitters.emplace_back(judgments_, extra_[static_cast<std::size_t>(worker)]);
    return splitters;
}

void FrameMatcher::gather(Feed& feed, const GoOn& go_on) {
    const std::size_t first_block = blocks_.size();
    for (std::size_t piece = 0; piece < feed.pieces(); ++piece)
        blocks_.push_back(rows_ + static_cast<std::int64_t>(piece) * piece_rows_);
    std::vector<Splitter> splitters = splitters_for(feed);
    const bool by_rank = options_.ties == Ties::rank_column;
    feed.survey(go_on, [&](int worker, std::int64_t piece, std::size_t batch, std::int64_t from, std::int64_t to) {
        const Columns& columns = feed.columns[batch];
        Gathered& gathered = *gathered_[static_cast<std::size_t>(worker)];
        const std::int64_t block = static_cast<std::int64_t>(first_block) + piece;
        const std::int64_t moved = feed.frame.start(batch) - piece * piece_rows_ + 1;
        const auto keep = [&](std::int64_t first, std::int64_t end, std::int64_t query) {
            for (std::int64_t row = first; row < end; ++row) {
                char digits[LONGEST_WHOLE];
                char* room = digits;
                const std::string_view id = columns.document.id(row, room);
                const std::int64_t rank = by_rank ? static_cast<std::int64_t>(columns.rank->number(row)) : 0;
                gathered.add(static_cast<std::size_t>(query), block, {id, columns.score(row), rank, row + moved});
            }
        };
        splitters[static_cast<std::size_t>(worker)].split(batch, columns.query, from, to, keep);
    });
}

Sorted FrameMatcher::stretches(Feed& feed, const GoOn& go_on) {
    std::vector<std::vector<Stretch>> parts(feed.pieces());
    std::vector<Splitter> splitters = splitters_for(feed);
    feed.survey(go_on, [&](int worker, std::int64_t piece, std::size_t batch, std::int64_t from, std::int64_t to) {
        const std::int64_t start = feed.frame.start(batch);
        std::vector<Stretch>& part = parts[static_cast<std::size_t>(piece)];
        const auto keep = [&](std::int64_t first, std::int64_t end, std::int64_t query) {
            part.push_back({start + first, static_cast<std::uint32_t>(end - first), static_cast<std::uint32_t>(query)});
        };
        splitters[static_cast<std::size_t>(worker)].split(batch, feed.columns[batch].query, from, to, keep);
    });
    return Sorted(reduced_.size(), parts);
}

// All queries except the last row's, which the next frame may continue.
bool FrameMatcher::reduce(Feed& feed, bool last, const GoOn& go_on) {
    const Sorted sorted = stretches(feed, go_on);
    const std::int64_t open = last ? -1 : feed.frame.rows() == 0 ? open_.query : sorted.query_at(feed.frame.rows() - 1);
    std::vector<std::size_t> queries;
    for (const std::size_t q : sorted.queries()) {
        if (reduced_[q] != 0) return false;
        if (static_cast<std::int64_t>(q) != open) queries.push_back(q);
    }
    if (open_.query >= 0 && open_.query != open && !sorted.holds(static_cast<std::size_t>(open_.query)))
        queries.push_back(static_cast<std::size_t>(open_.query));

    std::atomic<std::size_t> next{0};
    share(feed.workers, feed.workers == 1, feed.stop, go_on, [&](int worker) {
        Assembler assembler(*this, feed, sorted);
        for (std::size_t at; !feed.stop.load() && (at = next.fetch_add(1)) < queries.size();)
            assembler.reduce(queries[at], findings_[static_cast<std::size_t>(worker)]);
    });
    for (const std::size_t q : queries) reduced_[q] = 1;
    if (open_.query != open) open_.clear();
    open_.query = open;
    if (open >= 0) keep_open(feed, sorted);
    return true;
}

void FrameMatcher::keep_open(const Feed& feed, const Sorted& sorted) {
    const auto query = static_cast<std::size_t>(open_.query);
    compare_ranks(feed.frame, feed.columns, sorted.begin(query), sorted.end(query), judgments_.query_count(), open_.accord);
    for (const Stretch* at = sorted.begin(query); at != sorted.end(query); ++at) {
        const std::size_t batch = feed.frame.batch_of(at->first);
        const Columns& columns = feed.columns[batch];
        const std::int64_t start = feed.frame.start(batch);
        for (std::int64_t row = at->first - start; row < at->first - start + at->length; ++row) {
            char digits[LONGEST_WHOLE];
            char* room = digits;
            open_.ids.add(columns.document.id(row, room));
            open_.scores.push_back(columns.score(row));
            open_.rows.push_back(feed.before + start + row);
            if (options_.ties == Ties::rank_column)
                open_.ranks.push_back(static_cast<std::int64_t>(columns.rank->number(row)));
        }
    }
}

Matched FrameMatcher::finish(const GoOn& go_on) {
    if (options_.gathered) {
        for (const auto& worker : gathered_) worker->close();
        std::vector<Findings*> findings;
        for (Findings& found : findings_) findings.push_back(&found);
        reduce_gathered(judgments_, options_, buckets_, gathered_, rows_ < piece_rows_ / 2, go_on, findings);
    } else if (open_.query >= 0) {
        Documents documents;
        open_.add_to(documents, options_, judgments_.seed());
        Reducer(judgments_, options_).reduce(open_.query, documents, findings_.front());
    }
    Matched matched = arrange(judgments_, options_, findings_);
    for (Repeat& repeat : matched.duplicates) {
        repeat.first = row_of(repeat.first);
        repeat.again = row_of(repeat.again);
    }
    std::sort(matched.duplicates.begin(), matched.duplicates.end(),
              [](const Repeat& a, const Repeat& b) { return a.again.line < b.again.line; });
    matched.count.lines = rows_;
    Strings all;
    for (Strings& worker : extra_) all.merge(worker);
    matched.extra.assign(all.begin(), all.end());
    std::sort(matched.extra.begin(), matched.extra.end(),
              [](const std::string& a, const std::string& b) { return compare_ids(a, b) < 0; });
    return matched;
}

// Gathered rows are numbered from 1 within their block.
Place FrameMatcher::row_of(const Place& place) const {
    if (!options_.gathered) return place;
    return {0, blocks_[static_cast<std::size_t>(place.block)] + place.line};
}

Matched match_frame(const Judgments& judgments, const Frame& frame, const RunColumns& columns,
                    const MatchOptions& options, const GoOn& go_on) {
    FrameMatcher matcher(judgments, options);
    matcher.take(frame, columns, true, go_on);
    return matcher.finish(go_on);
}

}  // namespace carob

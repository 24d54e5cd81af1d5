// Fuses runs in plain files query by query.
#include "fusion/fuse.h"

#include <algorithm>
#include <charconv>
#include <condition_variable>
#include <cstring>

#include "fusion/digits.h"
#include "matching/reduce.h"
#include "text/text.h"

namespace carob {
namespace {

// Reads the lists of one query after the other into memory that is used again.
class ListReader {
public:
    explicit ListReader(const PlainRuns& runs) : runs_(runs), rooms_(runs.run_count()) {}

    void read(std::size_t query, QueryFuser& fuser) {
        fuser.begin();
        for (const PlacedList* list = runs_.lists_begin(query); list != runs_.lists_end(query); ++list) {
            std::vector<char>& room = rooms_[list->run];
            auto size = static_cast<std::size_t>(list->end - list->begin);
            if (room.size() < size + 1 + 2 * PADDING) room.resize(size + size / 4 + 1 + 2 * PADDING);
            char* const text = room.data() + PADDING;
            if (runs_.file(list->run).read(list->begin, text, size) != size) throw NotPlain{};  // it has become shorter
            if (text[size - 1] != '\n') text[size++] = '\n';
            fuser.take(list->run, runs_.query(query), text, text + size);
        }
    }

private:
    const PlainRuns& runs_;
    std::vector<std::vector<char>> rooms_;
};

// Writes the lines of fused lists into memory that is used again.
class LineWriter {
public:
    explicit LineWriter(const std::string& tag) : end_(" " + tag + "\n") {}

    void clear() { size_ = 0; }
    std::string_view text() const { return {room_.data(), size_}; }

    void add(std::string_view query, const QueryFuser& fuser, const std::vector<FusedDocument>& documents) {
        start_.assign(query).append(" Q0 ");
        std::size_t most = documents.size() * (start_.size() + LONGEST_RANK + LONGEST_NUMBER + end_.size());
        for (const FusedDocument& each : documents) most += fuser.document(each).id_size;
        if (room_.size() < size_ + most) room_.resize(2 * (size_ + most));
        char* out = room_.data() + size_;
        std::size_t rank = 0;
        for (const FusedDocument& each : documents) {
            out = put(start_, out);
            out = put(fuser.document(each).name(), out);
            *out++ = ' ';
            out = std::to_chars(out, out + LONGEST_RANK, ++rank).ptr;
            *out++ = ' ';
            out = write_shortest(each.score, out);
            out = put(end_, out);
        }
        size_ = static_cast<std::size_t>(out - room_.data());
    }

private:
    static constexpr std::size_t LONGEST_RANK = 22;  // with the blanks around it

    // Most pieces are short, and a call of memcpy takes longer than copying two words that may overlap.
    static char* put(std::string_view piece, char* out) {
        const std::size_t size = piece.size();
        if (size >= 8 && size <= 16) {
            std::memcpy(out, piece.data(), 8);
            std::memcpy(out + size - 8, piece.data() + size - 8, 8);
        } else if (size >= 4 && size < 8) {
            std::memcpy(out, piece.data(), 4);
            std::memcpy(out + size - 4, piece.data() + size - 4, 4);
        } else {
            std::memcpy(out, piece.data(), size);
        }
        return out + size;
    }

    const std::string end_;
    std::string start_;
    std::vector<char> room_;
    std::size_t size_ = 0;
};

// Gives each piece of a text its place, in the order of their numbers.
class Turns {
public:
    // False if the work has stopped.
    bool take(std::size_t number, std::size_t size, const std::atomic<bool>& stop, std::uint64_t& place) {
        std::unique_lock lock(mutex_);
        // A worker that throws cannot tell those that wait.
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

constexpr std::size_t QUERIES_AT_ONCE = 16;

// Hands out neighbouring queries to one worker on each thread, in order: worker(number, first, last, stop) returns whether
// to go on.
template <class Worker>
void share_queries(const PlainRuns& runs, std::vector<Worker>& workers, const GoOn& go_on) {
    const int threads = static_cast<int>(workers.size());
    std::atomic<std::size_t> next{0};
    std::atomic<bool> stop{false};
    share(threads, threads == 1 && !go_on, stop, go_on, [&](int number) {
        Worker& worker = workers[static_cast<std::size_t>(number)];
        while (!stop.load()) {
            const std::size_t piece = next.fetch_add(1), first = piece * QUERIES_AT_ONCE;
            if (first >= runs.query_count()) return;
            if (!worker(piece, first, std::min(first + QUERIES_AT_ONCE, runs.query_count()), stop)) return;
        }
    });
}

class Writing {
public:
    Writing(const PlainRuns& runs, const FusionRecipe& recipe, std::uint64_t seed, Turns& turns, FusedText& text)
        : runs_(runs), fuser_(recipe, runs.run_count(), seed), reader_(runs), lines_(recipe.tag), turns_(turns), text_(text) {}

    bool operator()(std::size_t piece, std::size_t first, std::size_t last, const std::atomic<bool>& stop) {
        lines_.clear();
        for (std::size_t q = first; q < last; ++q) {
            reader_.read(q, fuser_);
            lines_.add(runs_.query(q), fuser_, fuser_.fuse());
        }
        std::uint64_t place = 0;
        if (!turns_.take(piece, lines_.text().size(), stop, place)) return false;
        text_.write(place, lines_.text());
        return true;
    }

private:
    const PlainRuns& runs_;
    QueryFuser fuser_;
    ListReader reader_;
    LineWriter lines_;
    Turns& turns_;
    FusedText& text_;
};

class Matching {
public:
    Matching(const PlainRuns& runs, const FusionRecipe& recipe, const Judgments& judgments, const MatchOptions& options)
        : runs_(runs), judgments_(judgments), options_(options), fuser_(recipe, runs.run_count(), judgments.seed()),
          reader_(runs), reducer_(judgments, options) {}

    bool operator()(std::size_t, std::size_t first, std::size_t last, const std::atomic<bool>&) {
        for (std::size_t q = first; q < last; ++q) {
            reader_.read(q, fuser_);  // also if it is not judged, to find what is not plain
            const std::vector<FusedDocument>& fused = fuser_.fuse();
            lines += static_cast<std::int64_t>(fused.size());
            const std::int64_t query = judgments_.find_query(runs_.query(q));
            if (query < 0) extra.emplace_back(runs_.query(q));
            else reduce(query, fused);
        }
        return true;
    }

    Findings findings;
    std::vector<std::string> extra;
    std::int64_t lines = 0;

private:
    void reduce(std::int64_t query, const std::vector<FusedDocument>& fused) {
        documents_.clear();
        for (const FusedDocument& each : fused) {
            const PooledDocument& its = fuser_.document(each);
            documents_.add(its.name(), its.hash, options_.rounded(each.score));
            if (options_.ties == Ties::rank_column) documents_.ranks.push_back(static_cast<std::int64_t>(documents_.size()));
        }
        // The rank column of the text would agree with its scores.
        documents_.accord.compare(1, fused.front().score, static_cast<double>(fused.size()), fused.back().score);
        reducer_.reduce(query, documents_, findings);
    }

    const PlainRuns& runs_;
    const Judgments& judgments_;
    const MatchOptions& options_;
    QueryFuser fuser_;
    ListReader reader_;
    Reducer reducer_;
    Documents documents_;
};

}  // namespace

PlainRuns::PlainRuns(const std::vector<NativePath>& paths, int threads, const GoOn& go_on) {
    if (paths.size() > std::numeric_limits<std::uint16_t>::max()) throw NotPlain{};
    for (const NativePath& path : paths) files_.push_back(std::make_unique<PlacedFile>(path));
    std::vector<QueryBlocks> blocks(files_.size());
    std::atomic<std::size_t> next{0};
    std::atomic<bool> stop{false};
    share(threads, threads == 1 && !go_on, stop, go_on, [&](int) {
        for (std::size_t run; !stop.load() && (run = next.fetch_add(1)) < files_.size();)
            blocks[run] = find_query_blocks(*files_[run]);
    });
    merge(blocks);
}

void PlainRuns::merge(const std::vector<QueryBlocks>& blocks) {
    struct Entry {
        std::string_view query;
        std::size_t run, block;
    };
    std::vector<Entry> entries;
    for (std::size_t run = 0; run < blocks.size(); ++run) {
        if (blocks[run].queries.size() == 0) throw NotPlain{};
        for (std::size_t block = 0; block < blocks[run].queries.size(); ++block) entries.push_back({blocks[run].queries[block], run, block});
    }
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
        const int order = compare_ids(a.query, b.query);
        return order != 0 ? order < 0 : a.run < b.run;
    });
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const Entry& its = entries[i];
        const bool again = i > 0 && its.query == entries[i - 1].query;
        if (again && its.run == entries[i - 1].run) throw NotPlain{};  // in two places
        if (!again) {
            queries_.add(its.query);
            starts_.push_back(i);
        }
        lists_.push_back({its.run, blocks[its.run].places[its.block], blocks[its.run].places[its.block + 1]});
    }
    starts_.push_back(entries.size());
    if (queries_.size() == entries.size()) throw NotPlain{};  // which refuses runs without a common query
}

std::vector<std::pair<std::size_t, std::size_t>> PlainRuns::lacking() const {
    std::vector<std::pair<std::size_t, std::size_t>> found(run_count(), {0, 0});
    std::vector<char> has(run_count());
    for (std::size_t q = 0; q < query_count(); ++q) {
        has.assign(run_count(), 0);
        for (const PlacedList* list = lists_begin(q); list != lists_end(q); ++list) has[list->run] = 1;
        for (std::size_t run = 0; run < run_count(); ++run) {
            if (has[run] == 0 && found[run].first++ == 0) found[run].second = q;
        }
    }
    return found;
}

void write_fused(const PlainRuns& runs, const FusionRecipe& recipe, int threads, const GoOn& go_on, FusedText& text) {
    if constexpr (!HAS_SHORTEST_DIGITS) throw NotPlain{};
    const std::uint64_t seed = fresh_seed();
    Turns turns;
    std::vector<Writing> workers;
    for (int worker = 0; worker < threads; ++worker) workers.emplace_back(runs, recipe, seed, turns, text);
    share_queries(runs, workers, go_on);
}

Matched match_fused(const PlainRuns& runs, const FusionRecipe& recipe, const Judgments& judgments, const MatchOptions& options,
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

}  // namespace carob

// Fuses runs in plain files query by query.
#include "fusion/fuse.h"

#include <algorithm>
#include <charconv>
#include <condition_variable>
#include <cstring>

#include "fusion/digits.h"
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

    static char* put(std::string_view piece, char* out) {
        std::memcpy(out, piece.data(), piece.size());
        return out + piece.size();
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

}  // namespace

PlainRuns::PlainRuns(const std::vector<NativePath>& paths, int threads, const GoOn& go_on) {
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
    std::atomic<std::size_t> next{0};
    std::atomic<bool> stop{false};
    Turns turns;
    share(threads, threads == 1 && !go_on, stop, go_on, [&](int) {
        QueryFuser fuser(recipe, runs.run_count(), seed);
        ListReader reader(runs);
        LineWriter lines(recipe.tag);
        while (!stop.load()) {
            const std::size_t number = next.fetch_add(1), first = number * QUERIES_AT_ONCE;
            if (first >= runs.query_count()) return;
            lines.clear();
            for (std::size_t q = first; q < std::min(first + QUERIES_AT_ONCE, runs.query_count()); ++q) {
                reader.read(q, fuser);
                lines.add(runs.query(q), fuser, fuser.fuse(true));
            }
            std::uint64_t place = 0;
            if (!turns.take(number, lines.text().size(), stop, place)) return;
            text.write(place, lines.text());
        }
    });
}

}  // namespace carob

// Reads runs in plain files query by query.
#include "fusion/plain_runs.h"

#include <limits>

#include "text/text.h"

namespace carob {

class PlainRuns::FileReader final : public Reader {
public:
    explicit FileReader(const PlainRuns& runs) : runs_(runs), rooms_(runs.run_count()) {}

    void read(std::size_t query, QueryFuser& fuser) override {
        fuser.begin();
        for (const PlacedList* list = runs_.lists_begin(query); list != runs_.lists_end(query); ++list) {
            std::vector<char>& room = rooms_[list->run];
            auto size = static_cast<std::size_t>(list->end - list->begin);
            if (room.size() < size + 1 + 2 * PADDING) room.resize(size + size / 4 + 1 + 2 * PADDING);
            char* const text = room.data() + PADDING;
            if (runs_.files_[list->run]->read(list->begin, text, size) != size) throw NotPlain{};  // it has become shorter
            if (text[size - 1] != '\n') text[size++] = '\n';
            fuser.take(list->run, runs_.query(query), text, text + size);
        }
    }

private:
    const PlainRuns& runs_;
    std::vector<std::vector<char>> rooms_;
};

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
        if (again && its.run == entries[i - 1].run) throw NotPlain{};  // a query in two places
        if (!again) {
            queries_.add(its.query);
            starts_.push_back(i);
        }
        lists_.push_back({its.run, blocks[its.run].places[its.block], blocks[its.run].places[its.block + 1]});
    }
    starts_.push_back(entries.size());
    if (queries_.size() == entries.size()) throw NotPlain{};  // the fallback rejects runs without a common query
}

std::unique_ptr<RunsByQuery::Reader> PlainRuns::reader() const { return std::make_unique<FileReader>(*this); }

}  // namespace carob

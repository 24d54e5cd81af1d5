// This file matches the text of a run with judgments: bytes in, judged rows out.
#include "match.h"

#include <algorithm>
#include <memory>
#include <unordered_set>

#include "gather.h"
#include "reduce.h"
#include "run_lines.h"

namespace karat {
namespace {

struct StringHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};
using Strings = std::unordered_set<std::string, StringHash, std::equal_to<>>;

// What the workers of one pass share.
struct Pass {
    const Judgments& judgments;
    const MatchOptions& options;
    Blocks blocks;
    std::atomic<bool> halt{false};         // take no more blocks; those in hand are finished
    std::atomic<bool> stop{false};         // leave everything
    std::atomic<bool> interleaved{false};  // a query came back after another one

    Pass(const Judgments& judgments_, Source& source, const MatchOptions& options_, Cut cut, std::atomic<std::int64_t>* progress)
        : judgments(judgments_), options(options_), blocks(source, cut, options_.block_bytes, progress) {}
};

// What one worker brings home from a pass.
struct Harvest {
    Findings findings;
    Strings extra;
    std::vector<BlockCount> blocks;
    std::vector<BlockFault> malformed;
    std::int64_t malformed_count = 0;
    std::optional<BlockFault> fault;
    std::exception_ptr failure;
    std::int64_t tag_block = -1;
    std::string tag;
};

// Sends the documents of each stretch of lines of one query to the reducer.
class ContiguousSink {
public:
    ContiguousSink(Pass& pass, std::vector<std::atomic<unsigned char>>& seen, Harvest& harvest)
        : pass_(pass), seen_(seen), harvest_(harvest), reducer_(pass.judgments, pass.options.ties, pass.options.duplicates) {}

    void start(const Block& block) {
        block_ = block.sequence();
        query_ = -1;
    }

    bool stopped() const { return pass_.stop.load(std::memory_order_relaxed); }

    void query(std::string_view id, std::int64_t line) {
        finish();
        query_ = pass_.judgments.find_query(id);
        documents_.clear();
        documents_.start = {block_, line};
        if (query_ < 0) {
            if (harvest_.extra.find(id) == harvest_.extra.end()) harvest_.extra.emplace(id);
        } else if (seen_[static_cast<std::size_t>(query_)].exchange(1, std::memory_order_relaxed) != 0) {
            pass_.interleaved.store(true);
            pass_.stop.store(true);
        }
    }

    void document(const RunLine& line) {
        if (query_ < 0) return;
        const double score = pass_.options.float32 ? static_cast<double>(static_cast<float>(line.score)) : line.score;
        documents_.add(line.document, hash_id(line.document, pass_.judgments.seed()), score);
        if (pass_.options.ties == Ties::rank_column) documents_.ranks.push_back(line.rank);
    }

    void finish() {
        if (query_ >= 0 && !stopped()) reducer_.reduce(query_, documents_, harvest_.findings);
        query_ = -1;
    }

private:
    Pass& pass_;
    std::vector<std::atomic<unsigned char>>& seen_;
    Harvest& harvest_;
    Reducer reducer_;
    Documents documents_;
    std::int64_t block_ = 0;
    std::int64_t query_ = -1;
};

// Keeps every document of a judged query for later.
class GatheringSink {
public:
    GatheringSink(Pass& pass, Gathered& gathered, Harvest& harvest) : pass_(pass), gathered_(gathered), harvest_(harvest) {}

    void start(const Block& block) { block_ = block.sequence(); }
    bool stopped() const { return pass_.stop.load(std::memory_order_relaxed); }

    void query(std::string_view id, std::int64_t) {
        query_ = pass_.judgments.find_query(id);
        if (query_ < 0 && harvest_.extra.find(id) == harvest_.extra.end()) harvest_.extra.emplace(id);
    }

    void document(const RunLine& line) {
        if (query_ >= 0) gathered_.add(static_cast<std::size_t>(query_), block_, line);
    }

    void finish() {}

private:
    Pass& pass_;
    Gathered& gathered_;
    Harvest& harvest_;
    std::int64_t block_ = 0;
    std::int64_t query_ = -1;
};

template <class Sink>
void read_blocks(Pass& pass, Sink& sink, Harvest& harvest, Block block, bool have_block) {
    try {
        const bool with_rank = pass.options.ties == Ties::rank_column;
        std::string tag;
        while (have_block || (!pass.halt.load() && !pass.stop.load() && pass.blocks.next(block))) {
            have_block = false;
            sink.start(block);
            BlockCount count;
            tag.clear();
            auto fault = parse_block(block, pass.options.reading, with_rank, sink, count, &harvest.malformed,
                                     harvest.malformed_count, tag);
            if (!tag.empty()) {
                harvest.tag_block = block.sequence();
                harvest.tag.swap(tag);
            }
            harvest.blocks.push_back(count);
            if (fault) {
                harvest.fault = BlockFault{block.sequence(), std::move(*fault)};
                pass.halt.store(true);
            }
        }
    } catch (...) {
        harvest.failure = std::current_exception();
        pass.halt.store(true);
    }
}

// Lines before each block, so that a line within a block becomes a line of the text.
class Lines {
public:
    explicit Lines(const std::vector<Harvest>& harvests) {
        for (const Harvest& harvest : harvests) blocks_.insert(blocks_.end(), harvest.blocks.begin(), harvest.blocks.end());
        std::sort(blocks_.begin(), blocks_.end(), [](const BlockCount& a, const BlockCount& b) { return a.block < b.block; });
        std::int64_t lines = 0;
        std::int64_t data_lines = 0;
        for (BlockCount& block : blocks_) {
            lines += block.lines;
            data_lines += block.data_lines;
            block.lines = lines - block.lines;
            block.data_lines = data_lines - block.data_lines;
        }
        total_ = lines;
    }

    std::int64_t total() const { return total_; }
    std::int64_t line(const Place& place) const { return before(place.block).lines + place.line; }

    LineFault absolute(BlockFault fault) const {
        fault.fault.line += before(fault.block).lines;
        fault.fault.data_line += before(fault.block).data_lines;
        return std::move(fault.fault);
    }

private:
    // Blocks are numbered without gaps, and every one handed out before another is counted, unless memory ran out.
    const BlockCount& before(std::int64_t block) const {
        return blocks_[std::min(static_cast<std::size_t>(block), blocks_.size() - 1)];
    }

    std::vector<BlockCount> blocks_;
    std::int64_t total_ = 0;
};

// Throws for the earliest bad line; a source that failed did so behind every line that was read.
void throw_faults(std::vector<Harvest>& harvests) {
    const BlockFault* earliest = nullptr;
    for (const Harvest& harvest : harvests) {
        if (harvest.fault && (earliest == nullptr || harvest.fault->block < earliest->block)) earliest = &*harvest.fault;
    }
    if (earliest != nullptr) throw Lines(harvests).absolute(*earliest);
    for (const Harvest& harvest : harvests) {
        if (harvest.failure) std::rethrow_exception(harvest.failure);
    }
}

Matched bring_home(const Judgments& judgments, std::vector<Harvest>& harvests) {
    const Lines lines(harvests);
    std::vector<Findings> findings;
    for (Harvest& harvest : harvests) findings.push_back(std::move(harvest.findings));
    Matched matched = arrange(judgments, findings);
    for (Repeat& repeat : matched.duplicates) {
        repeat.first = {0, lines.line(repeat.first)};
        repeat.again = {0, lines.line(repeat.again)};
    }
    std::sort(matched.duplicates.begin(), matched.duplicates.end(),
              [](const Repeat& a, const Repeat& b) { return a.again.line < b.again.line; });

    matched.count.lines = lines.total();
    std::int64_t tag_block = -1;
    for (Harvest& harvest : harvests) {
        matched.extra.insert(matched.extra.end(), harvest.extra.begin(), harvest.extra.end());
        matched.count.malformed.count += harvest.malformed_count;
        for (BlockFault& fault : harvest.malformed) matched.count.malformed.first.push_back(lines.absolute(std::move(fault)));
        if (harvest.tag_block > tag_block) {
            tag_block = harvest.tag_block;
            matched.tag = std::move(harvest.tag);
        }
    }
    const auto by_bytes = [](const std::string& a, const std::string& b) { return compare_ids(a, b) < 0; };
    std::sort(matched.extra.begin(), matched.extra.end(), by_bytes);
    matched.extra.erase(std::unique(matched.extra.begin(), matched.extra.end()), matched.extra.end());
    auto& first = matched.count.malformed.first;
    std::sort(first.begin(), first.end(), [](const LineFault& a, const LineFault& b) { return a.line < b.line; });
    if (first.size() > MALFORMED_LIMIT) first.resize(MALFORMED_LIMIT);
    return matched;
}

// The quick pass, for runs whose queries come one after the other. Empty when they turn out not to.
std::optional<Matched> match_contiguous(const Judgments& judgments, Source& source, const MatchOptions& options,
                                        std::atomic<std::int64_t>* progress, const GoOn& go_on) {
    Pass pass(judgments, source, options, Cut::queries, progress);
    std::vector<std::atomic<unsigned char>> seen(static_cast<std::size_t>(judgments.query_count()));
    Block first;
    const bool any = pass.blocks.next(first);
    const bool small = pass.blocks.exhausted();
    std::vector<Harvest> harvests(small ? 1 : static_cast<std::size_t>(options.threads));
    const bool wanted = run_in_parallel(options.threads, small, pass.stop, go_on, [&](int worker) {
        Harvest& harvest = harvests[static_cast<std::size_t>(worker)];
        try {
            ContiguousSink sink(pass, seen, harvest);
            read_blocks(pass, sink, harvest, worker == 0 ? std::move(first) : Block(), worker == 0 && any);
        } catch (...) {
            harvest.failure = std::current_exception();
            pass.halt.store(true);
        }
    });
    if (!wanted) throw Interrupted{};
    if (pass.interleaved.load()) return std::nullopt;
    throw_faults(harvests);
    return bring_home(judgments, harvests);
}

// The documents of one query from all workers, in file order.
class Assembler {
public:
    Assembler(const Judgments& judgments, const MatchOptions& options, const std::vector<std::unique_ptr<Gathered>>& gathered)
        : judgments_(judgments), options_(options), gathered_(gathered), reducer_(judgments, options.ties, options.duplicates) {}

    void reduce(std::size_t query, Findings& findings) {
        items_.clear();
        for (const auto& worker : gathered_) {
            const std::size_t sorted = items_.size();
            worker->walk(query, [&](std::string_view id, const Gathered::Record& record) { items_.push_back({id, record}); });
            std::inplace_merge(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(sorted), items_.end(),
                               [](const Item& a, const Item& b) {
                                   return a.record.block != b.record.block ? a.record.block < b.record.block
                                                                           : a.record.line < b.record.line;
                               });
        }
        if (items_.empty()) return;
        documents_.clear();
        for (const Item& item : items_) {
            const double score = options_.float32 ? static_cast<double>(static_cast<float>(item.record.score)) : item.record.score;
            documents_.add(item.id, hash_id(item.id, judgments_.seed()), score);
            documents_.places.push_back({item.record.block, item.record.line});
            if (options_.ties == Ties::rank_column) documents_.ranks.push_back(item.record.rank);
        }
        reducer_.reduce(static_cast<std::int64_t>(query), documents_, findings);
    }

private:
    struct Item {
        std::string_view id;
        Gathered::Record record;
    };
    const Judgments& judgments_;
    const MatchOptions& options_;
    const std::vector<std::unique_ptr<Gathered>>& gathered_;
    Reducer reducer_;
    Documents documents_;
    std::vector<Item> items_;
};

// For runs whose queries are interleaved: every line of a judged query is kept until the end.
Matched match_gathered(const Judgments& judgments, Source& source, const MatchOptions& options,
                       std::atomic<std::int64_t>* progress, const GoOn& go_on) {
    Pass pass(judgments, source, options, Cut::lines, progress);
    const auto query_count = static_cast<std::size_t>(judgments.query_count());
    Block first;
    const bool any = pass.blocks.next(first);
    const bool small = pass.blocks.exhausted();
    const auto workers = small ? std::size_t{1} : static_cast<std::size_t>(options.threads);
    std::vector<Harvest> harvests(workers);
    std::vector<std::unique_ptr<Gathered>> gathered;
    for (std::size_t w = 0; w < workers; ++w) gathered.push_back(std::make_unique<Gathered>(query_count));

    bool wanted = run_in_parallel(options.threads, small, pass.stop, go_on, [&](int worker) {
        const auto w = static_cast<std::size_t>(worker);
        GatheringSink sink(pass, *gathered[w], harvests[w]);
        read_blocks(pass, sink, harvests[w], w == 0 ? std::move(first) : Block(), w == 0 && any);
    });
    if (!wanted) throw Interrupted{};
    throw_faults(harvests);

    constexpr std::size_t STRIDE = 16;
    std::atomic<std::size_t> next_query{0};
    wanted = run_in_parallel(options.threads, small, pass.stop, go_on, [&](int worker) {
        Harvest& harvest = harvests[static_cast<std::size_t>(worker)];
        try {
            Assembler assembler(judgments, options, gathered);
            while (!pass.stop.load()) {
                const std::size_t from = next_query.fetch_add(STRIDE);
                if (from >= query_count) break;
                for (std::size_t q = from; q < std::min(from + STRIDE, query_count); ++q) assembler.reduce(q, harvest.findings);
            }
        } catch (...) {
            harvest.failure = std::current_exception();
            pass.stop.store(true);
        }
    });
    if (!wanted) throw Interrupted{};
    throw_faults(harvests);
    return bring_home(judgments, harvests);
}

}  // namespace

Matched match_text(const Judgments& judgments, Source& source, const MatchOptions& options,
                   std::atomic<std::int64_t>* progress, const GoOn& go_on) {
    if (!options.gathered) {
        if (auto matched = match_contiguous(judgments, source, options, progress, go_on)) return std::move(*matched);
        source.rewind();
        if (progress != nullptr) progress->store(0);
    }
    return match_gathered(judgments, source, options, progress, go_on);
}

}  // namespace karat

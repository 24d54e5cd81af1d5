// Matches the text of a run with judgments: takes bytes and returns judged rows.
#include "matching/match.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "matching/reduce.h"
#include "matching/regroup.h"
#include "text/first_line.h"

namespace carob {
namespace {

// The state that the workers of a pass share.
struct Pass {
    const Judgments& judgments;
    const MatchOptions& options;
    Blocks blocks;
    std::atomic<bool> halt{false};         // take no more blocks, but finish the current ones
    std::atomic<bool> stop{false};         // stop at once
    std::atomic<bool> interleaved{false};  // a query reappeared after another query
    std::int64_t width = 0;                // how many fields each line has

    Pass(const Judgments& judgments_, Source& source, const MatchOptions& options_, Cut cut,
         std::atomic<std::int64_t>* progress)
        : judgments(judgments_), options(options_), blocks(source, cut, options_.reading.block_bytes, progress) {}
};

// The results of one worker after a pass.
struct Harvest {
    Findings findings;
    Strings extra;
    RunNotes notes;
    std::optional<BlockFault> fault;
    std::exception_ptr failure;
};

// The rank on a line, found from the bytes of its document; 0 if the rank is not a whole number.
std::int64_t rank_behind(std::string_view document) {
    const char* rank = document.data() + document.size();
    while (is_blank(*rank)) ++rank;
    const char* end = rank;
    while (!is_blank(*end)) ++end;
    std::int64_t found = 0;
    return parse_integer({rank, static_cast<std::size_t>(end - rank)}, found) ? found : 0;
}

// Sends the documents of each stretch of lines of one query to the reducer.
class ContiguousSink {
public:
    ContiguousSink(Pass& pass, std::vector<std::atomic<unsigned char>>& seen, Harvest& harvest)
        : pass_(pass),
          seen_(seen),
          harvest_(harvest),
          seed_(pass.judgments.seed()),
          with_rank_(pass.options.ties == Ties::rank_column),
          reducer_(pass.judgments, pass.options) {}

    void start(const Block& block) {
        block_ = block.sequence();
        query_ = -1;
    }

    bool stopped() const { return pass_.stop.load(std::memory_order_relaxed); }

    CAROB_NEVER_INLINE void query(std::string_view id, std::int64_t line) {
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

    CAROB_ALWAYS_INLINE void document(const RunLine& line) {
        if (query_ < 0) return;
        documents_.add(line.document, hash_id(line.document, seed_), pass_.options.rounded(line.score));
        if (with_rank_) documents_.ranks.push_back(line.rank);
    }

    CAROB_NEVER_INLINE void finish() {
        if (query_ >= 0 && !stopped()) {
            compare_ranks();
            reducer_.reduce(query_, documents_, harvest_.findings);
        }
        query_ = -1;
    }

private:
    // Compares the rank column with the scores for a few documents. On a line, the rank follows the document.
    CAROB_NEVER_INLINE void compare_ranks() {
        const std::size_t count = documents_.size();
        if (count < 2) return;
        const std::size_t least = std::min<std::size_t>(8, 1 + count / 128);
        const std::size_t some = Sample::ranks(count, least, pass_.judgments.query_count());
        std::int64_t last = 0;
        double last_score = 0;
        for (std::size_t k = 0; k <= some; ++k) {
            const Document& document = documents_.documents[k * (count - 1) / some];
            const std::int64_t rank = rank_behind(document.name());
            if (k != 0)
                documents_.accord.compare(static_cast<double>(last), last_score, static_cast<double>(rank), document.score);
            last = rank;
            last_score = document.score;
        }
    }

    Pass& pass_;
    std::vector<std::atomic<unsigned char>>& seen_;
    Harvest& harvest_;
    const std::uint64_t seed_;
    const bool with_rank_;
    Reducer reducer_;
    Documents documents_;
    std::int64_t block_ = 0;
    std::int64_t query_ = -1;
};

// Keeps every document of a judged query for later.
class GatheringSink {
public:
    GatheringSink(Pass& pass, Gathered& gathered, Harvest& harvest)
        : pass_(pass),
          last_(static_cast<std::size_t>(std::min(QUERIES, pass.judgments.query_count())), {std::nan(""), 0}),
          gathered_(gathered),
          harvest_(harvest) {}

    void start(const Block& block) { block_ = block.sequence(); }
    bool stopped() const { return pass_.stop.load(std::memory_order_relaxed); }

    CAROB_NEVER_INLINE void query(std::string_view id, std::int64_t) {
        query_ = pass_.judgments.find_query(id);
        if (query_ < 0 && harvest_.extra.find(id) == harvest_.extra.end()) harvest_.extra.emplace(id);
    }

    void document(const RunLine& line) {
        if (query_ < 0) return;
        gathered_.add(static_cast<std::size_t>(query_), block_, line);
        if (line.line % SAMPLED != 0 && line.line > Sample::RANKS) return;
        if (query_ >= static_cast<std::int64_t>(last_.size())) return;
        Ranked& last = last_[static_cast<std::size_t>(query_)];
        const Ranked found{static_cast<double>(rank_behind(line.document)), line.score};
        if (!std::isnan(last.rank)) harvest_.findings.noticed.ranks.compare(last.rank, last.score, found.rank, found.score);
        last = found;
    }

    void finish() {}

private:
    struct Ranked {
        double rank, score;
    };

    static constexpr std::int64_t SAMPLED = 32;  // after the first, one line in this many is compared with its rank
    static constexpr std::int64_t QUERIES = 1 << 16;  // queries compared: a megabyte for each thread

    Pass& pass_;
    std::vector<Ranked> last_;  // the last line compared for each query
    Gathered& gathered_;
    Harvest& harvest_;
    std::int64_t block_ = 0;
    std::int64_t query_ = -1;
};

// Determines how many fields each line has from the first line that can be read, and leaves the block of that line to
// be read. Reads the blocks before it, which contain no readable line. False if nothing is left.
bool begin(Pass& pass, Harvest& harvest, Block& block) {
    while (pass.blocks.next(block)) {
        RunNotes notes;
        auto fault = read_first_line(block, {pass.options.reading, pass.options.ties == Ties::rank_column}, notes, pass.width);
        if (pass.width != 0) return true;
        RunNotes& all = harvest.notes;
        all.blocks.insert(all.blocks.end(), notes.blocks.begin(), notes.blocks.end());
        all.malformed.insert(all.malformed.end(), notes.malformed.begin(), notes.malformed.end());
        all.malformed_count += notes.malformed_count;
        all.commented += notes.commented;
        if (fault) {
            harvest.fault = BlockFault{block.sequence(), std::move(*fault)};
            pass.halt.store(true);
            return false;
        }
    }
    return false;
}

template <class Sink>
void read_blocks(Pass& pass, Sink& sink, Harvest& harvest, Block block, bool have_block) {
    try {
        const RunRules rules{pass.options.reading, pass.options.ties == Ties::rank_column, pass.width};
        RunReader<Sink> reader(rules, sink, harvest.notes);
        while (have_block || (!pass.halt.load() && !pass.stop.load() && pass.blocks.next(block))) {
            have_block = false;
            sink.start(block);
            auto fault = reader.read(block);
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

// The number of lines before each block, which turns a line number within a block into a line number of the text.
class Lines {
public:
    explicit Lines(const std::vector<Harvest>& harvests) {
        for (const Harvest& harvest : harvests)
            blocks_.insert(blocks_.end(), harvest.notes.blocks.begin(), harvest.notes.blocks.end());
        std::sort(blocks_.begin(), blocks_.end(),
                  [](const BlockCount& a, const BlockCount& b) { return a.block < b.block; });
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
    // Blocks are numbered without gaps, and all blocks before a given one have been counted, unless memory ran out.
    const BlockCount& before(std::int64_t block) const {
        return blocks_[std::min(static_cast<std::size_t>(block), blocks_.size() - 1)];
    }

    std::vector<BlockCount> blocks_;
    std::int64_t total_ = 0;
};

// Throws for the earliest bad line; a failure of the source counts as coming after the last line that was read.
void throw_faults(std::vector<Harvest>& harvests) {
    const BlockFault* earliest = nullptr;
    for (const Harvest& harvest : harvests) {
        if (harvest.fault && (earliest == nullptr || harvest.fault->block < earliest->block))
            earliest = &*harvest.fault;
    }
    if (earliest != nullptr) throw Lines(harvests).absolute(*earliest);
    for (const Harvest& harvest : harvests) {
        if (harvest.failure) std::rethrow_exception(harvest.failure);
    }
}

Matched bring_home(const Judgments& judgments, const MatchOptions& options, std::vector<Harvest>& harvests) {
    const Lines lines(harvests);
    std::vector<Findings> findings;
    for (Harvest& harvest : harvests) findings.push_back(std::move(harvest.findings));
    Matched matched = arrange(judgments, options, findings);
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
        matched.count.malformed.count += harvest.notes.malformed_count;
        matched.count.commented += harvest.notes.commented;
        for (BlockFault& fault : harvest.notes.malformed)
            matched.count.malformed.first.push_back(lines.absolute(std::move(fault)));
        if (harvest.notes.tag_block > tag_block) {
            tag_block = harvest.notes.tag_block;
            matched.tag = std::move(harvest.notes.tag);
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

// The quick pass, for runs whose queries are not interleaved. Returns nothing if they turn out to be interleaved.
std::optional<Matched> match_contiguous(const Judgments& judgments, Source& source, const MatchOptions& options,
                                        std::atomic<std::int64_t>* progress, const GoOn& go_on) {
    Pass pass(judgments, source, options, Cut::queries, progress);
    std::vector<std::atomic<unsigned char>> seen(static_cast<std::size_t>(judgments.query_count()));
    Harvest opening;
    Block first;
    const bool any = begin(pass, opening, first);
    const bool small = pass.blocks.exhausted() || (options.threads == 1 && !go_on);
    // Only this pass reads ahead, because keeping the lines of interleaved queries takes longer than decompressing
    // them.
    const bool ahead = !small && options.threads > 1 && pass.blocks.read_ahead();
    const int workers = small ? 1 : ahead ? options.threads - 1 : options.threads;
    std::vector<Harvest> harvests(static_cast<std::size_t>(workers));
    harvests[0] = std::move(opening);
    const bool wanted = run_in_parallel(workers, small, pass.stop, go_on, [&](int worker) {
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
    return bring_home(judgments, options, harvests);
}

// For runs whose queries are interleaved: every line of a judged query is kept until the end.
Matched match_gathered(const Judgments& judgments, Source& source, const MatchOptions& options,
                       std::atomic<std::int64_t>* progress, const GoOn& go_on) {
    Pass pass(judgments, source, options, Cut::lines, progress);
    const Buckets buckets(static_cast<std::size_t>(judgments.query_count()));
    Harvest opening;
    Block first;
    const bool any = begin(pass, opening, first);
    const bool small = pass.blocks.exhausted() || (options.threads == 1 && !go_on);
    const int workers = small ? 1 : options.threads;
    std::vector<Harvest> harvests(static_cast<std::size_t>(workers));
    harvests[0] = std::move(opening);
    std::vector<std::unique_ptr<Gathered>> gathered;
    for (int w = 0; w < workers; ++w) {
        gathered.push_back(std::make_unique<Gathered>(buckets, options.ties == Ties::rank_column, options.spill,
                                                      options.memory / harvests.size()));
    }
    const bool wanted = run_in_parallel(workers, small, pass.stop, go_on, [&](int worker) {
        const auto w = static_cast<std::size_t>(worker);
        GatheringSink sink(pass, *gathered[w], harvests[w]);
        read_blocks(pass, sink, harvests[w], w == 0 ? std::move(first) : Block(), w == 0 && any);
    });
    if (!wanted) throw Interrupted{};
    throw_faults(harvests);

    for (const auto& worker : gathered) worker->close();
    std::vector<Findings*> findings;
    for (Harvest& harvest : harvests) findings.push_back(&harvest.findings);
    reduce_gathered(judgments, options, buckets, gathered, small, go_on, findings);
    return bring_home(judgments, options, harvests);
}

}  // namespace

Matched match_text(const Judgments& judgments, Source& source, const MatchOptions& options,
                   std::atomic<std::int64_t>* progress, const GoOn& go_on) {
    const GoOn wanted = interrupting(source, go_on);
    if (!options.gathered) {
        if (auto matched = match_contiguous(judgments, source, options, progress, wanted)) return std::move(*matched);
        source.rewind();
        if (progress != nullptr) progress->store(0);
    }
    return match_gathered(judgments, source, options, progress, wanted);
}

}  // namespace carob

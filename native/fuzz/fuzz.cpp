// This file is the fuzz target: any bytes become text, a frame or a Parquet file; the kernel must agree with the oracle.
#include <cstring>
#include <mutex>

#include "compare.h"
#include "families.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

// Holds most inputs whole; the default block is so large that its memory would take most of the time.
constexpr std::size_t ONE_BLOCK = 16384;

// A file that is none.
class MemorySpill final : public karat::Spill {
public:
    std::uint64_t append(const char* bytes, std::size_t size) override {
        const std::lock_guard lock(mutex_);
        const std::size_t place = bytes_.size();
        bytes_.append(bytes, size);
        return place;
    }
    void read(std::uint64_t place, char* bytes, std::size_t size) override {
        const std::lock_guard lock(mutex_);
        expect(place + size <= bytes_.size(), "reads back what was not written");
        std::memcpy(bytes, bytes_.data() + place, size);
    }

private:
    std::mutex mutex_;
    std::string bytes_;
};

// One after the other, so that the last bits of the options decide on few things at once.
class Choices {
public:
    explicit Choices(std::uint32_t bits) : bits_(bits) {}
    std::uint32_t operator()(std::uint32_t count) {
        const std::uint32_t chosen = bits_ % count;
        bits_ /= count;
        return chosen;
    }

private:
    std::uint32_t bits_;
};

karat::Reading reading_from(Choices& choose) {
    karat::Reading reading;
    reading.numbers = choose(2) == 0 ? karat::Numbers::strict : karat::Numbers::c;
    reading.comments = static_cast<karat::Comments>(choose(3));
    reading.blank_lines_are_errors = choose(4) == 0;
    reading.lenient = choose(2) == 0;
    return reading;
}

void match_and_compare(const karat::Judgments& judgments, const std::string& run, const karat::MatchOptions& options,
                       const oracle::Ranked& wanted) {
    karat::MemorySource source(run);
    try {
        compare(karat::match_text(judgments, source, options, nullptr, {}), wanted, options.scores);
    } catch (const karat::LineFault& fault) {
        compare(fault, wanted.refusal);
    }
}

void rank_and_compare(const std::string& query, const std::string& run, const karat::MatchOptions& options) {
    const oracle::Listed wanted = oracle::rank_query(query, run, options);
    karat::MemorySource source(run);
    try {
        compare(karat::rank_query(query, source, options, {}), wanted);
    } catch (const karat::LineFault& fault) {
        compare(fault, wanted.refusal);
    }
}

// Options, then judgments and a run as they stand in files.
void fuzz_text(const std::uint8_t* data, std::size_t size) {
    if (size < 8) return;
    std::uint32_t bits = 0;
    std::memcpy(&bits, data, sizeof bits);
    const std::size_t tiny_block = 8 + data[4] % 120;
    const bool threaded = data[5] % 64 == 0;
    const std::string text(reinterpret_cast<const char*>(data + 8), size - 8);
    const std::size_t cut = (data[6] + std::size_t{256} * data[7]) % (text.size() + 1);
    const std::string qrels = text.substr(0, cut);
    const std::string run = text.substr(cut);

    Choices choose(bits);
    const karat::Reading qrels_reading = reading_from(choose);
    const auto qrels_policy = static_cast<karat::Duplicates>(choose(4));
    const oracle::Judged judged = oracle::read_judgments(qrels, qrels_reading, qrels_policy);
    std::optional<karat::Judgments> judgments;
    for (const std::size_t block : {tiny_block, ONE_BLOCK}) {
        karat::Reading reading = qrels_reading;
        reading.block_bytes = block;
        karat::MemorySource source(qrels);
        try {
            judgments = karat::read_judgments(source, {4}, reading, qrels_policy);
            compare(*judgments, judged);
        } catch (const karat::LineFault& fault) {
            compare(fault, judged.refusal);
        }
    }
    if (!judgments) return;

    karat::MatchOptions options;
    options.reading = reading_from(choose);
    options.reading.block_bytes = ONE_BLOCK;
    options.ties = static_cast<karat::Ties>(choose(4));
    options.duplicates = static_cast<karat::Duplicates>(choose(4));
    options.float32 = choose(2) == 0;
    options.scores = choose(2) == 0;
    const oracle::Ranked ranked = oracle::match(judged, run, options);
    match_and_compare(*judgments, run, options, ranked);
    std::vector<std::string> queries = judged.queries;  // and those that nobody judged
    queries.insert(queries.end(), ranked.matched.extra.begin(), ranked.matched.extra.end());
    const std::string query = queries.empty() ? "1" : queries[choose(static_cast<std::uint32_t>(queries.size()))];
    rank_and_compare(query, run, options);
    options.reading.block_bytes = tiny_block;
    rank_and_compare(query, run, options);
    match_and_compare(*judgments, run, options, ranked);
    options.gathered = true;
    match_and_compare(*judgments, run, options, ranked);
    MemorySpill spill;
    options.spill = &spill;
    options.memory = 1;
    match_and_compare(*judgments, run, options, ranked);
    if (threaded) {
        options.threads = 2;
        match_and_compare(*judgments, run, options, ranked);
        options.gathered = false;
        match_and_compare(*judgments, run, options, ranked);
    }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    switch (data[0] % family::COUNT) {
        case family::FRAMES: family::fuzz_frames(data + 1, size - 1); break;
        case family::PAGES: family::fuzz_pages(data + 1, size - 1); break;
        default: fuzz_text(data + 1, size - 1); break;
    }
    return 0;
}

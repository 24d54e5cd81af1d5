// The fuzz target: turns any bytes into text, a frame, a Parquet file or JSON; the kernel must agree with the oracle.
#include <algorithm>
#include <cstring>

#include "compare.h"
#include "families.h"
#include "text/survey.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

// Large enough for most inputs; the default block is so large that allocating it would take most of the time.
constexpr std::size_t ONE_BLOCK = 16384;

// Options are drawn one after the other, so the last bits decide few of them at a time.
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

carob::Reading reading_from(Choices& choose) {
    carob::Reading reading;
    reading.numbers = choose(2) == 0 ? carob::Numbers::strict : carob::Numbers::c;
    reading.comments = static_cast<carob::Comments>(choose(3));
    reading.blank_lines_are_errors = choose(4) == 0;
    reading.lenient = choose(2) == 0;
    reading.loose = choose(3) == 0;
    return reading;
}

void match_and_compare(const carob::Judgments& judgments, const std::string& run, const carob::MatchOptions& options,
                       const oracle::Ranked& wanted) {
    carob::MemorySource source(run);
    try {
        compare(carob::match_text(judgments, source, options, nullptr, {}), wanted, options.scores);
    } catch (const carob::LineFault& fault) {
        compare(fault, wanted.refusal);
    }
}

void rank_and_compare(const std::string& query, const std::string& run, const carob::MatchOptions& options,
                      const carob::GoOn& go_on, const oracle::Listed& wanted) {
    carob::MemorySource source(run);
    try {
        compare(carob::rank_queries({query}, source, options, go_on).front(), wanted);
    } catch (const carob::LineFault& fault) {
        compare(fault, wanted.refusal);
    }
}

// The counts of a survey must not depend on where the text is cut, and a rewritten text must not have more rows.
void survey_and_compare(const std::string& run, const carob::Judgments& judgments, std::size_t tiny_block) {
    std::optional<carob::Survey> known;
    for (const std::size_t block : {tiny_block, ONE_BLOCK}) {
        carob::MemorySource source(run);
        try {
            carob::Survey found = carob::survey(source, carob::TextKind::run, &judgments, {}, block);
            if (known) {
                expect(found.rows == known->rows && found.usable == known->usable && found.last == known->last,
                       "rows of a survey");
                expect(found.groups == known->groups && found.queries.size() == known->queries.size(),
                       "queries of a survey");
                expect(found.spellings.size() == known->spellings.size(), "spellings of a survey");
            }
            known = std::move(found);
        } catch (const carob::LineFault&) {
            return;  // no text
        }
    }
    for (const auto change : {carob::Change::negated, carob::Change::by_rank, carob::Change::without_own}) {
        carob::MemorySource source(run);
        const std::string changed = carob::changed_run(source, change);
        const auto rows = std::count(changed.begin(), changed.end(), '\n');
        expect(change == carob::Change::without_own ? rows <= known->usable : rows == known->usable, "rows rewritten");
    }
}

// The input contains options, then judgments and a run as text.
void fuzz_text(const std::uint8_t* data, std::size_t size) {
    if (size < 8) return;
    std::uint32_t bits = 0;
    std::memcpy(&bits, data, sizeof bits);
    const std::size_t tiny_block = 8 + data[4] % 120;
    // The most expensive checks run only for every n-th input.
    const bool threaded = data[5] % 64 == 0;
    const bool spilled = data[5] % 4 == 0;
    const bool listed_from_tiny = data[5] % 8 < 4;
    const std::string text(reinterpret_cast<const char*>(data + 8), size - 8);
    const std::size_t cut = (data[6] + std::size_t{256} * data[7]) % (text.size() + 1);
    const std::string qrels = text.substr(0, cut);
    const std::string run = text.substr(cut);

    Choices choose(bits);
    const carob::Reading qrels_reading = reading_from(choose);
    const auto qrels_policy = static_cast<carob::Duplicates>(choose(4));
    const oracle::Text qrels_text(qrels, qrels_reading);
    const oracle::Judged judged = oracle::read_judgments(qrels_text, qrels_reading, qrels_policy);
    std::optional<carob::Judgments> judgments;
    for (const std::size_t block : {tiny_block, ONE_BLOCK}) {
        carob::Reading reading = qrels_reading;
        reading.block_bytes = block;
        carob::MemorySource source(qrels);
        try {
            judgments = carob::read_judgments(source, {4}, reading, qrels_policy);
            compare(*judgments, judged);
        } catch (const carob::LineFault& fault) {
            compare(fault, judged.refusal);
        }
    }
    if (!judgments) return;

    carob::MatchOptions options;
    options.reading = reading_from(choose);
    options.reading.block_bytes = ONE_BLOCK;
    options.ties = static_cast<carob::Ties>(choose(4));
    options.duplicates = static_cast<carob::Duplicates>(choose(4));
    options.float32 = choose(2) == 0;
    options.scores = choose(2) == 0;
    options.relevant_only = choose(4) == 0;
    const oracle::Text run_text(run, options.reading);
    const oracle::Ranked ranked = oracle::match(judged, run_text, options);
    std::vector<std::string_view> queries = judged.queries;  // unjudged queries follow
    queries.insert(queries.end(), ranked.matched.extra.begin(), ranked.matched.extra.end());
    const std::string query(queries.empty() ? "1" : queries[choose(static_cast<std::uint32_t>(queries.size()))]);
    const oracle::Listed listed = oracle::rank_query(query, run_text, options);

    match_and_compare(*judgments, run, options, ranked);
    if (data[5] % 8 == 1) survey_and_compare(run, *judgments, tiny_block);
    if (!listed_from_tiny) rank_and_compare(query, run, options, {}, listed);
    options.reading.block_bytes = tiny_block;
    if (listed_from_tiny) rank_and_compare(query, run, options, {}, listed);
    match_and_compare(*judgments, run, options, ranked);
    options.gathered = true;
    match_and_compare(*judgments, run, options, ranked);
    MemorySpill spill;
    if (spilled) {
        options.spill = &spill;
        options.memory = 1;
        match_and_compare(*judgments, run, options, ranked);
    }
    if (threaded) {
        options.threads = 2;
        match_and_compare(*judgments, run, options, ranked);
        options.gathered = false;
        match_and_compare(*judgments, run, options, ranked);
        rank_and_compare(query, run, options, [] { return true; }, listed);
    }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    switch (data[0] % family::COUNT) {
        case family::FRAMES: family::fuzz_frames(data + 1, size - 1); break;
        case family::PAGES: family::fuzz_pages(data + 1, size - 1); break;
        case family::JSON: family::fuzz_json(data + 1, size - 1); break;
        default: fuzz_text(data + 1, size - 1); break;
    }
    return 0;
}

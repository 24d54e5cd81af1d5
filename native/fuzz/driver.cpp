// Drives the fuzz target if libFuzzer is absent: generates texts from a grammar and damages them, and draws the
// decisions from which the target builds frames and Parquet files.
//
//   carob-fuzz --count N --seed S [--jobs J]    N inputs, the same ones for the same seed, on J threads (all cores)
//   carob-fuzz FILE...                          inputs that were written down
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "families.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using family::Dice;

std::uint64_t seed = 1;

const char* const QUERIES[] = {"1", "2", "10", "q1", "q2", "1000000", "#9", "query-with-a-long-name", "\xC3\xA9", "-1"};
const char* const DOCUMENTS[] = {"d1",
                                 "d2",
                                 "d3",
                                 "d10",
                                 "d",
                                 "D1",
                                 "x",
                                 "y",
                                 "7",
                                 "77",
                                 "6956363",
                                 "clueweb09-en0000-00-00000",
                                 "clueweb09-en0000-00-00001",
                                 "msmarco_passage_30_1",
                                 "\xFF\xFE",
                                 "\xC3\xA9t\xC3\xA9",
                                 "12345678",
                                 "123456789"};
const char* const SCORES[] = {"1",
                              "0",
                              "-0",
                              "1.0",
                              "1.5",
                              "2",
                              "29.993734",
                              "29.982326",
                              "0.618064",
                              "1e3",
                              "1E-3",
                              "-3.25",
                              ".5",
                              "5.",
                              "+1",
                              "inf",
                              "-inf",
                              "Infinity",
                              "nan",
                              "NaN",
                              "-nan",
                              "nan(1)",
                              "0x1p3",
                              "1e400",
                              "1e-400",
                              "4.9e-324",
                              "1,5",
                              "abc",
                              "1.5x",
                              "--1",
                              "1e",
                              "1e+",
                              ".",
                              "-",
                              "12345678.12345678",
                              "99999999.99999999",
                              "123456789.5",
                              "0.1234567890123456789",
                              "1.00000001",
                              "1.000000001",
                              "16777217",
                              "16777216",
                              "2.2250738585072011e-308",
                              "9007199254740993"};
const char* const GRADES[] = {"0",
                              "1",
                              "2",
                              "-1",
                              "-2",
                              "1.9",
                              "3",
                              "+2",
                              "1e3",
                              "0x5",
                              "007",
                              "abc",
                              "99999999999999999999",
                              "-99999999999999999999",
                              "inf",
                              "nan",
                              "",
                              "0.5"};
const char* const BLANKS[] = {" ", " ", " ", " ", " ", " ", " ", "\t", "  ", " \t ", "\v", "\f", "\r"};
const char* const ENDS[] = {"\n",   "\n",  "\n",   "\n", "\n",      "\n",     "\n",
                            "\r\n", " \n", "\n\n", "",   "\n# c\n", "\n #\n", "\n \t\n"};
const char* const SCRAPS[] = {"\n", "#", " ", "\r", "\t", "\xEF\xBB\xBF", "\xFF\xFE", "\x1F\x8B",
                              "1",  ".", "e", "-",  "\v"};

class Grammar {
public:
    explicit Grammar(Dice& dice) : dice_(dice) {
        long_ = dice.one_in(1000);  // small inputs reveal most faults, but not all
        queries_ = 1 + dice.below(long_ && dice.one_in(2) ? 600 : 3);
        documents_ = 1 + dice.below(long_ ? 2'000 : dice.one_in(3) ? std::size(DOCUMENTS) : 6);
        tidy_ = !dice.one_in(3);
        separator_ = dice.one_in(8) ? "\t" : " ";
        tied_ = dice.one_in(2);
    }

    std::string qrels() {
        std::string text = start();
        const std::size_t lines = dice_.below(long_ ? 1'500 : dice_.one_in(12) ? 60 : 8);
        text.reserve(64 * lines);
        for (std::size_t i = 0; i < lines; ++i) {
            text.append(query()).append(blank()).append("0").append(blank()).append(document()).append(blank());
            text.append(tidy_ ? GRADES[dice_.below(5)] : dice_.of(GRADES)).append(end());
        }
        return text;
    }

    std::string run() {
        std::string text = start();
        std::string query = this->query();
        const bool interleaved = dice_.one_in(3);
        const std::size_t lines = dice_.below(long_ ? 2'000 : dice_.one_in(8) ? 120 : 16);
        text.reserve(64 * lines);
        for (std::size_t i = 0; i < lines; ++i) {
            if (interleaved || dice_.one_in(4)) query = this->query();
            text.append(query).append(blank()).append("Q0").append(blank()).append(document()).append(blank());
            text.append(dice_.one_in(40) ? "r" : std::to_string(dice_.below(9))).append(blank()).append(score());
            if (tidy_ || !dice_.one_in(9)) text.append(blank()).append(tag());
            text += end();
        }
        return text;
    }

private:
    std::string start() { return dice_.one_in(40) ? dice_.of(SCRAPS) : ""; }
    std::string query() {
        const std::size_t chosen = dice_.below(tidy_ ? queries_ : std::size(QUERIES));
        return chosen < std::size(QUERIES) ? QUERIES[chosen] : std::to_string(chosen);
    }
    std::string document() {
        if (dice_.one_in(300)) return std::string(240 + dice_.below(40), 'z');
        if (dice_.one_in(4)) return "u" + std::to_string(dice_.below(200));
        const std::size_t chosen = dice_.below(documents_);
        return chosen < std::size(DOCUMENTS) ? DOCUMENTS[chosen] : "d" + std::to_string(chosen);
    }
    std::string score() {
        if (!tidy_ && dice_.one_in(3)) return dice_.of(SCORES);
        if (tied_) return SCORES[dice_.below(4)];
        if (dice_.one_in(6)) return std::to_string(dice_.below(100'000'000)) + "." + std::to_string(dice_.below(100'000'000));
        char text[64];
        std::snprintf(text, sizeof text, "%.*f", static_cast<int>(dice_.below(10)),
                      static_cast<double>(dice_.below(4000)) / 37.0);
        return text;
    }
    const char* blank() { return tidy_ ? separator_ : dice_.of(BLANKS); }
    std::string tag() { return dice_.one_in(20) ? std::string(60, 't') : dice_.one_in(20) ? "two words" : "bm25"; }
    const char* end() { return tidy_ ? "\n" : dice_.of(ENDS); }

    Dice& dice_;
    bool long_;
    std::size_t queries_;
    std::size_t documents_;
    bool tidy_;
    const char* separator_;
    bool tied_;
};

void damage(std::string& text, Dice& dice) {
    for (std::size_t times = dice.below(4); times > 0 && !text.empty(); --times) {
        const std::size_t at = dice.below(text.size());
        switch (dice.below(6)) {
            case 0: text[at] = static_cast<char>(dice.next()); break;
            case 1: text.erase(at, 1 + dice.below(8)); break;
            case 2: text.insert(at, dice.of(SCRAPS)); break;
            case 3: text.insert(at, text.substr(dice.below(text.size()), dice.below(60))); break;
            case 4: text.resize(at); break;
            default: text.insert(at, 1, static_cast<char>(dice.below(33))); break;
        }
    }
}

std::string noise(std::size_t size, Dice& dice) {
    std::string bytes(size, '\0');
    for (std::size_t at = 0; at < size; at += 8) {
        const std::uint64_t eight = dice.next();
        std::memcpy(bytes.data() + at, &eight, std::min<std::size_t>(8, size - at));
    }
    return bytes;
}

std::string one_text(Dice& dice) {
    std::string head = noise(8, dice);
    Grammar grammar(dice);
    std::string qrels = grammar.qrels();
    std::string run = grammar.run();
    if (dice.one_in(3)) damage(qrels, dice);
    if (dice.one_in(3)) damage(run, dice);
    const std::size_t cut = qrels.size();
    head[6] = static_cast<char>(cut & 255);
    head[7] = static_cast<char>(cut >> 8);
    return head + qrels + run;
}

// Most inputs are texts; most of the remaining inputs are frames.
std::string one_input(Dice& dice) {
    const std::size_t share = dice.below(16);
    if (share < 9) return static_cast<char>(family::TEXT) + one_text(dice);
    const family::Family its = share < 13 ? family::FRAMES : share < 15 ? family::PAGES : family::JSON;
    return static_cast<char>(its) + noise(8 + dice.below(120), dice);
}

// What one thread is working on.
struct Worker {
    std::string input;
    std::uint64_t number = 0;  // number of the input
    std::atomic<std::uint64_t> done{0};
};

thread_local Worker* here = nullptr;
std::vector<Worker>* workers = nullptr;

void write(const Worker& worker) {
    const std::string name = "carob-fuzz-" + std::to_string(worker.number) + ".failed";
    std::FILE* const file = std::fopen(name.c_str(), "wb");
    if (file == nullptr) return;
    std::fwrite(worker.input.data(), 1, worker.input.size(), file);
    std::fclose(file);
    std::fprintf(stderr,
                 "carob-fuzz: failed at input %llu of seed %llu; again, with stacks of what was allocated:\n"
                 "  ASAN_OPTIONS=malloc_context_size=30 ./carob-fuzz %s\n",
                 static_cast<unsigned long long>(worker.number), static_cast<unsigned long long>(seed), name.c_str());
}

// If a thread of the kernel fails, it may belong to any worker.
void write_current() {
    if (here != nullptr) return write(*here);
    for (const Worker& worker : *workers) write(worker);
}

extern "C" void on_abort(int) {
    write_current();
    std::_Exit(1);
}

void run_one() {
    // A heap copy of exactly this size, so a sanitizer detects a read of the first byte beyond it.
    const std::vector<std::uint8_t> exact(here->input.begin(), here->input.end());
    LLVMFuzzerTestOneInput(exact.data(), exact.size());
    ++here->done;
}

// Threads take inputs by number, so the same inputs are tried whatever the number of threads.
class Team {
public:
    explicit Team(std::uint64_t count) : count_(count) {}

    void run() {
        std::vector<std::thread> threads;
        for (Worker& worker : *workers) threads.emplace_back([&] { work(worker); });
        watch();
        for (std::thread& thread : threads) thread.join();
    }

private:
    static constexpr std::uint64_t AT_ONCE = 64;

    void work(Worker& worker) {
        here = &worker;
        for (std::uint64_t from; (from = next_.fetch_add(AT_ONCE)) < count_;) {
            for (std::uint64_t n = from; n < std::min(count_, from + AT_ONCE); ++n) {
                Dice dice(Dice::from(seed, n).next());
                worker.number = n;
                worker.input = one_input(dice);
                run_one();
            }
        }
        const std::lock_guard lock(mutex_);
        ++ended_;
        ending_.notify_one();
    }

    // Prints the progress every minute. An input that takes a minute is a hang and counts as a failure.
    void watch() {
        const auto start = std::chrono::steady_clock::now();
        std::vector<std::uint64_t> before(workers->size(), ~std::uint64_t{0});
        std::unique_lock lock(mutex_);
        while (!ending_.wait_for(lock, std::chrono::minutes(1), [&] { return ended_ == workers->size(); })) {
            std::uint64_t all = 0;
            for (std::size_t w = 0; w < workers->size(); ++w) {
                const std::uint64_t done = (*workers)[w].done;
                if (done == before[w] && next_ < count_) {
                    here = &(*workers)[w];
                    std::fprintf(stderr, "carob-fuzz: a minute on one input\n");
                    std::abort();
                }
                before[w] = done;
                all += done;
            }
            const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
            std::fprintf(stderr, "carob-fuzz: %llu of %llu inputs, %.0f a second\n", static_cast<unsigned long long>(all),
                         static_cast<unsigned long long>(count_), static_cast<double>(all) / seconds.count());
        }
    }

    const std::uint64_t count_;
    std::atomic<std::uint64_t> next_{0};
    std::mutex mutex_;
    std::condition_variable ending_;
    std::size_t ended_ = 0;
};

int fail(const char* message) {
    std::fprintf(stderr, "%s\nusage: carob-fuzz [--count N] [--seed S] [--jobs J] [FILE...]\n", message);
    return 2;
}

}  // namespace

#if defined(__SANITIZE_ADDRESS__)
extern "C" void __sanitizer_set_death_callback(void (*callback)());

// There are many small inputs, so recording the stacks of allocations would take a third of the time, and a large
// quarantine another third: one mebibyte is enough for everything that an input frees.
extern "C" const char* __asan_default_options() {
    return "malloc_context_size=0:quarantine_size_mb=1:thread_local_quarantine_size_kb=64";
}
#endif

int main(int argument_count, char** arguments) {
    std::uint64_t count = 100000;
    std::uint64_t jobs = std::max(1u, std::thread::hardware_concurrency());
    std::vector<std::string> files;
    for (int i = 1; i < argument_count; ++i) {
        const std::string word = arguments[i];
        if (word == "--count" || word == "--seed" || word == "--jobs") {
            if (++i == argument_count) return fail("a number is missing");
            (word == "--count" ? count : word == "--seed" ? seed : jobs) = std::strtoull(arguments[i], nullptr, 10);
        } else if (word.rfind("--", 0) == 0) {
            return fail("unknown option");
        } else {
            files.push_back(word);
        }
    }
    std::signal(SIGABRT, on_abort);
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_set_death_callback(write_current);
#else
    for (const int fault : {SIGSEGV, SIGFPE, SIGILL}) std::signal(fault, on_abort);
#endif
    std::vector<Worker> team(static_cast<std::size_t>(std::clamp<std::uint64_t>(files.empty() ? jobs : 1, 1, 256)));
    workers = &team;
    if (!files.empty()) {
        Worker& worker = team.front();
        here = &worker;
        for (const std::string& name : files) {
            std::ifstream file(name, std::ios::binary);
            if (!file) return fail(("cannot read " + name).c_str());
            worker.input.assign(std::istreambuf_iterator<char>(file), {});
            run_one();
        }
        return 0;
    }
    Team(count).run();
    std::printf("%llu inputs, seed %llu: no crash, no report, no disagreement\n",
                static_cast<unsigned long long>(count), static_cast<unsigned long long>(seed));
    return 0;
}

// This file drives the fuzz target where libFuzzer is absent: texts grown from a grammar, then damaged, and decisions
// from which the target builds frames and Parquet files.
//
//   karat-fuzz --count N --seed S     N inputs, the same ones for the same seed
//   karat-fuzz FILE...                inputs that were written down
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "families.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

// SplitMix64 (Steele, Lea and Flood 2014): the same numbers on every machine, unlike <random>'s distributions.
class Dice {
public:
    explicit Dice(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next() {
        std::uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        return z ^ (z >> 31);
    }
    std::size_t below(std::size_t n) { return static_cast<std::size_t>(next() % n); }
    bool one_in(std::size_t n) { return below(n) == 0; }
    template <class T, std::size_t N>
    const T& of(const T (&choices)[N]) {
        return choices[below(N)];
    }

private:
    std::uint64_t state_;
};

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
        queries_ = 1 + dice.below(3);
        documents_ = 1 + dice.below(dice.one_in(3) ? std::size(DOCUMENTS) : 6);
        tidy_ = !dice.one_in(3);
        separator_ = dice.one_in(8) ? "\t" : " ";
        tied_ = dice.one_in(2);
    }

    std::string qrels() {
        std::string text = start();
        for (std::size_t lines = dice_.below(8); lines > 0; --lines) {
            text += query() + blank() + "0" + blank() + document() + blank() +
                    (tidy_ ? GRADES[dice_.below(5)] : dice_.of(GRADES)) + end();
        }
        return text;
    }

    std::string run() {
        std::string text = start();
        std::string query = this->query();
        const bool interleaved = dice_.one_in(3);
        const std::size_t lines = dice_.one_in(6) ? dice_.below(120) : dice_.below(16);
        for (std::size_t i = 0; i < lines; ++i) {
            if (interleaved || dice_.one_in(4)) query = this->query();
            text += query + blank() + "Q0" + blank() + document() + blank() +
                    (dice_.one_in(40) ? "r" : std::to_string(dice_.below(9))) + blank() + score() +
                    (tidy_ || !dice_.one_in(9) ? blank() + tag() : "") + end();
        }
        return text;
    }

private:
    std::string start() { return dice_.one_in(40) ? dice_.of(SCRAPS) : ""; }
    std::string query() { return tidy_ ? QUERIES[dice_.below(queries_)] : QUERIES[dice_.below(std::size(QUERIES))]; }
    std::string document() {
        if (dice_.one_in(300)) return std::string(240 + dice_.below(40), 'z');
        if (dice_.one_in(4)) return "u" + std::to_string(dice_.below(200));
        return DOCUMENTS[dice_.below(documents_)];
    }
    std::string score() {
        if (!tidy_ && dice_.one_in(3)) return dice_.of(SCORES);
        if (tied_) return SCORES[dice_.below(4)];
        char text[64];
        std::snprintf(text, sizeof text, "%.*f", static_cast<int>(dice_.below(10)),
                      static_cast<double>(dice_.below(4000)) / 37.0);
        return text;
    }
    std::string blank() { return tidy_ ? separator_ : dice_.of(BLANKS); }
    std::string tag() { return dice_.one_in(20) ? std::string(60, 't') : dice_.one_in(20) ? "two words" : "bm25"; }
    std::string end() { return tidy_ ? "\n" : dice_.of(ENDS); }

    Dice& dice_;
    std::size_t queries_;
    std::size_t documents_;
    bool tidy_;
    std::string separator_;
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
    for (char& c : bytes) c = static_cast<char>(dice.next());
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

// Half are texts; most of the others are frames.
std::string one_input(Dice& dice) {
    if (dice.one_in(2)) return static_cast<char>(family::TEXT) + one_text(dice);
    const family::Family its = dice.one_in(4) ? family::PAGES : family::FRAMES;
    return static_cast<char>(its) + noise(40 + dice.below(400), dice);
}

std::string current;
std::atomic<std::uint64_t> done{0};

void write_current() {
    if (std::FILE* file = std::fopen("karat-fuzz.failed", "wb")) {
        std::fwrite(current.data(), 1, current.size(), file);
        std::fclose(file);
        std::fprintf(stderr, "karat-fuzz: input %llu, written to karat-fuzz.failed\n",
                     static_cast<unsigned long long>(done.load()));
    }
}

extern "C" void on_abort(int) {
    write_current();
    std::_Exit(1);
}

// An input that takes long is a hang, and a finding.
void watch() {
    std::uint64_t last = 0;
    for (;;) {
        std::this_thread::sleep_for(std::chrono::seconds(30));
        const std::uint64_t now = done.load();
        if (now == last) {
            std::fprintf(stderr, "karat-fuzz: thirty seconds on one input\n");
            std::abort();
        }
        last = now;
    }
}

void run_one() {
    // A heap copy of just the size, so that a sanitizer sees the first byte read beyond it.
    const std::vector<std::uint8_t> exact(current.begin(), current.end());
    LLVMFuzzerTestOneInput(exact.data(), exact.size());
}

int fail(const char* message) {
    std::fprintf(stderr, "%s\nusage: karat-fuzz [--count N] [--seed S] [FILE...]\n", message);
    return 2;
}

}  // namespace

#if defined(__SANITIZE_ADDRESS__)
extern "C" void __sanitizer_set_death_callback(void (*callback)());

// Inputs are small and many: shorter stacks and a smaller quarantine make them a third faster.
extern "C" const char* __asan_default_options() { return "malloc_context_size=6:quarantine_size_mb=16"; }
#endif

int main(int argument_count, char** arguments) {
    std::uint64_t count = 100000;
    std::uint64_t seed = 1;
    std::vector<std::string> files;
    for (int i = 1; i < argument_count; ++i) {
        const std::string word = arguments[i];
        if (word == "--count" || word == "--seed") {
            if (++i == argument_count) return fail("a number is missing");
            (word == "--count" ? count : seed) = std::strtoull(arguments[i], nullptr, 10);
        } else if (word.rfind("--", 0) == 0) {
            return fail("unknown option");
        } else {
            files.push_back(word);
        }
    }
    std::signal(SIGABRT, on_abort);
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_set_death_callback(write_current);
#endif
    std::thread(watch).detach();

    if (!files.empty()) {
        for (const std::string& name : files) {
            std::ifstream file(name, std::ios::binary);
            if (!file) return fail(("cannot read " + name).c_str());
            current.assign(std::istreambuf_iterator<char>(file), {});
            run_one();
            ++done;
        }
        return 0;
    }
    Dice seeds(seed);
    for (; done < count; ++done) {
        Dice dice(seeds.next());
        current = one_input(dice);
        run_one();
    }
    std::printf("%llu inputs, seed %llu: no crash, no report, no disagreement\n",
                static_cast<unsigned long long>(count), static_cast<unsigned long long>(seed));
    return 0;
}

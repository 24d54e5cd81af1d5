// Defines the kinds of input, which the first byte of an input selects, and draws decisions from its other bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <string>

#include "compare.h"
#include "matching/spill.h"

namespace family {

enum Family { TEXT, FRAMES, PAGES, JSON, COUNT };

// Builds an Arrow frame, which must give the same result as its rows in text, and then damages it.
void fuzz_frames(const std::uint8_t* data, std::size_t size);
// Builds the footer and page headers of a Parquet file, which must be accepted, and then damages them.
void fuzz_pages(const std::uint8_t* data, std::size_t size);
// Builds a run in plain JSON, which must give its rows wherever it is cut, and then damages it.
void fuzz_json(const std::uint8_t* data, std::size_t size);

// SplitMix64 (Steele, Lea and Flood 2014), which gives the same numbers on every machine, unlike the distributions of
// <random>.
class Dice {
public:
    explicit Dice(std::uint64_t seed) : state_(seed) {}
    // A generator whose first number is the n-th number (from 0) of a generator with this seed.
    static Dice from(std::uint64_t seed, std::uint64_t n) { return Dice(seed + n * STEP); }
    std::uint64_t next() {
        std::uint64_t z = (state_ += STEP);
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
    static constexpr std::uint64_t STEP = 0x9E3779B97F4A7C15u;
    std::uint64_t state_;
};

// Draws decisions one after the other from the bytes of an input. After the bytes are used up, a generator seeded with
// the last bytes continues.
class Draw {
public:
    Draw(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size), dice_(0) {
        std::uint64_t seed = 0;
        for (std::size_t i = size < 8 ? 0 : size - 8; i < size; ++i) seed = seed << 8 | data[i];
        dice_ = Dice(seed);
    }

    std::uint8_t byte() { return at_ == end_ ? static_cast<std::uint8_t>(dice_.next()) : *at_++; }
    std::uint64_t word() {
        std::uint64_t all = 0;
        for (int i = 0; i < 8; ++i) all = all << 8 | byte();
        return all;
    }
    std::size_t below(std::size_t count) { return static_cast<std::size_t>(count <= 256 ? byte() : word()) % count; }
    bool one_in(std::size_t count) { return below(count) == 1 % count; }

private:
    const std::uint8_t* at_;
    const std::uint8_t* end_;
    Dice dice_;
};

}  // namespace family

// A spill in memory instead of a file.
class MemorySpill final : public carob::Spill {
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

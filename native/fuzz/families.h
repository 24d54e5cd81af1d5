// This file names the kinds of input that the first byte of one chooses among, and draws decisions from the others.
#pragma once

#include <cstddef>
#include <cstdint>

namespace family {

enum Family { TEXT, FRAMES, PAGES, COUNT };

// A frame of Arrow's, which must give what its rows give as text; then damaged.
void fuzz_frames(const std::uint8_t* data, std::size_t size);
// A Parquet file's footer and headers of pages, which must be sound; then damaged.
void fuzz_pages(const std::uint8_t* data, std::size_t size);

// Decisions, one after the other; nothing but zeros once the bytes are used up.
class Draw {
public:
    Draw(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}

    std::uint8_t byte() { return at_ == end_ ? std::uint8_t{0} : *at_++; }
    std::uint64_t word() {
        std::uint64_t all = 0;
        for (int i = 0; i < 8; ++i) all = all << 8 | byte();
        return all;
    }
    // Of at most 256.
    std::size_t below(std::size_t count) { return byte() % count; }
    bool one_in(std::size_t count) { return below(count) == 1 % count; }

private:
    const std::uint8_t* at_;
    const std::uint8_t* end_;
};

}  // namespace family

// Hands out a text in blocks of whole lines, cut where the first field changes if requested.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "text/ahead.h"
#include "text/source.h"
#include "text/text.h"

namespace carob {

enum class Cut { lines, queries };

// The lines in [begin, end), each ended by '\n', with PADDING readable bytes on either side.
class Block {
public:
    const char* begin() const { return begin_; }
    const char* end() const { return end_; }
    std::int64_t sequence() const { return sequence_; }

private:
    friend class Blocks;
    std::unique_ptr<char[]> room_;
    std::size_t capacity_ = 0;
    const char* begin_ = nullptr;
    const char* end_ = nullptr;
    std::int64_t sequence_ = 0;

    char* text() { return room_.get() + PADDING; }
    void grow(std::size_t capacity, std::size_t filled);
};

class Blocks {
public:
    static constexpr std::size_t DEFAULT_BYTES = std::size_t{1} << 20;
    static constexpr std::size_t MOST_BYTES = std::size_t{1} << 30;  // so a line number within a block fits in 32 bits

    // `progress`, if given, is updated with the number of bytes read so far.
    Blocks(Source& source, Cut cut, std::size_t block_bytes, std::atomic<std::int64_t>* progress = nullptr);

    // Returns false at the end of the text. Throws what the source throws after all whole lines before the failure have
    // been handed out, and LineFault for bytes that are not text.
    bool next(Block& block);

    // From now on, reads a slow source on a separate thread. Returns false if it starts no thread: for a source that is
    // not slow, at the end of the text, or if the machine has no more threads. Call it before several threads request
    // blocks.
    bool read_ahead();

    // Whether the last block has been handed out.
    bool exhausted() const { return exhausted_.load(std::memory_order_acquire); }

private:
    std::size_t fill(char* bytes, std::size_t size);
    [[noreturn]] void fail();

    std::mutex mutex_;
    Source& source_;
    std::optional<Ahead> ahead_;
    const Cut cut_;
    const std::size_t block_bytes_;
    std::atomic<std::int64_t>* progress_;
    std::vector<char> tail_;
    std::exception_ptr failure_;  // thrown by the source after the last block
    std::int64_t next_sequence_ = 0;
    std::atomic<bool> exhausted_{false};
};

}  // namespace carob

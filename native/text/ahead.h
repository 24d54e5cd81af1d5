// Reads a slow source on a separate thread, several pieces ahead of the reader. If a decompressor moved from thread to
// thread, its window would stay in another core's cache, and decompression would pause while a block is copied.
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

#include "text/source.h"

namespace carob {

class Ahead {
public:
    // Throws std::system_error if the machine has no more threads.
    explicit Ahead(Source& source);
    // Waits for a read that has already begun.
    ~Ahead();
    Ahead(const Ahead&) = delete;
    Ahead& operator=(const Ahead&) = delete;

    // Works like Source::read. An exception of the source is thrown only after all bytes read before it have been
    // returned.
    std::size_t read(char* bytes, std::size_t size);

private:
    static constexpr std::size_t PIECE_BYTES = std::size_t{1} << 20;

    struct Piece {
        std::unique_ptr<char[]> room = std::make_unique_for_overwrite<char[]>(PIECE_BYTES);
        std::size_t size = 0;
    };

    void fill();

    Source& source_;
    std::array<Piece, 3> pieces_;
    std::size_t first_ = 0;   // the piece to read from
    std::size_t taken_ = 0;   // bytes of that piece that were read
    std::size_t filled_ = 0;  // pieces that hold bytes
    bool ended_ = false;
    bool unwanted_ = false;
    std::exception_ptr failure_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::thread thread_;
};

}  // namespace carob

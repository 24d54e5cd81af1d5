// Reads pieces of a source on one thread and hands them to another.
#include "text/ahead.h"

#include <algorithm>
#include <cstring>

namespace carob {

Ahead::Ahead(Source& source) : source_(source), thread_([this] { fill(); }) {}

Ahead::~Ahead() {
    {
        const std::lock_guard lock(mutex_);
        unwanted_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

std::size_t Ahead::read(char* bytes, std::size_t size) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return filled_ != 0 || ended_; });
    if (filled_ == 0) {
        if (failure_) std::rethrow_exception(failure_);
        return 0;
    }
    const Piece& piece = pieces_[first_];
    const std::size_t count = std::min(size, piece.size - taken_);
    lock.unlock();  // the thread writes to this piece only after it is handed back
    std::memcpy(bytes, piece.room.get() + taken_, count);
    taken_ += count;
    if (taken_ == piece.size) {
        lock.lock();
        taken_ = 0;
        first_ = (first_ + 1) % pieces_.size();
        --filled_;
        lock.unlock();
        changed_.notify_all();
    }
    return count;
}

void Ahead::fill() {
    for (std::size_t next = 0;; next = (next + 1) % pieces_.size()) {
        {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [this] { return filled_ < pieces_.size() || unwanted_; });
            if (unwanted_) return;
        }
        std::size_t got = 0;
        std::exception_ptr failure;
        try {
            got = source_.read(pieces_[next].room.get(), PIECE_BYTES);
        } catch (...) {
            failure = std::current_exception();
        }
        {
            const std::lock_guard lock(mutex_);
            pieces_[next].size = got;
            filled_ += got == 0 ? 0 : 1;
            failure_ = failure;
            ended_ = got == 0;
        }
        changed_.notify_all();
        if (got == 0) return;
    }
}

}  // namespace carob

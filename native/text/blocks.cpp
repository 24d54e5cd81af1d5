// Hands out a text in blocks of whole lines, cut where the first field changes if requested.
#include "text/blocks.h"

#include <algorithm>
#include <cstring>
#include <system_error>
#include <utility>

#include "text/reading.h"

namespace carob {
namespace {

// The start of the line that ends just before `end`.
const char* line_before(const char* begin, const char* end) {
    const char* p = end - 1;
    while (p != begin && p[-1] != '\n') --p;
    return p;
}

// One past the last '\n', or begin.
const char* last_line_end(const char* begin, const char* end) {
    while (end != begin && end[-1] != '\n') --end;
    return end;
}

// The last place at which the first field changes from one line to the next, or begin. A wrong cut costs only time, not
// correctness, because the reader of the blocks detects a query that reappears.
const char* last_query_boundary(const char* begin, const char* end) {
    std::string_view query;
    const char* following = end;
    for (const char* line_end = end; line_end != begin;) {
        const char* line = line_before(begin, line_end);
        const char* first = skip_blanks(line, line_end);
        if (first != line_end && *first != '#') {
            const std::string_view here(first, static_cast<std::size_t>(skip_token(first, line_end) - first));
            if (query.data() == nullptr) {
                query = here;
            } else if (here != query) {
                return following;
            }
            following = line;
        }
        line_end = line;
    }
    return begin;
}

// Checks the start of a text: skips a UTF-8 mark, and throws if the bytes are not text.
std::size_t mark_length(const char* text, std::size_t size) {
    const auto starts = [&](std::string_view mark) {
        return std::string_view(text, size).substr(0, mark.size()) == mark;
    };
    if (starts("\xEF\xBB\xBF")) return 3;
    if (starts("\xFF\xFE") || starts("\xFE\xFF")) throw LineFault{Fault::utf16, 1, 1, {}, {}};
    if (starts("\x1F\x8B") || starts("\x28\xB5\x2F\xFD")) throw LineFault{Fault::compressed, 1, 1, {}, {}};
    return 0;
}

}  // namespace

void Block::grow(std::size_t capacity, std::size_t filled) {
    if (capacity <= capacity_) return;
    auto room = std::make_unique_for_overwrite<char[]>(capacity + 2 * PADDING);
    std::memset(room.get(), '\n', PADDING);
    if (filled != 0) std::memcpy(room.get() + PADDING, text(), filled);
    room_ = std::move(room);
    capacity_ = capacity;
}

Blocks::Blocks(Source& source, Cut cut, std::size_t block_bytes, std::atomic<std::int64_t>* progress)
    : source_(source),
      cut_(cut),
      block_bytes_(block_bytes == 0 ? DEFAULT_BYTES : std::clamp<std::size_t>(block_bytes, 8, MOST_BYTES)),
      progress_(progress) {}

std::size_t Blocks::fill(char* bytes, std::size_t size) {
    std::size_t filled = 0;
    while (filled < size) {
        std::size_t got = 0;
        try {
            got = ahead_ ? ahead_->read(bytes + filled, size - filled) : source_.read(bytes + filled, size - filled);
        } catch (...) {
            if (!source_.is_at_fault()) throw;
            failure_ = std::current_exception();
        }
        if (got == 0) break;
        filled += got;
        if (progress_ != nullptr) progress_->fetch_add(static_cast<std::int64_t>(got), std::memory_order_relaxed);
    }
    return filled;
}

// Throws the source's exception in one caller; for all other callers, the text ends.
void Blocks::fail() {
    exhausted_.store(true, std::memory_order_release);
    std::rethrow_exception(std::exchange(failure_, nullptr));
}

bool Blocks::read_ahead() {
    if (ahead_ || failure_ || !source_.is_slow() || exhausted()) return ahead_.has_value();
    try {
        ahead_.emplace(source_);
    } catch (const std::system_error&) {  // no more threads can be started: the running ones read
    }
    return ahead_.has_value();
}

bool Blocks::next(Block& block) {
    const std::lock_guard lock(mutex_);
    if (exhausted()) return false;
    if (failure_) fail();
    std::size_t filled = tail_.size();
    // The rest of the previous block counts towards this block's size, so every block fits in the same memory.
    std::size_t wanted = std::max(block_bytes_, filled * 2);
    block.grow(wanted + 1, 0);
    if (filled != 0) std::memcpy(block.text(), tail_.data(), filled);
    tail_.clear();
    for (;;) {
        const std::size_t got = fill(block.text() + filled, wanted - filled);
        filled += got;
        const bool at_end = filled < wanted;
        char* text = block.text();
        const char* begin = text + (next_sequence_ == 0 ? mark_length(text, filled) : 0);
        const char* end = text + filled;
        const char* cut = end;
        if (failure_) {
            // An incomplete line at the point where the source failed is ignored.
            cut = last_line_end(begin, end);
            if (cut == begin) fail();
            filled = static_cast<std::size_t>(cut - text);
        } else if (at_end) {
            exhausted_.store(true, std::memory_order_release);
            if (begin == end) return false;
            if (end[-1] != '\n') text[filled++] = '\n';
            cut = text + filled;
        } else if (cut = last_line_end(begin, end); too_long(cut, end)) {
            // The reader of the block rejects this line, and nothing after it is read.
            exhausted_.store(true, std::memory_order_release);
            text[filled++] = '\n';
            cut = text + filled;
        } else {
            if (cut_ == Cut::queries) cut = last_query_boundary(begin, cut);
        }
        if (cut != begin) {
            tail_.assign(cut, static_cast<const char*>(text + filled));
            std::memset(text + filled, '\n', PADDING);
            block.begin_ = begin;
            block.end_ = cut;
            block.sequence_ = next_sequence_++;
            return true;
        }
        wanted = filled * 2;
        block.grow(wanted + 1, filled);
    }
}

}  // namespace carob

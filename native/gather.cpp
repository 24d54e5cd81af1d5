// This file keeps the documents of interleaved queries apart: compact records, per query in the order they came.
#include "gather.h"

#include <algorithm>

namespace karat {
namespace {

constexpr std::size_t SLAB = std::size_t{1} << 20;
constexpr std::size_t SMALLEST_CHUNK = 256;
constexpr std::size_t LARGEST_CHUNK = std::size_t{1} << 16;

}  // namespace

Gathered::Chunk* Gathered::new_chunk(std::size_t room) {
    const std::size_t align = alignof(std::max_align_t);
    const std::size_t bytes = (sizeof(Chunk) + room + align - 1) / align * align;
    if (bytes > free_bytes_) {
        const std::size_t slab = std::max(SLAB, bytes);
        slabs_.push_back(std::make_unique_for_overwrite<char[]>(slab));
        free_ = slabs_.back().get();
        free_bytes_ = slab;
    }
    auto* chunk = new (free_) Chunk{nullptr, 0, bytes - sizeof(Chunk)};
    free_ += bytes;
    free_bytes_ -= bytes;
    return chunk;
}

void Gathered::add(std::size_t query, std::int64_t block, const RunLine& line) {
    Heap& heap = heaps_[query];
    const Record record{line.score, line.rank, block, line.line, line.document.size()};
    const std::size_t bytes = sizeof record + line.document.size();
    if (heap.last == nullptr || heap.last->room - heap.last->used < bytes) {
        // A quarter of what is there already: slack stays small for long lists and for many short ones.
        const std::size_t room = std::clamp(heap.total / 4, SMALLEST_CHUNK, LARGEST_CHUNK);
        Chunk* chunk = new_chunk(std::max(room, bytes));
        (heap.last == nullptr ? heap.first : heap.last->next) = chunk;
        heap.last = chunk;
    }
    char* at = heap.last->bytes() + heap.last->used;
    std::memcpy(at, &record, sizeof record);
    std::memcpy(at + sizeof record, line.document.data(), line.document.size());
    heap.last->used += bytes;
    heap.total += bytes;
}

}  // namespace karat

// Separates the documents of interleaved queries: stores them as compact records in buckets of neighbouring queries.
#include "matching/gather.h"

#include <algorithm>
#include <cstddef>
#include <new>

namespace carob {
namespace {

constexpr std::size_t BUCKETS = 256;
constexpr std::size_t SMALLEST_SLAB = std::size_t{1} << 14;
constexpr std::size_t LARGEST_SLAB = std::size_t{1} << 20;
constexpr std::size_t SMALLEST_CHUNK = 256;
constexpr std::size_t LARGEST_CHUNK = std::size_t{1} << 16;

template <class T>
char* put(char* at, T value) {
    std::memcpy(at, &value, sizeof value);
    return at + sizeof value;
}

constexpr std::size_t LONGEST_VARINT = 10;

char* put_varint(char* at, std::uint64_t value) {
    for (; value >= 128; value >>= 7) *at++ = static_cast<char>(value | 128);
    *at++ = static_cast<char>(value);
    return at;
}

}  // namespace

Buckets::Buckets(std::size_t query_count)
    : count(std::max<std::size_t>(1, std::min(query_count, BUCKETS))),
      width(std::max<std::size_t>(1, (query_count + count - 1) / count)) {}

bool Gathered::full(std::size_t size) const {
    return spill_ != nullptr && size > free_bytes_ && slabs_used_ > 0 && held_ + size > memory_;
}

// Memory that is reused after its content has been written out, because allocating fresh pages costs more than filling
// them.
char* Gathered::take(std::size_t size) {
    while (size > free_bytes_) {
        if (slabs_used_ == slabs_.size()) {
            const std::size_t step = SMALLEST_SLAB << std::min<std::size_t>(slabs_.size(), 6);
            const std::size_t most = spill_ == nullptr ? LARGEST_SLAB : std::min(LARGEST_SLAB, memory_);
            const std::size_t slab = std::max(std::min(step, most), size);
            slabs_.push_back({std::make_unique_for_overwrite<char[]>(slab), slab});
        }
        Slab& slab = slabs_[slabs_used_++];
        held_ += slab.size;
        free_ = slab.bytes.get();
        free_bytes_ = slab.size;
    }
    char* const taken = free_;
    free_ += size;
    free_bytes_ -= size;
    return taken;
}

void Gathered::add_chunk(Heap& heap, std::size_t bytes) {
    if (heap.last != nullptr) {
        heap.last->end = heap.at;
        heap.total += static_cast<std::size_t>(heap.at - heap.last->bytes());
    }
    // A quarter of the present size, which wastes little memory both for long lists and for many short lists.
    const std::size_t room = std::max(std::clamp(heap.total / 4, SMALLEST_CHUNK, LARGEST_CHUNK), bytes);
    constexpr std::size_t align = alignof(std::max_align_t);
    const std::size_t size = (sizeof(Chunk) + room + align - 1) / align * align;
    if (full(size)) write_out();
    char* const taken = take(size);
    auto* chunk = new (taken) Chunk{nullptr, nullptr};
    (heap.last == nullptr ? heap.first : heap.last->next) = chunk;
    heap.last = chunk;
    heap.at = chunk->bytes();
    heap.limit = taken + size;
}

void Gathered::write_out() {
    close();
    for (Heap& heap : heaps_) {
        for (const Chunk* chunk = heap.first; chunk != nullptr; chunk = chunk->next) {
            const auto size = static_cast<std::size_t>(chunk->end - chunk->bytes());
            const std::uint64_t place = spill_->append(chunk->bytes(), size);
            const bool follows = !heap.written.empty() && heap.written.back().place + heap.written.back().size == place;
            if (follows) {
                heap.written.back().size += size;
            } else {
                heap.written.push_back({place, size});
            }
        }
        heap.at = heap.limit = nullptr;
        heap.first = heap.last = nullptr;
    }
    slabs_used_ = held_ = free_bytes_ = 0;
}

const Chunk* Gathered::load(std::size_t bucket, std::unique_ptr<char[]>& room) const {
    const Heap& heap = heaps_[bucket];
    if (heap.written.empty()) return heap.first;
    std::size_t total = 0;
    for (const Extent& extent : heap.written) total += extent.size;
    room = std::make_unique_for_overwrite<char[]>(sizeof(Chunk) + total);
    auto* chunk = new (room.get()) Chunk{heap.first, room.get() + sizeof(Chunk) + total};
    char* at = chunk->bytes();
    for (const Extent& extent : heap.written) {
        spill_->read(extent.place, at, extent.size);
        at += extent.size;
    }
    return chunk;
}

void Gathered::add(std::size_t query, std::int64_t block, const RunLine& line) {
    const std::size_t bucket = buckets_.of(query);
    Heap& heap = heaps_[bucket];
    const std::size_t id_size = line.document.size();
    const std::size_t bytes = 2 * LONGEST_VARINT + 8 + 8 + 1 + 8 + id_size;  // at most
    if (static_cast<std::size_t>(heap.limit - heap.at) < bytes) add_chunk(heap, bytes);
    const std::uint64_t place = static_cast<std::uint64_t>(block) << 32 | static_cast<std::uint64_t>(line.line);
    char* at = heap.at;
    at = put_varint(at, query - bucket * buckets_.width);
    at = put_varint(at, place - heap.place);
    heap.place = place;
    at = put(at, line.score);
    if (with_rank_) at = put(at, line.rank);
    if (id_size < 255) {
        at = put(at, static_cast<unsigned char>(id_size));
    } else {
        at = put(at, static_cast<unsigned char>(255));
        at = put(at, static_cast<std::uint64_t>(id_size));
    }
    std::memcpy(at, line.document.data(), id_size);
    heap.at = at + id_size;
}

void Gathered::close() {
    for (Heap& heap : heaps_) {
        if (heap.last != nullptr) heap.last->end = heap.at;
    }
}

}  // namespace carob

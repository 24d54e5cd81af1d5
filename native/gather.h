// This file keeps the documents of interleaved queries apart: compact records, in buckets of neighbouring queries.
//
// Buckets, not queries: appending to some hundred places stays in the cache and the page tables, to thousands does not.
//
// What memory shall not hold is written to a file and read back bucket by bucket: each byte moves to the disk once and
// once back, and that is the limit. A record is 21 bytes and the id, so 100 M rows are about 3 GB.
#pragma once

#include <memory>
#include <vector>

#include "rows.h"
#include "run_lines.h"
#include "spill.h"

namespace karat {

// How queries fall into buckets; the same for all workers.
struct Buckets {
    explicit Buckets(std::size_t query_count);
    std::size_t count;
    std::size_t width;  // queries a bucket

    std::size_t of(std::size_t query) const { return query / width; }
};

// A record: [query u32][line u32][block u32][score f64]([rank i64])[id size u8, or 255 and u64][id bytes].
inline constexpr std::size_t RECORD_HEAD = 4 + 4 + 4 + 8;

// Records of one bucket, one behind the other.
struct Chunk {
    Chunk* next;
    const char* end;
    char* bytes() { return reinterpret_cast<char*>(this + 1); }
    const char* bytes() const { return reinterpret_cast<const char*>(this + 1); }
};

// One per worker. Blocks come in ascending order.
class Gathered {
public:
    // Where there is a `spill`, about so many bytes are held in memory.
    Gathered(const Buckets& buckets, bool with_rank, Spill* spill, std::size_t memory)
        : buckets_(buckets), with_rank_(with_rank), spill_(spill), memory_(memory), heaps_(buckets.count) {}

    void add(std::size_t query, std::int64_t block, const RunLine& line);
    // To be called once, after the last add().
    void close();

    // The records of a bucket, in the order they were added; `room` holds those that were read back.
    const Chunk* load(std::size_t bucket, std::unique_ptr<char[]>& room) const;

private:
    struct Extent {
        std::uint64_t place;
        std::size_t size;
    };
    struct Heap {
        char* at = nullptr;  // where the next record goes
        char* limit = nullptr;
        Chunk* first = nullptr;
        Chunk* last = nullptr;
        std::size_t total = 0;
        std::vector<Extent> written;  // before those in memory
    };
    struct Slab {
        std::unique_ptr<char[]> bytes;
        std::size_t size;
    };

    void add_chunk(Heap& heap, std::size_t bytes);
    char* take(std::size_t size);
    bool full(std::size_t size) const;
    void write_out();

    const Buckets buckets_;
    const bool with_rank_;
    Spill* const spill_;
    const std::size_t memory_;
    std::vector<Heap> heaps_;
    std::vector<Slab> slabs_;
    std::size_t slabs_used_ = 0;
    std::size_t held_ = 0;  // bytes of the slabs used
    char* free_ = nullptr;
    std::size_t free_bytes_ = 0;
};

// Walks the records of one bucket in the order they were added.
class RecordCursor {
public:
    RecordCursor(const Chunk* chunk, bool with_rank) : with_rank_(with_rank) { enter(chunk); }

    bool done() const { return chunk_ == nullptr; }
    const char* record() const { return at_; }
    void advance();

private:
    void enter(const Chunk* chunk) {
        chunk_ = chunk;
        if (chunk != nullptr) at_ = chunk->bytes();
    }

    bool with_rank_;
    const Chunk* chunk_ = nullptr;
    const char* at_ = nullptr;
};

inline std::uint32_t record_query(const char* record) { return load4(record); }

inline Place record_place(const char* record) { return {load4(record + 8), load4(record + 4)}; }

inline double record_score(const char* record) {
    double score;
    std::memcpy(&score, record + 12, sizeof score);
    return score;
}

inline std::int64_t record_rank(const char* record) { return static_cast<std::int64_t>(load8(record + RECORD_HEAD)); }

inline std::string_view record_document(const char* record, bool with_rank) {
    const char* p = record + RECORD_HEAD + (with_rank ? 8 : 0);
    const auto size = static_cast<unsigned char>(*p++);
    if (size != 255) return {p, size};
    return {p + 8, static_cast<std::size_t>(load8(p))};
}

inline void RecordCursor::advance() {
    const std::string_view document = record_document(at_, with_rank_);
    at_ = document.data() + document.size();
    if (at_ == chunk_->end) enter(chunk_->next);
}

}  // namespace karat

// Separates the documents of interleaved queries: stores them as compact records in buckets of neighbouring queries.
//
// Records are grouped into buckets rather than single queries because a few hundred places to append to fit in the
// cache and the page tables, whereas thousands do not.
//
// Records that exceed the memory budget go to a file and are read back bucket by bucket: each byte is written once and
// read once. A record takes about 13 bytes plus the id, so 100 M rows take about 2.2 GB.
#pragma once

#include <memory>
#include <vector>

#include "matching/rows.h"
#include "text/run_lines.h"
#include "matching/spill.h"

namespace carob {

// The assignment of queries to buckets, which all workers share.
struct Buckets {
    explicit Buckets(std::size_t query_count);
    std::size_t count;
    std::size_t width;  // queries per bucket

    std::size_t of(std::size_t query) const { return query / width; }
};

// Records of one bucket, one after the other.
struct Chunk {
    Chunk* next;
    const char* end;
    char* bytes() { return reinterpret_cast<char*>(this + 1); }
    const char* bytes() const { return reinterpret_cast<const char*>(this + 1); }
};

// Each worker has one. Blocks arrive in ascending order.
class Gathered {
public:
    // With a `spill`, about this many bytes are kept in memory.
    Gathered(const Buckets& buckets, bool with_rank, Spill* spill, std::size_t memory)
        : buckets_(buckets), with_rank_(with_rank), spill_(spill), memory_(memory), heaps_(buckets.count) {}

    void add(std::size_t query, std::int64_t block, const RunLine& line);
    // Call once, after the last add().
    void close();

    // Returns the records of a bucket in the order they were added; `room` holds the records that were read back.
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
        std::uint64_t place = 0;        // place of the last record
        std::vector<Extent> written;  // records written before those in memory
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

// A record: [query, counted within its bucket][place minus the previous record's place][score f64]([rank i64])[id size
// u8, or 255 and u64][id bytes], the first two as varints; a place is the block number followed by 32 bits for the
// line. Everything from the score on is the body, which is stored in full.
inline const char* read_varint(const char* at, std::uint64_t& value) {
    value = static_cast<unsigned char>(*at) & 127u;
    for (unsigned shift = 7; (static_cast<unsigned char>(*at++) & 128u) != 0; shift += 7)
        value |= (static_cast<unsigned char>(*at) & std::uint64_t{127}) << shift;
    return at;
}

inline double body_score(const char* body) {
    double score;
    std::memcpy(&score, body, sizeof score);
    return score;
}

inline std::int64_t body_rank(const char* body) { return static_cast<std::int64_t>(load8(body + 8)); }

inline std::string_view body_document(const char* body, bool with_rank) {
    const char* p = body + (with_rank ? 16 : 8);
    const auto size = static_cast<unsigned char>(*p++);
    if (size != 255) return {p, size};
    return {p + 8, static_cast<std::size_t>(load8(p))};
}

inline Place place_of(std::uint64_t place) {
    return {static_cast<std::int64_t>(place >> 32), static_cast<std::int64_t>(place & 0xFFFFFFFFu)};
}

// Walks the records of one bucket in the order they were added.
class RecordCursor {
public:
    RecordCursor(const Chunk* chunk, bool with_rank) : with_rank_(with_rank) { enter(chunk); }

    bool done() const { return chunk_ == nullptr; }
    std::size_t query() const { return query_; }
    std::uint64_t place() const { return place_; }
    std::uint64_t block() const { return place_ >> 32; }
    const char* body() const { return body_; }

    void advance() {
        const std::string_view document = body_document(body_, with_rank_);
        const char* const end = document.data() + document.size();
        if (end == chunk_->end) {
            enter(chunk_->next);
        } else {
            read(end);
        }
    }

private:
    void enter(const Chunk* chunk) {
        chunk_ = chunk;
        if (chunk != nullptr) read(chunk->bytes());
    }

    void read(const char* at) {
        std::uint64_t query, step;
        body_ = read_varint(read_varint(at, query), step);
        query_ = static_cast<std::size_t>(query);
        place_ += step;
    }

    bool with_rank_;
    const Chunk* chunk_ = nullptr;
    std::size_t query_ = 0;
    std::uint64_t place_ = 0;
    const char* body_ = nullptr;
};

}  // namespace carob

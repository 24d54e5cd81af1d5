// This file keeps the documents of interleaved queries apart: compact records, per query in the order they came.
#pragma once

#include <memory>

#include "reduce.h"
#include "run_lines.h"

namespace karat {

// One per worker. Nothing is given back before the end.
class Gathered {
public:
    explicit Gathered(std::size_t query_count) : heaps_(query_count) {}

    void add(std::size_t query, std::int64_t block, const RunLine& line);

    // Calls each(id, score, rank, place) for the documents of a query.
    template <class Each>
    void walk(std::size_t query, Each&& each) const {
        for (const Chunk* chunk = heaps_[query].first; chunk != nullptr; chunk = chunk->next) {
            const char* p = chunk->bytes();
            const char* end = p + chunk->used;
            while (p != end) {
                Record record;
                std::memcpy(&record, p, sizeof record);
                p += sizeof record;
                each(std::string_view(p, record.id_size), record);
                p += record.id_size;
            }
        }
    }

    bool holds(std::size_t query) const { return heaps_[query].first != nullptr; }

    struct Record {
        double score;
        std::int64_t rank;
        std::int64_t block;
        std::int64_t line;
        std::size_t id_size;
    };

private:
    struct Chunk {
        Chunk* next;
        std::size_t used;
        std::size_t room;
        char* bytes() { return reinterpret_cast<char*>(this + 1); }
        const char* bytes() const { return reinterpret_cast<const char*>(this + 1); }
    };
    struct Heap {
        Chunk* first = nullptr;
        Chunk* last = nullptr;
        std::size_t total = 0;
    };

    Chunk* new_chunk(std::size_t room);

    std::vector<Heap> heaps_;
    std::vector<std::unique_ptr<char[]>> slabs_;
    char* free_ = nullptr;
    std::size_t free_bytes_ = 0;
};

}  // namespace karat

// Finds stretches of neighbouring rows of one query in the batches of a frame, and groups them by query.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "frames/columns.h"
#include "matching/hash.h"
#include "matching/ids.h"
#include "matching/judgments.h"

namespace carob {

// Neighbouring rows of one judged query, all in one batch.
struct Stretch {
    std::int64_t first;  // row number counted over all batches of the frame
    std::uint32_t length;
    std::uint32_t query;
};

// Finds the query of each of some rows of a batch. Each worker has one.
class Splitter {
public:
    Splitter(const Judgments& judgments, Strings& extra) : judgments_(judgments), extra_(extra) {}

    // Calls take(first row, one past the last row, number of the query) for each stretch of rows of a judged query.
    template <class Take>
    void split(std::size_t batch, const Column& query, std::int64_t from, std::int64_t to, Take&& take) {
        if (batch != batch_ && query.in_dictionary())
            known_.assign(static_cast<std::size_t>(query.dictionary_size()), UNKNOWN);
        batch_ = batch;
        if (!query.in_dictionary() && !query.plain_whole()) return split_text(query, from, to, take);
        if (!query.in_dictionary()) make_room(static_cast<std::size_t>(to - from));
        for (std::int64_t row = from; row < to;) {
            const std::int64_t first = row++;
            while (row < to && query.same(first, row)) ++row;
            const std::int64_t number = query.in_dictionary() ? known(query, first) : remembered(query, first);
            if (number >= 0) take(first, row, number);
        }
    }

private:
    static constexpr std::int32_t UNKNOWN = -2;

    template <class Take>
    void split_text(const Column& query, std::int64_t from, std::int64_t to, Take& take) {
        constexpr std::size_t TOGETHER = Judgments::TOGETHER;
        std::int64_t starts[TOGETHER + 1];
        std::string_view ids[TOGETHER];
        std::int64_t numbers[TOGETHER];
        for (std::int64_t row = from; row < to;) {
            std::size_t count = 0;
            for (; row < to && count < TOGETHER; ++count) {
                starts[count] = row;
                char* none = nullptr;
                ids[count] = query.id(row, none);
                while (++row < to && query.same(starts[count], row)) {
                }
            }
            starts[count] = row;
            judgments_.find_queries(ids, count, numbers);
            for (std::size_t i = 0; i < count; ++i) {
                if (numbers[i] >= 0) {
                    take(starts[i], starts[i + 1], numbers[i]);
                } else {
                    strange(ids[i]);
                }
            }
        }
    }

    std::int64_t known(const Column& query, std::int64_t row) {
        std::int32_t& number = known_[static_cast<std::size_t>(query.index(row))];
        if (number == UNKNOWN) number = static_cast<std::int32_t>(found(query, row));
        return number;
    }

    // The memory is limited to the number of rows, because there are many small frames.
    void make_room(std::size_t rows) {
        const std::size_t wanted = std::bit_ceil(std::min(rows, MEMORIES));
        if (memories_.size() < wanted) memories_.assign(wanted, {0, UNKNOWN});
    }

    // Returns the number of a row's query from a cache. Without the cache, a frame whose query changes often would
    // convert a query id to text for almost every row.
    std::int64_t remembered(const Column& query, std::int64_t row) {
        const std::int64_t value = query.whole(row);
        const std::uint64_t mixed = fold_multiply(static_cast<std::uint64_t>(value) ^ HASH_A, HASH_B);
        Memory& memory = memories_[static_cast<std::size_t>(mixed) & (memories_.size() - 1)];
        if (memory.number == UNKNOWN || memory.value != value)
            memory = {value, static_cast<std::int32_t>(found(query, row))};
        return memory.number;
    }

    std::int64_t found(const Column& query, std::int64_t row) {
        char digits[LONGEST_WHOLE];
        char* room = digits;
        const std::string_view id = query.id(row, room);
        const std::int64_t number = judgments_.find_query(id);
        if (number < 0) strange(id);
        return number;
    }

    void strange(std::string_view id) {
        if (extra_.find(id) == extra_.end()) extra_.emplace(id);
    }

    struct Memory {
        std::int64_t value;
        std::int32_t number;
    };
    static constexpr std::size_t MEMORIES = std::size_t{1} << 14;

    const Judgments& judgments_;
    Strings& extra_;
    std::size_t batch_ = ~std::size_t{0};
    std::vector<Memory> memories_;
    std::vector<std::int32_t> known_;  // the numbers of a dictionary's queries, as far as they have been looked up
};

// The stretches of a frame grouped by query; each query's stretches are in the order of the rows.
class Sorted {
public:
    // `parts` are in the order of the rows, and their memory is freed.
    Sorted(std::size_t query_count, std::vector<std::vector<Stretch>>& parts) : starts_(query_count + 1, 0) {
        for (const auto& part : parts) {
            for (const Stretch& stretch : part) ++starts_[stretch.query + 1];
        }
        for (std::size_t q = 0; q < query_count; ++q) {
            if (starts_[q + 1] != 0) queries_.push_back(q);
            starts_[q + 1] += starts_[q];
        }
        stretches_.resize(starts_.back());
        std::vector<std::size_t> next(starts_.begin(), starts_.end() - 1);
        if (!parts.empty() && !parts.back().empty()) last_ = parts.back().back();
        for (auto& part : parts) {
            for (const Stretch& stretch : part) stretches_[next[stretch.query]++] = stretch;
            std::vector<Stretch>().swap(part);
        }
    }

    // The queries that have stretches, in ascending order.
    const std::vector<std::size_t>& queries() const { return queries_; }
    bool holds(std::size_t q) const { return starts_[q] != starts_[q + 1]; }
    // The query of the frame's last row, or -1 if it has no judgments.
    std::int64_t query_at(std::int64_t last_row) const {
        return last_.first + last_.length == last_row + 1 ? static_cast<std::int64_t>(last_.query) : -1;
    }
    const Stretch* begin(std::size_t q) const { return stretches_.data() + starts_[q]; }
    const Stretch* end(std::size_t q) const { return stretches_.data() + starts_[q + 1]; }

private:
    Stretch last_{-1, 0, 0};
    std::vector<std::size_t> queries_;
    std::vector<std::size_t> starts_;
    std::vector<Stretch> stretches_;
};

}  // namespace carob

// This file holds a data frame as Arrow hands it over: named columns in batches of rows, read where they lie.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "arrow.h"

namespace karat {

// What a column holds: ids are text or whole numbers, scores and grades are numbers.
enum class Holds { text, whole, number, other };

struct Field {
    std::string name;
    std::string format;  // of the values, where they stand in a dictionary
    Holds holds;
    std::string index;  // the format of the places in the dictionary, if there is one
};

// A frame that cannot be taken at all.
struct FrameFault {
    std::string detail;
};

// A row that cannot be used. `kind`: null, nan, infinite, rank, index.
struct RowFault {
    const char* kind;
    std::string column;
    std::int64_t row;  // from 0
    std::string query, document;  // empty where the row has none
};

class Frame {
public:
    // Takes every batch of the stream. Throws FrameFault.
    explicit Frame(ArrowArrayStream& stream);
    ~Frame();
    Frame(const Frame&) = delete;
    Frame& operator=(const Frame&) = delete;

    const std::vector<Field>& fields() const { return fields_; }
    std::int64_t rows() const { return starts_.back(); }
    std::size_t batch_count() const { return batches_.size(); }
    const ArrowArray& batch(std::size_t b) const { return batches_[b]; }
    std::int64_t start(std::size_t b) const { return starts_[b]; }  // of batch_count(): all rows
    std::size_t batch_of(std::int64_t row) const;

private:
    void read_schema(ArrowArrayStream& stream);

    std::vector<Field> fields_;
    std::vector<ArrowArray> batches_;
    std::vector<std::int64_t> starts_{0};
};

// ---- one column of one batch; rows are counted within the batch

inline bool bit_at(const void* bits, std::int64_t i) { return (static_cast<const std::uint8_t*>(bits)[i / 8] >> (i % 8) & 1) != 0; }

enum class Layout : std::uint8_t { i8, u8, i16, u16, i32, u32, i64, u64, f16, f32, f64, boolean, text32, text64, view, unknown };

Layout layout_of(std::string_view format);

// Digits, a sign.
inline constexpr std::size_t LONGEST_WHOLE = 20;

class Column {
public:
    Column() = default;
    Column(const Frame& frame, std::size_t batch, std::size_t field);

    bool null(std::int64_t row) const;
    bool has_nulls() const;
    // An index that lies outside its dictionary.
    bool astray(std::int64_t row) const;
    bool in_dictionary() const { return index_layout_ != Layout::unknown; }
    std::int64_t dictionary_size() const { return dictionary_size_; }
    std::int64_t index(std::int64_t row) const { return whole(index_layout_, indices_, row); }

    // The id's bytes, those of the decimal text for a number, which is written to `room` and moves it on.
    std::string_view id(std::int64_t row, char*& room) const {
        if (in_dictionary()) row = index(row);
        switch (layout_) {
            case Layout::text32: return text<std::int32_t>(row);
            case Layout::text64: return text<std::int64_t>(row);
            case Layout::view: return viewed(row);
            default: return digits(row, room);
        }
    }

    // Whether two rows hold the same id.
    bool same(std::int64_t a, std::int64_t b) const;

    double number(std::int64_t row) const;

private:
    static std::int64_t whole(Layout layout, const void* values, std::int64_t row);
    template <class Offset>
    std::string_view text(std::int64_t row) const {
        const auto* ends = static_cast<const Offset*>(values_) + offset_ + row;
        return {static_cast<const char*>(bytes_) + ends[0], static_cast<std::size_t>(ends[1] - ends[0])};
    }
    std::string_view viewed(std::int64_t row) const;
    std::string_view digits(std::int64_t row, char*& room) const;

    Layout layout_ = Layout::unknown;
    Layout index_layout_ = Layout::unknown;
    const void* values_ = nullptr;  // numbers, offsets or views
    const void* bytes_ = nullptr;
    const void* const* parts_ = nullptr;  // the data buffers of views
    const void* nulls_ = nullptr;         // of the values
    std::int64_t offset_ = 0;             // of the values
    const void* indices_ = nullptr;       // moved on by their offset
    const void* index_nulls_ = nullptr;
    std::int64_t index_offset_ = 0;
    std::int64_t dictionary_size_ = 0;
};

}  // namespace karat

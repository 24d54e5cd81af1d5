// Represents a data frame in Arrow's layout: named columns in batches of rows, read in place.
#pragma once

#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "frames/arrow.h"
#include "frames/decimal.h"

namespace carob {

// The content of a column: ids are text or whole numbers, scores and grades are numbers. `none` is a column of Arrow's
// null type in a frame without rows, which pandas makes from an empty list; it fits every role.
enum class Holds { text, whole, number, none, other };

struct Field {
    std::string name;
    std::string format;  // the format of the values, also if they are in a dictionary
    Holds holds;
    std::string index;  // the format of the indices into the dictionary, if there is one
};

// A frame that cannot be read at all.
struct FrameFault {
    std::string detail;
};

// A row that cannot be used. `kind` is row (null as a whole), null, nan, infinite, wide, rank, below zero, index or
// offsets.
struct RowFault {
    const char* kind;
    std::string column;
    std::int64_t row;  // from 0
    std::string query, document;  // empty if the row has none
};

inline bool bit_at(const void* bits, std::int64_t i) { return (static_cast<const std::uint8_t*>(bits)[i / 8] >> (i % 8) & 1) != 0; }

class Frame {
public:
    // Imports every batch of the stream. Throws FrameFault.
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
    // The size of all text in bytes if every row's text is written out; a dictionary or views store a text once for
    // many rows.
    std::uint64_t written_out() const;
    // Whether a row of a batch is null as a whole, even if its columns have values.
    bool null(std::size_t b, std::int64_t row) const { return has_nulls(b) && !bit_at(batches_[b].buffers[0], batches_[b].offset + row); }
    bool has_nulls(std::size_t b) const { return batches_[b].null_count != 0 && batches_[b].n_buffers > 0 && batches_[b].buffers[0] != nullptr; }

private:
    void check(const ArrowArray& batch) const;
    void read_schema(ArrowArrayStream& stream);
    void admit_nulls();

    std::vector<Field> fields_;
    std::vector<ArrowArray> batches_;
    std::vector<std::int64_t> starts_{0};
};

// ---- one column of one batch; rows are counted within the batch

enum class Layout : std::uint8_t { i8, u8, i16, u16, i32, u32, i64, u64, f16, f32, f64, boolean, decimal, text32, text64, view, unknown };

Layout layout_of(std::string_view format);

// The digits and a sign.
inline constexpr std::size_t LONGEST_WHOLE = 20;

class Column {
public:
    Column() = default;
    // `before` is the same column of the previous batch, or null; what was checked there is not checked again.
    Column(const Frame& frame, std::size_t batch, std::size_t field, const Column* before);

    bool null(std::int64_t row) const;
    bool has_nulls() const;
    // Whether an index lies outside its dictionary.
    bool astray(std::int64_t row) const;
    // Returns the first of the rows [from, to) whose text would lie outside its buffers, as far as Arrow states their
    // sizes: offsets that decrease, even later, or views outside the data. Returns -1 if there is no such row. Call
    // before id().
    std::int64_t unsound(std::int64_t from, std::int64_t to) const { return in_dictionary() ? -1 : torn(from, to); }
    // Whether the value is a whole number that a double cannot represent.
    bool rounded_off(std::int64_t row) const;
    bool in_dictionary() const { return index_layout_ != Layout::unknown; }
    std::int64_t dictionary_size() const { return dictionary_size_; }
    std::int64_t index(std::int64_t row) const { return whole(index_layout_, indices_, row); }

    // Returns the bytes of the id. A number is written as decimal text to `room`, which then advances.
    std::string_view id(std::int64_t row, char*& room) const {
        if (in_dictionary()) row = index(row);
        switch (layout_) {
            case Layout::text32: return text<std::int32_t>(row);
            case Layout::text64: return text<std::int64_t>(row);
            case Layout::view: return viewed(row);
            default: return digits(row, room);
        }
    }

    // Whether two rows have the same id.
    bool same(std::int64_t a, std::int64_t b) const;

    // The size in bytes of the texts of the first rows if each is written out.
    std::uint64_t written_out(std::int64_t rows) const;

    // The number itself, for a column without a dictionary; a u64 keeps its bits.
    bool plain_whole() const { return !in_dictionary() && is_whole(); }
    std::int64_t whole(std::int64_t row) const { return whole(layout_, values_, offset_ + row); }

    // Reads the row's value, so that it is in the cache when it is needed.
    std::uint64_t touched(std::int64_t row) const {
        const Layout layout = in_dictionary() ? index_layout_ : layout_;
        const void* values = in_dictionary() ? indices_ : values_;
        const std::int64_t at = in_dictionary() ? row : offset_ + row;
        switch (layout) {
            case Layout::text32: return static_cast<const std::uint32_t*>(values)[at];
            case Layout::view: return static_cast<const std::uint64_t*>(values)[2 * at];
            case Layout::f16:
            case Layout::decimal:
            case Layout::boolean: return 0;
            case Layout::f32: return static_cast<const std::uint32_t*>(values)[at];
            default: return static_cast<std::uint64_t>(whole(layout, values, at));
        }
    }

    double number(std::int64_t row) const {
        if (layout_ == Layout::f64 && !in_dictionary()) return static_cast<const double*>(values_)[offset_ + row];
        return other_number(row);
    }

private:
    static std::int64_t whole(Layout layout, const void* values, std::int64_t row) {
        switch (layout) {
            case Layout::i8: return static_cast<const std::int8_t*>(values)[row];
            case Layout::u8: return static_cast<const std::uint8_t*>(values)[row];
            case Layout::i16: return static_cast<const std::int16_t*>(values)[row];
            case Layout::u16: return static_cast<const std::uint16_t*>(values)[row];
            case Layout::i32: return static_cast<const std::int32_t*>(values)[row];
            case Layout::u32: return static_cast<const std::uint32_t*>(values)[row];
            default: return static_cast<const std::int64_t*>(values)[row];  // a u64 keeps its bits
        }
    }
    bool is_whole() const { return layout_ < Layout::f16; }
    double other_number(std::int64_t row) const;
    std::int64_t torn(std::int64_t from, std::int64_t to) const;
    bool torn_view(std::int64_t row) const;
    bool equal_views(std::int64_t a, std::int64_t b) const;
    template <class Offset>
    std::string_view text(std::int64_t row) const {
        const auto* ends = static_cast<const Offset*>(values_) + offset_ + row;
        return {static_cast<const char*>(bytes_) + ends[0], static_cast<std::size_t>(ends[1] - ends[0])};
    }
    // A view: the size, then either the bytes themselves if there are at most 12, or the first four bytes, the buffer,
    // and the place in it.
    std::string_view viewed(std::int64_t row) const {
        const char* view = static_cast<const char*>(values_) + 16 * (offset_ + row);
        std::int32_t parts[4];
        std::memcpy(parts, view, sizeof parts);
        const auto size = static_cast<std::size_t>(parts[0]);
        if (parts[0] <= 12) return {view + 4, size};
        return {static_cast<const char*>(parts_[parts[2]]) + parts[3], size};
    }
    std::string_view digits(std::int64_t row, char*& room) const {
        char* const from = room;
        const std::int64_t value = whole(row);
        if constexpr (std::endian::native == std::endian::little) {
            if (static_cast<std::uint64_t>(value) < 100'000'000) {
                room += short_digits(static_cast<std::uint64_t>(value), from);
                return {from, static_cast<std::size_t>(room - from)};
            }
        }
        room = layout_ == Layout::u64 ? std::to_chars(from, from + LONGEST_WHOLE, static_cast<std::uint64_t>(value)).ptr
                                      : std::to_chars(from, from + LONGEST_WHOLE, value).ptr;
        return {from, static_cast<std::size_t>(room - from)};
    }

    // Writes at most eight digits in one store, because single bytes could not be read back as a word until all of them
    // are stored. Splits into halves of four digits, then pairs, then digits, each in a lane of the word; always writes
    // 8 bytes.
    static int short_digits(std::uint64_t value, char* room) {
        const std::uint64_t fours = value / 10000 | value % 10000 << 32;
        const std::uint64_t hundreds = (fours * 10486 >> 20) & 0x7F0000007F;
        const std::uint64_t pairs = hundreds | (fours - 100 * hundreds) << 16;
        const std::uint64_t tens = (pairs * 103 >> 10) & 0x000F000F000F000F;
        const std::uint64_t all = tens | (pairs - 10 * tens) << 8;
        const int zeros = std::countr_zero(all | std::uint64_t{1} << 56) / 8;
        const std::uint64_t text = (all | 0x3030303030303030) >> (8 * zeros);
        std::memcpy(room, &text, sizeof text);
        return 8 - zeros;
    }

    Layout layout_ = Layout::unknown;
    Layout index_layout_ = Layout::unknown;
    const void* values_ = nullptr;  // numbers, offsets or views
    const void* bytes_ = nullptr;
    const void* const* parts_ = nullptr;  // the data buffers of views
    const std::int64_t* part_sizes_ = nullptr;
    std::int64_t part_count_ = 0;
    DecimalShape decimal_{};
    const void* nulls_ = nullptr;         // of the values
    std::int64_t offset_ = 0;             // of the values
    std::int64_t count_ = 0;              // number of values from there on
    const void* indices_ = nullptr;       // advanced by their offset
    const void* index_nulls_ = nullptr;
    std::int64_t index_offset_ = 0;
    std::int64_t dictionary_size_ = 0;
};

}  // namespace carob

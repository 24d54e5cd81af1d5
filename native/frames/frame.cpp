// Imports a data frame from an Arrow stream and reads its columns in place.
#include "frames/frame.h"

#include <algorithm>
#include <cmath>

#include "text/text.h"

namespace carob {
namespace {

struct SchemaOwner {
    ArrowSchema schema{};
    ~SchemaOwner() {
        if (schema.release != nullptr) schema.release(&schema);
    }
};

std::string last_error(ArrowArrayStream& stream) {
    const char* said = stream.get_last_error == nullptr ? nullptr : stream.get_last_error(&stream);
    return said == nullptr ? "the library that holds the frame gave no reason" : said;
}

Holds what_holds(Layout layout) {
    switch (layout) {
        case Layout::unknown: return Holds::other;
        case Layout::text32:
        case Layout::text64:
        case Layout::view: return Holds::text;
        case Layout::f16:
        case Layout::f32:
        case Layout::f64:
        case Layout::decimal:
        case Layout::boolean: return Holds::number;
        default: return Holds::whole;
    }
}

double half(std::uint16_t bits) {
    const int exponent = bits >> 10 & 31;
    const int fraction = bits & 1023;
    double value = 0;
    if (exponent == 31) {
        value = fraction == 0 ? HUGE_VAL : std::nan("");
    } else {
        value = std::ldexp(exponent == 0 ? fraction : fraction + 1024, (exponent == 0 ? 1 : exponent) - 25);
    }
    return (bits & 0x8000) != 0 ? -value : value;
}

template <class T>
T at(const void* values, std::int64_t row) {
    return static_cast<const T*>(values)[row];
}

std::size_t buffers_of(Layout layout) {
    return layout == Layout::text32 || layout == Layout::text64 || layout == Layout::view ? 3 : 2;
}

// Rows are counted up to this number without checks for overflow; it is more rows than any machine can hold.
constexpr std::int64_t LONGEST = std::int64_t{1} << 48;

// Whether the buffers that the layout requires exist; an empty array need not have them.
bool complete(const ArrowArray& array, Layout layout) {
    if (array.length < 0 || array.offset < 0 || array.n_buffers < static_cast<std::int64_t>(buffers_of(layout))) return false;
    if (array.offset > LONGEST - array.length || array.buffers == nullptr) return false;
    return array.length == 0 || array.buffers[1] != nullptr;
}

std::size_t width(Layout layout) {
    switch (layout) {
        case Layout::i8:
        case Layout::u8: return 1;
        case Layout::i16:
        case Layout::u16: return 2;
        case Layout::i32:
        case Layout::u32: return 4;
        default: return 8;
    }
}

}  // namespace

Layout layout_of(std::string_view format) {
    if (decimal_shape(format)) return Layout::decimal;
    if (format == "u" || format == "z") return Layout::text32;
    if (format == "U" || format == "Z") return Layout::text64;
    if (format == "vu" || format == "vz") return Layout::view;
    if (format.size() != 1) return Layout::unknown;
    switch (format[0]) {
        case 'c': return Layout::i8;
        case 'C': return Layout::u8;
        case 's': return Layout::i16;
        case 'S': return Layout::u16;
        case 'i': return Layout::i32;
        case 'I': return Layout::u32;
        case 'l': return Layout::i64;
        case 'L': return Layout::u64;
        case 'e': return Layout::f16;
        case 'f': return Layout::f32;
        case 'g': return Layout::f64;
        case 'b': return Layout::boolean;
        default: return Layout::unknown;
    }
}

// ---- the frame

Frame::Frame(ArrowArrayStream& stream) {
    read_schema(stream);
    try {
        for (;;) {
            ArrowArray batch{};
            if (stream.get_next(&stream, &batch) != 0) throw FrameFault{last_error(stream)};
            if (batch.release == nullptr) break;
            batches_.push_back(batch);
            check(batch);
            starts_.push_back(starts_.back() + batch.length);
            if (starts_.back() > LONGEST) throw FrameFault{"it has more rows than any machine holds"};
        }
    } catch (...) {
        for (ArrowArray& batch : batches_) batch.release(&batch);
        throw;
    }
    if (rows() == 0) admit_nulls();
}

void Frame::admit_nulls() {
    for (Field& field : fields_) {
        if (field.format == "n") field.holds = Holds::none;
    }
}

void Frame::check(const ArrowArray& batch) const {
    if (batch.n_children != static_cast<std::int64_t>(fields_.size()))
        throw FrameFault{"a batch of rows has not the columns that the frame has"};
    const bool sized = batch.length >= 0 && batch.offset >= 0 && batch.length <= LONGEST && batch.offset <= LONGEST;
    const bool there = batch.n_children == 0 || batch.children != nullptr;
    if (!sized || !there || (batch.n_buffers > 0 && batch.buffers == nullptr))
        throw FrameFault{"a batch of rows is damaged"};
    for (std::int64_t i = 0; i < batch.n_children; ++i) {
        const ArrowArray* child = batch.children[i];
        if (child == nullptr || child->length < batch.offset + batch.length)
            throw FrameFault{"column '" + fields_[static_cast<std::size_t>(i)].name + "' is shorter than the frame"};
    }
}

Frame::~Frame() {
    for (ArrowArray& batch : batches_) batch.release(&batch);
}

void Frame::read_schema(ArrowArrayStream& stream) {
    SchemaOwner owner;
    if (stream.get_schema(&stream, &owner.schema) != 0) throw FrameFault{last_error(stream)};
    const ArrowSchema& schema = owner.schema;
    if (schema.format == nullptr || std::string_view(schema.format) != "+s")
        throw FrameFault{"it is a single column, not a frame with named columns"};
    for (std::int64_t i = 0; i < schema.n_children; ++i) {
        const bool named = schema.children != nullptr && schema.children[i] != nullptr && schema.children[i]->format != nullptr;
        const bool told = named && (schema.children[i]->dictionary == nullptr || schema.children[i]->dictionary->format != nullptr);
        if (!told) throw FrameFault{"a column has no type"};
        const ArrowSchema& child = *schema.children[i];
        Field field{child.name == nullptr ? "" : child.name, child.format, Holds::other, ""};
        if (child.dictionary != nullptr) {
            field.index = child.format;
            field.format = child.dictionary->format;
            const bool plain = child.dictionary->dictionary == nullptr && what_holds(layout_of(field.index)) == Holds::whole;
            if (!plain) field.format = "dictionary of " + field.format;
        }
        field.holds = what_holds(layout_of(field.format));
        fields_.push_back(std::move(field));
    }
}

std::uint64_t Frame::written_out() const {
    std::uint64_t all = 0;
    for (std::size_t field = 0; field < fields_.size(); ++field) {
        if (fields_[field].holds != Holds::text) continue;
        for (std::size_t b = 0; b < batches_.size(); ++b) all += Column(*this, b, field, nullptr).written_out(batches_[b].length);
    }
    return all;
}

std::size_t Frame::batch_of(std::int64_t row) const {
    return static_cast<std::size_t>(std::upper_bound(starts_.begin(), starts_.end(), row) - starts_.begin()) - 1;
}

// ---- a column

Column::Column(const Frame& frame, std::size_t batch, std::size_t field, const Column* before) {
    const Field& its = frame.fields()[field];
    if (its.holds == Holds::none) return;
    const ArrowArray& rows = frame.batch(batch);
    const ArrowArray* array = rows.children[field];
    layout_ = layout_of(its.format);
    // A batch is a struct, so its own offset shifts every column.
    std::int64_t moved = rows.offset;
    if (!its.index.empty()) {
        index_layout_ = layout_of(its.index);
        if (!complete(*array, index_layout_) || array->dictionary == nullptr)
            throw FrameFault{"column '" + its.name + "' lacks its values"};
        index_offset_ = array->offset + moved;
        indices_ = static_cast<const char*>(array->buffers[1]) + static_cast<std::size_t>(index_offset_) * width(index_layout_);
        index_nulls_ = array->null_count == 0 ? nullptr : array->buffers[0];
        array = array->dictionary;
        dictionary_size_ = array->length;
        moved = 0;
    }
    if (!complete(*array, layout_)) throw FrameFault{"column '" + its.name + "' lacks its values"};
    offset_ = array->offset + moved;
    count_ = array->length - moved;
    values_ = array->buffers[1];
    nulls_ = array->null_count == 0 ? nullptr : array->buffers[0];
    if (layout_ == Layout::decimal) decimal_ = *decimal_shape(its.format);
    if (layout_ == Layout::view) {
        parts_ = array->buffers + 2;
        part_count_ = array->n_buffers - 3;
        part_sizes_ = static_cast<const std::int64_t*>(array->buffers[array->n_buffers - 1]);
    } else if (buffers_of(layout_) == 3) {
        bytes_ = array->buffers[2];
    }
    // Most frames have one dictionary, which all batches share.
    const bool checked = before != nullptr && before->values_ == values_ && before->bytes_ == bytes_ && before->parts_ == parts_ &&
                         before->offset_ == offset_ && before->dictionary_size_ == dictionary_size_;
    if (in_dictionary() && !checked && torn(0, dictionary_size_) >= 0)
        throw FrameFault{"the categories of column '" + its.name + "' lie outside its memory: make the column again"};
}

// Arrow's C interface states buffer sizes only for views. For other text, the last offset gives the length, and the
// producer is responsible for it; the only check here is that no offset decreases or exceeds the last one.
std::int64_t Column::torn(std::int64_t from, std::int64_t to) const {
    const auto falls = [&](auto offset) -> std::int64_t {
        const auto* ends = static_cast<const decltype(offset)*>(values_) + offset_;
        if (from < to && (ends[from] < 0 || (bytes_ == nullptr && ends[from] != ends[to]))) return from;
        bool sound = from == to || ends[to] <= ends[count_];
        for (std::int64_t row = from; row < to; ++row) sound &= ends[row] <= ends[row + 1];
        if (sound) return -1;
        while (ends[from] <= ends[from + 1]) ++from;
        return from;
    };
    switch (layout_) {
        case Layout::text32: return falls(std::int32_t{});
        case Layout::text64: return falls(std::int64_t{});
        case Layout::view:
            for (std::int64_t row = from; row < to; ++row) {
                if (torn_view(row)) return row;
            }
            return -1;
        default: return -1;
    }
}

bool Column::torn_view(std::int64_t row) const {
    std::int32_t parts[4];
    std::memcpy(parts, static_cast<const char*>(values_) + 16 * (offset_ + row), sizeof parts);
    if (parts[0] >= 0 && parts[0] <= 12) return false;
    if (nulls_ != nullptr && !bit_at(nulls_, offset_ + row)) return false;  // the value of a null is arbitrary
    const bool there = parts[0] > 0 && parts[2] >= 0 && parts[2] < part_count_ && part_sizes_ != nullptr && parts_[parts[2]] != nullptr;
    return !there || parts[3] < 0 || std::int64_t{parts[0]} + parts[3] > part_sizes_[parts[2]];
}

bool Column::rounded_off(std::int64_t row) const {
    if (in_dictionary()) row = index(row);
    if (layout_ == Layout::decimal)
        return decimal_rounded_off(static_cast<const char*>(values_) + static_cast<std::size_t>(offset_ + row) * decimal_.bytes, decimal_);
    if (!is_whole()) return false;
    const std::int64_t value = whole(row);
    const bool negative = layout_ != Layout::u64 && value < 0;
    const std::uint64_t size = negative ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
    return size != 0 && 64 - std::countl_zero(size) - std::countr_zero(size) > 53;
}

bool Column::has_nulls() const { return nulls_ != nullptr || index_nulls_ != nullptr; }

bool Column::null(std::int64_t row) const {
    if (in_dictionary()) {
        if (index_nulls_ != nullptr && !bit_at(index_nulls_, index_offset_ + row)) return true;
        if (nulls_ == nullptr || astray(row)) return false;
        row = index(row);
    }
    return nulls_ != nullptr && !bit_at(nulls_, offset_ + row);
}

bool Column::astray(std::int64_t row) const {
    return in_dictionary() && static_cast<std::uint64_t>(index(row)) >= static_cast<std::uint64_t>(dictionary_size_);
}

bool Column::same(std::int64_t a, std::int64_t b) const {
    if (in_dictionary() && index(a) == index(b)) return true;
    switch (layout_) {
        case Layout::view:
            if (!in_dictionary() && equal_views(a, b)) return true;
            [[fallthrough]];
        case Layout::text32:
        case Layout::text64: {
            char* none = nullptr;
            return same_id(id(a, none), id(b, none));
        }
        default: break;
    }
    if (in_dictionary()) return whole(layout_, values_, offset_ + index(a)) == whole(layout_, values_, offset_ + index(b));
    return whole(layout_, values_, offset_ + a) == whole(layout_, values_, offset_ + b);
}

// Views of short texts contain the text; views of long texts are equal if both point to the same place.
bool Column::equal_views(std::int64_t a, std::int64_t b) const {
    const char* views = static_cast<const char*>(values_) + 16 * offset_;
    return std::memcmp(views + 16 * a, views + 16 * b, 16) == 0;
}

std::uint64_t Column::written_out(std::int64_t rows) const {
    // Damage in a column is reported when its rows are read.
    const auto between = [&](auto offset, std::int64_t from, std::int64_t to) -> std::uint64_t {
        const auto* ends = static_cast<const decltype(offset)*>(values_) + offset_;
        return ends[from] < ends[to] ? static_cast<std::uint64_t>(ends[to]) - static_cast<std::uint64_t>(ends[from]) : 0;
    };
    const auto viewed = [&](std::int64_t row) -> std::uint64_t {
        const auto size = at<std::int32_t>(values_, 4 * (offset_ + row));
        const bool there = size > 0 && (nulls_ == nullptr || bit_at(nulls_, offset_ + row));
        return there ? static_cast<std::uint64_t>(size) : 0;
    };
    const auto texts = [&](std::int64_t from, std::int64_t to) -> std::uint64_t {
        std::uint64_t all = 0;
        switch (layout_) {
            case Layout::text32: return between(std::int32_t{}, from, to);
            case Layout::text64: return between(std::int64_t{}, from, to);
            case Layout::view:
                for (std::int64_t row = from; row < to; ++row) all += viewed(row);
                return all;
            default: return 0;
        }
    };
    if (rows == 0) return 0;  // without rows, there may be no memory
    if (!in_dictionary()) return texts(0, rows);
    std::uint64_t all = 0;
    for (std::int64_t row = 0; row < rows; ++row) {
        if (!null(row) && !astray(row)) all += texts(index(row), index(row) + 1);
    }
    return all;
}

double Column::other_number(std::int64_t row) const {
    if (in_dictionary()) row = index(row);
    const std::int64_t i = offset_ + row;
    switch (layout_) {
        case Layout::f64: return at<double>(values_, i);
        case Layout::f32: return static_cast<double>(at<float>(values_, i));
        case Layout::f16: return half(at<std::uint16_t>(values_, i));
        case Layout::boolean: return bit_at(values_, i) ? 1 : 0;
        case Layout::decimal: return decimal_number(static_cast<const char*>(values_) + static_cast<std::size_t>(i) * decimal_.bytes, decimal_);
        case Layout::u64: return static_cast<double>(at<std::uint64_t>(values_, i));
        default: return static_cast<double>(whole(layout_, values_, i));
    }
}

}  // namespace carob

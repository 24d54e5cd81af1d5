// Writes ranked documents as lines in TREC's six columns.
#pragma once

#include <charconv>
#include <cmath>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "writing/digits.h"

namespace carob {

// An id that cannot be written in the lines of a layout.
struct OddId {
    std::string id;
};

// Throws OddId for an id that is empty or contains a character that ends a field or a line.
inline void refuse_odd(std::string_view id) {
    if (id.empty() || id.find_first_of(std::string_view("\t\n\v\f\r\0", 6)) != std::string_view::npos) throw OddId{std::string(id)};
}

// The same for a query's id, which must not look like a comment because it begins the line.
inline void refuse_odd_query(std::string_view id) {
    if (!id.empty() && id.front() == '#') throw OddId{std::string(id)};
    refuse_odd(id);
}

// Writes to memory that is reused.
class TrecLines {
public:
    // The separator is a blank or a tab. `checked` means that the ids are known not to cause OddId.
    TrecLines(std::string_view tag, char separator, bool checked)
        : separator_(separator), checked_(checked), end_(separator + std::string(tag) + "\n") {}

    void clear() { size_ = 0; }
    std::string_view text() const { return {room_.data(), size_}; }

    void begin(std::string_view query) {
        if (!checked_) refuse_odd_query(query);
        start_.assign(query);
        start_ += separator_;
        start_ += "Q0";
        start_ += separator_;
    }

    void add(std::string_view document, std::size_t rank, double score) {
        if (!checked_) refuse_odd(document);
        const std::size_t most = start_.size() + document.size() + LONGEST_RANK + LONGEST_NUMBER + end_.size();
        if (room_.size() < size_ + most) room_.resize(2 * (size_ + most));
        char* out = room_.data() + size_;
        out = put(start_, out);
        out = put(document, out);
        *out++ = separator_;
        out = std::to_chars(out, out + LONGEST_RANK, rank).ptr;
        *out++ = separator_;
        if (std::isfinite(score)) out = write_shortest(score, out);
        else out = put(score > 0 ? "inf" : "-inf", out);
        size_ = static_cast<std::size_t>(put(end_, out) - room_.data());
    }

private:
    static constexpr std::size_t LONGEST_RANK = 22;  // with the surrounding separators

    // Most pieces are short, and a call to memcpy takes longer than copying two words that may overlap.
    static char* put(std::string_view piece, char* out) {
        const std::size_t size = piece.size();
        if (size >= 8 && size <= 16) {
            std::memcpy(out, piece.data(), 8);
            std::memcpy(out + size - 8, piece.data() + size - 8, 8);
        } else if (size >= 4 && size < 8) {
            std::memcpy(out, piece.data(), 4);
            std::memcpy(out + size - 4, piece.data() + size - 4, 4);
        } else {
            std::memcpy(out, piece.data(), size);
        }
        return out + size;
    }

    const char separator_;
    const bool checked_;
    const std::string end_;
    std::string start_;
    std::vector<char> room_;
    std::size_t size_ = 0;
};

}  // namespace carob

// Locates the lines of each query in a run, without reading all lines.
#include "fusion/blocks_of_queries.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string_view>

#include "fusion/points.h"
#include "text/reading.h"

namespace carob {
namespace {

// A window of the file in memory that moves to the requested place.
class Window {
public:
    static constexpr std::size_t SIZE = 4096;

    explicit Window(const PlacedFile& file) : file_(file), room_(std::make_unique_for_overwrite<char[]>(SIZE)) {}

    std::uint64_t file_size() const { return file_.size(); }

    // Returns the bytes from a place on: at least `least` bytes, unless the file ends or the window is smaller.
    std::string_view at(std::uint64_t place, std::size_t least) {
        if (place < begin_ || place + least > begin_ + held_) {
            begin_ = place;
            held_ = file_.read(place, room_.get(), SIZE);
        }
        return {room_.get() + (place - begin_), static_cast<std::size_t>(begin_ + held_ - place)};
    }

    // The start of the first line at or after a place; the size of the file if there is none.
    std::uint64_t line_from(std::uint64_t place) {
        if (place == 0) return 0;
        std::uint64_t from = place - 1;
        while (from < file_size() && from - place + 1 < LONGEST_LINE) {
            const std::string_view bytes = at(from, 1);
            if (bytes.empty()) break;  // the file has become shorter
            const std::size_t end = bytes.find('\n');
            if (end != std::string_view::npos) return std::min(from + end + 1, file_size());
            from += bytes.size();
        }
        if (from >= file_size()) return file_size();
        throw NotPlain{};
    }

    // The first field of the line that begins at a place. The view is valid until the next call.
    std::string_view query_at(std::uint64_t line) {
        const std::string_view bytes = at(line, LONGEST_ID + 1);
        std::size_t size = 0;
        while (size < bytes.size() && static_cast<unsigned char>(bytes[size]) > ' ') ++size;
        if (size == 0 || size > LONGEST_ID || size == bytes.size()) throw NotPlain{};
        return bytes.substr(0, size);
    }

private:
    static constexpr std::size_t LONGEST_ID = 512;

    const PlacedFile& file_;
    std::unique_ptr<char[]> room_;
    std::uint64_t begin_ = 0;
    std::size_t held_ = 0;
};

// Half a window. Within this distance of the end of a block, its lines are examined one by one.
constexpr std::uint64_t NEAR = Window::SIZE / 2;

// The end of the block that begins at a place. Neighbouring blocks have about the same length, so the search begins
// just short of the previous length, proceeds in doubling steps, and then bisects the stretch in which the query
// changes.
std::uint64_t end_of_block(Window& window, std::uint64_t begin, std::string_view query, std::uint64_t length_before) {
    std::uint64_t same = begin;  // the last line known to belong to the query
    std::uint64_t other = window.file_size();
    std::uint64_t step = length_before > NEAR / 2 ? length_before - NEAR / 2 : NEAR;
    for (std::uint64_t line; same + step < window.file_size(); same = line) {
        line = window.line_from(same + step);
        if (line >= window.file_size()) break;
        if (window.query_at(line) != query) {
            other = line;
            break;
        }
        step = same == begin ? NEAR : step * 2;
    }
    while (other - same > NEAR) {
        const std::uint64_t line = window.line_from(same + (other - same) / 2);
        if (line >= other) break;  // a long line
        (window.query_at(line) == query ? same : other) = line;
    }
    while (same < other) {
        const std::uint64_t line = window.line_from(same + 1);
        if (line >= other || window.query_at(line) != query) return line;
        same = line;
    }
    return other;
}

}  // namespace

QueryBlocks find_query_blocks(const PlacedFile& file) {
    Window window(file);
    QueryBlocks found;
    std::uint64_t length = 0;
    std::string query;
    for (std::uint64_t begin = 0; begin < file.size();) {
        query.assign(window.query_at(begin));
        if (query.front() == '#' || begins_with_mark(query.data(), query.data() + query.size())) throw NotPlain{};
        const std::uint64_t end = end_of_block(window, begin, query, length);
        found.queries.add(query);
        found.places.push_back(begin);
        length = end - begin;
        begin = end;
    }
    found.places.push_back(file.size());
    return found;
}

}  // namespace carob

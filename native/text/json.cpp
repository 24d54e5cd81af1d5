// Looks over lines of JSON before a library parses them: how deep they nest, how long their numbers are; reads plain ones.
#include "text/json.h"

#include <algorithm>

#include "text/text.h"

namespace carob {

JsonSizes json_sizes(std::string_view lines) {
    JsonSizes found;
    std::size_t depth = 0;
    std::size_t digits = 0;
    bool whole = true;
    bool quoted = false;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const char c = lines[i];
        if (quoted && c != '\n') {
            if (c == '\\' && i + 1 < lines.size() && lines[i + 1] != '\n') ++i;
            quoted = c != '"';
            continue;
        }
        if (is_digit(c)) {
            ++digits;
            continue;
        }
        if (c == '.' || c == 'e' || c == 'E') {
            whole = false;
            continue;
        }
        if (whole) found.digits = std::max(found.digits, digits);
        digits = 0;
        whole = c == '-' || c == '+' ? whole : true;  // an exponent has a sign
        if (c == '\n') {
            depth = 0;
            quoted = false;
        } else if (c == '"') {
            quoted = true;
        } else if (c == '{' || c == '[') {
            found.depth = std::max(found.depth, ++depth);
        } else if (c == '}' || c == ']') {
            depth -= depth != 0;
        }
    }
    if (whole) found.digits = std::max(found.digits, digits);
    return found;
}

namespace {

constexpr std::size_t EXACT_DIGITS = 15;   // of whole numbers, which a double always holds
constexpr std::size_t LONGEST_USUAL = 40;  // bytes of a number with a fraction
constexpr std::size_t EXPONENT_DIGITS = 2;

// Reads one line after another. Every method stays within the text, at whose end `peek` returns 0.
class FlatLines {
public:
    FlatLines(std::string_view lines, const std::vector<std::string>& names, std::size_t texts)
        : at_(lines.data()), end_(lines.data() + lines.size()), names_(names), texts_(texts), found_(names.size()) {}

    bool at_end() const { return at_ == end_; }

    // False if the line is not ordinary.
    bool read(std::string& out) {
        std::fill(found_.begin(), found_.end(), std::string_view{});
        if (!takes('{')) return false;
        do {
            if (!read_member()) return false;
        } while (takes(','));
        if (!takes('}')) return false;
        skip_blanks();
        if (at_ != end_ && *at_++ != '\n') return false;
        for (std::size_t i = 0; i < found_.size(); ++i) {
            if (found_[i].empty()) return false;
            out += found_[i];
            out += i + 1 == found_.size() ? '\n' : '\t';
        }
        return true;
    }

private:
    char peek() const { return at_ == end_ ? '\0' : *at_; }

    void skip_blanks() {
        while (peek() == ' ' || peek() == '\t' || peek() == '\r') ++at_;
    }

    bool takes(char wanted) {
        skip_blanks();
        if (peek() != wanted) return false;
        ++at_;
        return true;
    }

    bool read_member() {
        std::string_view key, value;
        if (!takes('"') || !read_text(key) || !takes(':')) return false;
        const bool is_text = takes('"');
        if (is_text ? !read_text(value) : !read_word(value)) return false;
        const auto name = std::find(names_.begin(), names_.end(), key);
        if (name == names_.end()) return is_text || is_number(value) || value == "true" || value == "false" || value == "null";
        const auto place = static_cast<std::size_t>(name - names_.begin());
        if (found_[place].data() != nullptr || is_text != (place < texts_)) return false;
        found_[place] = value;
        return is_text || (is_number(value) && is_usual(value));
    }

    bool read_text(std::string_view& text) {
        const char* const start = at_;
        while (at_ != end_ && *at_ != '"' && *at_ != '\\' && static_cast<unsigned char>(*at_) >= 0x20) ++at_;
        text = {start, static_cast<std::size_t>(at_ - start)};
        return at_ != end_ && *at_++ == '"';
    }

    bool read_word(std::string_view& word) {
        const char* const start = at_;
        while (is_digit(peek()) || (peek() >= 'a' && peek() <= 'z') || peek() == '.' || peek() == '-' || peek() == '+' || peek() == 'E') ++at_;
        word = {start, static_cast<std::size_t>(at_ - start)};
        return true;
    }

    // As RFC 8259 has it.
    static bool is_number(std::string_view word) {
        std::size_t i = 0;
        const auto digits = [&] {
            const std::size_t start = i;
            while (i < word.size() && is_digit(word[i])) ++i;
            return i - start;
        };
        if (i < word.size() && word[i] == '-') ++i;
        const std::size_t first = i, whole = digits();
        if (whole == 0 || (whole > 1 && word[first] == '0')) return false;
        if (i < word.size() && word[i] == '.') {
            ++i;
            if (digits() == 0) return false;
        }
        if (i < word.size() && (word[i] == 'e' || word[i] == 'E')) {
            ++i;
            if (i < word.size() && (word[i] == '-' || word[i] == '+')) ++i;
            if (digits() == 0) return false;
        }
        return i == word.size();
    }

    // Whether every library reads the same double: it is not whole with many digits, and it is not near the ends of the range.
    static bool is_usual(std::string_view number) {
        const bool has_exponent = number.find_first_of("eE") != std::string_view::npos;
        if (has_exponent && number.size() - 1 - number.find_last_of("eE+-") > EXPONENT_DIGITS) return false;
        if (number.size() <= EXACT_DIGITS) return true;
        return number.size() <= LONGEST_USUAL && number.find_first_of(".eE") != std::string_view::npos;
    }

    const char* at_;
    const char* const end_;
    const std::vector<std::string>& names_;
    const std::size_t texts_;
    std::vector<std::string_view> found_;  // the value of each name
};

}  // namespace

std::optional<std::string> flat_rows(std::string_view lines, const std::vector<std::string>& names, std::size_t texts) {
    FlatLines reader(lines, names, texts);
    std::string rows;
    rows.reserve(lines.size());
    while (!reader.at_end()) {
        if (!reader.read(rows)) return std::nullopt;
    }
    return rows;
}

}  // namespace carob

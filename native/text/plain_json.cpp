// Makes lines of TREC text from a run in plain JSON, block by block.
#include "text/plain_json.h"

#include <algorithm>

#include "text/reading.h"

namespace carob {
namespace {

constexpr std::size_t EXACT_DIGITS = 15;   // of whole numbers that a double always represents exactly
constexpr std::size_t LONGEST_USUAL = 40;  // bytes of a number with a fraction
constexpr std::size_t EXPONENT_DIGITS = 2;
enum Member : std::size_t { QUERY, DOCUMENT, SCORE, RANK };

// Follows RFC 3629: rejects overlong forms, surrogates, and anything above U+10FFFF.
bool is_utf8(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        const auto byte = [&](std::size_t place) { return place < text.size() ? static_cast<unsigned char>(text[place]) : 0u; };
        const unsigned first = byte(i), second = byte(i + 1);
        const std::size_t more = first < 0x80 ? 0 : first < 0xC2 ? 4 : first < 0xE0 ? 1 : first < 0xF0 ? 2 : first < 0xF5 ? 3 : 4;
        if (more == 4) return false;
        for (std::size_t k = 1; k <= more; ++k) {
            if ((byte(i + k) & 0xC0) != 0x80) return false;
        }
        if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) || (first == 0xF0 && second < 0x90) ||
            (first == 0xF4 && second > 0x8F))
            return false;
        i += more + 1;
    }
    return true;
}

// How RFC 8259 reads a word as a number.
struct NumberForm {
    bool is_number = false;
    bool is_whole = false;  // without a fraction or an exponent
    bool is_usual = false;  // every library reads the same double: not whole with many digits, not near the ends of the range
};

NumberForm form_of(std::string_view word) {
    const char* p = word.data();
    const char* const end = p + word.size();
    const auto digits = [&] {
        const char* const start = p;
        while (p != end && is_digit(*p)) ++p;
        return static_cast<std::size_t>(p - start);
    };
    const auto takes = [&](char one, char other) {
        const bool found = p != end && (*p == one || *p == other);
        p += found;
        return found;
    };
    const bool is_negative = takes('-', '-');
    const bool begins_with_zero = p != end && *p == '0';
    const std::size_t whole = digits();
    if (whole == 0 || (whole > 1 && begins_with_zero)) return {};
    bool is_whole = true;
    if (takes('.', '.')) {
        is_whole = false;
        if (digits() == 0) return {};
    }
    std::size_t exponent = 0;
    if (takes('e', 'E')) {
        is_whole = false;
        takes('-', '+');
        exponent = digits();
        if (exponent == 0) return {};
    }
    // A whole -0 becomes 0 in a library that reads whole numbers as integers.
    const bool is_usual = exponent <= EXPONENT_DIGITS && word.size() <= (is_whole ? EXACT_DIGITS : LONGEST_USUAL) &&
                          !(is_whole && is_negative && begins_with_zero);
    return {p == end, is_whole, is_usual};
}

// Whether an id can be written in a line between tabs, also at the start of the line.
bool is_plain_id(std::string_view id) {
    if (id.empty() || id.front() == '#' || begins_with_mark(id.data(), id.data() + id.size())) return false;
    return !is_blank(id.front()) && !is_blank(id.back());
}

}  // namespace

bool PlainJson::take(std::string_view bytes, std::string& lines) {
    const bool is_last = bytes.empty();
    rest_ += bytes;
    lines.reserve(lines.size() + 2 * rest_.size());
    at_ = rest_.data();
    const char* const text_end = at_ + rest_.size();
    const char* done = at_;
    for (; at_ != text_end; done = at_) {
        is_cut_ = false;
        end_ = text_end;
        if (!(form_ == JsonForm::lines ? read_line(lines, is_last) : read_step(lines))) {
            if (!is_cut_ || is_last) return false;
            break;
        }
    }
    rest_.erase(0, static_cast<std::size_t>(done - rest_.data()));
    if (is_last) return form_ == JsonForm::lines || place_ == Place::end;
    return rest_.size() <= LONGEST_LINE;
}

bool PlainJson::read_line(std::string& lines, bool is_last) {
    const auto* const line_end = static_cast<const char*>(std::memchr(at_, '\n', static_cast<std::size_t>(end_ - at_)));
    if (line_end == nullptr && !is_last) {
        is_cut_ = true;
        return false;
    }
    if (line_end != nullptr) end_ = line_end;
    const bool is_read = read_object(lines);
    skip_blanks();
    const bool is_whole = at_ == end_;
    is_cut_ = false;
    at_ += line_end != nullptr;
    return is_read && is_whole;
}

bool PlainJson::read_object(std::string& lines) {
    std::fill(found_.begin(), found_.end(), std::string_view{});
    if (!takes('{')) return false;
    do {
        if (!read_member()) return false;
    } while (takes(','));
    if (!takes('}')) return false;
    if (std::any_of(found_.begin(), found_.end(), [](std::string_view each) { return each.empty(); })) return false;
    return add_row(found_[QUERY], found_[DOCUMENT], found_.size() > RANK ? found_[RANK] : "0", found_[SCORE], lines);
}

bool PlainJson::read_member() {
    std::string_view key, value;
    bool has_escapes = false;
    if (!takes('"') || !read_text(key, has_escapes) || has_escapes || !takes(':')) return false;
    std::size_t place = 0;
    while (place != names_.size() && !same_id(names_[place], key)) ++place;
    const bool is_text = takes('"');
    if (is_text ? !read_text(value, has_escapes) : !read_word(value)) return false;
    const NumberForm form = is_text ? NumberForm{} : form_of(value);
    if (place == names_.size() && form_ == JsonForm::list && std::find(others_.begin(), others_.end(), key) == others_.end()) return false;
    if (place == names_.size()) return is_text || form.is_number || value == "true" || value == "false" || value == "null";
    if (found_[place].data() != nullptr || has_escapes) return false;
    found_[place] = value;
    const bool is_id = place == QUERY || place == DOCUMENT;
    if (is_text && (!is_id || !is_plain_id(value))) return false;
    if (!is_text && !(form.is_number && form.is_usual && (place == SCORE || form.is_whole))) return false;
    if (!is_id) return true;
    char& kind = id_kinds_[place];
    if (kind == '\0') kind = is_text ? 't' : 'n';
    return kind == (is_text ? 't' : 'n') && (is_text || value.front() != '-');  // -1 is often used to pad lists
}

bool PlainJson::read_step(std::string& lines) {
    switch (place_) {
        case Place::start:
            if (!takes(form_ == JsonForm::list ? '[' : '{')) return false;
            place_ = form_ == JsonForm::list ? Place::row : Place::query;
            return true;
        case Place::row: {
            const std::size_t before = lines.size();
            if (read_object(lines) && goes_on_at(Place::row, ']', Place::end)) return true;
            lines.resize(before);  // the row may be read again with the bytes that follow it
            return false;
        }
        case Place::query:
            return begin_list();
        case Place::document:
            return read_document(lines);
        case Place::end_of_list:
            return goes_on_at(Place::query, '}', Place::end);
        case Place::end:
            break;
    }
    skip_blanks();
    return at_ == end_;
}

// Reads what follows an item: a comma before the next item, or the end of all items.
bool PlainJson::goes_on_at(Place next, char last, Place after) {
    const bool is_more = takes(',');
    if (!is_more && !takes(last)) return false;
    place_ = is_more ? next : after;
    return true;
}

bool PlainJson::read_document(std::string& lines) {
    std::string_view document, score;
    if (!read_id(document) || !takes(':')) return false;
    skip_blanks();
    if (!read_word(score)) return false;
    const NumberForm form = form_of(score);
    if (!form.is_number || !form.is_usual || !goes_on_at(Place::document, '}', Place::end_of_list)) return false;
    documents_.push_back(hash_id(document, seed_));
    if (place_ == Place::end_of_list) {
        std::sort(documents_.begin(), documents_.end());
        if (std::adjacent_find(documents_.begin(), documents_.end()) != documents_.end()) return false;
    }
    return add_row(query_, document, "0", score, lines);
}

bool PlainJson::begin_list() {
    std::string_view query;
    if (!read_id(query) || !takes(':') || !takes('{')) return false;
    query_ = query;
    documents_.clear();
    place_ = Place::document;
    return queries_.insert(query_).second;
}

bool PlainJson::add_row(std::string_view query, std::string_view document, std::string_view rank, std::string_view score,
                        std::string& lines) const {
    const std::size_t start = lines.size();
    for (const std::string_view part : {query, std::string_view("\tQ0\t"), document, std::string_view("\t"), rank, std::string_view("\t"),
                                        score, std::string_view("\t-\n")})
        lines += part;
    return lines.size() - start <= LONGEST_LINE;
}

char PlainJson::peek() {
    if (at_ != end_) return *at_;
    is_cut_ = true;
    return '\0';
}

void PlainJson::skip_blanks() {
    for (char c = peek(); c == ' ' || c == '\t' || c == '\r' || c == '\n'; c = peek()) ++at_;
}

bool PlainJson::takes(char wanted) {
    skip_blanks();
    if (peek() != wanted) return false;
    ++at_;
    return true;
}

// Called after the opening quote.
bool PlainJson::read_text(std::string_view& text, bool& has_escapes) {
    const char* const start = at_;
    char all = 0;  // the OR of all characters: its highest bit is set if one is not ASCII
    for (;; ++at_) {
        const char c = peek();
        if (c == '"') break;
        if (static_cast<unsigned char>(c) < 0x20) return false;
        all = static_cast<char>(all | c);
        if (c == '\\') {
            has_escapes = true;
            if (!skip_escape()) return false;
        }
    }
    text = {start, static_cast<std::size_t>(at_ - start)};
    ++at_;
    return static_cast<unsigned char>(all) < 0x80 || is_utf8(text);
}

// Called at the backslash; moves to the last byte of the escape.
bool PlainJson::skip_escape() {
    ++at_;
    if (peek() != 'u') return peek() != '\0' && std::string_view("\"\\/bfnrt").find(*at_) != std::string_view::npos;
    for (int digit = 0; digit < 4; ++digit) {
        ++at_;
        if (peek() == '\0' || std::string_view("0123456789abcdefABCDEF").find(*at_) == std::string_view::npos) return false;
    }
    return true;
}

bool PlainJson::read_id(std::string_view& id) {
    bool has_escapes = false;
    return takes('"') && read_text(id, has_escapes) && !has_escapes && is_plain_id(id);
}

bool PlainJson::read_word(std::string_view& word) {
    const char* const start = at_;
    for (char c = peek(); is_digit(c) || (c >= 'a' && c <= 'z') || c == '.' || c == '-' || c == '+' || c == 'E'; c = peek()) ++at_;
    word = {start, static_cast<std::size_t>(at_ - start)};
    return true;
}

}  // namespace carob

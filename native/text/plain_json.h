// Makes lines of TREC text from a run in plain JSON, block by block.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "matching/hash.h"

namespace carob {

// The layout of a run's rows in JSON: an object on each line, a list of objects, or one object
// {query: {document: score}}.
enum class JsonForm { lines, list, object };

// Plain JSON is what every library reads in the same way and what fields between tabs can contain: ids that are not
// empty and have no escapes, control characters, or blanks at their ends, and no whole number with so many digits that
// a double may not represent it. No list is empty, and no query, and no document of a query, occurs twice as a key.
class PlainJson {
public:
    // The names are those of a row's members for the query, the document and the score, and for the rank if rows have
    // one; other members may contain any text, number or word. In a list, all other members must be known, because a
    // library that loads all rows looks for columns in all of them. An object {query: {document: score}} ignores the
    // names.
    PlainJson(JsonForm form, std::vector<std::string> names, std::vector<std::string> others)
        : form_(form), names_(std::move(names)), others_(std::move(others)), found_(names_.size()) {}

    // Takes the next bytes (none at the end of the text) and appends the lines of complete rows. Returns false if the
    // text is not plain; take() must not be called again after that.
    bool take(std::string_view bytes, std::string& lines);

private:
    // The item that is expected next, except in JSON lines. A step ends wherever the following bytes may not have
    // arrived yet.
    enum class Place { start, row, query, document, end_of_list, end };

    bool read_line(std::string& lines, bool is_last);
    bool read_object(std::string& lines);
    bool read_member();
    bool read_step(std::string& lines);
    bool begin_list();
    bool read_document(std::string& lines);
    bool goes_on_at(Place next, char last, Place after);
    bool add_row(std::string_view query, std::string_view document, std::string_view rank, std::string_view score, std::string& lines) const;

    char peek();
    void skip_blanks();
    bool takes(char wanted);
    bool read_text(std::string_view& text, bool& has_escapes);
    bool skip_escape();
    bool read_id(std::string_view& id);
    bool read_word(std::string_view& word);

    const JsonForm form_;
    const std::vector<std::string> names_;
    const std::vector<std::string> others_;
    std::vector<std::string_view> found_;  // the value of each name in the current row
    char id_kinds_[2] = {};  // of queries and documents: 't' for text, 'n' for numbers; they must not be mixed
    std::string rest_;                     // bytes of an incomplete step or line
    const char* at_ = nullptr;
    const char* end_ = nullptr;   // end of the readable bytes
    bool is_cut_ = false;         // whether more bytes may complete a step or a line
    Place place_ = Place::start;
    std::string query_;
    std::unordered_set<std::string> queries_;
    std::vector<std::uint64_t> documents_;  // hashes of the query's documents: equal ones send the file to a library
    const std::uint64_t seed_ = fresh_seed();
};

}  // namespace carob

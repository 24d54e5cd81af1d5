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

// Plain means what every library reads alike, and what fields between tabs can hold: ids without escapes, control
// characters and blanks at their ends, none of them empty, and no whole number of so many digits that a double may not
// hold it. A list is not empty, and no query and no document of a query is a key twice.
class PlainJson {
public:
    // The names are those of a row's members for query, document and score, and for the rank if rows have one; other
    // members may have any text, number or word. In a list, all others are known, as a library that holds all rows looks
    // for columns in all of them. No names matter to an object {query: {document: score}}.
    PlainJson(JsonForm form, std::vector<std::string> names, std::vector<std::string> others)
        : form_(form), names_(std::move(names)), others_(std::move(others)), found_(names_.size()) {}

    // Takes the next bytes, none at the end of the text, and appends the lines of whole rows. False if the text is not
    // plain; nothing may be taken after it.
    bool take(std::string_view bytes, std::string& lines);

private:
    // The next expected item, except in JSON lines. A step ends where the next bytes may be missing.
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
    std::vector<std::string_view> found_;  // the value of each name, of the row that is read
    char id_kinds_[2] = {};  // of queries and documents: 't' for texts, 'n' for numbers, which must not be mixed
    std::string rest_;                     // bytes of which a step or a line is not complete
    const char* at_ = nullptr;
    const char* end_ = nullptr;   // of what may be read
    bool is_cut_ = false;         // whether more bytes may complete a step or a line
    Place place_ = Place::start;
    std::string query_;
    std::unordered_set<std::string> queries_;
    std::vector<std::uint64_t> documents_;  // hashes of the query's documents: two alike send the file to a library
    const std::uint64_t seed_ = fresh_seed();
};

}  // namespace carob

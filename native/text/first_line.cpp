// Determines how many fields each line of a run has.
#include "text/first_line.h"

namespace carob {
namespace {

// Stops at the first line that can be read.
struct FirstLine {
    bool stopped() const { return true; }
    void query(std::string_view, std::int64_t) {}
    void document(const RunLine&) {}
    void finish() {}
};

}  // namespace

std::optional<LineFault> read_first_line(const Block& block, const RunRules& rules, RunNotes& notes, std::int64_t& width) {
    FirstLine sink;
    RunReader<FirstLine> reader(rules, sink, notes);
    auto fault = reader.read_first(block);
    width = reader.width();
    return fault;
}

}  // namespace carob

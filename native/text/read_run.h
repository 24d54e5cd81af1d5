// Reads a whole run into a sink on the calling thread; a slow source is read on another thread.
#pragma once

#include "text/run_lines.h"

namespace carob {

// Reads block by block and calls `more()` before each block. Returns the number of lines that lenient rules skipped;
// throws the first fault with its line number in the whole text.
template <class Sink, class More>
std::int64_t read_run(Sink& sink, Source& source, const RunRules& rules, More&& more) {
    Blocks blocks(source, Cut::lines, rules.reading.block_bytes);
    blocks.read_ahead();
    RunNotes notes;
    RunReader<Sink> reader(rules, sink, notes);
    std::int64_t lines = 0, data_lines = 0, malformed = 0;
    for (Block block; more() && blocks.next(block);) {
        if (auto fault = reader.read(block)) {
            fault->line += lines;
            fault->data_line += data_lines;
            throw std::move(*fault);
        }
        lines += notes.blocks.back().lines;
        data_lines += notes.blocks.back().data_lines;
        malformed += notes.malformed_count;
        notes = {};
    }
    return malformed;
}

}  // namespace carob

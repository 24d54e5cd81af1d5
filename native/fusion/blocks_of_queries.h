// Locates the lines of each query in a run, without reading all lines.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "matching/ids.h"
#include "text/placed.h"

namespace carob {

// The queries of a run in the order of its lines; block i is the bytes [places[i], places[i + 1]).
struct QueryBlocks {
    Ids queries;
    std::vector<std::uint64_t> places;
};

// Throws NotPlain. The reader of the blocks must check that every line of a block belongs to its query, because the
// search for the end of a block examines only a few lines.
QueryBlocks find_query_blocks(const PlacedFile& file);

}  // namespace carob

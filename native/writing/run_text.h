// Writes ranked lists as text.
#pragma once

#include <string>
#include <string_view>

#include "writing/ranked_lists.h"
#include "writing/trec_lines.h"

namespace carob {

// TREC's six columns; query, document and rank of MS MARCO; a table whose columns are query, document, rank and score;
// one object a row; and {document: score} of each query, without the braces around all queries.
enum class RunLayout { trec, msmarco, csv, tsv, json_lines, json };

// `tag` and `separator`, a blank or a tab, are those of TREC's columns. Throws OddId.
std::string text_of(const RankedLists& lists, RunLayout layout, std::string_view tag, char separator);

}  // namespace carob

// Writes ranked lists as text.
#pragma once

#include <string>
#include <string_view>

#include "writing/ranked_lists.h"
#include "writing/trec_lines.h"

namespace carob {

// TREC's six columns; MS MARCO's query, document and rank; a table with the columns query, document, rank and score;
// one object per row; and {document: score} for each query, without the braces around all queries.
enum class RunLayout { trec, msmarco, csv, tsv, json_lines, json };

// `tag` and `separator` (a blank or a tab) apply only to TREC's columns. Throws OddId.
std::string text_of(const RankedLists& lists, RunLayout layout, std::string_view tag, char separator);

}  // namespace carob

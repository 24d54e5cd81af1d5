// Checks the sizes and counts that a Parquet file states, before a library trusts them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace carob {

// What contradicts itself or the file's length in the footer and the pages' headers of a whole file; empty if nothing
// does. A damaged count there makes a reader ask for memory that no machine has, and some readers end the process then.
//
// Sources: https://parquet.apache.org/docs/file-format/, and the compact protocol of Apache Thrift.
std::optional<std::string> parquet_damage(std::string_view file);

}  // namespace carob

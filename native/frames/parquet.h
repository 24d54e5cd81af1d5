// Checks the sizes and counts that a Parquet file states, before a library trusts them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace carob {

// Describes an inconsistency in the footer, in the page headers, or with the file's length; empty if there is none. A
// damaged count can make a reader allocate more memory than any machine has, and some readers then end the process.
//
// Sources: https://parquet.apache.org/docs/file-format/, and the compact protocol of Apache Thrift.
std::optional<std::string> parquet_damage(std::string_view file);

}  // namespace carob

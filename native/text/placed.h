// Reads bytes of a plain file at a given place, from any thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "text/source.h"

namespace carob {

class PlacedFile {
public:
    // Throws SourceFault.
    explicit PlacedFile(const NativePath& path);
    ~PlacedFile();
    PlacedFile(const PlacedFile&) = delete;
    PlacedFile& operator=(const PlacedFile&) = delete;

    std::uint64_t size() const { return size_; }

    // Reads up to `size` bytes from a place on; returns fewer only at the end of the file.
    std::size_t read(std::uint64_t place, char* bytes, std::size_t size) const;

private:
#if defined(_WIN32)
    void* file_;
#else
    int file_;
#endif
    std::uint64_t size_ = 0;
};

// Writes at a given place to an open file, identified by its descriptor. Throws SourceFault.
void write_at(int file, std::uint64_t place, std::string_view bytes);

}  // namespace carob

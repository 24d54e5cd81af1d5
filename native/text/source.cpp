// Reads bytes from a plain file or from memory.
#include "text/source.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace carob {

FileSource::FileSource(const NativePath& path) {
    errno = 0;
#if defined(_WIN32)
    file_ = _wfopen(path.c_str(), L"rb");
#else
    file_ = std::fopen(path.c_str(), "rb");
#endif
    if (file_ == nullptr) throw SourceFault{errno == 0 ? EIO : errno};
    // Blocks are large, so a second buffer would only add a copy.
    std::setvbuf(file_, nullptr, _IONBF, 0);
}

FileSource::~FileSource() { std::fclose(file_); }

std::size_t FileSource::read(char* bytes, std::size_t size) {
    errno = 0;
    const std::size_t got = std::fread(bytes, 1, size, file_);
    if (got < size && std::ferror(file_) != 0) throw SourceFault{errno == 0 ? EIO : errno};
    return got;
}

void FileSource::rewind() {
    errno = 0;
    std::clearerr(file_);
    if (std::fseek(file_, 0, SEEK_SET) != 0) throw SourceFault{errno == 0 ? EIO : errno};
}

std::size_t MemorySource::read(char* bytes, std::size_t size) {
    const std::size_t got = std::min(size, bytes_.size() - position_);
    if (got != 0) std::memcpy(bytes, bytes_.data() + position_, got);
    position_ += got;
    return got;
}

}  // namespace carob

// Reads and writes bytes of a file at a given place.
#include "text/placed.h"

#include <algorithm>
#include <cerrno>

#if defined(_WIN32)
#define NOMINMAX
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <io.h>
#else
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace carob {
namespace {

// No system transfers more than 2 GiB in one system call.
constexpr std::size_t MOST_AT_ONCE = std::size_t{1} << 30;

#if defined(_WIN32)
OVERLAPPED overlapped(std::uint64_t place) {
    OVERLAPPED at{};
    at.Offset = static_cast<DWORD>(place);
    at.OffsetHigh = static_cast<DWORD>(place >> 32);
    return at;
}
#else
[[noreturn]] void fail() { throw SourceFault{errno == 0 ? EIO : errno}; }
#endif

}  // namespace

#if defined(_WIN32)

PlacedFile::PlacedFile(const NativePath& path)
    : file_(CreateFileW(path.c_str(), GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr,
                        OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, nullptr)) {
    if (file_ == INVALID_HANDLE_VALUE) throw SourceFault{ENOENT};
    LARGE_INTEGER size;
    if (!GetFileSizeEx(file_, &size)) {
        CloseHandle(file_);
        throw SourceFault{EIO};
    }
    size_ = static_cast<std::uint64_t>(size.QuadPart);
}

PlacedFile::~PlacedFile() { CloseHandle(file_); }

std::size_t PlacedFile::read(std::uint64_t place, char* bytes, std::size_t size) const {
    std::size_t got = 0;
    while (got < size) {
        OVERLAPPED at = overlapped(place + got);
        DWORD some = 0;
        if (!ReadFile(file_, bytes + got, static_cast<DWORD>(std::min(size - got, MOST_AT_ONCE)), &some, &at)) {
            if (GetLastError() == ERROR_HANDLE_EOF) break;
            throw SourceFault{EIO};
        }
        if (some == 0) break;
        got += some;
    }
    return got;
}

void write_at(int file, std::uint64_t place, std::string_view bytes) {
    const auto handle = reinterpret_cast<HANDLE>(_get_osfhandle(file));
    while (!bytes.empty()) {
        OVERLAPPED at = overlapped(place);
        DWORD some = 0;
        if (!WriteFile(handle, bytes.data(), static_cast<DWORD>(std::min(bytes.size(), MOST_AT_ONCE)), &some, &at) || some == 0)
            throw SourceFault{GetLastError() == ERROR_DISK_FULL ? ENOSPC : EIO};
        bytes.remove_prefix(some);
        place += some;
    }
}

#else

PlacedFile::PlacedFile(const NativePath& path) : file_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (file_ < 0) fail();
    struct stat found;
    if (fstat(file_, &found) != 0) {
        const int why = errno;
        close(file_);
        throw SourceFault{why};
    }
    size_ = static_cast<std::uint64_t>(found.st_size);
}

PlacedFile::~PlacedFile() { close(file_); }

std::size_t PlacedFile::read(std::uint64_t place, char* bytes, std::size_t size) const {
    std::size_t got = 0;
    while (got < size) {
        errno = 0;
        const ssize_t some = pread(file_, bytes + got, std::min(size - got, MOST_AT_ONCE), static_cast<off_t>(place + got));
        if (some < 0 && errno == EINTR) continue;
        if (some < 0) fail();
        if (some == 0) break;
        got += static_cast<std::size_t>(some);
    }
    return got;
}

void write_at(int file, std::uint64_t place, std::string_view bytes) {
    while (!bytes.empty()) {
        errno = 0;
        const ssize_t some = pwrite(file, bytes.data(), std::min(bytes.size(), MOST_AT_ONCE), static_cast<off_t>(place));
        if (some < 0 && errno == EINTR) continue;
        if (some <= 0) fail();
        bytes.remove_prefix(static_cast<std::size_t>(some));
        place += static_cast<std::size_t>(some);
    }
}

#endif

}  // namespace carob

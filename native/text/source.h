// Declares the sources of bytes: a plain file, memory, or anything that can be read again from its start.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

namespace carob {

class Source {
public:
    virtual ~Source() = default;
    // Reads up to `size` bytes; returns 0 only at the end. May be called from any thread, but only by one at a time.
    virtual std::size_t read(char* bytes, std::size_t size) = 0;
    virtual void rewind() = 0;
    // Ends a read that is waiting for bytes and all later reads, which then throw. Called from another thread, and only
    // for this purpose.
    virtual void interrupt() {}
    // Whether an exception thrown by a read is due to the following bytes rather than to the caller.
    virtual bool is_at_fault() const { return true; }
    // Whether reading bytes takes about as long as processing them, as with decompression.
    virtual bool is_slow() const { return false; }
};

struct SourceFault {
    int error_number;
};

#if defined(_WIN32)
using NativePath = std::wstring;
#else
using NativePath = std::string;
#endif

class FileSource final : public Source {
public:
    explicit FileSource(const NativePath& path);
    ~FileSource() override;
    FileSource(const FileSource&) = delete;
    FileSource& operator=(const FileSource&) = delete;
    std::size_t read(char* bytes, std::size_t size) override;
    void rewind() override;

private:
    std::FILE* file_;
};

class MemorySource final : public Source {
public:
    explicit MemorySource(std::string_view bytes) : bytes_(bytes) {}
    std::size_t read(char* bytes, std::size_t size) override;
    void rewind() override { position_ = 0; }

private:
    std::string_view bytes_;
    std::size_t position_ = 0;
};

}  // namespace carob

// What files need of the operating system: posix.cc and windows.cc have the same functions, and
// each is compiled where it belongs. A failure is -1 or false, with the reason in errno.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace edgetwin::base::system {

// Open files are numbers, which processes that are started do not get.
int open_to_read(const std::filesystem::path& path);  // does not wait for who writes into a pipe
int create_new(const std::filesystem::path& path);    // to write; fails where the name is taken
int close(int file);
// Bytes that were read or written, which may be fewer; 0 at the end of a file.
std::ptrdiff_t read(int file, void* to, std::size_t bytes);
std::ptrdiff_t write(int file, const void* from, std::size_t bytes);
// Until the content is on the disk.
bool sync(int file);
bool sync_path(const std::filesystem::path& path);

enum class FileType : uint8_t { regular, folder, other };
struct FileFacts {
  FileType type;
  uint64_t size;
};
std::optional<FileFacts> facts_of(int file);

// Replaces what has the name `to`; of a folder only an empty one.
bool rename(const std::filesystem::path& from, const std::filesystem::path& to);
bool remove(const std::filesystem::path& path);
// Another program that locks the folder waits until the file is closed.
int lock_folder(const std::filesystem::path& folder);
// `name` ends with XXXXXX, which is replaced.
bool make_unique_folder(std::string& name);

int64_t this_process();
// False where it cannot be told.
bool is_gone(int64_t process);

}  // namespace edgetwin::base::system

// What single files and folders share while they are written: file.cc and atomic_folder.cc.
#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <string>

#include "base/bytes.h"
#include "base/result.h"

namespace edgetwin::base {

// Ends with the system's own words for errno.
Error file_error(ErrorCode code, const std::filesystem::path& path, const std::string& what);

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }
  int get() const { return fd_; }
  int close();

 private:
  int fd_;
};

// A path and the folders above it that were made for it, as far as they are empty.
void remove_with_parents(const std::filesystem::path& path, int parents);

// Where the new content of `path` is gathered. What an earlier run left there that was killed is
// removed: its process is gone and it was not touched for an hour.
std::filesystem::path staging_of(const std::filesystem::path& path);

// Writes the new file `beside`; errors name `path`. `sync`: returns once it is on the disk.
Status write_beside(const std::filesystem::path& path, const std::filesystem::path& beside,
                    ByteSpan data, bool sync);

// Paths that are being written, each with how many folders above were made for it.
class Unfinished {
 public:
  static Unfinished& all();
  void add(const std::filesystem::path& path, int parents);
  void drop(const std::filesystem::path& path);
  // While it lives, nothing is removed: a program that ends at once waits for it.
  std::unique_lock<std::mutex> hold() { return std::unique_lock(mutex_); }
  void drop_held(const std::filesystem::path& path) { paths_.erase(path); }
  void remove_all();

 private:
  std::mutex mutex_;
  std::map<std::filesystem::path, int> paths_;
};

}  // namespace edgetwin::base

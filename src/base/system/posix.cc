#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/system/system.h"

namespace edgetwin::base::system {
namespace fs = std::filesystem;

int open_to_read(const fs::path& path) {
  return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

int create_new(const fs::path& path) {
  return ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
}

int close(int file) { return ::close(file); }

std::ptrdiff_t read(int file, void* to, std::size_t bytes) {
  ssize_t n = 0;
  do {
    n = ::read(file, to, bytes);
  } while (n < 0 && errno == EINTR);
  return n;
}

std::ptrdiff_t write(int file, const void* from, std::size_t bytes) {
  ssize_t n = 0;
  do {
    n = ::write(file, from, bytes);
  } while (n < 0 && errno == EINTR);
  return n;
}

bool sync(int file) { return ::fsync(file) == 0; }

bool sync_path(const fs::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool good = ::fsync(file) == 0;
  const int reason = errno;
  ::close(file);
  errno = reason;
  return good;
}

std::optional<FileFacts> facts_of(int file) {
  struct stat status = {};
  if (::fstat(file, &status) != 0) return std::nullopt;
  const FileType type = S_ISREG(status.st_mode)   ? FileType::regular
                        : S_ISDIR(status.st_mode) ? FileType::folder
                                                  : FileType::other;
  return FileFacts{type, static_cast<uint64_t>(status.st_size)};
}

bool rename(const fs::path& from, const fs::path& to) {
  return ::rename(from.c_str(), to.c_str()) == 0;
}

bool remove(const fs::path& path) { return ::unlink(path.c_str()) == 0; }

int lock_folder(const fs::path& folder) {
  const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return file;
  while (::flock(file, LOCK_EX) != 0 && errno == EINTR) {
  }
  return file;
}

bool make_unique_folder(std::string& name) { return ::mkdtemp(name.data()) != nullptr; }

int64_t this_process() { return ::getpid(); }

bool is_gone(int64_t process) {
  return ::kill(static_cast<pid_t>(process), 0) != 0 && errno == ESRCH;
}

}  // namespace edgetwin::base::system

#include "base/file_parts.h"

#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>

#include "base/system/system.h"

namespace edgetwin::base {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kMark = ".edgetwin-", kPart = ".part";

bool write_all(int fd, ByteSpan data) {
  size_t done = 0;
  while (done < data.size()) {
    const std::ptrdiff_t n = system::write(fd, data.data() + done, data.size() - done);
    if (n <= 0) return false;
    done += static_cast<size_t>(n);
  }
  return true;
}

// Whether `name` is what a process that is gone gathered for the file `target`.
bool left_by_dead_process(std::string_view name, const std::string& target) {
  if (!name.starts_with(target) || !name.ends_with(kPart)) return false;
  name.remove_prefix(target.size());
  name.remove_suffix(kPart.size());
  if (!name.starts_with(kMark)) return false;
  name.remove_prefix(kMark.size());
  int32_t process = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), process);
  if (error != std::errc() || end == name.data() + name.size() || *end != '-' || process <= 0)
    return false;
  return system::is_gone(process);
}

// A process on another machine may write through a shared file system: what is young stays.
bool is_old(const fs::path& path) {
  std::error_code error;
  const fs::file_time_type written = fs::last_write_time(path, error);
  return !error && fs::file_time_type::clock::now() - written > std::chrono::hours(1);
}

}  // namespace

Error file_error(ErrorCode code, const fs::path& path, const std::string& what) {
  return Error(code, what + ": " + std::strerror(errno)).in_file(path.string());
}

int Descriptor::close() {
  const int result = fd_ >= 0 ? system::close(fd_) : 0;
  fd_ = -1;
  return result;
}

void remove_with_parents(const fs::path& path, int parents) {
  std::error_code ignored;
  fs::remove_all(path, ignored);
  for (fs::path p = path.parent_path(); parents > 0; --parents, p = p.parent_path()) {
    fs::remove(p, ignored);
  }
}

fs::path staging_of(const fs::path& path) {
  const std::string target = path.filename().string();
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::error_code ignored;
    if (left_by_dead_process(it->path().filename().string(), target) && is_old(it->path()))
      fs::remove_all(it->path(), ignored);
  }
  // Two threads of a program may write the same file.
  static std::atomic<uint64_t> next{1};
  return path.string() + std::string(kMark) + std::to_string(system::this_process()) + "-" +
         std::to_string(next++) + std::string(kPart);
}

Status write_beside(const fs::path& path, const fs::path& beside, ByteSpan data, bool sync) {
  Descriptor fd(system::create_new(beside));
  if (fd.get() < 0) return file_error(ErrorCode::file_write, path, "cannot create the file");
  if (!write_all(fd.get(), data) || (sync && !system::sync(fd.get())) || fd.close() != 0) {
    Error error = file_error(ErrorCode::file_write, path, "cannot write the file");
    system::remove(beside);
    return error;
  }
  return Ok{};
}

Unfinished& Unfinished::all() {
  static auto* paths = new Unfinished;  // never destroyed: a thread may still wait for signals
  return *paths;
}

void Unfinished::add(const fs::path& path, int parents) {
  const std::lock_guard lock(mutex_);
  paths_[path] = parents;
}

void Unfinished::drop(const fs::path& path) {
  const std::lock_guard lock(mutex_);
  paths_.erase(path);
}

void Unfinished::remove_all() {
  constexpr int kTries = 100;  // another thread may still be adding files
  const std::lock_guard lock(mutex_);
  for (const auto& [path, parents] : paths_) {
    std::error_code ignored;
    for (int i = 0; i < kTries; ++i) {
      remove_with_parents(path, parents);
      if (!fs::exists(path, ignored)) break;
    }
  }
}

}  // namespace edgetwin::base

#include "base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>

namespace edgetwin {
namespace fs = std::filesystem;
namespace {

Error file_error(ErrorCode code, const fs::path& path, const std::string& what) {
  return Error(code, what + ": " + std::strerror(errno)).in_file(path.string());
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }
  int get() const { return fd_; }
  int close() {
    const int result = fd_ >= 0 ? ::close(fd_) : 0;
    fd_ = -1;
    return result;
  }

 private:
  int fd_;
};

bool write_all(int fd, ByteSpan data) {
  size_t done = 0;
  while (done < data.size()) {
    const ssize_t n = ::write(fd, data.data() + done, data.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += static_cast<size_t>(n);
  }
  return true;
}

Result<Bytes> read_open(const Descriptor& fd, size_t size, const fs::path& path) {
  Bytes data(size);
  size_t done = 0;
  while (done < size) {
    const ssize_t n = ::read(fd.get(), data.data() + done, size - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return file_error(ErrorCode::file_open, path, "cannot read the file");
    if (n == 0) break;
    done += static_cast<size_t>(n);
  }
  data.resize(done);
  return data;
}

// A path and the folders above it that were made for it, as far as they are empty.
void remove_with_parents(const fs::path& path, int parents) {
  std::error_code ignored;
  fs::remove_all(path, ignored);
  for (fs::path p = path.parent_path(); parents > 0; --parents, p = p.parent_path()) {
    fs::remove(p, ignored);
  }
}

// Paths that are being written, each with how many folders above were made for it.
class Unfinished {
 public:
  void add(const fs::path& path, int parents) {
    const std::lock_guard lock(mutex_);
    paths_[path] = parents;
  }
  void drop(const fs::path& path) {
    const std::lock_guard lock(mutex_);
    paths_.erase(path);
  }
  void remove_all() {
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

 private:
  std::mutex mutex_;
  std::map<fs::path, int> paths_;
};

Unfinished& unfinished() {
  static auto* paths = new Unfinished;  // never destroyed: a thread may still wait for signals
  return *paths;
}

std::string unique_suffix() { return ".edgetwin-" + std::to_string(::getpid()) + ".part"; }

// `sync`: returns once the file is on the disk.
Status write_beside(const fs::path& path, const fs::path& beside, ByteSpan data, bool sync) {
  Descriptor fd(::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (fd.get() < 0) return file_error(ErrorCode::file_write, path, "cannot create the file");
  if (!write_all(fd.get(), data) || (sync && ::fsync(fd.get()) != 0) || fd.close() != 0) {
    Error error = file_error(ErrorCode::file_write, path, "cannot write the file");
    ::unlink(beside.c_str());
    return error;
  }
  return Ok{};
}

Status put_in_place(const fs::path& path, const fs::path& beside, ByteSpan data) {
  EDGETWIN_TRY(write_beside(path, beside, data, true));
  if (::rename(beside.c_str(), path.c_str()) == 0) return Ok{};
  Error error = file_error(ErrorCode::file_write, path, "cannot put the file in its place");
  ::unlink(beside.c_str());
  return error;
}

}  // namespace

void remove_unfinished() { unfinished().remove_all(); }

Result<Bytes> read_file(const fs::path& path, uint64_t limit) {
  const Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (fd.get() < 0) return file_error(ErrorCode::file_open, path, "cannot open the file");
  struct stat status = {};
  if (::fstat(fd.get(), &status) != 0) {
    return file_error(ErrorCode::file_open, path, "cannot examine the file");
  }
  if (!S_ISREG(status.st_mode)) {
    const char* kind = S_ISDIR(status.st_mode) ? "a folder" : "not a regular file";
    return Error(ErrorCode::file_not_regular, std::string("this is ") + kind)
        .in_file(path.string());
  }
  const auto size = static_cast<uint64_t>(status.st_size);
  if (size > limit) {
    return Error(ErrorCode::file_too_large, "the file has " + std::to_string(size) +
                                                " bytes, the limit is " + std::to_string(limit))
        .in_file(path.string());
  }
  return read_open(fd, static_cast<size_t>(size), path);
}

Status check_output(const fs::path& path, Overwrite overwrite) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    const char* kind = fs::is_directory(status) ? "folder" : "device";
    return Error(ErrorCode::output_exists, std::string("the output is a ") + kind + ", not a file")
        .in_file(path.string())
        .with_hint("Name a file.");
  }
  if (overwrite == Overwrite::no && fs::exists(fs::symlink_status(path, ignored))) {
    return Error(ErrorCode::output_exists, "the output exists already").in_file(path.string());
  }
  return Ok{};
}

Status write_file(const fs::path& path, ByteSpan data, Overwrite overwrite) {
  EDGETWIN_TRY(check_output(path, overwrite));
  const fs::path beside = path.string() + unique_suffix();
  unfinished().add(beside, 0);
  Status status = put_in_place(path, beside, data);
  unfinished().drop(beside);
  return status;
}

Status write_file(const fs::path& path, std::string_view text, Overwrite overwrite) {
  return write_file(path, as_byte_span(text), overwrite);
}

namespace {

int missing_parents(const fs::path& path) {
  std::error_code ignored;
  int count = 0;
  for (fs::path p = path.parent_path(); !p.empty() && !fs::exists(p, ignored);
       p = p.parent_path()) {
    ++count;
  }
  return count;
}

}  // namespace

Result<AtomicFolder> AtomicFolder::create(const fs::path& target, Overwrite overwrite) {
  std::error_code ec;
  fs::path clean = target;
  if (clean.filename().empty()) clean = clean.parent_path();
  if (clean.filename() == "..") clean = fs::weakly_canonical(clean, ec);
  const bool exists = fs::exists(fs::symlink_status(clean, ec));
  if (exists && !fs::is_directory(clean, ec)) {
    return Error(ErrorCode::output_exists, "the output is an existing file, not a folder")
        .in_file(clean.string());
  }
  const bool filled = exists && !fs::is_empty(clean, ec);
  if (filled && overwrite == Overwrite::no) {
    return Error(ErrorCode::output_exists, "the output folder exists and is not empty")
        .in_file(clean.string());
  }
  // From here on the destructor tidies up.
  AtomicFolder folder(clean, clean.string() + unique_suffix(), exists);
  folder.made_parents_ = missing_parents(clean);
  unfinished().add(folder.staging_, folder.made_parents_);
  fs::create_directories(folder.staging_, ec);
  if (ec) {
    return Error(ErrorCode::file_write, "cannot create the folder: " + ec.message())
        .in_file(clean.string());
  }
  return folder;
}

AtomicFolder::AtomicFolder(AtomicFolder&& other) noexcept
    : target_(std::move(other.target_)),
      staging_(std::move(other.staging_)),
      names_(std::move(other.names_)),
      made_parents_(other.made_parents_),
      replace_(other.replace_) {
  other.staging_.clear();
}

AtomicFolder::~AtomicFolder() {
  if (staging_.empty()) return;
  remove_with_parents(staging_, made_parents_);
  unfinished().drop(staging_);
}

Status AtomicFolder::write(const std::string& name, ByteSpan data) {
  const fs::path path = staging_ / name;
  std::error_code ec;
  fs::create_directories(path.parent_path(), ec);
  if (ec) {
    return Error(ErrorCode::file_write, "cannot create the folder: " + ec.message())
        .in_file(path.parent_path().string());
  }
  EDGETWIN_TRY(write_beside(target_ / name, path, data, false));
  names_.push_back(name);
  return Ok{};
}

Status AtomicFolder::write(const std::string& name, std::string_view text) {
  return write(name, as_byte_span(text));
}

namespace {

// 0, or the number of the error.
int sync_file(const fs::path& path) {
  const Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  return fd.get() >= 0 && ::fsync(fd.get()) == 0 ? 0 : errno;
}

// All at once: a file system makes one commit for all that wait, which takes as long as for one.
// The threads only wait; those of a ThreadPool would be for computing.
Status sync_files(const fs::path& folder, const std::vector<std::string>& names) {
  constexpr size_t kMostThreads = 16;
  std::vector<int> errors(names.size(), 0);
  std::atomic<size_t> next = 0;
  const auto sync_some = [&] {
    for (size_t i = next++; i < names.size(); i = next++) errors[i] = sync_file(folder / names[i]);
  };
  std::vector<std::thread> threads;
  while (threads.size() + 1 < std::min(names.size(), kMostThreads)) threads.emplace_back(sync_some);
  sync_some();
  for (std::thread& t : threads) t.join();
  const auto failed = std::find_if(errors.begin(), errors.end(), [](int e) { return e != 0; });
  if (failed == errors.end()) return Ok{};
  const auto& name = names[static_cast<size_t>(failed - errors.begin())];
  errno = *failed;
  return file_error(ErrorCode::file_write, folder / name, "cannot write the file");
}

}  // namespace

Status AtomicFolder::commit() {
  std::error_code ec;
  EDGETWIN_TRY(sync_files(staging_, names_));
  if (!replace_) {
    fs::rename(staging_, target_, ec);
  } else {
    for (const std::string& name : names_) {
      fs::create_directories((target_ / name).parent_path(), ec);
      if (!ec) fs::rename(staging_ / name, target_ / name, ec);
      if (ec) break;
    }
  }
  if (ec) {
    return Error(ErrorCode::file_write, "cannot put the results in their place: " + ec.message())
        .in_file(target_.string());
  }
  if (replace_) fs::remove_all(staging_, ec);
  unfinished().drop(staging_);
  staging_.clear();
  return Ok{};
}

}  // namespace edgetwin

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <system_error>
#include <thread>

#include "base/file.h"
#include "base/file_parts.h"
#include "base/system/system.h"

namespace edgetwin {
namespace fs = std::filesystem;
using base::Descriptor;
using base::file_error;
namespace system = base::system;

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
  AtomicFolder folder(clean, base::staging_of(clean), exists, overwrite);
  folder.made_parents_ = missing_parents(clean);
  base::Unfinished::all().add(folder.staging_, folder.made_parents_);
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
      replace_(other.replace_),
      overwrite_(other.overwrite_) {
  other.staging_.clear();
}

AtomicFolder::~AtomicFolder() {
  if (staging_.empty()) return;
  base::remove_with_parents(staging_, made_parents_);
  base::Unfinished::all().drop(staging_);
}

Status AtomicFolder::write(const std::string& name, ByteSpan data) {
  const fs::path inside = fs::path(name).lexically_normal();
  if (inside.is_absolute() || inside.empty() || *inside.begin() == "..") {
    return Error(ErrorCode::file_write, "the name of a file leads out of the output folder")
        .in_file(name);
  }
  const fs::path path = staging_ / name;
  std::error_code ec;
  fs::create_directories(path.parent_path(), ec);
  if (ec) {
    return Error(ErrorCode::file_write, "cannot create the folder: " + ec.message())
        .in_file(path.parent_path().string());
  }
  EDGETWIN_TRY(base::write_beside(target_ / name, path, data, false));
  names_.push_back(name);
  return Ok{};
}

Status AtomicFolder::write(const std::string& name, std::string_view text) {
  return write(name, as_byte_span(text));
}

namespace {

// 0, or the number of the error.
int sync_file(const fs::path& path) { return system::sync_path(path) ? 0 : errno; }

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
  try {
    while (threads.size() + 1 < std::min(names.size(), kMostThreads))
      threads.emplace_back(sync_some);
  } catch (const std::system_error&) {
    // The system gives no more threads: those that are there do it.
  }
  sync_some();
  for (std::thread& t : threads) t.join();
  const auto failed = std::find_if(errors.begin(), errors.end(), [](int e) { return e != 0; });
  if (failed == errors.end()) return Ok{};
  const auto& name = names[static_cast<size_t>(failed - errors.begin())];
  errno = *failed;
  return file_error(ErrorCode::file_write, folder / name, "cannot write the file");
}

}  // namespace

// Second names of the files that are replaced, so that a failure midway can be undone. Where the
// file system has no second names (FAT), what was replaced before the failure stays.
class OldFiles {
 public:
  OldFiles(const fs::path& target, const fs::path& staging)
      : target_(target), folder_(staging / ".replaced") {
    std::error_code ignored;
    fs::create_directory(folder_, ignored);
  }

  void keep(const std::string& name) {
    std::error_code ignored;
    const bool existed = fs::exists(fs::symlink_status(target_ / name, ignored));
    fs::create_hard_link(target_ / name, kept(files_.size()), ignored);
    files_.push_back({name, existed});
  }

  // All but the last, which was not replaced.
  void put_back() const {
    for (size_t i = 0; i + 1 < files_.size(); ++i) {
      const fs::path place = target_ / files_[i].name;
      if (files_[i].existed) {
        system::rename(kept(i), place);
      } else {
        system::remove(place);
      }
    }
  }

 private:
  struct File {
    std::string name;
    bool existed;
  };
  fs::path kept(size_t i) const { return folder_ / std::to_string(i); }

  fs::path target_, folder_;
  std::vector<File> files_;
};

// What stands in the way of a file, before any other is put in its place.
Status AtomicFolder::check_places() const {
  std::error_code ignored;
  for (const std::string& name : names_) {
    const fs::path place = target_ / name;
    if (fs::is_directory(fs::symlink_status(place, ignored))) {
      return Error(ErrorCode::output_exists, "a folder has the name of an output file")
          .in_file(place.string())
          .with_hint("Remove that folder, or name another output folder with -o.");
    }
    fs::create_directories(place.parent_path(), ignored);
    if (!fs::is_directory(place.parent_path(), ignored)) {
      return Error(ErrorCode::output_exists, "a file has the name of an output folder")
          .in_file(place.parent_path().string())
          .with_hint("Remove that file, or name another output folder with -o.");
    }
  }
  return Ok{};
}

Status AtomicFolder::replace_files() {
  // Of two programs that write here at once the second waits, so that all files are of one.
  const Descriptor lock(system::lock_folder(target_));
  if (lock.get() < 0) return file_error(ErrorCode::file_write, target_, "cannot open the folder");
  EDGETWIN_TRY(check_places());
  OldFiles old(target_, staging_);
  for (const std::string& name : names_) {
    old.keep(name);
    if (!system::rename(staging_ / name, target_ / name)) {
      const Error error =
          file_error(ErrorCode::file_write, target_ / name, "cannot put the file in its place");
      old.put_back();
      return error;
    }
  }
  std::error_code ignored;
  fs::remove_all(staging_, ignored);
  return Ok{};
}

Status AtomicFolder::commit() {
  EDGETWIN_TRY(sync_files(staging_, names_));
  // A program that is told to end waits until all files are in their places.
  const auto held = base::Unfinished::all().hold();
  bool replace = replace_;
  if (!replace && !system::rename(staging_, target_)) {
    // Another program made the folder while this one computed.
    const bool made_meanwhile = errno == ENOTEMPTY || errno == EEXIST;
    if (made_meanwhile && overwrite_ == Overwrite::no) {
      return Error(ErrorCode::output_exists, "the output folder exists and is not empty")
          .in_file(target_.string());
    }
    if (!made_meanwhile)
      return file_error(ErrorCode::file_write, target_, "cannot put the results in their place");
    replace = true;
  }
  if (replace) EDGETWIN_TRY(replace_files());
  base::Unfinished::all().drop_held(staging_);
  staging_.clear();
  return Ok{};
}

}  // namespace edgetwin

#include <fcntl.h>
#include <io.h>
#include <process.h>
#include <sys/stat.h>
#include <windows.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <random>

#include "base/system/system.h"

namespace edgetwin::base::system {
namespace fs = std::filesystem;
namespace {

constexpr int kBinary = _O_BINARY | _O_NOINHERIT;

bool failed(int reason) {
  errno = reason;
  return false;
}

unsigned piece(std::size_t bytes) {
  return static_cast<unsigned>(std::min<std::size_t>(bytes, INT_MAX));
}

}  // namespace

int open_to_read(const fs::path& path) { return ::_wopen(path.c_str(), _O_RDONLY | kBinary); }

int create_new(const fs::path& path) {
  return ::_wopen(path.c_str(), _O_WRONLY | _O_CREAT | _O_EXCL | kBinary, _S_IREAD | _S_IWRITE);
}

int close(int file) { return ::_close(file); }

std::ptrdiff_t read(int file, void* to, std::size_t bytes) {
  return ::_read(file, to, piece(bytes));
}

std::ptrdiff_t write(int file, const void* from, std::size_t bytes) {
  return ::_write(file, from, piece(bytes));
}

bool sync(int file) { return ::_commit(file) == 0; }

// Only files that are open for writing can be told so.
bool sync_path(const fs::path& path) {
  const int file = ::_wopen(path.c_str(), _O_RDWR | kBinary);
  if (file < 0) return false;
  const bool good = ::_commit(file) == 0;
  const int reason = errno;
  ::_close(file);
  return good || failed(reason);
}

std::optional<FileFacts> facts_of(int file) {
  struct _stat64 status = {};
  if (::_fstat64(file, &status) != 0) return std::nullopt;
  const int kind = status.st_mode & _S_IFMT;
  const FileType type = kind == _S_IFREG   ? FileType::regular
                        : kind == _S_IFDIR ? FileType::folder
                                           : FileType::other;
  return FileFacts{type, static_cast<uint64_t>(status.st_size)};
}

bool rename(const fs::path& from, const fs::path& to) {
  // A file replaces a file; a folder takes the place of an empty one, which has to go first.
  std::error_code ignored;
  if (fs::is_directory(from, ignored)) ::RemoveDirectoryW(to.c_str());
  if (::MoveFileExW(from.c_str(), to.c_str(), MOVEFILE_REPLACE_EXISTING) != 0) return true;
  const bool taken = fs::is_directory(to, ignored);
  return failed(taken ? EEXIST : ::GetLastError() == ERROR_FILE_NOT_FOUND ? ENOENT : EACCES);
}

bool remove(const fs::path& path) { return ::_wunlink(path.c_str()) == 0; }

// A file in the folder that nobody else can open, and that goes with its number.
int lock_folder(const fs::path& folder) {
  constexpr DWORD kMilliseconds = 10;
  const fs::path lock = folder / ".edgetwin-lock";
  for (;; ::Sleep(kMilliseconds)) {
    const HANDLE handle = ::CreateFileW(lock.c_str(), GENERIC_WRITE, 0, nullptr, OPEN_ALWAYS,
                                        FILE_FLAG_DELETE_ON_CLOSE, nullptr);
    if (handle != INVALID_HANDLE_VALUE) {
      return ::_open_osfhandle(reinterpret_cast<intptr_t>(handle), _O_NOINHERIT);
    }
    const DWORD reason = ::GetLastError();
    if (reason != ERROR_SHARING_VIOLATION && reason != ERROR_DELETE_PENDING) break;
  }
  errno = EACCES;
  return -1;
}

bool make_unique_folder(std::string& name) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789";
  constexpr std::size_t kPlaces = 6;
  constexpr int kTries = 100;
  std::random_device random;
  for (int i = 0; i < kTries; ++i) {
    for (std::size_t k = name.size() - kPlaces; k < name.size(); ++k) {
      name[k] = kLetters[random() % kLetters.size()];
    }
    std::error_code reason;
    if (fs::create_directory(name, reason)) return true;
    if (reason) return failed(EACCES);
  }
  return failed(EEXIST);
}

int64_t this_process() { return ::_getpid(); }

bool is_gone(int64_t process) {
  const HANDLE handle = ::OpenProcess(SYNCHRONIZE, FALSE, static_cast<DWORD>(process));
  if (handle == nullptr) return ::GetLastError() == ERROR_INVALID_PARAMETER;
  const bool ended = ::WaitForSingleObject(handle, 0) == WAIT_OBJECT_0;
  ::CloseHandle(handle);
  return ended;
}

}  // namespace edgetwin::base::system

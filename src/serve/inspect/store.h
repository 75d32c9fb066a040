// Files that were opened on the page: kept in memory, never written where the user has files.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "edgetwin/network.h"
#include "twin/load.h"

namespace edgetwin::serve {

struct OpenedFile {
  std::string id, name, sha256;
  FileKind kind = FileKind::unknown;
  Bytes data;
  OpenOptions options;
  std::shared_ptr<const twin::LoadedModel> loaded;  // null: it has no graph
  std::shared_ptr<const Run> run;                   // the last one; null: none
};

using OpenedFiles = std::vector<std::shared_ptr<const OpenedFile>>;

inline constexpr size_t kMostFiles = 16;
inline constexpr size_t kMostFileBytes = size_t{256} << 20;  // of all together

class FileStore {
 public:
  // Errors: usage where there is no room, file_kind, those of the readers.
  Result<std::shared_ptr<const OpenedFile>> open(const std::string& name, ByteSpan data,
                                                 const OpenOptions& options);
  // Error: bad_value.
  Result<std::shared_ptr<const OpenedFile>> find(const std::string& id) const;
  OpenedFiles all() const;
  Status close(const std::string& id);
  // Keeps a run; nothing if the file was closed meanwhile.
  void keep(const std::string& id, std::shared_ptr<const Run> run);

 private:
  mutable std::mutex mutex_;
  std::map<int, std::shared_ptr<const OpenedFile>> files_;
  int next_ = 1;
};

// The last part of a name, without what a file name cannot have.
std::string safe_name(const std::string& name);

}  // namespace edgetwin::serve

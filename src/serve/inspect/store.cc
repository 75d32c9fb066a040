#include "serve/inspect/store.h"

#include <algorithm>

#include "base/sha256.h"

namespace edgetwin::serve {

std::string safe_name(const std::string& name) {
  std::string safe = name.substr(name.find_last_of("/\\") + 1);
  for (char& c : safe) {
    const bool good = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                      c == '.' || c == '-' || c == '_';
    if (!good) c = '_';
  }
  safe = safe.substr(0, 80);
  return safe.empty() || safe.starts_with('.') ? "file" + safe : safe;
}

Result<std::shared_ptr<const OpenedFile>> FileStore::open(const std::string& name, ByteSpan data,
                                                          const OpenOptions& options) {
  auto file = std::make_shared<OpenedFile>();
  file->name = safe_name(name);
  file->kind = file_kind(data);
  if (file->kind == FileKind::unknown) {
    return Error(ErrorCode::file_kind,
                 "nothing is known about the content of '" + file->name + "'");
  }
  file->sha256 = sha256_hex(data);
  file->data = to_bytes(data);
  file->options = options;
  const bool graph = file->kind == FileKind::tflite || file->kind == FileKind::edgetpu ||
                     file->kind == FileKind::espdl || file->kind == FileKind::onnx;
  if (graph) {
    twin::LoadOptions load;
    load.target = options.target;
    load.member = options.member;
    load.any_target = true;
    EDGETWIN_TRY_ASSIGN(twin::LoadedModel loaded, twin::load_model(data, file->name, load));
    file->loaded = std::make_shared<const twin::LoadedModel>(std::move(loaded));
  }
  const std::lock_guard lock(mutex_);
  size_t bytes = data.size();
  for (const auto& [id, other] : files_) bytes += other->data.size();
  if (files_.size() >= kMostFiles || bytes > kMostFileBytes) {
    return Error(ErrorCode::usage, "there is no room for another file: " +
                                       std::to_string(files_.size()) + " are open")
        .with_hint("Close one of them.");
  }
  file->id = std::to_string(next_);
  files_.emplace(next_++, file);
  return std::shared_ptr<const OpenedFile>(std::move(file));
}

Result<std::shared_ptr<const OpenedFile>> FileStore::find(const std::string& id) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [number, file] : files_) {
    if (file->id == id) return file;
  }
  return Error(ErrorCode::bad_value, "no open file has the id '" + id.substr(0, 20) + "'");
}

OpenedFiles FileStore::all() const {
  const std::lock_guard lock(mutex_);
  OpenedFiles list;
  for (const auto& [number, file] : files_) list.push_back(file);
  return list;
}

Status FileStore::close(const std::string& id) {
  EDGETWIN_TRY_ASSIGN(const auto file, find(id));
  const std::lock_guard lock(mutex_);
  std::erase_if(files_, [&](const auto& row) { return row.second->id == id; });
  return Ok{};
}

void FileStore::keep(const std::string& id, std::shared_ptr<const Run> run) {
  const std::lock_guard lock(mutex_);
  for (auto& [number, file] : files_) {
    if (file->id != id) continue;
    auto changed = std::make_shared<OpenedFile>(*file);
    changed->run = std::move(run);
    file = std::move(changed);
  }
}

}  // namespace edgetwin::serve

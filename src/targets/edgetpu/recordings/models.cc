#include "targets/edgetpu/recordings/models.h"

#include <algorithm>

#include "base/file.h"
#include "formats/tflite/tflite.h"

namespace edgetwin::edgetpu::silicon {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCompiledEnd = "_edgetpu.tflite";
constexpr std::string_view kSourceEnd = ".tflite";
constexpr size_t kMostFiles = 200'000;

std::string source_name(std::string name) {
  for (const std::string_view end : {kCompiledEnd, std::string_view("-edgetpu.tflite")}) {
    if (name.ends_with(end)) return name.substr(0, name.size() - end.size()).append(kSourceEnd);
  }
  return name;
}

std::string compiled_name(const std::string& source) {
  if (!source.ends_with(kSourceEnd)) return source;
  return source.substr(0, source.size() - kSourceEnd.size()).append(kCompiledEnd);
}

}  // namespace

Result<Files> Files::list(const std::vector<fs::path>& folders) {
  Files files;
  for (const fs::path& folder : folders) {
    std::error_code error;
    std::vector<fs::path> found;
    fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied,
                                        error);
    for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
      std::error_code ignored;
      if (at->is_regular_file(ignored)) found.push_back(at->path());
      if (found.size() > kMostFiles) {
        return Error(ErrorCode::file_open, "the folder holds more than 200 000 files")
            .in_file(folder.string());
      }
    }
    if (error) {
      return Error(ErrorCode::file_open, "the folder cannot be listed: " + error.message())
          .in_file(folder.string());
    }
    std::sort(found.begin(), found.end());
    for (fs::path& path : found) files.by_name_.emplace(path.filename().string(), std::move(path));
  }
  return files;
}

std::optional<fs::path> Files::find(const std::string& name) const {
  const auto found = by_name_.find(fs::path(name).filename().string());
  if (found == by_name_.end()) return std::nullopt;
  return found->second;
}

Result<OpenedModel> Models::open_file(const fs::path& path) const {
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(path));
  OpenedModel opened;
  opened.file = path.filename().string();
  opened.compiled = darwinn::container_of(data).has_value();
  if (opened.compiled) {
    EDGETWIN_TRY_ASSIGN(opened.graph, open_compiled_(data, path.string()));
    return opened;
  }
  EDGETWIN_TRY_ASSIGN(Model model, tflite::read(data, path.string()));
  opened.graph = std::make_shared<const Graph>(std::move(model.graphs.front()));
  return opened;
}

Result<std::optional<OpenedModel>> Models::open(const std::string& name) const {
  const std::string source = source_name(fs::path(name).filename().string());
  std::vector<std::string> names = {source, compiled_name(source)};
  if (const std::string given = fs::path(name).filename().string(); given != names[1]) {
    names.push_back(given);
  }
  if (compiled_first_) std::rotate(names.begin(), names.begin() + 1, names.end());
  std::optional<Error> first;
  for (const std::string& each : names) {
    const auto path = files_.find(each);
    if (!path) continue;
    auto opened = open_file(*path);
    if (opened.ok()) return std::optional<OpenedModel>(std::move(*opened));
    if (!first) first = opened.error();
  }
  if (first) return *first;
  return std::optional<OpenedModel>();
}

Status set_wire_input(exec::Session& session, ByteSpan bytes) {
  const ValueId id = session.graph().inputs.at(0);
  if (session.graph().value(id).dtype != DType::int8) return session.set_input(0, bytes);
  Bytes flipped = to_bytes(bytes);
  for (std::byte& b : flipped) b ^= std::byte{0x80};
  return session.set_input(0, flipped);
}

Bytes wire_bytes(Tensor tensor) {
  if (tensor.dtype == DType::int8) {
    for (std::byte& b : tensor.data) b ^= std::byte{0x80};
  }
  return std::move(tensor.data);
}

}  // namespace edgetwin::edgetpu::silicon

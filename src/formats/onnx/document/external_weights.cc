#include "formats/onnx/document/external_weights.h"

#include <cstdlib>

namespace edgetwin::onnx {

Error ExternalWeights::error(const std::string& place, std::string why) const {
  return Error(ErrorCode::onnx_external, std::move(why)).in_field(place).in_file(file_);
}

Result<Bytes> ExternalWeights::read(const std::map<std::string, std::string>& entries,
                                    const std::string& place) {
  const auto location = entries.find("location");
  const std::string name = location == entries.end() ? "" : location->second;
  EDGETWIN_TRY_ASSIGN(const Bytes* all, content(name, place));
  const auto number = [&](const char* key, uint64_t otherwise) {
    const auto found = entries.find(key);
    if (found == entries.end()) return otherwise;
    return static_cast<uint64_t>(std::strtoull(found->second.c_str(), nullptr, 10));
  };
  const uint64_t offset = number("offset", 0);
  const uint64_t rest = offset > all->size() ? 0 : all->size() - offset;
  const uint64_t length = number("length", rest);
  if (offset > all->size() || length > rest) {
    return error(place, "'" + name + "' has " + std::to_string(all->size()) + " bytes, " +
                            std::to_string(length) + " are wanted from " + std::to_string(offset) +
                            " on");
  }
  return to_bytes(ByteSpan(*all).subspan(offset, length));
}

// Names must stay in the folder of the model.
Result<const Bytes*> ExternalWeights::content(const std::string& name, const std::string& place) {
  const bool outside = name.empty() || name.front() == '/' || name.find("..") != name.npos ||
                       name.find('\\') != name.npos || name.find('\0') != name.npos;
  if (outside)
    return error(place, "weights are in '" + name + "', which is no file beside the model");
  if (const auto found = known_.find(name); found != known_.end()) return &found->second;
  if (external_ == nullptr) {
    return error(place, "weights are in another file, '" + name + "'");
  }
  Result<Bytes> read = external_(name);
  if (!read.ok()) {
    return error(place, "weights are in '" + name + "', which cannot be read")
        .detail(read.error().message);
  }
  return &known_.emplace(name, std::move(read).value()).first->second;
}

}  // namespace edgetwin::onnx

#include "cli/shared/output_group.h"

#include <filesystem>

namespace edgetwin::cli {

void OutputGroup::add(Output output, Bytes data) {
  if (!output.empty()) files_.emplace_back(std::move(output), std::move(data));
}

void OutputGroup::add(Output output, std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  add(std::move(output), Bytes(bytes.begin(), bytes.end()));
}

Status OutputGroup::write() {
  for (const auto& [output, data] : files_) {
    std::error_code unknown;
    const bool there = std::filesystem::exists(output.path, unknown);
    Status written = output.write(ByteSpan(data));
    if (!written.ok()) {
      undo();
      return written;
    }
    if (!there) made_.push_back(output.path);
  }
  return Ok{};
}

void OutputGroup::undo() {
  for (const std::string& path : made_) {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }
  made_.clear();
}

}  // namespace edgetwin::cli

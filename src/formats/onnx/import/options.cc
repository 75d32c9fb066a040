#include <charconv>
#include <filesystem>

#include "base/file.h"
#include "formats/onnx/import/onnx.h"

namespace edgetwin::onnx {

Result<NamedShape> parse_shape(const std::string& word) {
  const size_t equals = word.rfind('=');
  NamedShape shape;
  const char* at = equals == std::string::npos ? nullptr : word.data() + equals + 1;
  const char* end = word.data() + word.size();
  while (at != nullptr && at != end) {
    int64_t dim = 0;
    const auto parsed = std::from_chars(at, end, dim);
    const bool comma = parsed.ptr != end && *parsed.ptr == ',' && parsed.ptr + 1 != end;
    const bool good = parsed.ec == std::errc() && dim >= 1 && (parsed.ptr == end || comma);
    shape.second.push_back(dim);
    at = good ? parsed.ptr + (comma ? 1 : 0) : nullptr;
  }
  if (at == nullptr || equals == 0 || shape.second.empty()) {
    return Error(ErrorCode::usage, "'" + word + "' is not a shape such as NAME=1,3,224,224");
  }
  shape.first = word.substr(0, equals);
  return shape;
}

Status add_shapes(ReadOptions& options, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    EDGETWIN_TRY_ASSIGN(NamedShape shape, parse_shape(word));
    options.shapes.insert_or_assign(std::move(shape.first), std::move(shape.second));
  }
  return Ok{};
}

ExternalFiles files_beside(const std::string& model) {
  return [model = std::filesystem::path(model)](const std::string& name) -> Result<Bytes> {
    const std::filesystem::path path = model.parent_path() / name;
    std::error_code ignored;
    const auto real_folder = [&](const std::filesystem::path& file) {
      return std::filesystem::weakly_canonical(file, ignored).parent_path();
    };
    // A link must not lead to any file of the computer. Download caches keep the model and its
    // weights as links to files in one folder.
    const auto below = [&](const std::filesystem::path& folder) {
      const auto relative = real_folder(path).lexically_relative(folder);
      return !relative.empty() && *relative.begin() != "..";
    };
    const std::filesystem::path named = model.has_parent_path() ? model.parent_path() : ".";
    if (!below(std::filesystem::weakly_canonical(named, ignored)) && !below(real_folder(model))) {
      return Error(ErrorCode::onnx_external, "this is a link to a file elsewhere")
          .in_file(path.string())
          .with_hint("Copy the weights into the folder of the model.");
    }
    return read_file(path.string());
  };
}

}  // namespace edgetwin::onnx

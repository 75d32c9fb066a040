#include "robotics/sidecar.h"

#include "base/file.h"
#include "base/text.h"

namespace edgetwin::robotics {
namespace {

constexpr uint64_t kMaxSidecarBytes = uint64_t{64} << 20;

}  // namespace

Sidecar::Sidecar(const edgetpu::templates::Metadata& metadata) : Sidecar() {
  const auto to_json = [](const auto& v) {
    if constexpr (std::is_same_v<std::decay_t<decltype(v)>, std::vector<double>>) {
      return Json::list(v);
    } else {
      return Json(v);
    }
  };
  for (const auto& [key, value] : metadata) json_.set(key, std::visit(to_json, value));
}

Result<Sidecar> Sidecar::parse(std::string_view text, const std::string& file) {
  auto parsed = Json::parse(text, file);
  if (!parsed.ok()) {
    return Error(ErrorCode::module_model, "the side-car file is no JSON: " + parsed.error().message)
        .in_file(file);
  }
  // An object that takes no members from it is none.
  Sidecar s;
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos ||
      text[text.find_first_not_of(" \t\r\n")] != '{') {
    return Error(ErrorCode::module_model, "the side-car file is no JSON object").in_file(file);
  }
  s.json_ = std::move(*parsed);
  return s;
}

Result<Sidecar> Sidecar::beside(const std::filesystem::path& model,
                                const std::filesystem::path& file) {
  namespace fs = std::filesystem;
  fs::path found = file;
  if (found.empty()) {
    const fs::path plain = fs::path(model).replace_extension(".json");
    const fs::path compiled = model.parent_path() / (model.stem().string() + "_edgetpu.json");
    std::error_code ignored;
    if (fs::exists(plain, ignored)) found = plain;
    if (found.empty() && fs::exists(compiled, ignored)) found = compiled;
  }
  if (found.empty()) return Sidecar();
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(found, kMaxSidecarBytes));
  return parse(as_text(data), found.string());
}

std::optional<double> Sidecar::number(std::string_view key) const {
  const auto member = json_.get(key);
  return member ? member->as_number() : std::nullopt;
}

std::optional<int> Sidecar::integer(std::string_view key) const {
  const auto value = json_.get_integer(key);
  if (!value || *value < INT32_MIN || *value > INT32_MAX) return std::nullopt;
  return static_cast<int>(*value);
}

std::optional<std::string> Sidecar::text(std::string_view key) const {
  return json_.get_string(key);
}

std::optional<std::vector<int64_t>> Sidecar::integers(std::string_view key) const {
  const auto member = json_.get(key);
  if (!member) return std::nullopt;
  std::vector<int64_t> list;
  for (size_t i = 0; i < member->size(); ++i) {
    const auto value = member->at(i).as_integer();
    if (!value) return std::nullopt;
    list.push_back(*value);
  }
  return list;
}

Result<std::optional<Bytes>> Sidecar::bytes(std::string_view key) const {
  const auto word = text(key);
  if (!word) return std::optional<Bytes>();
  auto decoded = from_base64(*word);
  if (!decoded.ok()) {
    return Error(ErrorCode::module_model, decoded.error().message).in_field(std::string(key));
  }
  return std::optional<Bytes>(std::move(*decoded));
}

}  // namespace edgetwin::robotics

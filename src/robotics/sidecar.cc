#include "robotics/sidecar.h"

#include "base/file.h"

namespace edgetwin::robotics {
namespace {

constexpr uint64_t kMaxSidecarBytes = uint64_t{64} << 20;

int digit_of(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+') return 62;
  return c == '/' ? 63 : -1;
}

}  // namespace

Result<Bytes> from_base64(std::string_view text) {
  const auto bad = [](const char* what) {
    return Error(ErrorCode::bad_value, std::string("base64 text with ") + what);
  };
  if (text.size() % 4 != 0) return bad("a length that is no multiple of four");
  Bytes out;
  out.reserve(text.size() / 4 * 3);
  for (size_t at = 0; at < text.size(); at += 4) {
    const bool last = at + 4 == text.size();
    const int padding = !last || text[at + 3] != '=' ? 0 : (text[at + 2] == '=' ? 2 : 1);
    uint32_t bits = 0;
    for (size_t i = 0; i < 4; ++i) {
      const bool padded = i >= 4 - static_cast<size_t>(padding);
      const int digit = padded ? 0 : digit_of(text[at + i]);
      if (digit < 0) return bad("a character that it does not have");
      bits = bits << 6 | static_cast<uint32_t>(digit);
    }
    for (int i = 0; i < 3 - padding; ++i) {
      out.push_back(static_cast<std::byte>(bits >> (16 - 8 * i)));
    }
  }
  return out;
}

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

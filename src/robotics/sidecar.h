// The numbers that stand beside a model in a JSON file, NAME_edgetpu.json or NAME.json.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/json.h"
#include "base/result.h"
#include "targets/edgetpu/templates/templates.h"

namespace edgetwin::robotics {

class Sidecar {
 public:
  Sidecar() : json_(Json::object()) {}
  explicit Sidecar(const edgetpu::templates::Metadata& metadata);
  // Errors: module_model where the text is no JSON object.
  static Result<Sidecar> parse(std::string_view text, const std::string& file);
  // Of `model`: the file named, or the one beside it if there is one, or nothing at all. Errors:
  // those of parse; file_open where `file` is named and cannot be read.
  static Result<Sidecar> beside(const std::filesystem::path& model,
                                const std::filesystem::path& file = {});

  // Nothing where the key is absent or of another kind.
  std::optional<double> number(std::string_view key) const;
  std::optional<int> integer(std::string_view key) const;
  std::optional<std::string> text(std::string_view key) const;
  std::optional<std::vector<int64_t>> integers(std::string_view key) const;
  // A text in base64. Error: module_model.
  Result<std::optional<Bytes>> bytes(std::string_view key) const;

  const Json& json() const { return json_; }
  std::string text() const { return json_.text(); }

 private:
  Json json_;
};

}  // namespace edgetwin::robotics

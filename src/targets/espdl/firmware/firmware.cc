#include "targets/espdl/firmware/firmware.h"

#include <algorithm>
#include <set>

#include "base/sha256.h"
#include "targets/espdl/firmware/golden.h"
#include "targets/espdl/firmware/project_files.h"
#include "targets/espdl/firmware/template_files.h"

namespace edgetwin::targets::espdl {
namespace {

constexpr size_t kMaxCases = 256;
constexpr size_t kMaxCaseName = 48;
constexpr size_t kModelHeader = 16;

using Files = std::map<std::string, Bytes>;

bool plain_name(std::string_view name) {
  const auto allowed = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  };
  return !name.empty() && name.size() <= kMaxCaseName && name[0] != '.' && name[0] != '-' &&
         std::all_of(name.begin(), name.end(), allowed);
}

// "3.3.9", nothing that could end the string it is put into.
bool plain_version(std::string_view version) {
  const auto allowed = [](char c) { return (c >= '0' && c <= '9') || c == '.'; };
  return !version.empty() && version.size() <= 16 &&
         std::all_of(version.begin(), version.end(), allowed) && version.front() != '.' &&
         version.back() != '.' && std::count(version.begin(), version.end(), '.') == 2;
}

Status check_model(const FirmwareCase& one) {
  const std::string_view text = as_text(one.model_file);
  const auto refuse = [&](const std::string& what) {
    return Error(ErrorCode::firmware_case, "case '" + one.name + "': the model " + what);
  };
  if (text.size() <= kModelHeader || (!text.starts_with("EDL2") && !text.starts_with("EDL1"))) {
    return refuse("is not a single .espdl model");
  }
  if (text.substr(4, 4) != std::string_view("\0\0\0\0", 4)) {
    return refuse("is encrypted; the application has no key");
  }
  return Ok{};
}

Status check(const FirmwareOptions& options, const std::vector<FirmwareCase>& cases) {
  const auto refuse = [](std::string what) {
    return Error(ErrorCode::firmware_case, std::move(what));
  };
  if (find_chip(options.target) == nullptr) {
    return refuse("there is no application for the target '" + options.target + "', only for " +
                  targets_with("firmware", " and "));
  }
  if (!plain_version(options.esp_dl_version)) {
    return refuse("the version of esp-dl must be three numbers, as 3.3.9");
  }
  if (cases.empty() || cases.size() > kMaxCases) {
    return refuse("an application has 1 to 256 cases, here are " + std::to_string(cases.size()));
  }
  std::set<std::string_view> names;
  for (const FirmwareCase& one : cases) {
    if (!plain_name(one.name)) {
      return refuse("'" + one.name.substr(0, kMaxCaseName) +
                    "' cannot name a case: use letters, digits, '.', '_' and '-', at most 48");
    }
    if (!names.insert(one.name).second) return refuse("two cases are named '" + one.name + "'");
    EDGETWIN_TRY(check_model(one));
  }
  return Ok{};
}

void replace(std::string& text, std::string_view mark, std::string_view value) {
  for (size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at)) {
    text.replace(at, mark.size(), value);
    at += value.size();
  }
}

// Where a file of template/ goes; "" if this application does not have it.
std::string path_of(std::string_view name, const FirmwareOptions& options) {
  if (name == "CMakeLists.txt.in" || name == "README.md.in") {
    return std::string(name.substr(0, name.size() - 3));
  }
  const bool apart = options.place == ModelPlace::partition;
  if (name == "place_rodata.cpp") return apart ? "" : "main/place.cpp";
  if (name == "place_partition.cpp") return apart ? "main/place.cpp" : "";
  if (name == "golden_format.h") return "main/golden_format.hpp";
  return "main/" + std::string(name);
}

void put(Files& files, const std::string& path, std::string_view text) {
  files[path] = to_bytes(as_byte_span(text));
}

void add_template(Files& files, const FirmwareOptions& options,
                  const std::vector<PlacedCase>& cases) {
  for (const TemplateFile& file : template_files()) {
    const std::string path = path_of(file.name, options);
    if (path.empty()) continue;
    std::string text(file.text);
    if (file.name.ends_with(".in")) {
      replace(text, "@TARGET@", options.target);
      replace(text, "@ESP_DL@", options.esp_dl_version);
      replace(text, "@CASES@\n", readme_cases(cases));
    }
    put(files, path, text);
  }
}

}  // namespace

Result<Files> make_firmware(const FirmwareOptions& options,
                            const std::vector<FirmwareCase>& cases) {
  EDGETWIN_TRY(check(options, cases));
  Files files;
  std::vector<PlacedCase> placed;
  uint64_t node_budget = options.node_bytes;
  for (const FirmwareCase& one : cases) {
    EDGETWIN_TRY_ASSIGN(Bytes golden, write_golden(one, node_budget));
    placed.push_back({one.name, sha256_hex(one.model_file), one.model_file.size(), golden.size()});
    files["main/data/" + one.name + ".golden"] = std::move(golden);
    files["main/data/" + one.name + ".espdl"] = one.model_file;
  }
  const Chip& chip = *find_chip(options.target);
  EDGETWIN_TRY_ASSIGN(const std::string partitions, partitions_csv(options, chip, placed));
  put(files, "partitions.csv", partitions);
  put(files, "sdkconfig.defaults", sdkconfig_defaults(options));
  put(files, "sdkconfig.defaults." + options.target, chip.sdkconfig);
  put(files, "main/idf_component.yml", component_yml(options));
  put(files, "main/CMakeLists.txt", main_cmake(options, placed));
  put(files, "main/cases.cpp", cases_source(options, placed));
  put(files, "main/blobs.S", blobs_source(options, placed));
  add_template(files, options, placed);
  return files;
}

}  // namespace edgetwin::targets::espdl

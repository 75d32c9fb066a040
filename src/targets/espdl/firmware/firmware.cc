#include "targets/espdl/firmware/firmware.h"

#include <algorithm>
#include <set>

#include "base/sha256.h"
#include "targets/espdl/firmware/golden.h"
#include "targets/espdl/firmware/project_files.h"
#include "targets/espdl/firmware/template_files.h"
#include "targets/espdl/firmware/vision_source.h"

namespace edgetwin::targets::espdl {
namespace {

constexpr size_t kMaxCases = 256;
constexpr size_t kMaxCaseName = 48;
constexpr size_t kModelHeader = 16;
constexpr int64_t kMaxSide = 65535;  // img_t has 16 bits

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

// The model of an earlier case.
Status check_shared(const FirmwareCase& one, const std::vector<FirmwareCase>& cases) {
  for (const FirmwareCase& other : cases) {
    if (&other == &one) break;
    if (other.name == one.model_of && other.model_of.empty() && one.model_file.empty()) return Ok{};
  }
  return Error(ErrorCode::firmware_case,
               "case '" + one.name + "': no earlier case '" + one.model_of + "' has its model");
}

Status check_picture(const FirmwarePicture& picture) {
  const Tensor& t = picture.pixels;
  const bool form = t.dtype == DType::uint8 && t.shape.rank() == 3 && t.shape[2] == 3 &&
                    t.shape[0] > 0 && t.shape[1] > 0 && t.shape[0] <= kMaxSide &&
                    t.shape[1] <= kMaxSide;
  if (form && plain_name(picture.name)) return Ok{};
  return Error(ErrorCode::firmware_case,
               "the picture is not uint8 of up to 65535 rows and columns and r, g, b, or its name "
               "is not plain");
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
    EDGETWIN_TRY(one.model_of.empty() ? check_model(one) : check_shared(one, cases));
    if (options.picture.has_value() != one.vision.has_value()) {
      return refuse("case '" + one.name + "': a picture and how it is seen belong together");
    }
    if (one.vision) EDGETWIN_TRY(check_vision(one));
  }
  return options.picture ? check_picture(*options.picture) : Ok{};
}

void replace(std::string& text, std::string_view mark, std::string_view value) {
  for (size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at)) {
    text.replace(at, mark.size(), value);
    at += value.size();
  }
}

// Where a file of template/ goes; "" if this application does not have it. `parts` of own_parts().
std::string path_of(std::string_view name, const FirmwareOptions& options,
                    const std::vector<std::string>& parts) {
  if (name == "CMakeLists.txt.in" || name == "README.md.in") {
    return std::string(name.substr(0, name.size() - 3));
  }
  const bool apart = options.place == ModelPlace::partition;
  if (name == "place_rodata.cpp") return apart ? "" : "main/place.cpp";
  if (name == "place_partition.cpp") return apart ? "main/place.cpp" : "";
  const bool sees = options.picture.has_value();
  if (name == "stages_none.cpp") return sees ? "" : "main/stages.cpp";
  if (name == "stages_picture.cpp") return sees ? "main/stages.cpp" : "";
  const bool of_pictures = name == "vision.hpp" || name == "post.hpp" || name == "post.cpp";
  if (of_pictures && !sees) return "";
  for (const std::string_view part : {"texts", "yolo26"}) {
    const bool of_part = name.starts_with(part) && name.substr(part.size()).starts_with(".");
    if (of_part && std::ranges::count(parts, part) == 0) return "";
  }
  if (name == "golden_format.h") return "main/golden_format.hpp";
  return "main/" + std::string(name);
}

void put(Files& files, const std::string& path, std::string_view text) {
  files[path] = to_bytes(as_byte_span(text));
}

void add_template(Files& files, const FirmwareOptions& options,
                  const std::vector<PlacedCase>& cases, const std::vector<std::string>& parts) {
  for (const TemplateFile& file : template_files()) {
    const std::string path = path_of(file.name, options, parts);
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

// What the picture's results must be, in the form of golden data.
Result<Bytes> write_results(const FirmwareCase& one) {
  FirmwareCase results;
  results.name = one.name + ".result";
  results.outputs = one.vision->results;
  Tensor nothing;  // golden data has an input
  nothing.name = "none";
  nothing.dtype = DType::uint8;
  nothing.shape = {1};
  nothing.data.resize(1);
  results.inputs = {nothing};
  uint64_t no_nodes = 0;
  return write_golden(results, no_nodes);
}

// The case whose model this one has.
FirmwareCase with_model(const FirmwareCase& one, const std::vector<FirmwareCase>& cases) {
  FirmwareCase whole = one;
  for (const FirmwareCase& other : cases) {
    if (other.name == one.model_of) whole.model_file = other.model_file;
  }
  return whole;
}

Result<std::vector<PlacedCase>> add_data(const FirmwareOptions& options,
                                         const std::vector<FirmwareCase>& cases, Files& files) {
  std::vector<PlacedCase> placed;
  uint64_t node_budget = options.node_bytes;
  for (size_t i = 0; i < cases.size(); ++i) {
    const FirmwareCase one = with_model(cases[i], cases);
    EDGETWIN_TRY_ASSIGN(Bytes golden, write_golden(one, node_budget));
    PlacedCase p{one.name, sha256_hex(one.model_file), one.model_file.size(), golden.size(), i};
    files["main/data/" + one.name + ".golden"] = std::move(golden);
    if (one.model_of.empty()) {
      files["main/data/" + one.name + ".espdl"] = one.model_file;
    } else {
      p.model_bytes = 0;
      p.model = static_cast<size_t>(std::ranges::find(cases, one.model_of, &FirmwareCase::name) -
                                    cases.begin());
    }
    if (one.vision && !one.vision->results.empty()) {
      EDGETWIN_TRY_ASSIGN(Bytes results, write_results(one));
      p.has_result = true;
      p.golden_bytes += results.size();
      files["main/data/" + one.name + ".result"] = std::move(results);
    }
    placed.push_back(std::move(p));
  }
  return placed;
}

void add_picture(const FirmwarePicture& picture, const std::vector<FirmwareCase>& cases,
                 const std::vector<PlacedCase>& placed, Files& files) {
  files["main/data/picture.rgb"] = to_bytes(ByteSpan(picture.pixels.data));
  if (!picture.jpeg.empty()) files["main/data/picture.jpg"] = picture.jpeg;
  put(files, "main/vision.cpp", vision_source(picture, cases, placed));
}

}  // namespace

Result<Files> make_firmware(const FirmwareOptions& options,
                            const std::vector<FirmwareCase>& cases) {
  EDGETWIN_TRY(check(options, cases));
  Files files;
  EDGETWIN_TRY_ASSIGN(const std::vector<PlacedCase> placed, add_data(options, cases, files));
  const Chip& chip = *find_chip(options.target);
  EDGETWIN_TRY_ASSIGN(const std::string partitions, partitions_csv(options, chip, placed));
  put(files, "partitions.csv", partitions);
  const std::vector<std::string> parts = own_parts(cases);
  put(files, "sdkconfig.defaults", sdkconfig_defaults(options, parts));
  put(files, "sdkconfig.defaults." + options.target, chip.sdkconfig);
  put(files, "main/idf_component.yml", component_yml(options, parts));
  put(files, "main/CMakeLists.txt", main_cmake(options, placed, parts));
  put(files, "main/cases.cpp", cases_source(options, placed));
  put(files, "main/blobs.S", blobs_source(options, placed));
  if (options.picture) add_picture(*options.picture, cases, placed, files);
  add_template(files, options, placed, parts);
  return files;
}

}  // namespace edgetwin::targets::espdl

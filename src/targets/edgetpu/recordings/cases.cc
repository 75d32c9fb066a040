#include "targets/edgetpu/recordings/cases.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <type_traits>

namespace edgetwin::edgetpu::silicon {
namespace {

using nlohmann::json;

constexpr size_t kMostCases = 10'000;

constexpr std::array kNames = {
#define SILICON_KIND(kind, meaning) std::string_view(#kind),
#include "targets/edgetpu/recordings/kinds.def"
#undef SILICON_KIND
};

// Reads members of one case; the first that is missing or of another type is the error.
class Members {
 public:
  Members(const json& object, std::string where) : object_(object), where_(std::move(where)) {}

  bool has(const char* key) const { return object_.contains(key); }
  const json& raw() const { return object_; }
  const std::string& error() const { return error_; }

  template <class T>
  T get(const char* key) {
    const auto found = object_.find(key);
    if (found == object_.end()) {
      fail(std::string("'") + key + "' is missing");
      return {};
    }
    return convert<T>(*found, key);
  }
  template <class T>
  T get_or(const char* key, T otherwise) {
    const auto found = object_.find(key);
    return found == object_.end() ? otherwise : convert<T>(*found, key);
  }
  void fail(const std::string& what) {
    if (error_.empty()) error_ = where_ + ": " + what;
  }

 private:
  template <class T>
  T convert(const json& value, const char* key) {
    try {
      if (fits<T>(value)) return value.get<T>();
    } catch (const json::exception&) {  // said below
    }
    fail(std::string("'") + key + "' is of another type");
    return {};
  }
  // The library would cut real numbers off where whole ones are wanted.
  template <class T>
  static bool fits(const json& value) {
    if constexpr (std::is_integral_v<T>) {
      return value.is_number_integer();
    } else if constexpr (std::is_same_v<T, std::vector<int>> ||
                         std::is_same_v<T, std::array<int, 2>>) {
      return value.is_array() && std::all_of(value.begin(), value.end(), fits<int>);
    }
    return true;
  }
  const json& object_;
  std::string where_;
  std::string error_;
};

Quant quant_of(Members& m, const char* scale, const char* zero) {
  return Quant::affine(m.get<float>(scale), m.get<int>(zero));
}

FullOutput full_output(Members& m) {
  return {m.get<std::string>("input"), m.get<std::string>("output")};
}

OutputHash output_hash(Members& m) {
  OutputHash h;
  h.device_hash = m.get<std::string>("device_hash");
  h.first16 = m.get_or<std::string>("first16", "");
  h.expected = m.get_or<std::string>("expected", "");
  h.elements = m.get_or<int64_t>("elements", 0);
  if (m.has("input_scale")) h.input = quant_of(m, "input_scale", "input_zero_point_unsigned");
  if (m.has("output_scale")) h.output = quant_of(m, "output_scale", "output_zero_point_unsigned");
  return h;
}

std::array<std::string, 3> heads(Members& m, const char* key) {
  if (!m.has(key)) return {};
  Members h(m.raw()[key], key);
  std::array<std::string, 3> all = {h.get<std::string>("heatmaps"),
                                    h.get<std::string>("short_offsets"),
                                    h.get<std::string>("mid_offsets")};
  if (!h.error().empty()) m.fail(h.error());
  return all;
}

DecodedRows decoded_rows(Members& m) {
  DecodedRows d;
  d.image = m.get<std::string>("image");
  d.device_rows = m.get<std::string>("device_rows");
  d.cpu_rows = m.get<std::string>("cpu_rows");
  const auto shape = m.get<std::vector<int>>("input_shape");
  if (shape.size() != 3) m.fail("'input_shape' must be height, width, channels");
  if (shape.size() == 3) d.height = shape[0], d.width = shape[1];
  d.input_sha256 = m.get_or<std::string>("input_sha256", "");
  d.last_place = m.has("device_rows_rest");
  d.device_heads = heads(m, "simulated_device_fnv1a64");
  d.cpu_heads = heads(m, "simulated_cpu_fnv1a64");
  if (m.has("heatmap_quantization_used")) {
    Members q(m.raw()["heatmap_quantization_used"], "heatmap_quantization_used");
    d.heatmaps = quant_of(q, "scale", "zero_point");
    if (!q.error().empty()) m.fail(q.error());
  }
  return d;
}

Printed printed_row(Members& m, bool position) {
  Printed p;
  p.input_sha256 = m.get<std::string>("input_sha256");
  p.printed = m.get<std::vector<double>>("printed");
  p.bytes = m.get<std::vector<int>>(position ? "simulated_bytes" : "device_bytes");
  if (!position) {
    p.label = m.get<std::string>("name");
    p.rule = m.get<std::string>("input_rule");
    return p;
  }
  p.rule = m.get<std::string>("background");
  p.centre = m.get<std::array<int, 2>>("centre");
  p.label = p.rule + " " + std::to_string(p.centre[0]) + "," + std::to_string(p.centre[1]);
  if (p.printed.size() != 3 || p.bytes.size() != 2) {
    m.fail("a row must have 3 printed numbers and 2 bytes");
  }
  return p;
}

PrintedOutputs printed_outputs(Members& m) {
  PrintedOutputs o;
  o.positions = m.has("rows");
  o.rule = m.get_or<std::string>(o.positions ? "input_rule" : "rule", "");
  o.output = m.get_or<std::string>("output", "");
  o.zero_point = m.get_or("zero_point", 0);
  const auto found = m.raw().find(o.positions ? "rows" : "scenes");
  if (found == m.raw().end() || !found->is_array()) {
    m.fail("neither 'rows' nor 'scenes'");
    return o;
  }
  for (const json& row : *found) {
    Members r(row, o.positions ? "a row" : "a scene");
    o.rows.push_back(printed_row(r, o.positions));
    if (!r.error().empty()) m.fail(r.error());
  }
  return o;
}

PrintedStatistics printed_statistics(Members& m) {
  PrintedStatistics s;
  s.rule = m.get<std::string>("rule");
  s.reversal = m.get<std::string>("reversal");
  const json none = json::object();
  Members d(m.has("device") ? m.raw()["device"] : none, "device");
  s.r_squared = d.get<double>("r_squared");
  s.mean = d.get<double>("mean");
  s.deviation = d.get<double>("std");
  s.largest = d.get<double>("max_abs");
  s.reversal_correlation = d.get<double>("reversal_correlation");
  if (!d.error().empty()) m.fail(d.error());
  return s;
}

Score score(Members& m) {
  return {m.get<std::string>("image"), m.get_or<std::string>("input_sha256", ""),
          m.get<std::string>("device_value")};
}

void read_kind(Members& m, CaseKind kind, Case& c) {
  switch (kind) {
#define SILICON_KIND(kind, meaning) \
  case CaseKind::kind:              \
    c.what = kind(m);               \
    return;
#include "targets/edgetpu/recordings/kinds.def"
#undef SILICON_KIND
  }
}

Result<Case> read_case(const json& object, size_t index) {
  const auto bad = [](std::string what) {
    return Error(ErrorCode::silicon_cases, std::move(what));
  };
  if (!object.is_object()) return bad("case " + std::to_string(index) + " is no object");
  Members m(object, "case " + std::to_string(index));
  Case c;
  c.id = m.get<std::string>("id");
  c.model = m.get<std::string>("model");
  c.model_sha256 = m.get_or<std::string>("model_sha256", "");
  const auto word = m.get<std::string>("kind");
  if (m.has("ties")) c.ties = m.get<int64_t>("ties");
  if (!m.error().empty()) return bad(m.error());
  const auto kind = kind_by_name(word);
  if (!kind) return bad("case '" + c.id + "' is of the kind '" + word + "', which is not known");
  Members of_kind(object, "case '" + c.id + "'");
  read_kind(of_kind, *kind, c);
  if (!of_kind.error().empty()) return bad(of_kind.error());
  return c;
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t end = text.find(at);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

std::string_view name(CaseKind kind) { return kNames[static_cast<size_t>(kind)]; }

std::optional<CaseKind> kind_by_name(std::string_view name) {
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<CaseKind>(i);
  }
  return std::nullopt;
}

Result<std::vector<Case>> read_cases(std::string_view text, const std::string& file) {
  const auto bad = [&file](std::string what) {
    return Error(ErrorCode::silicon_cases, std::move(what)).in_file(file);
  };
  json document;
  try {
    document = json::parse(text);
  } catch (const json::parse_error& e) {
    return bad("the file is no JSON").at_offset(e.byte == 0 ? 0 : e.byte - 1);
  } catch (const json::exception&) {
    return bad("the file has a number that no type can hold");
  }
  const auto list = document.find("cases");
  if (!document.is_object() || list == document.end() || !list->is_array()) {
    return bad("the file has no list 'cases'");
  }
  if (list->size() > kMostCases) return bad("the file has more than 10 000 cases");
  std::vector<Case> cases;
  for (size_t i = 0; i < list->size(); ++i) {
    auto c = read_case((*list)[i], i);
    if (!c.ok()) return Error(c.error()).in_file(file);
    cases.push_back(std::move(*c));
  }
  return cases;
}

Result<std::vector<KeypointRow>> read_rows(std::string_view text, const std::string& file) {
  constexpr std::string_view kWith =
      "pose_id,pose_score,keypoint_id,keypoint_score,keypoint_x,"
      "keypoint_y";
  constexpr std::string_view kWithout = "pose_id,keypoint_id,keypoint_score,keypoint_x,keypoint_y";
  std::vector<KeypointRow> rows;
  int line = 0;
  bool scored = false;
  for (std::string_view each : split(text, '\n')) {
    ++line;
    if (each.ends_with('\r')) each.remove_suffix(1);
    if (each.empty()) continue;
    if (line == 1) {
      scored = each == kWith;
      if (scored || each == kWithout) continue;
    }
    auto cells = split(each, ',');
    if (line == 1 || cells.size() != (scored ? 6U : 5U)) {
      Error error(ErrorCode::silicon_cases, "the line is no row of key points");
      error.place.line = line;
      return std::move(error).in_file(file);
    }
    KeypointRow row;
    row.pose = std::atoi(std::string(cells[0]).c_str());
    if (scored) row.pose_score = cells[1];
    if (scored) cells.erase(cells.begin() + 1);
    row.keypoint = std::atoi(std::string(cells[1]).c_str());
    row.score = cells[2], row.x = cells[3], row.y = cells[4];
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace edgetwin::edgetpu::silicon

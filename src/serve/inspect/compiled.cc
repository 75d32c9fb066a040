// The instructions of compiled Edge TPU models, and the look-up tables of ESP-DL's.
#include <algorithm>
#include <charconv>
#include <set>

#include "edgetwin/edgetpu.h"
#include "edgetwin/target.h"
#include "formats/darwinn/darwinn.h"
#include "lut/of_model.h"
#include "lut/pictures.h"
#include "ops/registry/numerics.h"
#include "report/tensor_stats.h"
#include "serve/inspect/inspect.h"
#include "serve/inspect/requests.h"
#include "targets/edgetpu/decompile/layers/find_layers.h"

namespace edgetwin::serve {
namespace {

constexpr size_t kMostLines = 2000;
constexpr int64_t kMostLayers = 100'000;

// A program of the inference, by the name that listings begin its bitstreams with.
struct Listed {
  std::string name;  // "0.0.1"
  int op = 0;        // of the file
  edgetpu::Layers layers;
  std::string problem;  // why there are no layers
};

Result<std::vector<Listed>> listed_programs(const OpenedFile& file) {
  EDGETWIN_TRY_ASSIGN(const darwinn::File read, darwinn::read(file.data, file.name));
  std::vector<Listed> list;
  for (size_t o = 0; o < read.ops.size(); ++o) {
    for (size_t p = 0; p < read.ops[o].packages.size(); ++p) {
      const darwinn::Package& package = read.ops[o].packages[p];
      const darwinn::Executable* inference = package.inference();
      if (inference == nullptr) continue;
      const auto place = static_cast<size_t>(inference - package.executables.data());
      Listed program;
      program.op = read.ops[o].op;
      program.name = std::to_string(o) + "." + std::to_string(p) + "." + std::to_string(place);
      auto layers = edgetpu::find_layers(*inference,
                                         package.find(darwinn::ExecutableType::parameter_caching));
      if (layers.ok()) program.layers = std::move(*layers);
      if (!layers.ok()) program.problem = layers.error().message;
      list.push_back(std::move(program));
    }
  }
  return list;
}

// Words of a layer in one bitstream of its executable.
struct WordRange {
  size_t chunk = 0, first = 0, last = 0;
};

// All that is issued from the end of the layer before it to its own: what it computes, and the
// copies that bring its input. The ends in every bitstream that it touches, in order.
std::vector<WordRange> ranges_of(const Listed& program, size_t layer) {
  std::vector<WordRange> ranges;
  const edgetpu::DecodedProgram& all = program.layers.replay.steps;
  const std::vector<size_t>& own = program.layers.layers[layer].steps;
  if (own.empty() || own.back() >= all.all.size()) return ranges;
  size_t begin = 0;
  for (const edgetpu::DecompiledLayer& other : program.layers.layers) {
    if (!other.steps.empty() && other.steps.back() < own.front()) {
      begin = std::max(begin, other.steps.back() + 1);
    }
  }
  for (size_t s = begin; s <= own.back(); ++s) {
    const auto& at = all.all[s];
    if (ranges.empty() || ranges.back().chunk != at.chunk) {
      ranges.push_back({at.chunk, at.word, at.word});
    }
    ranges.back().last = at.word;
  }
  return ranges;
}

Json json_of(const edgetpu::Extent2D& e) { return Json::list(std::vector<int>{e.h, e.w, e.c}); }

// What a layer reads: others of the program, each once.
Json needs_of(const edgetpu::DecompiledLayer& layer) {
  std::set<int> needs;
  for (const edgetpu::Operand& operand : layer.inputs) {
    for (const edgetpu::Producer p : operand.from) {
      if (p >= 0) needs.insert(p);
    }
  }
  return Json::list(std::vector<int>(needs.begin(), needs.end()));
}

// Range and histogram of its weights, as the bytes that the chip multiplies with.
Json weights_of(const edgetpu::DecompiledLayer& layer) {
  if (layer.content.weights.empty()) return {};
  Tensor t;
  t.dtype = DType::uint8;
  t.shape = {static_cast<int64_t>(layer.content.weights.size())};
  t.data = layer.content.weights;
  return report::to_json(report::tensor_stats(t), true);
}

Json layer_row(const Listed& program, size_t index) {
  const edgetpu::DecompiledLayer& l = program.layers.layers[index];
  Json row = Json::object();
  row.set("in", json_of(l.in)).set("out", json_of(l.out)).set("needs", needs_of(l));
  row.set("kernel", Json::list(std::vector<int>{l.kernel_h, l.kernel_w}));
  row.set("stride", Json::list(std::vector<int>{l.stride_h, l.stride_w}));
  row.set("weights", l.content.weights.size()).set("biases", l.content.bias.size());
  row.set("problem", l.problem).set("part", l.followed);  // of another layer, which nothing reads
  row.set("layer", index).set("operator", name(l.type)).set("instructions", l.steps.size());
  const std::vector<WordRange> ranges = ranges_of(program, index);
  row.set("first_word", ranges.empty() ? Json() : Json(ranges.front().first));
  return row.set("last_word", ranges.empty() ? Json() : Json(ranges.back().last));
}

// The number that a line of a listing begins with; nothing: it has none.
std::optional<size_t> word_of(std::string_view line) {
  while (line.starts_with(' ')) line.remove_prefix(1);
  size_t value = 0;
  const auto read = std::from_chars(line.data(), line.data() + line.size(), value);
  if (read.ec != std::errc() || read.ptr == line.data() + line.size() || *read.ptr != ':') {
    return std::nullopt;
  }
  return value;
}

bool is_inside(const std::vector<WordRange>& ranges, size_t chunk, size_t word) {
  return std::any_of(ranges.begin(), ranges.end(), [&](const WordRange& r) {
    return r.chunk == chunk && word >= r.first && word <= r.last;
  });
}

Json all_lines(std::string_view text) {
  Json lines = Json::array();
  while (!text.empty() && lines.size() < kMostLines) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    lines.push(Json(line));
  }
  return lines;
}

// The lines between the first and the last instruction of a layer.
Json lines_of(std::string_view text, const Listed& program, const std::vector<WordRange>& ranges) {
  const std::string head = ".bitstream " + program.name + ".";
  Json lines = Json::array();
  constexpr size_t kOther = SIZE_MAX;  // a bitstream of another executable
  size_t chunk = kOther;
  while (!text.empty() && lines.size() < kMostLines) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.starts_with(".bitstream ")) {
      chunk = kOther;
      if (line.starts_with(head)) {
        std::from_chars(line.data() + head.size(), line.data() + line.size(), chunk);
      }
      continue;
    }
    const std::optional<size_t> word = word_of(line);
    if (chunk != kOther && word && is_inside(ranges, chunk, *word)) lines.push(Json(line));
  }
  return lines;
}

Result<numerics::Rounding> rounding_of(const OpenedFile& file, const Members& m) {
  const std::string named = member_of(m, "target");
  const std::string target = !named.empty() ? named : file.loaded->target;
  const Target* known = find_target(target);
  if (known == nullptr || known->family != Family::espdl) {
    return Error(ErrorCode::bad_value, "'" + target + "' is no chip of ESP-DL");
  }
  return ops::find_numerics(known->numerics)->rounding;
}

Result<lut::ModelTables> tables_in(const OpenedFile& file, const Members& m) {
  if (file.loaded == nullptr || file.loaded->espdl == nullptr) {
    return Error(ErrorCode::file_kind, "'" + file.name + "' is no .espdl file");
  }
  EDGETWIN_TRY_ASSIGN(const auto rounding, rounding_of(file, m));
  return lut::tables_of(file.loaded->espdl->document, rounding);
}

Json rule_json(const lut::RuleReport& r) {
  Json j = Json::object();
  j.set("runs", r.runs).set("differing", r.deviation.differing).set("inputs", r.deviation.inputs);
  j.set("largest_lsb", r.deviation.largest).set("at", r.deviation.at);
  return j.set("mean_lsb", r.deviation.mean).set("largest_real", r.deviation.largest_real);
}

}  // namespace

Result<Json> inspect_instructions(const FileStore& files, const Members& m) {
  EDGETWIN_TRY_ASSIGN(const auto file, files.find(member_of(m, "id")));
  EDGETWIN_TRY_ASSIGN(const std::vector<Listed> programs, listed_programs(*file));
  Json j = Json::object(), list = Json::array();
  for (const Listed& p : programs) {
    Json layers = Json::array(), row = Json::object();
    for (size_t i = 0; i < p.layers.layers.size(); ++i) layers.push(layer_row(p, i));
    row.set("name", p.name).set("operator", p.op).set("problem", p.problem);
    row.set("layers", std::move(layers));
    list.push(std::move(row));
  }
  j.set("success", true).set("programs", std::move(list));
  if (member_of(m, "layer").empty()) {
    EDGETWIN_TRY_ASSIGN(const std::string text, disassemble(file->data, file->name));
    return j.set("lines", all_lines(text));
  }
  EDGETWIN_TRY_ASSIGN(const int64_t layer, number_member(m, "layer", kMostLayers));
  int64_t program = 0;
  if (!member_of(m, "program").empty()) {
    EDGETWIN_TRY_ASSIGN(program, number_member(m, "program", kMostLayers));
  }
  const auto at = static_cast<size_t>(program), index = static_cast<size_t>(layer);
  if (at >= programs.size() || index >= programs[at].layers.layers.size()) {
    return Error(ErrorCode::bad_value, "there is no layer " + std::to_string(layer) +
                                           " in program " + std::to_string(program));
  }
  EDGETWIN_TRY_ASSIGN(const std::string text, disassemble(file->data, file->name));
  const auto ranges = ranges_of(programs[at], index);
  j.set("weights", weights_of(programs[at].layers.layers[index]));
  return j.set("lines", lines_of(text, programs[at], ranges));
}

Result<Json> inspect_tables(const FileStore& files, const Members& m) {
  EDGETWIN_TRY_ASSIGN(const auto file, files.find(member_of(m, "id")));
  EDGETWIN_TRY_ASSIGN(const lut::ModelTables tables, tables_in(*file, m));
  Json list = Json::array(), findings = Json::array();
  for (const lut::ModelTable& t : tables.tables) {
    Json row = Json::object();
    row.set("node", t.node).set("function", t.original_type).set("table", t.table_name);
    row.set("entries", t.table.shape.elements()).set("used", t.used).set("why", t.why);
    row.set("known_function", t.known_function);
    if (t.known_function) {
      EDGETWIN_TRY_ASSIGN(const lut::Report r, lut::examine(t.spec, t.table, t.declared_step));
      row.set("good", r.good()).set("interpolate", rule_json(r.interpolate));
      row.set("nearest", rule_json(r.nearest));
    }
    list.push(std::move(row));
  }
  for (const Finding& f : tables.findings) findings.push(to_json(f));
  Json j = Json::object();
  j.set("success", true).set("tables", std::move(list));
  return j.set("findings", std::move(findings));
}

Result<Bytes> inspect_table_picture(const FileStore& files, const Members& m) {
  EDGETWIN_TRY_ASSIGN(const auto file, files.find(member_of(m, "id")));
  EDGETWIN_TRY_ASSIGN(const lut::ModelTables tables, tables_in(*file, m));
  EDGETWIN_TRY_ASSIGN(const int64_t index, number_member(m, "table", kMostLayers));
  if (static_cast<size_t>(index) >= tables.tables.size()) {
    return Error(ErrorCode::bad_value,
                 "the file has " + std::to_string(tables.tables.size()) + " tables");
  }
  const lut::ModelTable& t = tables.tables[static_cast<size_t>(index)];
  if (!t.known_function) {
    return Error(ErrorCode::bad_value, "no function '" + t.original_type +
                                           "' is known that the table could be held against");
  }
  EDGETWIN_TRY_ASSIGN(const lut::Report r, lut::examine(t.spec, t.table, t.declared_step));
  return lut::sweep_picture(t.node, r);
}

}  // namespace edgetwin::serve

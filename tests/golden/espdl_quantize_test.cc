// The quantizer against the exports of ESP-DL's own: from the same float network and calibration
// data the same operators, exponents, integer weights, biases and tables.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "formats/espdl/import/import.h"
#include "formats/espdl/read/read.h"
#include "formats/onnx/import/onnx.h"
#include "golden/golden.h"
#include "quantize/espdl/quantize.h"
#include "tensor/npy.h"
#include "verify/compare.h"

namespace edgetwin::golden {
namespace {

using nlohmann::json;

Result<Model> read_float(const fs::path& folder) {
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(folder / "model.onnx"));
  onnx::ReadOptions options;
  // Upstream knows the Swish only.
  options.passes.fuse_hard_swish = false;
  options.passes.fuse_gelu = options.passes.fuse_layer_norm = false;
  return onnx::read(data, folder.string(), options);
}

// Row k of every array is sample k.
Result<std::vector<quantize::Sample>> read_samples(const fs::path& folder, const Graph& graph) {
  std::vector<quantize::Sample> samples;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    EDGETWIN_TRY_ASSIGN(const Tensor all,
                        load_npy(folder / ("calib_" + std::to_string(i) + ".npy")));
    const Value& v = graph.value(graph.inputs[i]);
    const size_t bytes = static_cast<size_t>(v.shape.elements()) * sizeof(float);
    samples.resize(all.data.size() / bytes);
    for (size_t k = 0; k < samples.size(); ++k) {
      Tensor t;
      t.dtype = DType::float32;
      t.shape = v.shape;
      t.data.assign(all.data.begin() + static_cast<std::ptrdiff_t>(k * bytes),
                    all.data.begin() + static_cast<std::ptrdiff_t>((k + 1) * bytes));
      samples[k].push_back(std::move(t));
    }
  }
  return samples;
}

Result<espdl::Document> read_document(const fs::path& path) {
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(path));
  EDGETWIN_TRY_ASSIGN(espdl::Container file, espdl::read(data, path.string()));
  return std::move(file.models[0].document);
}

// What the case says of the export, and the widths of single operators as its file has them.
quantize::Settings settings_of(const json& c, const espdl::Document& document) {
  const int bits = c["bits"];
  quantize::Settings s =
      quantize::like_upstream(*espdl::target_by_name(c["target"].get<std::string>()), bits);
  s.high_precision = c["hi_precision_export"];
  if (c["int16_lut_step"].is_number()) s.lut.step = c["int16_lut_step"];
  for (const espdl::Node& n : document.nodes) {
    const std::string type = n.text("quant_type").value_or("");
    const int width = type == "S8" ? 8 : type == "S16" ? 16 : bits;
    if (width != bits && !n.name.starts_with("PPQ_")) s.bits_of[n.name] = width;
    if (n.op_type == "LUT") s.lut.to_lut = {"Swish", "Sigmoid", "Tanh"};
  }
  return s;
}

std::string describe(const Value& v) {
  return "'" + v.name + "' " + to_string(v.shape) + " " + std::string(name(v.dtype)) + " " +
         to_string(v.quant);
}

// Both name an axis from the start or from the end: the same thing.
void from_start(int& axis, int rank) {
  if (axis < 0) axis += rank;
}

Attrs spelled(const Graph& g, const Op& op) {
  Attrs attrs = op.attrs;
  if (op.inputs.empty() || op.inputs[0] == kAbsent) return attrs;
  const int rank = g.value(op.inputs[0]).shape.rank();
  if (auto* a = std::get_if<SoftmaxAttrs>(&attrs)) from_start(a->axis, rank);
  if (auto* a = std::get_if<ConcatAttrs>(&attrs)) from_start(a->axis, rank);
  if (auto* a = std::get_if<SplitSizesAttrs>(&attrs)) from_start(a->axis, rank);
  if (auto* a = std::get_if<GatherAttrs>(&attrs)) from_start(a->axis, rank);
  if (auto* a = std::get_if<NormAttrs>(&attrs)) from_start(a->axis, rank);
  return attrs;
}

// Axes and permutations of either integer type.
std::vector<int64_t> list_of(const Value& v) {
  std::vector<int64_t> list;
  for (int64_t i = 0; i < v.shape.elements(); ++i) {
    const auto n = static_cast<int64_t>(element_as_double(v.dtype, *v.constant, i));
    list.push_back(n < 0 && v.name.ends_with(".perm") ? n + v.shape.elements() : n);
  }
  return list;
}

// "" or the first difference. Exponents of a bias per channel are not kept by every reader, and
// upstream declares wrong shapes for tensors that its exporter has inserted.
std::string value_difference(const Value& mine, const Value& theirs) {
  if (mine.name != theirs.name) return describe(mine) + " / " + describe(theirs);
  const bool quant =
      theirs.is_constant() && !theirs.quant.present() ? true : mine.quant == theirs.quant;
  const bool inserted = theirs.name.starts_with("PPQ_Variable") && !theirs.is_constant();
  const bool shape = inserted || mine.shape == theirs.shape;
  if (mine.dtype != theirs.dtype || !shape || !quant) {
    return describe(mine) + " / " + describe(theirs);
  }
  if (mine.is_constant() != theirs.is_constant()) return "constant or not: " + describe(mine);
  if (mine.name.ends_with(".perm")) return list_of(mine) == list_of(theirs) ? "" : describe(mine);
  if (mine.is_constant() && *mine.constant != *theirs.constant)
    return "content of " + describe(mine);
  return "";
}

std::string types_of(const Graph& g) {
  std::string text;
  for (const Op& op : g.ops) text += op.type + " '" + op.name + "', ";
  return text;
}

std::string difference(const Graph& mine, const Graph& theirs) {
  if (mine.ops.size() != theirs.ops.size()) return types_of(mine) + "/ " + types_of(theirs);
  for (size_t i = 0; i < mine.ops.size(); ++i) {
    const Op& a = mine.ops[i];
    const Op& b = theirs.ops[i];
    if (a.type != b.type || a.name != b.name || a.kind != b.kind ||
        spelled(mine, a) != spelled(theirs, b)) {
      return op_label(mine, i) + " / " + op_label(theirs, i) + " in " + types_of(mine) + "/ " +
             types_of(theirs);
    }
    std::vector<ValueId> x = a.inputs;
    std::vector<ValueId> y = b.inputs;
    x.insert(x.end(), a.outputs.begin(), a.outputs.end());
    y.insert(y.end(), b.outputs.begin(), b.outputs.end());
    x.push_back(a.table);
    y.push_back(b.table);
    if (x.size() != y.size()) return op_label(mine, i) + ": number of operands";
    for (size_t k = 0; k < x.size(); ++k) {
      if ((x[k] == kAbsent) != (y[k] == kAbsent))
        return op_label(mine, i) + ": operand " + std::to_string(k);
      if (x[k] == kAbsent) continue;
      const std::string d = value_difference(mine.value(x[k]), theirs.value(y[k]));
      if (!d.empty()) return op_label(mine, i) + ": " + d;
    }
  }
  return "";
}

std::string run_case(const json& c, const fs::path& root) {
  const fs::path folder = root / c["float_model"].get<std::string>();
  auto document = read_document(root / c["dir"].get<std::string>() / "model.espdl");
  if (!document.ok()) return to_text(document.error());
  auto model = read_float(folder);
  if (!model.ok()) return to_text(model.error());
  auto samples = read_samples(folder, model->main());
  if (!samples.ok()) return to_text(samples.error());
  const auto q = quantize::quantize_espdl(model->main(), *samples, settings_of(c, *document));
  if (!q.ok()) return to_text(q.error());
  const auto target = *espdl::target_by_name(c["target"].get<std::string>());
  const auto theirs = espdl::import_document(*document, target, "corpus");
  if (!theirs.ok()) return to_text(theirs.error());
  return difference(q->graph, theirs->main());
}

TEST(EspdlQuantize, EqualsUpstream) {
  if (shared_data().empty()) GTEST_SKIP() << "EDGETWIN_SHARED_DATA is not set";
  const fs::path root = shared_data() / "espdl";
  std::ifstream file(root / "cases.json");
  int equal = 0;
  int all = 0;
  for (const json& c : json::parse(file)) {
    if (!c.contains("float_model") || !fs::exists(root / c["float_model"].get<std::string>()))
      continue;
    const std::string d = run_case(c, root);
    EXPECT_EQ(d, "") << c["id"];
    equal += d.empty() ? 1 : 0;
    ++all;
  }
  RecordProperty("equal", equal);
  EXPECT_GT(all, 0);
  std::cout << equal << " of " << all << " cases equal\n";
}

}  // namespace
}  // namespace edgetwin::golden

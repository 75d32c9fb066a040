// Key points that a pose decoder printed, of a device and of a processor.
#include <algorithm>
#include <cmath>

#include "base/sha256.h"
#include "decode/posenet.h"
#include "targets/edgetpu/recordings/recorded.h"
#include "transform/subgraph.h"

namespace edgetwin::edgetpu::silicon {
namespace {

// A pose network without its decoder, with the recording's quantization.
struct PoseNetwork {
  GraphPtr heads;
  PosenetAttrs options;
};

// Gives a value another quantization, with its zero point unsigned, and what a QUANTIZE makes it
// of.
void requantize(Graph& graph, ValueId id, const Quant& quant) {
  constexpr int kSignBit = 128;
  Value& v = graph.value(id);
  v.quant = Quant::affine(quant.scale_of(0),
                          quant.zero_point_of(0) - (v.dtype == DType::int8 ? kSignBit : 0));
  for (const Op& op : graph.ops) {
    if (op.kind == OpKind::quantize && op.outputs.at(0) == id && op.has_input(0)) {
      return requantize(graph, op.inputs[0], quant);
    }
  }
}

Result<PoseNetwork> pose_network(const OpenedModel& model, const DecodedRows& what) {
  const Graph& graph = *model.graph;
  const Op* op = transform::find_op(graph, OpKind::posenet_decoder);
  if (op == nullptr || op->inputs.size() < 3 || graph.inputs.size() != 1) {
    return Error(ErrorCode::silicon_cases, "the model has no pose decoder").in_file(model.file);
  }
  // All that the decoder is given, so that ties are those of the whole network; poses take three.
  Graph part = transform::part_for(graph, op->inputs);
  if (what.heatmaps) requantize(part, part.outputs[0], *what.heatmaps);
  return PoseNetwork{std::make_shared<const Graph>(std::move(part)), op->as<PosenetAttrs>()};
}

// The two forms of printed rows: parts of the picture with six significant digits, or pixels with
// six decimals.
struct Printer {
  bool parts = false;
  int height = 0, width = 0;

  std::string number(float v) const {
    const auto d = static_cast<double>(v);
    return parts ? significant_digits(d, 6) : fixed_digits(d, 6);
  }
  float x(float v) const { return parts ? v / static_cast<float>(width) : v; }
  float y(float v) const { return parts ? v / static_cast<float>(height) : v; }
};

struct Tally {
  size_t rows = 0, scores = 0, xs = 0, ys = 0, near = 0;
  size_t pose_scores = 0, pose_score_rows = 0;
  std::string first;  // difference

  bool equal() const {
    return scores == rows && xs == rows && ys == rows && pose_scores == pose_score_rows;
  }
};

// Whether a printed number is that of the neighbour of `value` in single precision.
bool last_place(const std::string& printed, float value, const Printer& printer) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  return printed == printer.number(std::nextafter(value, kInfinity)) ||
         printed == printer.number(std::nextafter(value, -kInfinity));
}

class Comparison {
 public:
  Comparison(const Printer& printer, bool near_counts)
      : printer_(printer), near_counts_(near_counts) {}

  void row(const KeypointRow& row, const ops::Pose& pose) {
    const auto k = static_cast<size_t>(row.keypoint);
    const std::string where =
        "pose " + std::to_string(row.pose) + " point " + std::to_string(row.keypoint);
    ++tally.rows;
    cell(row.score, pose.scores[k], tally.scores, where + " score");
    cell(row.x, printer_.x(pose.points[k].x), tally.xs, where + " x");
    cell(row.y, printer_.y(pose.points[k].y), tally.ys, where + " y");
    if (!row.pose_score) return;
    ++tally.pose_score_rows;
    cell(*row.pose_score, pose.score, tally.pose_scores, where + " pose score");
  }
  void absent(const KeypointRow& row) {
    ++tally.rows;
    if (tally.first.empty()) tally.first = "pose " + std::to_string(row.pose) + " is not found";
  }

  Tally tally;

 private:
  void cell(const std::string& printed, float value, size_t& same, const std::string& where) {
    const std::string ours = printer_.number(value);
    if (printed == ours) {
      ++same;
    } else if (near_counts_ && last_place(printed, value, printer_)) {
      ++same;
      ++tally.near;
    } else if (tally.first.empty()) {
      tally.first = where + ": recorded " + printed + ", twin " + ours;
    }
  }
  const Printer& printer_;
  bool near_counts_;
};

Tally compare(const std::vector<KeypointRow>& rows, const std::vector<ops::Pose>& poses,
              const DecodedRows& what, bool near_counts) {
  Printer printer;
  printer.parts = !rows.empty() && rows[0].pose_score.has_value();
  printer.height = what.height, printer.width = what.width;
  Comparison comparison(printer, near_counts);
  for (const KeypointRow& row : rows) {
    const bool known = row.pose >= 0 && static_cast<size_t>(row.pose) < poses.size() &&
                       row.keypoint >= 0 && row.keypoint < ops::kKeypoints;
    if (!known) {
      comparison.absent(row);
      continue;
    }
    comparison.row(row, poses[static_cast<size_t>(row.pose)]);
  }
  return comparison.tally;
}

std::string text_of(const Tally& t) {
  const auto of = [&t](const char* what, size_t n) {
    return std::string(what) + " " + std::to_string(n) + "/" + std::to_string(t.rows);
  };
  std::string text = of("score", t.scores) + ", " + of("x", t.xs) + ", " + of("y", t.ys);
  if (t.pose_score_rows > 0) text += ", " + of("pose score", t.pose_scores);
  if (t.near > 0) text += "; " + std::to_string(t.near) + " of them but for the last place";
  if (!t.first.empty()) text += "; " + t.first;
  return text;
}

struct Side {
  const char* what;
  const std::string& numerics;
  const std::string& rows;
  const std::array<std::string, 3>& heads;
  bool device;
};

void compare_heads(const Bench& bench, const Side& side, const OpenedModel& model, const Ran& ran) {
  if (side.heads[0].empty()) return;
  constexpr std::array kHeads = {"heatmaps", "short offsets", "mid offsets"};
  std::string detail;
  for (size_t i = 0; i < kHeads.size(); ++i) {
    if (hash_text(fnv1a(wire_bytes(ran.outputs.at(i)))) == side.heads[i]) continue;
    detail += (detail.empty() ? "" : ", ") + std::string(kHeads[i]) + " differ";
  }
  Check check = bench.check(std::string(side.what) + " heads", side.numerics);
  check.file = model.file;
  const bool equal = detail.empty();
  bench.add(std::move(check), ran, equal, equal ? "hashes of 3 maps" : detail);
}

Status compare_side(const Bench& bench, const DecodedRows& what, const Side& side,
                    const OpenedModel& model, const Tensor& input) {
  const std::string label = std::string(side.what) + " rows";
  EDGETWIN_TRY_ASSIGN(const Bytes csv, bench.file(side.rows));
  EDGETWIN_TRY_ASSIGN(const auto rows, read_rows(as_text(csv), side.rows));
  EDGETWIN_TRY_ASSIGN(const PoseNetwork network, pose_network(model, what));
  EDGETWIN_TRY_ASSIGN(const Ran ran,
                      run(network.heads, input.data, side.numerics, bench.options.threads));
  const std::vector<Tensor> heads(ran.outputs.begin(), ran.outputs.begin() + 3);
  EDGETWIN_TRY_ASSIGN(const auto poses, decode::posenet_poses(heads, network.options));
  const Tally tally = compare(rows, poses, what, side.device && what.last_place);
  std::string detail = text_of(tally);
  if (!what.input_sha256.empty() && sha256_hex(input.data) != what.input_sha256) {
    detail += "; from an input with other bytes";
  }
  Check check = bench.check(label, side.numerics);
  check.file = model.file;
  if (side.device) check.recorded_ties = bench.c.ties;
  bench.add(std::move(check), ran, tally.rows > 0 && tally.equal(), std::move(detail));
  compare_heads(bench, side, model, ran);
  return Ok{};
}

}  // namespace

Status decoded_rows(const Bench& bench, const DecodedRows& what) {
  const Options& o = bench.options;
  const std::array sides = {Side{"device", o.device, what.device_rows, what.device_heads, true},
                            Side{"processor", o.processor, what.cpu_rows, what.cpu_heads, false}};
  std::optional<Tensor> input;
  for (const Side& side : sides) {
    if (side.numerics.empty()) continue;
    const auto model = bench.open(bench.c.model.substr(0, bench.c.model.find(' ')),
                                  std::string(side.what) + " rows", side.numerics);
    if (!model) continue;
    // What a processor gave follows from the source's scales, which no compiled file has.
    if (!side.device && model->compiled) {
      bench.missing(std::string(side.what) + " rows", side.numerics,
                    "only the compiled model; a processor's results need the source");
      continue;
    }
    if (!input) {
      EDGETWIN_TRY_ASSIGN(const Tensor picture, bench.picture(what.image));
      EDGETWIN_TRY_ASSIGN(input, resize_half_pixel(picture, what.height, what.width));
    }
    EDGETWIN_TRY(compare_side(bench, what, side, *model, *input));
  }
  return Ok{};
}

}  // namespace edgetwin::edgetpu::silicon

// A network as a pipeline of several chips.
#include <algorithm>
#include <limits>
#include <set>

#include "edgetwin/compile.h"
#include "formats/tflite/tflite.h"
#include "targets/edgetpu/compile/plan/segment.h"
#include "transform/subgraph.h"
#include "twin/load.h"
#include "twin/make/edgetpu_outlook.h"

namespace edgetwin {
namespace {

// First guess: iterations, and units of 8 bytes that go in and out. The timed machine corrects it.
constexpr double kPerIteration = 1.0, kPerByte = 1.0 / 8;
constexpr int kMostSegments = 16, kRounds = 4;

int64_t up(int64_t x, int64_t by) { return (x + by - 1) / by; }

// Iterations of the tile that has most to do.
int64_t iterations_of(const Graph& g, const Op& op) {
  const Shape& out = g.value(op.outputs[0]).shape;
  const bool picture = out.rank() == 4;
  const int64_t positions = picture ? up(out[1], 4) * up(out[2], 4) : 1;
  const int64_t channels = out.rank() == 0 ? 1 : out.back(0);
  const auto filter = [&]() -> const Shape& { return g.value(op.inputs[1]).shape; };
  switch (op.kind) {
    case OpKind::conv_2d:
      return positions * filter()[1] * filter()[2] * up(filter()[3], 4) * up(channels, 64);
    case OpKind::depthwise_conv_2d:
      return positions * filter()[1] * filter()[2] * up(channels, 4);
    case OpKind::fully_connected:
      return up(filter()[1], 4) * up(channels, 1024);
    case OpKind::reshape:
    case OpKind::squeeze:
    case OpKind::expand_dims:
    case OpKind::quantize:
      return 0;
    default:
      return 4 * positions * up(channels, 4);
  }
}

class Pipeline {
 public:
  explicit Pipeline(const Graph& graph) : graph_(graph), before_(graph.ops.size() + 1, 0) {
    for (const Op& op : graph.ops) {
      steps_.push_back(kPerIteration * static_cast<double>(iterations_of(graph, op)));
    }
    sum();
  }

  // What the operators of a segment take, by what it took.
  void correct(size_t begin, size_t end, double measured) {
    const double factor = measured / std::max(1.0, time_of(begin, end));
    for (size_t k = begin; k < end; ++k) steps_[k] *= factor;
    sum();
  }

  // Where segments end, so that the slowest is as fast as can be.
  std::vector<size_t> ends(size_t segments) const {
    const size_t n = graph_.ops.size();
    constexpr double kNever = std::numeric_limits<double>::infinity();
    std::vector<std::vector<double>> best(segments + 1, std::vector<double>(n + 1, kNever));
    std::vector<std::vector<size_t>> from(segments + 1, std::vector<size_t>(n + 1, 0));
    best[0][0] = 0;
    std::vector<std::vector<double>> cost(n, std::vector<double>(n + 1, 0));
    for (size_t begin = 0; begin < n; ++begin) {
      for (size_t end = begin + 1; end <= n; ++end) cost[begin][end] = time_of(begin, end);
    }
    for (size_t s = 1; s <= segments; ++s) {
      for (size_t end = s; end <= n; ++end) {
        for (size_t begin = s - 1; begin < end; ++begin) {
          const double slowest = std::max(best[s - 1][begin], cost[begin][end]);
          if (slowest >= best[s][end]) continue;
          best[s][end] = slowest;
          from[s][end] = begin;
        }
      }
    }
    std::vector<size_t> ends(segments);
    size_t end = n;
    for (size_t s = segments; s > 0; --s) {
      ends[s - 1] = end;
      end = from[s][end];
    }
    return ends;
  }

 private:
  void sum() {
    for (size_t k = 0; k < steps_.size(); ++k) before_[k + 1] = before_[k] + steps_[k];
  }
  double time_of(size_t begin, size_t end) const {
    const edgetpu::compiler::Segment s = edgetpu::compiler::segment_of(graph_, begin, end);
    int64_t bytes = 0;
    for (const auto* ids : {&s.inputs, &s.outputs}) {
      for (const ValueId id : *ids) bytes += graph_.value(id).shape.elements();
    }
    // Of nothing but names and types no program is made.
    constexpr double kNoProgram = 1e15;
    const double steps = before_[end] - before_[begin];
    if (steps <= 0) return kNoProgram;
    return steps + kPerByte * static_cast<double>(bytes);
  }

  const Graph& graph_;
  std::vector<double> steps_, before_;  // of each operator; of those before it
};

Result<MadeFile> segment_file(const Model& source, size_t begin, size_t end, std::string path) {
  const edgetpu::compiler::Segment s = edgetpu::compiler::segment_of(source.main(), begin, end);
  Model part;
  part.format = source.format;
  part.description = source.description;
  part.graphs.push_back(transform::subgraph(source.main(), s.inputs, s.outputs).graph);
  transform::remove_unused_values(part.graphs[0]);
  EDGETWIN_TRY_ASSIGN(Bytes bytes, tflite::write(part));
  return MadeFile{std::move(path), std::move(bytes)};
}

struct Cut {
  std::vector<MadeFile> files;
  std::vector<int64_t> steps;  // of the timed machine; 0: nothing of it is on the chip
};

Result<Cut> cut_at(const Model& source, const std::vector<size_t>& ends, const std::string& name) {
  Cut cut;
  EdgetpuCompileOptions options;
  options.inputs = 1;
  size_t begin = 0;
  for (size_t k = 0; k < ends.size(); ++k) {
    const std::string path = "_segment_" + std::to_string(k) + "_of_" + std::to_string(ends.size());
    EDGETWIN_TRY_ASSIGN(MadeFile file, segment_file(source, begin, ends[k], path));
    EDGETWIN_TRY_ASSIGN(const EdgetpuCompiled made,
                        compile_edgetpu(file.bytes, name + path, options));
    int64_t steps = 0;
    for (const ProgramGroup& g : made.groups) steps += g.steps;
    cut.steps.push_back(steps);
    cut.files.push_back(std::move(file));
    begin = ends[k];
  }
  return cut;
}

}  // namespace

Result<std::vector<MadeFile>> edgetpu_segments(ByteSpan network, const std::string& name,
                                               int segments) {
  EDGETWIN_TRY_ASSIGN(const twin::LoadedModel loaded, twin::load_for_edgetpu(network, name));
  const Model& source = *loaded.model;
  const size_t operators = source.main().ops.size();
  const int most = static_cast<int>(std::min<size_t>(operators, kMostSegments));
  constexpr size_t kMostOperators = 2000;
  if (segments < 1 || segments > most || operators > kMostOperators) {
    return Error(ErrorCode::usage, "a network of " + std::to_string(operators) +
                                       (operators == 1 ? " operator" : " operators") +
                                       " is not cut into " + std::to_string(segments) +
                                       (segments == 1 ? " segment" : " segments"))
        .in_file(name)
        .with_hint("1 to 16 are made, of one operator or more each.");
  }
  Pipeline pipeline(source.main());
  std::vector<MadeFile> best;
  int64_t slowest = 0;
  std::set<std::vector<size_t>> tried;
  for (int round = 0; round < kRounds; ++round) {
    const std::vector<size_t> ends = pipeline.ends(static_cast<size_t>(segments));
    if (!tried.insert(ends).second) break;
    EDGETWIN_TRY_ASSIGN(Cut cut, cut_at(source, ends, name));
    const int64_t longest = *std::max_element(cut.steps.begin(), cut.steps.end());
    for (size_t k = 0, begin = 0; k < ends.size(); begin = ends[k++]) {
      pipeline.correct(begin, ends[k], static_cast<double>(cut.steps[k]));
    }
    if (!best.empty() && longest >= slowest) continue;
    slowest = longest;
    best = std::move(cut.files);
  }
  return best;
}

}  // namespace edgetwin

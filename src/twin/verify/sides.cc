// Two files, or a file and a folder, opened so that they belong together.
#include "twin/verify/sides.h"

#include <filesystem>

#include "base/file.h"
#include "targets/max78/program/program_text.h"
#include "targets/target.h"
#include "twin/machine.h"

namespace edgetwin {
namespace {

const std::vector<std::string> kAnyInput = {"xs32:1"};

// A side on its way to a runner.
struct Opened {
  Side side;
  FileKind kind = FileKind::unknown;  // of a folder: unknown
  bool folder = false;
  std::unique_ptr<Runner> runner;
  std::optional<Tensor> sample;

  bool graph() const {
    return kind == FileKind::tflite || kind == FileKind::espdl || kind == FileKind::onnx;
  }
};

Result<Opened> look_at(const Side& side) {
  Opened o;
  o.side = side;
  std::error_code ignored;
  o.folder = std::filesystem::is_directory(side.path, ignored);
  if (o.folder) return o;
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(side.path));
  o.kind = file_kind(data);
  return o;
}

// A register program and its network: the network's files for both, and the chip of the program.
Status join_program(Opened& program, Opened& network) {
  if (program.kind != FileKind::max78_program || network.kind != FileKind::max78) return Ok{};
  OpenOptions& of_network = network.side.open;
  if (of_network.target.empty()) {
    EDGETWIN_TRY_ASSIGN(const Bytes text, read_file(program.side.path));
    EDGETWIN_TRY_ASSIGN(const auto read, max78::read_program(as_text(text), program.side.path));
    of_network.target = find_target(max78::name(read.device))->name;
  }
  if (!program.side.open.network.empty()) return Ok{};
  program.side.open = of_network;
  program.side.open.network = network.side.path;
  return Ok{};
}

Status open_side(Opened& o) {
  if (o.folder) {
    EDGETWIN_TRY_ASSIGN(o.runner, recorded_runner(o.side.path));
    return Ok{};
  }
  EDGETWIN_TRY_ASSIGN(const Network network, Network::open(o.side.path, o.side.open));
  o.side.run.keep_layers = true;
  EDGETWIN_TRY_ASSIGN(o.runner, network.runner(o.side.run));
  if (network.sample() != nullptr) o.sample = *network.sample();
  return Ok{};
}

// What is given to the two runners.
class Feed {
 public:
  explicit Feed(const ComparisonOptions& options) : options_(options) {}

  // The first runner that takes inputs has them read, the other is given the same numbers.
  Result<std::vector<Tensor>> of(Opened& o) {
    if (o.runner->inputs().empty()) return std::vector<Tensor>{};
    if (from_ != nullptr) return same_inputs(inputs.tensors, *from_, *o.runner);
    from_ = o.runner.get();
    const std::vector<std::string>& words = options_.inputs;
    if (words.empty() && o.sample) {
      inputs.tensors = {*o.sample};
      inputs.given = {{o.side.open.sample, ""}};
      return inputs.tensors;
    }
    EDGETWIN_TRY_ASSIGN(inputs, read_inputs(words.empty() ? kAnyInput : words, *o.runner,
                                            options_.picture, o.side.path));
    return inputs.tensors;
  }
  bool used() const { return from_ != nullptr; }

  Inputs inputs;

 private:
  const ComparisonOptions& options_;
  const Runner* from_ = nullptr;
};

Error surplus_inputs(const Side& a, const Side& b) {
  return Error(ErrorCode::usage, "neither '" + a.path + "' nor '" + b.path + "' takes inputs")
      .with_hint("Recorded results and register programs bring their own: leave the inputs out.");
}

Status compute(Opened& first, Opened& second, Feed& feed, Run& run_first, Run& run_second) {
  EDGETWIN_TRY(open_side(first));
  EDGETWIN_TRY_ASSIGN(const std::vector<Tensor> given, feed.of(first));
  EDGETWIN_TRY_ASSIGN(run_first, first.runner->run(given));
  if (first.kind == FileKind::edgetpu && second.graph() && second.side.open.numerics.empty()) {
    second.side.open.numerics = run_first.numerics;
  }
  EDGETWIN_TRY(open_side(second));
  EDGETWIN_TRY_ASSIGN(const std::vector<Tensor> same, feed.of(second));
  EDGETWIN_TRY_ASSIGN(run_second, second.runner->run(same));
  return Ok{};
}

// A program has its own input, which is its network's sample.
Status check_words(const Opened& a, const Opened& b, const std::vector<std::string>& words) {
  const bool program = a.kind == FileKind::max78_program || b.kind == FileKind::max78_program;
  const bool recorded = a.folder && b.folder;
  if (!words.empty() && (program || recorded)) return surplus_inputs(a.side, b.side);
  return Ok{};
}

}  // namespace

Result<Comparison> compare_files(const Side& side_a, const Side& side_b,
                                 const ComparisonOptions& options) {
  EDGETWIN_TRY_ASSIGN(Opened a, look_at(side_a));
  EDGETWIN_TRY_ASSIGN(Opened b, look_at(side_b));
  EDGETWIN_TRY(join_program(a, b));
  EDGETWIN_TRY(join_program(b, a));
  EDGETWIN_TRY(check_words(a, b, options.inputs));
  // What the processor computes of a compiled model, it computes alike on both sides.
  for (Opened* o : {&a, &b}) {
    Opened& other = o == &a ? b : a;
    if (o->kind == FileKind::edgetpu && other.graph() && o->side.open.numerics.empty()) {
      const std::string& named = other.side.open.numerics;
      o->side.open.numerics = named.empty() ? twin::kChipNumerics : named;
    }
  }
  Feed feed(options);
  Run run_a, run_b;
  const bool b_first = b.kind == FileKind::edgetpu && a.kind != FileKind::edgetpu;
  EDGETWIN_TRY(b_first ? compute(b, a, feed, run_b, run_a) : compute(a, b, feed, run_a, run_b));
  Comparison result;
  result.agreement = twin::compare_runs(*a.runner, run_a, *b.runner, run_b, options.tolerance);
  result.inputs = std::move(feed.inputs);
  result.a = std::move(a.runner);
  result.b = std::move(b.runner);
  return result;
}

}  // namespace edgetwin

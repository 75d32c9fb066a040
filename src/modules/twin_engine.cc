#include "modules/twin_engine.h"

#include <algorithm>
#include <optional>

#include "base/file.h"
#include "exec/session.h"
#include "formats/darwinn/darwinn.h"
#include "formats/tflite/tflite.h"

namespace edgetwin::modules {
namespace {

Error not_this_model(std::string message) {
  return Error(ErrorCode::module_model, std::move(message));
}

Result<Port> port_of(const Graph& graph, ValueId id) {
  const Value& v = graph.value(id);
  if ((v.dtype != DType::uint8 && v.dtype != DType::int8) || !v.shape.is_static()) {
    return not_this_model("'" + v.name + "' is " + std::string(name(v.dtype)) +
                          "; modules send and get bytes of a fixed number")
        .in_field(v.name);
  }
  return Port{v.name,
              v.shape,
              v.dtype,
              v.quant.scale_of(0),
              static_cast<int>(v.quant.zero_point_of(0)),
              static_cast<size_t>(v.shape.elements())};
}

// The weights of the first layer that has some.
ValueId weights_of(const Graph& graph) {
  for (const Op& op : graph.ops) {
    const bool layer = op.kind == OpKind::fully_connected || op.kind == OpKind::conv_2d ||
                       op.kind == OpKind::depthwise_conv_2d;
    if (!layer || !op.has_input(1)) continue;
    const Value& v = graph.value(op.inputs[1]);
    return v.is_constant() && v.dtype == DType::int8 ? op.inputs[1] : kAbsent;
  }
  return kAbsent;
}

void flip(std::span<std::byte> data) {
  for (std::byte& b : data) b ^= std::byte{0x80};
}

}  // namespace

struct TwinEngine::Impl {
  std::shared_ptr<const Graph> original, graph;
  TwinOptions options;
  Port input;
  std::vector<Port> outputs;
  ValueId weights = kAbsent;
  std::optional<exec::Session> session;
  bool is_open = false;

  Status plan() {
    exec::Options o;
    o.numerics = options.numerics;
    o.threads = options.threads;
    EDGETWIN_TRY_ASSIGN(exec::Session made, exec::Session::create(graph, o));
    session.emplace(std::move(made));
    return Ok{};
  }
};

TwinEngine::TwinEngine(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TwinEngine::~TwinEngine() = default;

Result<std::unique_ptr<TwinEngine>> TwinEngine::create(const Model& model,
                                                       const TwinOptions& options) {
  auto impl = std::make_unique<Impl>();
  impl->original = impl->graph = std::make_shared<const Graph>(model.main());
  impl->options = options;
  const Graph& graph = *impl->graph;
  if (graph.inputs.size() != 1 || graph.outputs.empty()) {
    return not_this_model("the model has " + std::to_string(graph.inputs.size()) + " inputs and " +
                          std::to_string(graph.outputs.size()) +
                          " outputs; one input and at least one output are needed");
  }
  EDGETWIN_TRY_ASSIGN(impl->input, port_of(graph, graph.inputs[0]));
  for (const ValueId id : graph.outputs) {
    EDGETWIN_TRY_ASSIGN(Port port, port_of(graph, id));
    impl->outputs.push_back(std::move(port));
  }
  impl->weights = weights_of(graph);
  EDGETWIN_TRY(impl->plan());
  return std::unique_ptr<TwinEngine>(new TwinEngine(std::move(impl)));
}

Result<std::unique_ptr<TwinEngine>> TwinEngine::load(const std::filesystem::path& file,
                                                     const TwinOptions& options) {
  std::filesystem::path path = file;
  EDGETWIN_TRY_ASSIGN(Bytes data, read_file(path));
  if (darwinn::container_of(data)) {
    const std::string stem = path.stem().string();
    constexpr std::string_view kEnd = "_edgetpu";
    path.replace_filename(stem.substr(0, stem.size() - std::min(stem.size(), kEnd.size())) +
                          ".tflite");
    std::error_code ignored;
    if (!stem.ends_with(kEnd) || !std::filesystem::exists(path, ignored)) {
      return not_this_model("the model is compiled, and the twin computes uncompiled ones")
          .in_file(file.string())
          .with_hint("Put the uncompiled model beside it as '" + path.filename().string() + "'.");
    }
    EDGETWIN_TRY_ASSIGN(data, read_file(path));
  }
  EDGETWIN_TRY_ASSIGN(const Model model, tflite::read(data, path.string()));
  auto made = create(model, options);
  if (!made.ok()) return std::move(made).error().in_file(path.string());
  return made;
}

Status TwinEngine::open() {
  impl_->is_open = true;
  return Ok{};
}
void TwinEngine::close() { impl_->is_open = false; }
bool TwinEngine::is_open() const { return impl_->is_open; }
const Port& TwinEngine::input() const { return impl_->input; }
const std::vector<Port>& TwinEngine::outputs() const { return impl_->outputs; }
bool TwinEngine::exchangeable() const { return impl_->options.exchangeable; }
const Graph& TwinEngine::graph() const { return *impl_->graph; }

size_t TwinEngine::weight_count() const {
  if (impl_->weights == kAbsent) return 0;
  return static_cast<size_t>(impl_->graph->value(impl_->weights).shape.elements());
}

Result<std::vector<Bytes>> TwinEngine::run(ByteSpan input) {
  if (!impl_->is_open) {
    return Error(ErrorCode::module_closed, "the module is not open");
  }
  if (input.size() != impl_->input.bytes) {
    return Error(ErrorCode::module_input,
                 std::to_string(input.size()) + " bytes, the model takes " +
                     to_string(impl_->input.shape) + " = " + std::to_string(impl_->input.bytes))
        .in_field(impl_->input.name);
  }
  if (impl_->input.dtype == DType::int8) {
    Bytes flipped = to_bytes(input);
    flip(flipped);
    EDGETWIN_TRY(impl_->session->set_input(0, flipped));
  } else {
    EDGETWIN_TRY(impl_->session->set_input(0, input));
  }
  EDGETWIN_TRY(impl_->session->run());
  std::vector<Bytes> results;
  for (size_t i = 0; i < impl_->outputs.size(); ++i) {
    results.push_back(to_bytes(impl_->session->bytes(impl_->graph->outputs[i])));
    if (impl_->outputs[i].dtype == DType::int8) flip(results.back());
  }
  return results;
}

Status TwinEngine::set_weights(std::span<const int8_t> weights) {
  if (!exchangeable() || impl_->weights == kAbsent) {
    return not_this_model("the weights of this model cannot be replaced while it runs");
  }
  if (weights.size() != weight_count()) {
    return Error(ErrorCode::module_weights, std::to_string(weights.size()) +
                                                " weights, the layer has " +
                                                std::to_string(weight_count()));
  }
  auto changed = std::make_shared<Graph>(*impl_->original);
  changed->value(impl_->weights).constant =
      std::make_shared<const Bytes>(to_bytes(std::as_bytes(weights)));
  impl_->graph = std::move(changed);
  return impl_->plan();
}

Status TwinEngine::reset_weights() {
  if (!exchangeable() || impl_->weights == kAbsent) {
    return not_this_model("the weights of this model cannot be replaced while it runs");
  }
  impl_->graph = impl_->original;
  return impl_->plan();
}

}  // namespace edgetwin::modules

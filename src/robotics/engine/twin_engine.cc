#include "robotics/engine/twin_engine.h"

#include <algorithm>
#include <optional>

#include "base/file.h"
#include "exec/session.h"
#include "formats/darwinn/darwinn.h"
#include "formats/tflite/tflite.h"
#include "robotics/engine/ports.h"

namespace edgetwin::robotics {
namespace {

Error not_for_twin(std::string message) {
  return Error(ErrorCode::module_model, std::move(message));
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
  EDGETWIN_TRY_ASSIGN(Ports ports, ports_of(graph));
  impl->input = std::move(ports.input);
  impl->outputs = std::move(ports.outputs);
  if (const Op* layer = first_layer(graph)) impl->weights = layer->inputs[1];
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
      return not_for_twin("the model is compiled, and the twin computes uncompiled ones")
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
  EDGETWIN_TRY(check_run(impl_->is_open, impl_->input, input.size()));
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
    return not_for_twin("the weights of this model cannot be replaced while it runs");
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
    return not_for_twin("the weights of this model cannot be replaced while it runs");
  }
  impl_->graph = impl_->original;
  return impl_->plan();
}

}  // namespace edgetwin::robotics

#include "edgetwin/tensors.h"

#include <chrono>

#include "twin/compute.h"
#include "twin/network_impl.h"
#include "twin/tensors/engine.h"
#include "twin/tensors/rules.h"

namespace edgetwin {

struct Tensors::Impl {
  std::shared_ptr<const Model> model;  // as in the file; null: the network is no graph
  size_t graph = 0;
  twin::TensorTable table;
  std::unique_ptr<twin::Engine> engine;
  bool allocated = false;
  bool compiled = false;
  std::atomic<bool> stop = false;
  Run last;
  std::vector<Finding> findings;
  size_t planned = 0;  // so many of them are of planning
  double seconds = 0;
  std::string description;
  size_t file_rows = 0;  // the others are layers

  bool known(int32_t tensor) const {
    return tensor >= 0 && static_cast<size_t>(tensor) < table.rows.size();
  }
};

namespace {

Error no_tensor(int32_t tensor, size_t count) {
  return twin::error_of(
      twin::TensorRule::tensor_index,
      "tensor " + std::to_string(tensor) + " of " + std::to_string(count) + " is asked for");
}

Error no_content(const std::string& name, const std::string& why) {
  return twin::error_of(twin::TensorRule::tensor_state, "tensor '" + name + "' " + why);
}

// The model with the wanted graph as its first.
twin::LoadedModel of_graph(const twin::LoadedModel& loaded, size_t graph) {
  if (graph == 0) return loaded;
  auto model = std::make_shared<Model>(*loaded.model);
  std::swap(model->graphs[0], model->graphs[graph]);
  model->signatures.clear();
  twin::LoadedModel copy = loaded;
  copy.model = std::move(model);
  return copy;
}

Result<std::shared_ptr<Runner>> shared(Result<std::unique_ptr<Runner>> runner) {
  if (!runner.ok()) return std::move(runner).error();
  return std::shared_ptr<Runner>(std::move(*runner));
}

// A compiled model computes in the machine or on a device; on the twin planning says why not.
Status make_engine(const Network& network, const TensorsOptions& options, Tensors::Impl& impl) {
  const Network::Impl& n = network.impl();
  const bool elsewhere =
      options.device || (options.run.where != Where::automatic && options.run.where != Where::twin);
  const bool is_graph = n.loaded.has_value() && !elsewhere &&
                        !(impl.compiled && options.run.where == Where::automatic);
  if (n.loaded) {
    impl.model = n.loaded->model;
    impl.table = twin::table_of(impl.model->graphs[impl.graph]);
    for (const tflite::OpenShape& open : n.open_shapes) {
      if (open.graph == impl.graph) impl.table.at(open.tensor).signature = open.signature;
    }
  }
  if (is_graph) {
    impl.engine = twin::graph_engine(of_graph(*n.loaded, impl.graph), n.options, options.run);
    return Ok{};
  }
  if (n.loaded) EDGETWIN_TRY(twin::check_custom_ops(impl.model->main(), true));
  EDGETWIN_TRY_ASSIGN(auto runner,
                      shared(options.device ? options.device->runner(network, options.run)
                                            : network.runner(options.run)));
  const Graph* graph = impl.model == nullptr ? nullptr : &impl.model->main();
  impl.engine = twin::runner_engine(std::move(runner), graph, impl.table);
  return Ok{};
}

}  // namespace

Tensors::Tensors(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Tensors::Tensors(Tensors&&) noexcept = default;
Tensors& Tensors::operator=(Tensors&&) noexcept = default;
Tensors::~Tensors() = default;

Result<Tensors> Tensors::make(const Network& network, const TensorsOptions& options) {
  auto impl = std::make_unique<Impl>();
  const auto& loaded = network.impl().loaded;
  const size_t graphs = loaded ? loaded->model->graphs.size() : 1;
  if (options.graph < 0 || static_cast<size_t>(options.graph) >= graphs) {
    return Error(ErrorCode::usage, "graph " + std::to_string(options.graph) + " of " +
                                       std::to_string(graphs) + " is asked for")
        .in_file(network.file())
        .with_hint("Graphs are counted from 0.");
  }
  impl->graph = static_cast<size_t>(options.graph);
  impl->compiled = network.kind() == FileKind::edgetpu;
  EDGETWIN_TRY(make_engine(network, options, *impl));
  impl->file_rows = impl->table.rows.size();
  impl->description = impl->engine->description();
  impl->findings = impl->engine->findings();
  impl->planned = impl->findings.size();
  return Tensors(std::move(impl));
}

std::span<const int32_t> Tensors::inputs() const { return impl_->table.inputs; }
std::span<const int32_t> Tensors::outputs() const { return impl_->table.outputs; }
size_t Tensors::count() const { return impl_->table.rows.size(); }
bool Tensors::allocated() const { return impl_->allocated; }
std::span<const Finding> Tensors::findings() const { return impl_->findings; }
const Run& Tensors::last_run() const { return impl_->last; }
double Tensors::seconds() const { return impl_->seconds; }
const std::string& Tensors::description() const { return impl_->description; }
std::string Tensors::structure_json() const {
  return twin::structure_json(impl_->model.get(), impl_->graph, impl_->table);
}

Result<const TensorRow*> Tensors::row(int32_t tensor) const {
  if (!impl_->known(tensor)) return no_tensor(tensor, count());
  return const_cast<const TensorRow*>(&impl_->table.at(tensor));
}

Status Tensors::resize(int32_t tensor, const Shape& shape, bool strict) {
  if (!impl_->known(tensor)) return no_tensor(tensor, count());
  TensorRow& row = impl_->table.at(tensor);
  if (!row.input) return no_content(row.name, "is no input: only inputs can be resized");
  if (!shape.is_static() || !within_limits(row.dtype, shape)) {
    return Error(ErrorCode::input_shape,
                 "input '" + row.name + "' cannot have the shape " + to_string(shape));
  }
  const bool same_rank = row.has_shape && row.shape.rank() == shape.rank();
  if (strict && !same_rank) {
    return Error(ErrorCode::input_shape, "input '" + row.name + "' has " +
                                             std::to_string(row.shape.rank()) + " dimensions, " +
                                             std::to_string(shape.rank()) + " were given");
  }
  for (int d = 0; strict && d < shape.rank(); ++d) {
    const bool open = d < row.signature.rank() && row.signature[d] < 0;
    if (open || shape[d] == row.shape[d]) continue;
    return Error(ErrorCode::input_shape,
                 "Attempting to resize dimension " + std::to_string(d) + " of tensor " +
                     std::to_string(tensor) + " with value " + std::to_string(row.shape[d]) +
                     " to " + std::to_string(shape[d]) +
                     ". ResizeInputTensorStrict only allows mutating unknown dimensions "
                     "identified by -1.");
  }
  if (same_rank && row.shape == shape) return Ok{};
  if (!impl_->engine->resizable()) {
    return Error(ErrorCode::input_shape, "input '" + row.name + "' is " + to_string(row.shape) +
                                             " in the compiled program and cannot become " +
                                             to_string(shape));
  }
  row.shape = shape;
  row.has_shape = true;
  row.bytes = static_cast<uint64_t>(shape.elements()) * twin::unpacked_size(row.dtype);
  impl_->table.buffer(tensor).free();
  impl_->allocated = false;
  return Ok{};
}

Status Tensors::allocate() {
  if (impl_->allocated) return Ok{};
  EDGETWIN_TRY(impl_->engine->allocate(impl_->table));
  impl_->allocated = true;
  impl_->description = impl_->engine->description();
  impl_->findings = impl_->engine->findings();
  impl_->planned = impl_->findings.size();
  return Ok{};
}

Result<Tensors::Memory> Tensors::memory(int32_t tensor) {
  if (!impl_->known(tensor)) return no_tensor(tensor, count());
  TensorRow& row = impl_->table.at(tensor);
  twin::Buffer& buffer = impl_->table.buffer(tensor);
  if (row.constant && !buffer.present() && row.shape.is_static()) {
    const Bytes& from = *impl_->model->graphs[impl_->graph].value(tensor).constant;
    buffer.resize(row.dtype == DType::string ? from.size() : row.bytes);
    twin::unpack(row.dtype, from, buffer.bytes());
  }
  if (row.constant && buffer.present()) return Memory{buffer.bytes(), false};
  if (!impl_->allocated) return no_content(row.name, "has no content before allocate");
  if (!row.readable || !buffer.present()) {
    return no_content(row.name, "is not kept: run with keep=all");
  }
  return Memory{buffer.bytes(), row.input || row.output};
}

Status Tensors::invoke() {
  if (!impl_->allocated) {
    return twin::error_of(twin::TensorRule::tensor_state,
                          "the run has to be planned by allocate first");
  }
  impl_->stop = false;
  impl_->last = {};
  const auto begin = std::chrono::steady_clock::now();
  EDGETWIN_TRY(impl_->engine->run(impl_->table, impl_->stop, impl_->last));
  impl_->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  // Those of planning stay; those of the run before give way.
  impl_->findings.resize(impl_->planned);
  impl_->findings.insert(impl_->findings.end(), impl_->last.findings.begin(),
                         impl_->last.findings.end());
  return Ok{};
}

void Tensors::cancel() { impl_->stop = true; }
Status Tensors::reset_variables() { return impl_->engine->reset_variables(); }

}  // namespace edgetwin

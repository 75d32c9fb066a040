#include "targets/max78/simulate/simulate.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "targets/max78/network/resolve.h"
#include "targets/max78/simulate/layer_math.h"

namespace edgetwin::max78 {
namespace {

using ai8x::kDataBuffer;
using ai8x::kInput;

// (operands, channels, rows, columns)
Tensor operand_tensor(const std::vector<Picture>& operands) {
  Tensor all = to_tensor(operands.front());
  const Shape one = all.shape;
  all.shape = Shape{static_cast<int64_t>(operands.size()), one[0], one[1], one[2]};
  for (size_t k = 1; k < operands.size(); ++k) {
    const Tensor t = to_tensor(operands[k]);
    all.data.insert(all.data.end(), t.data.begin(), t.data.end());
  }
  return all;
}

}  // namespace

struct Simulation::Impl {
  Impl(const ResolvedNetwork& p, const SimulationOptions& o)
      : plan(p), options(o), pool(o.threads) {}

  const ResolvedNetwork& plan;
  SimulationOptions options;
  ThreadPool pool;
  std::vector<int> order;
  std::vector<int> last_reader;  // position in `order` after which a layer's output is not needed
  std::map<int, LayerKernel> kernels;

  // Of one run.
  Picture sample;
  std::vector<Picture> outputs;  // by layer
  Elements<int8_t> buffer;       // the rolling buffer: time, channel

  Status prepare();
  int next_of(const ResolvedLayer& l) const;
  std::vector<int> sources(size_t position) const;
  const Picture& source(int i) const {
    return i == kInput ? sample : outputs[static_cast<size_t>(i)];
  }
  Picture gathered(size_t position) const;
  Picture from_buffer(const ResolvedLayer& l) const;
  std::vector<Picture> split(const ResolvedLayer& l, Picture in) const;
  // --legacy-test: all operands come from the layer before, column by column.
  bool takes_turns(const ResolvedLayer& l) const {
    return plan.options.legacy_test && l.eltwise() && l.prev >= 0;
  }
  Picture before_operator(const ResolvedLayer& l, std::vector<Picture> operands,
                          LayerResult* trace);
  void roll_buffer(const ResolvedLayer& l);
  void insert_into_buffer(const ResolvedLayer& l, const Picture& out);
  Result<Picture> compute(size_t position, LayerResult* trace);
  void release(size_t position);
};

int Simulation::Impl::next_of(const ResolvedLayer& l) const {
  const int simulated = l.yaml->simulated_sequence;
  if (simulated == l.yaml->next_sequence || l.next == ai8x::kStop) return l.next;
  const bool runs = std::find(plan.order.begin(), plan.order.end(), simulated) != plan.order.end();
  return runs ? simulated : ai8x::kStop;
}

std::vector<int> Simulation::Impl::sources(size_t position) const {
  const auto& named = plan.layer(order[position]).yaml->in_sequences;
  if (named && !named->empty()) return *named;
  return {position == 0 ? kInput : order[position - 1]};
}

Status Simulation::Impl::prepare() {
  for (int i = plan.start; i != ai8x::kStop && order.size() <= plan.resolved_layers.size();) {
    order.push_back(i);
    i = next_of(plan.layer(i));
  }
  last_reader.assign(plan.resolved_layers.size(), -1);
  for (size_t p = 0; p < order.size(); ++p) {
    const ResolvedLayer& l = plan.layer(order[p]);
    for (const int s : sources(p)) {
      if (s < 0) continue;
      const bool before = std::find(order.begin(), order.begin() + static_cast<int64_t>(p), s) !=
                          order.begin() + static_cast<int64_t>(p);
      if (!before || plan.layer(s).output_width != 8) {
        return Error(ErrorCode::max78_rules, "layer " + std::to_string(l.index) +
                                                 " reads 8-bit results of layer " +
                                                 std::to_string(s) + ", which are not there");
      }
      last_reader[static_cast<size_t>(s)] = static_cast<int>(p);
    }
    if (!l.passthrough()) kernels.emplace(l.index, LayerKernel(l, options.plain));
  }
  return Ok{};
}

Picture Simulation::Impl::from_buffer(const ResolvedLayer& l) const {
  const ai8x::DataBuffer& b = *plan.network->data_buffer;
  // Time and channel make rows and channels of a one-dimensional picture, as they are stored.
  if (l.yaml->buffer_shift) {
    Picture p{b.dim.h, b.channels, b.dim.w, {}, {}};
    p.data.resize(buffer.size());
    to_pixels(buffer.data(), p.data.data(), p.pixels(), p.c);
    return p;
  }
  Picture p{b.channels, b.dim.h * b.dim.w, 1, {}, {}};
  p.data = buffer;
  return p;
}

Picture Simulation::Impl::gathered(size_t position) const {
  const ResolvedLayer& l = plan.layer(order[position]);
  const std::vector<int> from = sources(position);
  if (from.front() == kDataBuffer) return from_buffer(l);
  if (from.size() == 1) return source(from.front());
  std::vector<const Picture*> parts;
  for (const int s : from) parts.push_back(&source(s));
  return joined(parts);
}

// Operands one by one, cropped and in the size that the layer states.
std::vector<Picture> Simulation::Impl::split(const ResolvedLayer& l, Picture in) const {
  std::vector<Picture> operands;
  const int channels = in.c / l.operands;
  const bool in_turns = takes_turns(l);
  for (int k = 0; k < l.operands; ++k) {
    Picture p = l.operands == 1 ? std::move(in)
                : in_turns      ? columns_of(in, k, l.operands)
                                : channels_of(in, k * channels, channels);
    const auto [top, bottom] = l.yaml->in_crop;
    if (top != 0 || bottom != 0) {
      const int64_t row = int64_t{p.w} * p.c;
      p.data.erase(p.data.end() - bottom * row, p.data.end());
      p.data.erase(p.data.begin(), p.data.begin() + top * row);
      p.h -= top + bottom;
    }
    if (!l.yaml->buffer_shift && (p.h != l.in_dim.h || p.w != l.in_dim.w)) {
      p = viewed(p, l.in_dim.h, l.in_dim.w);
    }
    operands.push_back(std::move(p));
  }
  return operands;
}

Picture Simulation::Impl::before_operator(const ResolvedLayer& l, std::vector<Picture> operands,
                                          LayerResult* trace) {
  if (l.eltwise() && !l.yaml->pool_first) {
    operands = {combined(l, operands)};
    if (trace != nullptr) trace->elt = to_tensor(operands.front());
  }
  const bool pools = l.pools() || l.pool_stride.h > 1 || l.pool_stride.w > 1;
  if (pools) {
    for (Picture& p : operands) p = pooled(l, p, plan.options, pool);
    if (trace != nullptr) {
      trace->pool = to_tensor(operands.front());
      if (operands.size() > 1) {
        const Shape one = trace->pool.shape;
        trace->pool.shape = Shape{static_cast<int64_t>(operands.size()), one[0], one[1], one[2]};
        for (size_t k = 1; k < operands.size(); ++k) {
          const Tensor t = to_tensor(operands[k]);
          trace->pool.data.insert(trace->pool.data.end(), t.data.begin(), t.data.end());
        }
      }
    }
  }
  if (operands.size() > 1) {
    operands = {combined(l, operands)};
    if (trace != nullptr) trace->elt = to_tensor(operands.front());
  }
  return std::move(operands.front());
}

// The oldest entries go, and zeros come in at the end.
void Simulation::Impl::roll_buffer(const ResolvedLayer& l) {
  const ai8x::DataBuffer& b = *plan.network->data_buffer;
  const int64_t entry = int64_t{b.channels} * b.dim.w;
  const int64_t n = std::min<int64_t>(*l.yaml->buffer_shift, b.dim.h) * entry;
  std::rotate(buffer.begin(), buffer.begin() + n, buffer.end());
  std::fill(buffer.end() - n, buffer.end(), int8_t{0});
}

void Simulation::Impl::insert_into_buffer(const ResolvedLayer& l, const Picture& out) {
  const ai8x::DataBuffer& b = *plan.network->data_buffer;
  const int64_t entry = int64_t{b.channels} * b.dim.w;
  const int64_t room = std::min<int64_t>(*l.yaml->buffer_insert, b.dim.h) * entry;
  const auto n = std::min<int64_t>(room, static_cast<int64_t>(out.data.size()));
  std::copy_n(out.data.begin(), n, buffer.end() - room);
}

Result<Picture> Simulation::Impl::compute(size_t position, LayerResult* trace) {
  const ResolvedLayer& l = plan.layer(order[position]);
  if (l.yaml->buffer_shift && plan.network->data_buffer) {
    roll_buffer(l);
    return from_buffer(l);
  }
  Picture all = gathered(position);
  const int rows = l.in_dim.h + l.yaml->in_crop[0] + l.yaml->in_crop[1];
  const int64_t wanted = int64_t{l.operands} * l.in_channels * rows * l.in_dim.w;
  if (all.elements() != wanted || (takes_turns(l) ? all.w : all.c) % l.operands != 0) {
    return Error(ErrorCode::max78_rules,
                 ai8x::layer_name(*plan.network, static_cast<size_t>(l.index)) +
                     " does not have the input that it computes with")
        .detail(std::to_string(l.operands) + " operands * " + std::to_string(l.in_channels) +
                " channels * " + std::to_string(rows) + " * " + std::to_string(l.in_dim.w) + " = " +
                std::to_string(wanted) + "; its sources have " + std::to_string(all.elements()));
  }
  std::vector<Picture> operands = split(l, std::move(all));
  const bool everything = trace != nullptr && options.everything;
  if (everything) trace->in = operand_tensor(operands);
  Picture in = before_operator(l, std::move(operands), trace);
  if (l.flatten) in = flattened(in);
  if (everything && !l.passthrough()) {
    ResolvedLayer wide = l;
    wide.output_width = 32;
    wide.activation = ai8x::Activation::none;
    trace->sums = to_tensor(LayerKernel(wide, true).run(in, pool));
  }
  Picture out = l.passthrough() ? std::move(in) : kernels.at(l.index).run(in, pool);
  if (l.yaml->buffer_insert && plan.network->data_buffer) insert_into_buffer(l, out);
  return out;
}

void Simulation::Impl::release(size_t position) {
  for (const int s : sources(position)) {
    if (s >= 0 && last_reader[static_cast<size_t>(s)] == static_cast<int>(position)) {
      outputs[static_cast<size_t>(s)] = {};
    }
  }
}

Simulation::Simulation(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;

Result<Simulation> Simulation::make(const ResolvedNetwork& plan, const SimulationOptions& options) {
  auto impl = std::make_unique<Impl>(plan, options);
  EDGETWIN_TRY(impl->prepare());
  return Simulation(std::move(impl));
}

Result<SimulationResult> Simulation::run(const Tensor& sample) {
  Impl& s = *impl_;
  const ResolvedLayer& first = s.plan.layer(s.order.front());
  const Shape& shape = sample.shape;
  const int64_t wanted = int64_t{s.plan.sample.c} * s.plan.sample.h * s.plan.sample.w;
  if (sample.dtype != DType::int8 || shape.rank() < 1 || shape.rank() > 3 ||
      shape.elements() != wanted || shape[0] != s.plan.sample.c) {
    return Error(ErrorCode::max78_sample,
                 "the sample is " + to_string(shape) + " of " + std::string(name(sample.dtype)))
        .detail("the network takes " + std::to_string(s.plan.sample.c) + "x" +
                std::to_string(s.plan.sample.h) + "x" + std::to_string(s.plan.sample.w) +
                " of int8");
  }
  const bool from_input = s.sources(0).front() == kInput;
  if (from_input && shape[0] != int64_t{first.operands} * first.in_channels && !first.flatten) {
    return Error(ErrorCode::max78_sample,
                 "the sample has " + std::to_string(shape[0]) + " channels")
        .detail(std::to_string(first.operands) + " operands * " +
                std::to_string(first.in_channels) +
                " channels = " + std::to_string(first.operands * first.in_channels));
  }
  s.sample = picture_of(sample);
  s.outputs.assign(s.plan.resolved_layers.size(), {});
  if (const auto& b = s.plan.network->data_buffer) {
    if (double{1} * b->dim.h * b->dim.w * b->channels > double{1 << 24}) {
      return Error(ErrorCode::max78_rules, "the rolling buffer is larger than any data memory");
    }
    s.buffer.assign(static_cast<size_t>(int64_t{b->dim.h} * b->dim.w * b->channels), 0);
  }
  SimulationResult result;
  for (size_t p = 0; p < s.order.size(); ++p) {
    const ResolvedLayer& l = s.plan.layer(s.order[p]);
    LayerResult traced;
    traced.layer = l.index;
    EDGETWIN_TRY_ASSIGN(Picture out, s.compute(p, s.options.trace ? &traced : nullptr));
    if (s.options.trace || l.output || p + 1 == s.order.size()) {
      traced.out = to_tensor(out);
      result.layers.push_back(std::move(traced));
    }
    s.outputs[static_cast<size_t>(l.index)] = std::move(out);
    s.release(p);
  }
  return result;
}

Result<SimulationResult> simulate(const ai8x::Network& network, const ai8x::Parameters& parameters,
                                  const Tensor& sample, const Options& options,
                                  const SimulationOptions& simulation) {
  SampleShape shape;
  if (sample.shape.rank() > 0) shape.c = static_cast<int>(sample.shape[0]);
  shape.h = static_cast<int>(sample.shape.rank() > 1 ? sample.shape[1] : 1);
  shape.w = static_cast<int>(sample.shape.rank() > 2 ? sample.shape[2] : 1);
  Findings findings;
  const auto plan = resolve(network, parameters, shape, options, findings);
  if (const Finding* error = first_error(findings)) {
    return error_of(*error, ErrorCode::max78_rules);
  }
  EDGETWIN_TRY_ASSIGN(Simulation s, Simulation::make(*plan, simulation));
  return s.run(sample);
}

}  // namespace edgetwin::max78

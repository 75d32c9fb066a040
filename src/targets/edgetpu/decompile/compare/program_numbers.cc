#include "targets/edgetpu/decompile/compare/program_numbers.h"

#include <cmath>

namespace edgetwin::edgetpu {
namespace {

// 1 / scale of what the tables of functions give.
float table_steps(LayerType t) {
  constexpr float kSteps = 256.0F;
  return t == LayerType::tanh ? kSteps / 2 : kSteps;
}

std::vector<float> gate_multipliers(const DecompiledLayer& l) {
  std::vector<float> all;
  for (const GateNumbers& g : l.gates) {
    all.insert(all.end(), {g.input_multiplier, g.hidden_multiplier, g.scale});
  }
  return all;
}

std::vector<float> multipliers_of(const DecompiledLayer& l) {
  const float m = l.numbers.multiplier;
  switch (l.type) {
    case LayerType::lstm:
      return gate_multipliers(l);
    case LayerType::conv:
    case LayerType::depthwise:
    case LayerType::dense:
      if (!l.content.scales.empty()) return l.content.scales;
      return std::vector<float>(static_cast<size_t>(l.out.c), m);
    case LayerType::add:
      // In the order in which they are written.
      if (l.add_weight[0] < 0) {
        return {m, static_cast<float>(l.add_weight[1]), static_cast<float>(-l.add_weight[0])};
      }
      return {m, static_cast<float>(l.add_weight[0]),
              std::abs(static_cast<float>(l.add_weight[1]))};
    case LayerType::average_pool: {
      std::vector<float> means;
      for (const PoolMean& mean : l.means) means.push_back(mean.multiplier);
      return means.empty() ? std::vector<float>{m} : means;
    }
    case LayerType::mul:
      return {m};
    case LayerType::quantize:
      return adds(l) ? std::vector<float>{} : std::vector<float>{m};
    case LayerType::logistic:
    case LayerType::tanh:
      return {m * table_steps(l.type)};
    case LayerType::softmax:
      return {l.softmax_scale * table_steps(l.type)};
    case LayerType::max_pool:
    case LayerType::maximum:
    case LayerType::minimum:
    case LayerType::resize:
      return {1.0F};
    default:
      return {};
  }
}

int first_zero(const BlockContent& c) { return c.zero_points.empty() ? 0 : c.zero_points.front(); }

std::vector<int> gate_zero_points(const DecompiledLayer& l) {
  std::vector<int> zeros;
  for (const GateNumbers& g : l.gates) {
    zeros.insert(zeros.end(), {g.input_zero_point, first_zero(g.of_input), g.hidden_zero_point,
                               first_zero(g.of_hidden)});
  }
  zeros.push_back(l.numbers.output_zero_point);
  return zeros;
}

std::vector<int> zero_points_of(const DecompiledLayer& l) {
  if (l.type == LayerType::lstm) return gate_zero_points(l);
  std::vector<int> zeros{l.numbers.input_zero_point};
  for (const uint8_t z : l.content.zero_points) {
    if (zeros.size() < 2 || zeros.back() != z) zeros.push_back(z);
  }
  zeros.push_back(l.numbers.output_zero_point);
  return zeros;
}

// Functions have the limits of their tables.
bool has_limits(LayerType t) {
  return has_weights(t) || t == LayerType::lstm || t == LayerType::add || t == LayerType::mul ||
         t == LayerType::average_pool || t == LayerType::quantize;
}

void add_numbers(const DecompiledOp& op, NumbersByOp& to) {
  for (size_t n = 0; n < op.layers.layers.size() && n < op.written.size(); ++n) {
    const DecompiledLayer& l = op.layers.layers[n];
    ProgramNumbers p;
    p.multipliers = multipliers_of(l);
    if (op.written[n] < 0 || !l.problem.empty() || p.multipliers.empty()) continue;
    p.has_limits = has_limits(l.type);
    p.lower = l.numbers.lower;
    p.upper = l.numbers.upper;
    if (has_weights(l.type) || l.type == LayerType::lstm) p.zero_points = zero_points_of(l);
    to[static_cast<size_t>(op.written[n])] = std::move(p);
  }
}

}  // namespace

NumbersByOp program_numbers(const std::vector<DecompiledOp>& ops) {
  NumbersByOp numbers;
  for (const DecompiledOp& op : ops) {
    if (op.graph == 0) add_numbers(op, numbers);
  }
  return numbers;
}

void take_program_numbers(const NumbersByOp& numbers, std::vector<NetworkLayer>& layers) {
  for (NetworkLayer& l : layers) {
    const auto found = numbers.find(l.op);
    if (found == numbers.end()) continue;
    const ProgramNumbers& p = found->second;
    l.multipliers = p.multipliers;
    if (!p.zero_points.empty()) l.zero_points = p.zero_points;
    l.limits_known = p.has_limits;
    if (!p.has_limits) continue;
    l.lower = p.lower;
    l.upper = p.upper;
  }
}

}  // namespace edgetwin::edgetpu

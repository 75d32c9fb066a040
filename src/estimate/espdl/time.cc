// Source: specification of estimates 2.2.
#include <algorithm>
#include <span>

#include "estimate/constants.h"
#include "estimate/espdl/parts.h"
#include "estimate/numbers.h"

namespace edgetwin::estimates {
namespace {

double& of(EspdlModel& m, Feature f) { return m.cycles[static_cast<size_t>(f)]; }

void set_current(EspdlModel& m) {
  of(m, Feature::V) = constant(m.s3 ? Constant::s3_current_V : Constant::p4_current_V);
  of(m, Feature::A) = constant(m.s3 ? Constant::s3_current_A : Constant::p4_current_A);
  // A step of int16 has half the lanes; no row prices it apart.
  of(m, Feature::V16) = of(m, Feature::V);
  m.low = 0.88;
  m.high = 1.14;
  m.basis = {
      "fitted",         m.s3 ? "espdl-s3-current" : "espdl-p4-current",   4, m.s3 ? 2.1 : 2.0,
      m.s3 ? 4.7 : 3.0, "component pages of yolo26 0.1.1 and its sisters"};
}

struct FeatureCycles {
  Feature feature;
  Constant constant;
};

constexpr FeatureCycles kTreeS3[] = {
    {Feature::V, Constant::s3_tree_V},     {Feature::G, Constant::s3_tree_G},
    {Feature::D, Constant::s3_tree_D},     {Feature::S_large, Constant::s3_tree_S_psram},
    {Feature::A, Constant::s3_tree_A},     {Feature::T, Constant::s3_tree_T},
    {Feature::T16, Constant::s3_tree_T16}, {Feature::V16, Constant::s3_tree_V16},
    {Feature::N, Constant::s3_tree_N},
};

constexpr FeatureCycles kTreeP4[] = {
    {Feature::V, Constant::p4_tree_V},
    {Feature::G, Constant::p4_tree_G},
    {Feature::D, Constant::p4_tree_D},
    {Feature::S_middle, Constant::p4_tree_S_middle},
    {Feature::S_large, Constant::p4_tree_S_large},
    {Feature::A, Constant::p4_tree_A},
    {Feature::T, Constant::p4_tree_T},
    {Feature::T16, Constant::p4_tree_T16},
    {Feature::V16, Constant::p4_tree_V16},
    {Feature::Q, Constant::p4_tree_Q},
    {Feature::N, Constant::p4_tree_N},
};

void set_tree(EspdlModel& m) {
  const std::span<const FeatureCycles> rows =
      m.s3 ? std::span<const FeatureCycles>(kTreeS3) : std::span<const FeatureCycles>(kTreeP4);
  for (const FeatureCycles& row : rows) of(m, row.feature) = constant(row.constant);
  m.low = m.s3 ? 0.75 : 0.7;
  m.high = m.s3 ? 1.8 : 1.7;
  m.basis = {"fitted",           m.s3 ? "espdl-s3-tree" : "espdl-p4-tree",
             m.s3 ? 13 : 17,     m.s3 ? 3.0 : 6.0,
             m.s3 ? 40.0 : 38.0, "tables of ESP-DL's source tree up to 3.3.9"};
}

// Only the S3's tree has rows of parameters in flash; elsewhere its bytes are assumed, by the
// clock.
void set_flash(EspdlModel& m) {
  const double cycles = constant(Constant::s3_tree_S_flash) * m.mhz / constant(Constant::s3_mhz);
  of(m, Feature::S_middle) = m.s3 ? 0.0 : cycles;
  of(m, Feature::S_large) = cycles;
}

}  // namespace

EspdlModel espdl_model(bool s3, bool tree, bool parameters_in_flash) {
  EspdlModel m;
  m.s3 = s3;
  m.tree = tree;
  m.mhz = constant(s3 ? Constant::s3_mhz : Constant::p4_mhz);
  if (!tree) {
    set_current(m);
  } else {
    set_tree(m);
  }
  if (parameters_in_flash) set_flash(m);
  of(m, Feature::A_internal) =
      std::min(constant(s3 ? Constant::s3_internal_A : Constant::p4_internal_A),
               m.cycles[static_cast<size_t>(Feature::A)]);
  return m;
}

double espdl_ms(const EspdlModel& model, const std::vector<NodeFeatures>& nodes) {
  double cycles = 0.0;
  for (const NodeFeatures& n : nodes) {
    for (size_t f = 0; f < kFeatures; ++f) cycles += model.cycles[f] * n.value[f];
  }
  return cycles / model.mhz / 1000.0;
}

namespace espdlparts {
namespace {

// Cycles of one node by what binds it.
struct Parts {
  double compute = 0, memory = 0, overhead = 0;
  double all() const { return compute + memory + overhead; }
};

Parts parts_of(const EspdlModel& m, const NodeFeatures& n) {
  const auto cycles = [&](Feature f) { return m.cycles[static_cast<size_t>(f)] * n[f]; };
  Parts p;
  for (const Feature f : {Feature::V, Feature::V16, Feature::G, Feature::D, Feature::A_internal,
                          Feature::T, Feature::T16, Feature::Q}) {
    p.compute += cycles(f);
  }
  p.memory = cycles(Feature::S_middle) + cycles(Feature::S_large) + cycles(Feature::A);
  p.overhead = cycles(Feature::N);
  return p;
}

// Milliseconds: what computes goes with the chip's clock, bytes with that of the memory.
double ms_of(const Work& w, const Parts& p, double memory_factor, double core_factor) {
  const double compute = (p.compute + p.overhead) / w.mhz;
  const double memory = p.memory * memory_factor / w.model.mhz;
  return (compute + memory) * core_factor * w.board->time / 1000.0;
}

double cores_factor(const Work& w, const NodeFeatures& n) {
  if (w.cores == 1 || !n.convolution) return 1.0;
  if (w.nodes.size() == 1) {
    return constant(w.s3 ? Constant::s3_two_cores_single : Constant::p4_two_cores_single);
  }
  return constant(w.s3 ? Constant::s3_two_cores : Constant::p4_two_cores);
}

double total_ms(const Work& w, double memory_factor) {
  double ms = 0.0;
  for (const NodeFeatures& n : w.nodes) {
    ms += ms_of(w, parts_of(w.model, n), memory_factor, cores_factor(w, n));
  }
  return ms;
}

std::string shape_text(const std::vector<int64_t>& shape) {
  std::string text;
  for (const int64_t n : shape) text += (text.empty() ? "" : "x") + std::to_string(n);
  return text;
}

EstimateLayer layer_of(const Work& w, size_t i, double memory_factor) {
  const espdl::Node& node = w.document->nodes[i];
  const NodeFeatures& n = w.nodes[i];
  const Parts p = parts_of(w.model, n);
  EstimateLayer row;
  row.index = static_cast<int>(i);
  row.name = node.name;
  row.op = node.op_type;
  const NodeUse& use = w.variables.nodes[i];
  if (!use.outputs.empty()) {
    row.output = shape_text(w.variables.all[static_cast<size_t>(use.outputs.front())].shape);
  }
  row.macs = n.macs;
  row.cycles = static_cast<int64_t>(p.all());
  row.ms = ms_of(w, p, memory_factor, cores_factor(w, n));
  row.bound = "compute";
  if (p.memory > p.compute) row.bound = "memory";
  if (p.overhead > std::max(p.compute, p.memory)) row.bound = "overhead";
  for (size_t f = 0; f < kFeatures; ++f) {
    if (n.value[f] == 0.0) continue;
    row.features.push_back({std::string(name(static_cast<Feature>(f))), n.value[f]});
  }
  return row;
}

// Below the smallest network that was published for the current runtime its model has no overhead
// for each node: the high end gets that of the tree.
void add_small(const Work& w, EstimateRange& ms, Estimate& e) {
  constexpr double kSmallest = 40.0;  // ms
  if (w.tree || ms.mid >= kSmallest) return;
  const double node = constant(w.s3 ? Constant::s3_tree_N : Constant::p4_tree_N);
  ms.high += node * static_cast<double>(w.nodes.size()) / w.mhz / 1000.0 * w.board->time;
  e.not_modelled.push_back(
      "overhead of each node: no network this small is published, the high end has the tree's");
}

}  // namespace

void add_time(const Work& w, Estimate& e) {
  const bool quad = w.board->psram_lines == 4;
  const double low = quad ? constant(Constant::s3_quad_psram_low) : 1.0;
  const double mid = quad ? constant(Constant::s3_quad_psram) : 1.0;
  const double high = quad ? constant(Constant::s3_quad_psram_high) : 1.0;
  EstimateRange ms = {total_ms(w, low) * w.model.low, total_ms(w, mid),
                      total_ms(w, high) * w.model.high};
  add_small(w, ms, e);
  e.latency_ms = ms;
  e.basis = w.model.basis;
  e.phases.push_back({"inference", false, ms, {}, ""});
  for (size_t i = 0; i < w.nodes.size(); ++i) e.layers.push_back(layer_of(w, i, mid));
  for (EstimateLayer& l : e.layers) l.share = ms.mid > 0.0 ? l.ms / ms.mid : 0.0;
  e.outside = "pictures before, decoding after";
}

}  // namespace espdlparts

}  // namespace edgetwin::estimates

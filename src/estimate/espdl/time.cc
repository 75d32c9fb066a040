// Source: specification of estimates 2.2.
#include <algorithm>

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
      "fitted",         m.s3 ? "espdl-s3-current" : "espdl-p4-current",   3, m.s3 ? 1.5 : 1.9,
      m.s3 ? 1.8 : 2.4, "component pages of yolo26 0.1.1 and its sisters"};
}

void set_tree_s3(EspdlModel& m, bool flash) {
  of(m, Feature::V) = constant(Constant::s3_tree_V);
  of(m, Feature::G) = constant(Constant::s3_tree_G);
  of(m, Feature::D) = constant(Constant::s3_tree_D);
  of(m, Feature::S_large) = constant(flash ? Constant::s3_tree_S_flash : Constant::s3_tree_S_psram);
  of(m, Feature::A) = constant(Constant::s3_tree_A);
  of(m, Feature::T) = constant(Constant::s3_tree_T);
  of(m, Feature::T16) = constant(Constant::s3_tree_T16);
  of(m, Feature::V16) = constant(Constant::s3_tree_V16);
  of(m, Feature::N) = constant(Constant::s3_tree_N);
  m.low = 0.75;
  m.high = 1.8;
  m.basis = {
      "fitted", "espdl-s3-tree", 13, 3.0, 40.0, "tables of ESP-DL's source tree up to 3.3.9"};
}

void set_tree_p4(EspdlModel& m) {
  of(m, Feature::V) = constant(Constant::p4_tree_V);
  of(m, Feature::G) = constant(Constant::p4_tree_G);
  of(m, Feature::D) = constant(Constant::p4_tree_D);
  of(m, Feature::S_middle) = constant(Constant::p4_tree_S_middle);
  of(m, Feature::S_large) = constant(Constant::p4_tree_S_large);
  of(m, Feature::A) = constant(Constant::p4_tree_A);
  of(m, Feature::T) = constant(Constant::p4_tree_T);
  of(m, Feature::T16) = constant(Constant::p4_tree_T16);
  of(m, Feature::V16) = constant(Constant::p4_tree_V16);
  of(m, Feature::Q) = constant(Constant::p4_tree_Q);
  of(m, Feature::N) = constant(Constant::p4_tree_N);
  m.low = 0.7;
  m.high = 1.7;
  m.basis = {
      "fitted", "espdl-p4-tree", 17, 6.0, 38.0, "tables of ESP-DL's source tree up to 3.3.9"};
}

// Of the chips with flash parameters for which no row exists: the S3's bytes, by the clock.
void assume_flash(EspdlModel& m) {
  if (m.s3 && m.tree) return;
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
  } else if (s3) {
    set_tree_s3(m, parameters_in_flash);
  } else {
    set_tree_p4(m);
  }
  if (parameters_in_flash) assume_flash(m);
  of(m, Feature::A_internal) =
      std::min(constant(Constant::internal_A), m.cycles[static_cast<size_t>(Feature::A)]);
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
  return constant(w.nodes.size() == 1 ? Constant::two_cores_single : Constant::two_cores);
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
  const double low = quad ? constant(Constant::quad_psram_low) : 1.0;
  const double mid = quad ? constant(Constant::quad_psram) : 1.0;
  const double high = quad ? constant(Constant::quad_psram_high) : 1.0;
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

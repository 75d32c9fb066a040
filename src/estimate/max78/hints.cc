// What the formulas say would cost less.
#include "estimate/hints.h"

#include "estimate/max78/parts.h"
#include "estimate/numbers.h"
#include "report/format.h"

namespace edgetwin::estimates::max78parts {
namespace {

constexpr double kWorthSaying = 0.05;  // of the time
constexpr double kFirstLayer = 0.25;
constexpr int64_t kFoldChannels = 4;

std::string layer_text(const EstimateLayer& row) {
  return "layer " + std::to_string(row.index) + ": " + number_text(100.0 * row.share) +
         " % of the time; ";
}

// Kernels that are walked for gaps between the output's processors.
void unaligned(const Max78Layer& l, const max78::LayerPlan& p, const EstimateLayer& row,
               Estimate& e) {
  if (l.shape.passthrough || p.flatten || p.depthwise()) return;
  const int64_t surplus = l.shape.kernels - p.out_channels;
  const int64_t saved = surplus * l.shape.passes * l.shape.out_columns * l.shape.rows;
  if (surplus <= 0 || static_cast<double>(saved) < kWorthSaying * static_cast<double>(*row.cycles))
    return;
  e.hints.push_back(
      hint(Hint::unaligned, layer_text(row) + std::to_string(l.shape.kernels) +
                                " kernels are walked for " + std::to_string(p.out_channels) +
                                " outputs; an output map without gaps that begins at processor 4n "
                                "saves " +
                                report::count_text(saved) + " cycles"));
}

void passes(const Max78Layer& l, const max78::LayerPlan& p, const EstimateLayer& row, Estimate& e) {
  const int64_t needed = (p.in_channels + max78::kProcessors - 1) / max78::kProcessors;
  if (p.in_expand <= needed || row.share < kWorthSaying || l.shape.passthrough) return;
  e.hints.push_back(hint(Hint::passes, layer_text(row) + std::to_string(p.in_channels) +
                                           " channels are read in " + std::to_string(p.in_expand) +
                                           " passes; on 64 processors " + std::to_string(needed) +
                                           " would do"));
}

void single_taps(const Work& w, Estimate& e) {
  int64_t all = 0, single = 0;
  for (size_t i = 0; i < w.layers.size(); ++i) {
    const max78::LayerPlan& p = w.plan->layer(w.order[i]);
    all += w.layers[i].kernel_reads;
    if (!p.passthrough() && p.kernel.h * p.kernel.w == 1) single += w.layers[i].kernel_reads;
  }
  if (all == 0 || w.plan->small() || 2 * single < all) return;
  e.hints.push_back(hint(
      Hint::single_taps,
      number_text(100.0 * static_cast<double>(single) / static_cast<double>(all)) +
          " % of the kernel reads, which energy goes by, are of 1x1 kernels; a product of theirs "
          "costs nine times one of 3x3"));
}

void folding(const Work& w, Estimate& e) {
  if (w.layers.empty()) return;
  const max78::LayerPlan& p = w.plan->layer(w.order.front());
  const EstimateLayer& row = e.layers.front();
  if (p.passthrough() || p.in_channels > kFoldChannels || row.share < kFirstLayer) return;
  e.hints.push_back(hint(Hint::folding, layer_text(row) + "it reads " +
                                            std::to_string(p.in_channels) +
                                            " channels on as many processors; folding 4x4 pixels "
                                            "into channels leaves 1/16 of the output pixels"));
}

}  // namespace

void add_hints(const Work& w, Estimate& e) {
  for (size_t i = 0; i < w.layers.size(); ++i) {
    const max78::LayerPlan& p = w.plan->layer(w.order[i]);
    unaligned(w.layers[i], p, e.layers[i], e);
    passes(w.layers[i], p, e.layers[i], e);
  }
  single_taps(w, e);
  folding(w, e);
}

}  // namespace edgetwin::estimates::max78parts

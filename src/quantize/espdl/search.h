// Which layers are worth 16 bits: the way from 8 bits everywhere to 16 in every layer, the noisiest
// first, measured at the outputs. A layer is an operator with the activations and moves of its
// result, which become wide with it; activations of 16 bits become look-ups, as the runtime
// computes them in float otherwise.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/progress.h"
#include "quantize/espdl/quantize.h"

namespace edgetwin::quantize {

// Activations that the runtime computes in float at 16 bits, and can look up instead.
bool is_curve(OpKind kind);

struct SearchPoint {
  size_t wide = 0;     // layers of 16 bits
  std::string last;    // the layer that came last
  double noise = 0.0;  // noise to signal at the outputs
  int64_t constant_bytes = 0;
  double wide_macs = 0.0;  // share of the multiplications at 16 bits
};

struct SearchLimits {
  std::optional<double> wanted_decibels;  // signal over noise at the outputs
  std::optional<int64_t> most_bytes;      // of weights, biases and tables
  int points = 12;                        // at most so many networks are measured
  // Points that were measured before, all of them; empty: they are measured here.
  std::vector<SearchPoint> measured = {};
};

struct SearchResult {
  std::vector<SearchPoint> path;       // from none to all
  size_t chosen = 0;                   // index in `path`
  std::map<std::string, int> bits_of;  // of the chosen one, as in Settings
  LutSettings lut;                     // the same
  std::optional<double> wanted;        // SearchLimits::wanted_decibels
  bool reached = true;                 // whether the chosen point reaches it
  size_t best = 0;                     // the point of least noise, whatever its bytes
};

// What a wish that was not reached lacks, in a sentence; empty where it was reached or none was
// made.
std::string missing_text(const SearchResult& result, const SearchLimits& limits);

// With a wish: the first point that reaches it; without: the first that gains half of what 16 bits
// everywhere gain, in decibels. Points beyond `most_bytes` are not chosen. Where none reaches the
// wish, the least noisy of the others is chosen, and `reached` is false.
// Without Settings::lut.to_lut all activations that have tables get them.
// Errors: quant_setting where nothing fits the limits, and those of quantize_espdl.
// The points that are independent of each other, for processes that share them out: those of which
// `mine` is true, with their numbers, and how many there are in all. Nothing is chosen.
struct SearchShare {
  size_t points = 0;
  std::vector<std::pair<size_t, SearchPoint>> mine;
};
Result<SearchShare> search_share(const Graph& network, const std::vector<Sample>& samples,
                                 const Settings& settings, const std::function<bool(size_t)>& mine);

Result<SearchResult> search(const Graph& network, const std::vector<Sample>& samples,
                            const Settings& settings, const SearchLimits& limits,
                            const ProgressSink& progress = nullptr);

}  // namespace edgetwin::quantize

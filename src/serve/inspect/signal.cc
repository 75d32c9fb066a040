#include "serve/inspect/signal.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace edgetwin::serve {
namespace {

constexpr double kLeast = -40, kMost = 120;  // decibels

// Channels after columns: (n, c, …) to (n, …, c).
std::vector<double> channels_last(const std::vector<double>& values, const Shape& s) {
  const int64_t n = s[0], c = s[1];
  const int64_t rest = s.elements() / std::max<int64_t>(n * c, 1);
  std::vector<double> moved(values.size());
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t k = 0; k < c; ++k) {
      for (int64_t r = 0; r < rest; ++r) {
        moved[static_cast<size_t>((i * rest + r) * c + k)] =
            values[static_cast<size_t>((i * c + k) * rest + r)];
      }
    }
  }
  return moved;
}

bool is_moved(const Shape& planes, const Shape& last) {
  const int rank = static_cast<int>(planes.rank());
  if (rank < 3 || static_cast<int>(last.rank()) != rank) return false;
  if (planes[0] != last[0] || planes[1] != last[rank - 1]) return false;
  for (int i = 2; i < rank; ++i) {
    if (planes[i] != last[i - 1]) return false;
  }
  return true;
}

std::optional<double> signal_of(const Tensor& chip, const Tensor& real, bool fitted) {
  if (chip.shape.elements() != real.shape.elements()) return std::nullopt;
  std::vector<double> wanted = reals_of(real);
  if (!fitted && is_moved(real.shape, chip.shape)) wanted = channels_last(wanted, real.shape);
  return decibels(wanted, reals_of(chip), fitted);
}

// 'conv1' of "#0 Conv 'conv1'" and "layer 0 'conv1'".
std::string own_name(const std::string& layer) {
  const size_t begin = layer.find('\''), end = layer.rfind('\'');
  return begin == std::string::npos || end == begin ? "" : layer.substr(begin + 1, end - begin - 1);
}

bool only_moves(const std::string& type) {
  return type == "input" || type == "Flatten" || type == "Reshape" || type == "Transpose" ||
         type == "Squeeze" || type == "Unsqueeze" || type == "Identity";
}

}  // namespace

std::vector<double> reals_of(const Tensor& t) {
  std::vector<double> values(static_cast<size_t>(t.shape.elements()));
  const double scale = static_cast<double>(t.quant.scale_of(0));
  const auto zero = static_cast<double>(t.quant.zero_point_of(0));
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = (element_as_double(t.dtype, t.data, static_cast<int64_t>(i)) - zero) * scale;
  }
  return values;
}

double decibels(const std::vector<double>& wanted, const std::vector<double>& got, bool fitted) {
  double ww = 0, wg = 0, gg = 0;
  for (size_t i = 0; i < std::min(wanted.size(), got.size()); ++i) {
    ww += wanted[i] * wanted[i];
    wg += wanted[i] * got[i];
    gg += got[i] * got[i];
  }
  const double scale = fitted && gg > 0 ? wg / gg : 1.0;
  double noise = 0;
  for (size_t i = 0; i < std::min(wanted.size(), got.size()); ++i) {
    const double d = wanted[i] - scale * got[i];
    noise += d * d;
  }
  if (!std::isfinite(noise)) return kLeast;
  if (noise <= 0) return kMost;
  if (!(ww > 0)) return kLeast;
  return std::clamp(10 * std::log10(ww / noise), kLeast, kMost);
}

std::vector<LayerSignal> signals_of(const Run& chip, const Run& real, bool fitted) {
  std::map<std::string, size_t> by_tensor, by_layer;
  for (size_t i = 0; i < real.layers.size(); ++i) {
    by_tensor.emplace(real.layers[i].tensor.name, i);
    if (const std::string own = own_name(real.layers[i].layer); !own.empty()) {
      by_layer.emplace(own, i);
    }
  }
  std::vector<LayerSignal> signals;
  for (const LayerResult& l : chip.layers) {
    auto found = by_tensor.find(l.tensor.name);
    const bool same_tensor = found != by_tensor.end();
    if (!same_tensor) {
      found = by_layer.find(own_name(l.layer));
      const bool inside = l.tensor.name.ends_with(".pool") || l.tensor.name.ends_with(".elt");
      if (found == by_layer.end() || inside) continue;
    }
    size_t at = found->second;
    if (only_moves(real.layers[at].type)) continue;
    auto db = signal_of(l.tensor, real.layers[at].tensor, fitted);
    if (!same_tensor && at + 1 < real.layers.size() && real.layers[at + 1].type == "Relu") {
      const auto behind = signal_of(l.tensor, real.layers[at + 1].tensor, fitted);
      if (behind && (!db || *behind > *db)) {
        db = behind;
        ++at;
      }
    }
    if (db) signals.push_back({real.layers[at].layer, real.layers[at].tensor.name, *db});
  }
  return signals;
}

}  // namespace edgetwin::serve

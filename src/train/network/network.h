// A network for the MAX78000 or MAX78002 as it is trained: layers with their shapes in running
// order. Specification: training, 9.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "formats/ai8x/network.h"
#include "train/layers/layer.h"

namespace edgetwin::train {

enum class NormKind : unsigned char { none, affine, plain };

// Channels, rows and columns of maps.
struct MapShape {
  int c = 0;
  Pair size;
  int elements() const { return c * size.h * size.w; }
  bool operator==(const MapShape&) const = default;
};

inline constexpr int kNetworkInput = -1;

struct NetworkLayer {
  std::string name;                  // of its parameters
  std::vector<int> sources;          // layers, or kNetworkInput
  std::array<int, 2> crop = {0, 0};  // rows removed at the start and at the end
  std::optional<Pair> view;  // the same elements in the order (c, h, w) as maps of this size
  LayerSpec spec;
  MapShape input, output;  // `input` of each operand, after the steps above
  int owner = -1;          // another layer whose parameters it uses
  bool frozen = false;     // parameters are constants
  bool bias = true;
  NormKind norm = NormKind::none;
  float dropout = 0;                      // share of the outputs that are 0 in a step of training
  std::optional<int> bits, output_shift;  // of the description
  bool is_output = false;
  int line = 0;
};

struct Network {
  std::string file, arch;
  MapShape input;
  std::vector<NetworkLayer> layers;

  // The layer whose parameters layer `i` uses.
  size_t owner(size_t i) const {
    return layers[i].owner < 0 ? i : static_cast<size_t>(layers[i].owner);
  }
  std::vector<size_t> outputs() const;
  // Multiplications for one picture.
  int64_t products() const;
};

}  // namespace edgetwin::train

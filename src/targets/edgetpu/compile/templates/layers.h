// Weighted layers over several positions: convolutions and depthwise convolutions.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "targets/edgetpu/compile/templates/parts.h"
#include "targets/edgetpu/compile/templates/tiling.h"

namespace edgetwin::edgetpu::compiler {

// Lines of a tile that keep a block of parameters, or a part of it.
struct Piece {
  int tile = 0;
  int64_t line = 0, lines = 0;
};

// Parameters that come from the host while the layer is computed.
struct Stream {
  int64_t offset = 0, bytes = 0;
};
// Numbers that are added to the channels of a word come from the host as one line of so many slots.
// They take two lines of wide memory and 32 above them that no instruction names, as layers do.
inline constexpr int64_t kBiasSlots = 16, kBiasLines = 34;
struct Biases {
  int64_t line = -1;
  Stream stream{};
};

struct LayerSpec {
  // The input where its readers find it: split over the tiles with borders, or, where `whole`, all
  // of it with its border in each tile.
  const Map* in = nullptr;
  const Map* out = nullptr;
  bool whole = false;
  int64_t whole_base = 0, whole_columns = 0;  // bytes; pixels of a row with its border
  Window y, x;
  int64_t outputs = 1;     // channels
  int64_t out_offset = 0;  // bytes into the output's pixels
  int64_t slots = 64;      // of a line of parameters
  Tiling tiling;
  Numbers numbers;
  std::vector<Piece> pieces;
  std::optional<Stream> stream;  // instead of pieces
  // Of a convolution with lines of four outputs: its parameters go the way of depthwise ones.
  bool returns = false;
};

void convolution(Program& p, const LayerSpec& spec);
// Whether public programs have the forms of a convolution's tensor instructions. `out` has no place
// yet. What it was asked before it knows: planning asks for the same layers again and again.
class KnownForms {
 public:
  bool has(const LayerSpec& spec);
  // Of a layer with weights: by the law, or another way where public programs have the forms of
  // that one only. `top`: first line above its buffers.
  const Tiling& tiling(LayerSpec spec, const Tiling& shape, int64_t top);

 private:
  // By what forms depend on.
  std::map<std::vector<int64_t>, bool> known_;
  std::map<std::vector<int64_t>, Tiling> tilings_;
};
void depthwise(Program& p, const LayerSpec& spec);

// Fills the border of a tensor from the neighbours and with its zero point. Behind a barrier, or at
// once behind what makes the tensor: a convolution, or in the vendor's style an instruction that
// makes it word by word, all positions of one word before the next.
enum class Behind : uint8_t { barrier, layer, words };
void halo(Program& p, const Map& map, int zero, Behind behind = Behind::barrier);

}  // namespace edgetwin::edgetpu::compiler

// Layers that make the rows of a list, one after the other, each byte of one byte of the one
// before: how pieces of such a chain become one.
#pragma once

#include "targets/edgetpu/decompile/operands/layer_search.h"

namespace edgetwin::edgetpu {

// From the list's part to the convolution, over layers that nobody else reads.
using Chain = std::vector<size_t>;

class ChainJoiner {
 public:
  // Functions stand in a chain, too, or rescalings alone.
  ChainJoiner(LayerSearch& search, bool functions)
      : search_(search), all_(search.result.layers), functions_(functions) {
    gone_.assign(all_.size(), false);
  }

  int readers(Producer p) const;
  // Empty: it is no part that can be a piece.
  Chain chain_of(Producer p) const;
  // Whether both are pieces of one: the same window of the same input with the same numbers.
  bool alike(const Chain& x, const Chain& y) const;
  // Outputs after outputs; nobody needs `from` any more.
  void take(const Chain& to, const Chain& from);
  // This layer is a part of another one now.
  void drop(size_t layer) { gone_[layer] = true; }
  // Those that are a part of others now. Layers count anew then.
  void erase();

 private:
  LayerSearch& search_;
  std::vector<DecompiledLayer>& all_;
  bool functions_;
  std::vector<bool> gone_;
};

// A function of every byte.
bool is_function(const DecompiledLayer& l);

// The stages and instructions of `from` belong to `to`, the layer of this number.
void take_stages(LayerSearch& search, size_t to, const DecompiledLayer& from);

// Zero points, limits and multiplier, or a multiplier for each channel.
bool same_numbers(const DecompiledLayer& x, const DecompiledLayer& y);

}  // namespace edgetwin::edgetpu

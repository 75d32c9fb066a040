// What a pool reads as pictures: the ways in which its instructions' words may be understood.
#pragma once

#include <vector>

#include "targets/edgetpu/decompile/operands/layer_search.h"
#include "targets/edgetpu/decompile/places/read_view.h"
#include "targets/edgetpu/decompile/sizes/sizes.h"

namespace edgetwin::edgetpu {

// Of what lies around a picture: an average counts real 0, for the greatest it is the byte 0.
enum class AroundPicture : uint8_t { real_zero, least };

struct PoolReading {
  Operand operand;
  SeenWindow window;
  size_t complexity = 0;  // 0: its producers' pictures as they are
};

// Of what the reading takes.
Extent2D extent_of(const MadePlaces& places, const Operand& operand);

// The simplest first.
std::vector<PoolReading> pool_readings(const LayerSearch& search, const MadePlaces& places,
                                       const std::vector<ReadView>& views, AroundPicture around);

// Whether the layer was found to have this window.
bool has_window(const DecompiledLayer& layer, const SeenWindow& window);

// The last word of a pixel may have fewer channels than it has room for: an output of the layer's
// size tells how many.
void take_announced_channels(DecompiledLayer& layer, const SizeContext& context);

}  // namespace edgetwin::edgetpu

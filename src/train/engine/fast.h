// The walks of convolution.h for the convolutions that networks have most (stride 1, dilation 1,
// one group), with vectors across output channels. Each result is the same chain of fused
// multiply-adds, so that every bit equals the plain loops, on every instruction set that has FMA.
// Specification: training, 17.
#pragma once

#include <optional>

#include "train/engine/convolution.h"
#include "train/engine/tiles.h"

namespace edgetwin::train {

// Nothing where there is no fast way: another window, or a processor without FMA.
std::optional<Maps> fast_gather(const Maps& large, std::span<const float> weights,
                                std::span<const float> bias, const Window& window, ThreadPool& pool,
                                const ItemHook& after = {});
std::optional<Maps> fast_scatter(const Maps& small, std::span<const float> weights,
                                 std::span<const float> bias, const Window& window, Pair size,
                                 ThreadPool& pool, const ItemHook& after = {});
std::optional<std::vector<float>> fast_correlate(const Maps& small, const Maps& large,
                                                 const Window& window, ThreadPool& pool);
std::optional<ConvolutionGradients> fast_gradients(Maps& gradient, const Maps& input,
                                                   std::span<const float> weights,
                                                   const Window& window, Wanted wanted,
                                                   ThreadPool& pool, const ItemHook& before);

// The loops of this processor; null where there are none.
const TileFunctions* fast_tiles();

// For tests: the plain loops everywhere, until it is called again.
void use_plain_loops(bool plain);

}  // namespace edgetwin::train

// The chip delivers an output tile by tile, with depth padded to a multiple of four; the host wants
// it dense, [y][x][z]. The tables of the layer say where each element is.
#pragma once

#include <span>

#include "formats/darwinn/darwinn.h"

namespace edgetwin::darwinn {

// Made once from a layer, where every entry of its tables is checked; then only copies.
class Relayout {
 public:
  // Errors: darwinn_layout.
  static Result<Relayout> make(const Layer& layer);

  size_t dense_bytes() const { return dense_bytes_; }
  size_t tiled_bytes() const { return tiled_bytes_; }

  // Both spans must have the sizes above; elements are copied as they are, without sign flips.
  void to_dense(ByteSpan tiled, std::span<std::byte> dense) const;
  // The inverse; padding of `tiled` is left as it is.
  void to_tiled(ByteSpan dense, std::span<std::byte> tiled) const;

 private:
  // `count` pieces of `size` bytes; neighbours are `pitch` apart on the tiled side and close
  // together on the dense side.
  struct Run {
    uint32_t tiled, dense, size, count, pitch;
  };
  void add(uint64_t tiled, uint64_t dense, uint32_t size);

  std::vector<Run> runs_;
  size_t dense_bytes_ = 0;
  size_t tiled_bytes_ = 0;
};

// Flips the top bit of every element where the type is signed for the host: its own inverse.
void flip_sign(std::span<std::byte> data, DataType type);

}  // namespace edgetwin::darwinn

// What the fast walks do with one picture. Specification: training, 17.
#pragma once

#include <span>

#include "train/engine/convolution.h"
#include "train/engine/tiles.h"

namespace edgetwin::train {

// Channels in the groups that weights and sums are padded to.
int padded_channels(int channels);

// What a correlation with stride 1 computes: input channels, output channels, halo.
struct Form {
  int in = 0, out = 0;
  Pair kernel, halo;
};

// A correlation with stride 1 of whole pictures, from input maps to output maps of the given sizes.
class PictureRows {
 public:
  // `weights` as below.
  PictureRows(const TileFunctions& tiles, const Form& form, Floats weights,
              std::span<const float> bias, Pair input, Pair output);
  PictureRows(const PictureRows&) = delete;
  PictureRows& operator=(const PictureRows&) = delete;
  // `halo` is a buffer: empty, or from another picture.
  void run(const Maps& input, Maps& output, int item, Floats& halo) const;

 private:
  // Rows and columns of the output whose taps are all inside of the picture.
  struct Middle {
    int first = 0, count = 0;
  };
  void whole_row(int y, const float* in, float* out) const;
  void middle_rows(const float* in, float* out) const;

  const TileFunctions& tiles_;
  Form form_;
  Floats weights_, start_;
  Pair input_, output_;
  bool column_;
  Middle rows_, columns_;
  bool divided_;  // the columns at the edges are computed by themselves, without the halo
  RowTask task_;
};

// Weights as (group of out, ky, kx, in, 16): of the walk from the large map to the small one, and
// of the walk back.
Floats gather_weights(std::span<const float> weights, const Window& window);
Floats scatter_weights(std::span<const float> weights, const Window& window);
Form gather_form(const Window& window);
Form scatter_form(const Window& window);

// The products of pictures, added to sums (ky, kx, channel of large, channel of small, padded).
class PictureSums {
 public:
  PictureSums(const TileFunctions& tiles, const Maps& small, const Maps& large,
              const Window& window);
  size_t size() const;  // of the sums
  void add(int item, float* sums);
  // In the order of checkpoints.
  std::vector<float> in_order(std::span<const float> sums) const;

 private:
  void add_taps(const SumTask& row);
  void add_patches(float* sums);

  const TileFunctions& tiles_;
  const Maps& small_;
  const Maps& large_;
  const Window& window_;
  bool column_;
  Floats halo_, gradient_, patches_;
};

}  // namespace edgetwin::train

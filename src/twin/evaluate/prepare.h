// Samples as the input of a network.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "edgetwin/inputs.h"
#include "evaluate/data/sample_set.h"
#include "image/espdl/params.h"
#include "image/pixels.h"
#include "image/resize.h"

namespace edgetwin::twin {

// How pictures become the input's size.
enum class Fit : uint8_t { nearest, half_pixel, lanczos, letterbox, crop };
std::string_view name(Fit fit);
std::optional<Fit> find_fit(std::string_view name);

struct Preparation {
  Fit fit = Fit::nearest;
  PictureScale scale;
  // Inputs of bytes: (pixel - mean) / std over this step, and the zero point; empty: the pixel.
  std::optional<double> step;
  bool keep_picture = false;                 // Inputs::picture, for decoders
  std::optional<espdl_image::Params> espdl;  // instead of all of this
};

// A sample at the network's input, and where the picture is in it.
struct Prepared {
  Inputs inputs;                        // with the picture that decoders refer to
  double scale_x = 1.0, scale_y = 1.0;  // from pixels of that picture to the sample's
  double left = 0.0, top = 0.0;         // of that picture, before scaling
  int64_t height = 0, width = 0;        // of the sample's picture; 0: it is none
  // For the decoders of ESP-DL.
  int64_t input_height = 0, input_width = 0;
  bool letterboxed = false;
  espdl_image::Chip chip = espdl_image::Chip::c;
};

// Errors: input_shape, input_type, those of pictures.
// `p` may be that of the sample before: its memory is used again.
Status prepare(const evaluation::Loaded& sample, const Runner& runner, const Preparation& how,
               Prepared& p);

}  // namespace edgetwin::twin

// What ESP-DL computes without a network: motion between two pictures, coloured areas, and the
// features of speech.
#pragma once

#include "base/result.h"
#include "decode/espdl/core/params.h"
#include "decode/espdl/core/result.h"
#include "tensor/tensor.h"

namespace edgetwin::espdl_decode {

// How many sampled points differ in grey by more than `threshold` (5). Pictures of params.pixels,
// uint8 of (rows, columns, bytes per pixel), of one size. The chip's sampling is kept as it is:
// after a row it goes on by width mod stride pixels and does not skip stride - 1 rows. Errors:
// decode_maps, bad_value; decode_maps too where the chip reads beyond the picture.
Result<Decoded> count_motion(const Tensor& first, const Tensor& second, const Params& params);

// Areas of params.colours in a picture of params.pixels, which is scaled to params.input (224 x
// 224) by nearest neighbour: `detections` of the colour's number with boxes in the picture, by
// colour and then from the top. Areas touch by edges and corners; those below the colour's number
// of pixels (256) are dropped. Errors: bad_value, IMG-*.
Result<Decoded> find_colours(const Tensor& picture, const Params& params);

// The speech features of `samples` (int16 at 16 kHz, or float32 from -1 to 1): arrays `fbank`
// (frames, 80) of logarithms, `feature` without the mean of each band, `quantized` int16 with
// params.exponent (-11). Sums are in double precision; the chip adds in the order of its vectors,
// so that values differ by up to 1e-3 and integers by one or two steps. Errors: bad_value,
// decode_maps.
Result<Decoded> speech_features(const Tensor& samples, const Params& params);

}  // namespace edgetwin::espdl_decode

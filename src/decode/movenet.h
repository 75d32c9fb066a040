// MoveNet: the key points stand in the output.
#pragma once

#include <vector>

#include "decode/pose.h"

namespace edgetwin::decode {

// (1 x 1 x) 17 x 3 of one person, y, x and score as parts of the picture; or (1 x) N x 56 of
// several, where a box and the person's score follow. Points are pixels of a picture of width x
// height. The score of one person is the mean of the points'. People below `threshold` are left
// out. Error: decode_maps.
Result<std::vector<Person>> decode_movenet(const Tensor& output, int64_t width, int64_t height,
                                           double threshold);

}  // namespace edgetwin::decode

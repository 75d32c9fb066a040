// The chip's post-processors behind one interface.
#pragma once

#include "dl_cls_postprocessor.hpp"
#include "dl_detect_postprocessor.hpp"
#include "dl_feat_postprocessor.hpp"
#include "vision.hpp"

namespace check {

int32_t in_millionths(float value);

// "boxes": of each class, x1, y1, x2, y2 and its points; "scores", "count", "mask_N". `together`:
// all looks of a network are suppressed at once.
std::unique_ptr<Post> boxes(dl::detect::DetectPostprocessor* processor, bool together);
// "scores" from the largest on, "names" of these classes, a line each.
std::unique_ptr<Post> classes(dl::cls::ClsPostprocessor* processor);
// "feature".
std::unique_ptr<Post> feature(dl::feat::FeatPostprocessor* processor);

}  // namespace check

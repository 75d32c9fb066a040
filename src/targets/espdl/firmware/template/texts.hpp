// Texts, by the vendor's component pp_ocr_v6: where they are, and what they say.
#pragma once

#include "vision.hpp"

namespace check {

// "corners" of each text, from the left upper one clockwise; "scores", "count".
std::unique_ptr<Post> text_detector(dl::Model* model, Eyes& eyes, float threshold,
                                    float text_threshold, float unclip, int smallest);
// "text" as bytes, "scores". It looks at the four corners of a text.
std::unique_ptr<Post> text_reader(dl::Model* model, Eyes& eyes);

}  // namespace check

// Networks that consist of what a decoder stands on.
#pragma once

#include "graph/graph.h"

namespace edgetwin {

Model pixels_model();   // a picture whose colours are taken for logits of three classes
Model movenet_model();  // 17 x 3 bytes made real
Model posenet_model();  // maps of 3 x 4 blocks and PosenetDecoderOp
Model ssd_model();      // three anchors and TFLite_Detection_PostProcess

// Networks that find what is written in the red levels of a picture: the answers are known without
// any arithmetic, so that figures over a set can be checked by hand.
inline constexpr int kFoundSide = 128;   // rows and columns of the picture
inline constexpr int kFoundBoxes = 120;  // ymin, xmin, ymax, xmax, class, score; column 6: how many
inline constexpr int kFoundPeople = 6;   // rows of a MoveNet for several people
inline constexpr int kFoundPerson = 56;  // 17 times y, x, score; a box; the score
inline constexpr int kFoundMap = 16;     // rows and columns of the picture of classes
Model found_boxes_model();
Model found_people_model();
Model found_classes_model();

}  // namespace edgetwin

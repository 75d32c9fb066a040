// Networks that consist of what a decoder stands on.
#pragma once

#include "graph/graph.h"

namespace edgetwin {

Model pixels_model();   // a picture whose colours are taken for logits of three classes
Model movenet_model();  // 17 x 3 bytes made real
Model posenet_model();  // maps of 3 x 4 blocks and PosenetDecoderOp
Model ssd_model();      // three anchors and TFLite_Detection_PostProcess

}  // namespace edgetwin

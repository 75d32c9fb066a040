// PoseNet and the key points of BodyPix: heatmaps and offsets of several people (PersonLab), and
// MultiPose, an older form of it.
#pragma once

#include <span>
#include <vector>

#include "decode/pose.h"
#include "graph/attrs.h"
#include "ops/decoders/posenet_decoder.h"

namespace edgetwin::decode {

// `maps`: heatmaps of 17 channels (logits), short offsets of 34 and mid-range offsets of 64, in any
// order, (1 x) H x W x channels of equal H and W; float32, or 8 bits with one scale. Points are
// pixels of the network's input. The core of the operator PosenetDecoderOp. Errors: decode_maps,
// decode_options.
Result<std::vector<ops::Pose>> posenet_poses(std::span<const Tensor> maps,
                                             const PosenetAttrs& options);
std::vector<Person> people_of(const std::vector<ops::Pose>& poses);
// From what the operator gave: key points, their scores, scores of poses, and their number. Error:
// decode_maps.
Result<std::vector<Person>> people_of_outputs(std::span<const Tensor> outputs);

struct MultiposeOptions {
  int stride = 16;
  int most = 10;
  double threshold = 0.25;
  double nms_radius = 20.0;  // pixels
};

// `maps`: heatmaps of 17 channels, offsets of 34, and displacements forward and backward of 32,
// told apart by their names (heatmap, offset, fwd, bwd), or, where names do not tell, by depth,
// forward first. Candidates are the largest of their 3 x 3 blocks, best first; equal ones by key
// point, row and column. People sorted by score; none is left out for it. Errors: decode_maps,
// decode_options.
Result<std::vector<Person>> decode_multipose(std::span<const Tensor> maps,
                                             const MultiposeOptions& options);

}  // namespace edgetwin::decode

// Boxes from the outputs of the detectors that ESP-DL publishes (docs/espdl-decode.md), in the
// arithmetic of the runtime's post-processors: thresholds as integers, boxes cut off to whole
// pixels before suppression, suppression without regard to classes.
#pragma once

#include <span>

#include "base/result.h"
#include "decode/espdl/core/params.h"
#include "decode/espdl/core/result.h"
#include "tensor/tensor.h"

namespace edgetwin::espdl_decode {

// Each takes its outputs by name from `outputs` and gives `detections`. Errors: decode_maps for
// missing or misshapen outputs, bad_value for parameters.

// box0..2 (rows, columns, 64), score0..2 (rows, columns, classes); strides 8, 16, 32.
Result<Decoded> decode_yolo11(std::span<const Tensor> outputs, const Params& params);
// The same with kpt0..2 (rows, columns, 51): 17 points of x, y, confidence.
Result<Decoded> decode_pose(std::span<const Tensor> outputs, const Params& params);
// The same with mc0..2 (rows, columns, n) coefficients and p (rows, columns, n) prototypes.
Result<Decoded> decode_segments(std::span<const Tensor> outputs, const Params& params);
// box0..2 (rows, columns, 4), score0..2 (rows, columns, 1).
Result<Decoded> decode_espdet(std::span<const Tensor> outputs, const Params& params);
// bbox0..2 (rows, columns, 32), score0..2 (rows, columns, 1).
Result<Decoded> decode_pico(std::span<const Tensor> outputs, const Params& params);
// box0..1 (rows, columns, 8), score0..1 (rows, columns, 2): two anchors per cell.
Result<Decoded> decode_msr(std::span<const Tensor> outputs, const Params& params);
// box (4), landmark (10), score (2) of one crop, which params.crop names.
Result<Decoded> decode_mnp(std::span<const Tensor> outputs, const Params& params);
// one2one_p3..5_box (rows, columns, 4), …_cls (rows, columns, classes). Boxes are in pixels of the
// network's input: the runtime does not map them back.
Result<Decoded> decode_yolo26(std::span<const Tensor> outputs, const Params& params);

// A detector that a user brings: its form is told by the shapes of its outputs, a remark says which
// (head_form.h).
Result<Decoded> decode_heads(std::span<const Tensor> outputs, const Params& params);

}  // namespace edgetwin::espdl_decode

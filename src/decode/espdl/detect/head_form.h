// What the outputs of a detector that somebody brings are, told by their shapes: YOLOv5 with
// anchors, YOLOv8, v9 and v11 with or without sums over bins, one map per stage or two, or rows of
// boxes that the network decoded itself.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "decode/espdl/core/outputs.h"
#include "decode/espdl/core/params.h"

namespace edgetwin::espdl_decode {

enum class HeadForm : uint8_t {
  distances,    // maps of left, top, right, bottom (`bins` values each) and of classes
  anchors,      // maps of three anchors: x, y, width, height, object, classes
  rows,         // centre x, y, width, height, classes
  rows_object,  // and with a score of the object before the classes
  rows_corners  // x1, y1, x2, y2, score, class: after the network's own suppression
};

// One stage of maps. Where boxes and scores are one map, both name it.
struct HeadStage {
  int stride = 8;
  Map box, score;
  int64_t first_score = 0;  // channel
};

struct Head {
  HeadForm form = HeadForm::distances;
  int64_t classes = 0;
  int64_t bins = 1;  // of `distances`: values per side; 1: the distance itself
  std::vector<HeadStage> stages;
  Map table;                  // of rows
  bool table_turned = false;  // numbers come before rows
  std::string words;          // what was taken, for people

  int64_t row_count() const { return table_turned ? table.channels() : table.cells(); }
  float row_value(int64_t row, int64_t at) const {
    return table_turned ? table.real(at, row) : table.real(row, at);
  }
};

// `maps` have channels last. Needs params.input. Errors: decode_maps where the shapes fit no form,
// or several and neither params.classes nor 80 classes decide; the message has what was tried.
Result<Head> head_of(std::span<const Tensor> maps, const Params& params);

}  // namespace edgetwin::espdl_decode

// Found objects by the post-processors of ESP-DL's detectors (docs/espdl-decode.md).
#pragma once

#include <string_view>
#include <vector>

#include "evaluate/metrics/row.h"
#include "twin/evaluate/judge.h"

namespace edgetwin::twin {

// Decoders of boxes for `detect`, of people for `keypoints`.
std::vector<std::string_view> espdl_decoders(evaluation::Task task);
bool is_espdl_decoder(evaluation::Task task, std::string_view name);

// In pixels of the sample's picture. Errors: decode_maps, bad_value.
Result<std::vector<evaluation::FoundObject>> espdl_objects(const Prepared& prepared, const Run& run,
                                                           const Judging& how);

}  // namespace edgetwin::twin

// Who was taken for whom, as a picture.
#pragma once

#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace edgetwin::train {

// Rows: true classes; darker: a larger share of the row. PNG; at least one class.
Result<Bytes> confusion_picture(const std::vector<std::vector<int64_t>>& confusion);
// Pixels of a side of that picture.
int confusion_side(size_t classes);

}  // namespace edgetwin::train

// Windows of one with a stride, which leave positions of a moved picture unread.
#pragma once

#include <vector>

#include "targets/edgetpu/decompile/places/read_view.h"

namespace edgetwin::edgetpu {

// Of each view whose window is one position and has a stride: the same with what lies between the
// positions that are read, where these are every stride-th one of a rectangle of one producer's
// picture, of the transposed one, or of its positions in rows of another length. The layer's
// function stays the same: nothing reads what is filled in.
std::vector<ReadView> filled_strides(const std::vector<ReadView>& views, const MadePlaces& places);

}  // namespace edgetwin::edgetpu

// The picture that a RESIZE_BILINEAR reads, without the edges that are copied around it.
#pragma once

#include "targets/edgetpu/decompile/places/read_view.h"

namespace edgetwin::edgetpu {

// Of the sizes that make the output with the steps of the instructions. Empty: its walks are not
// known, or tiles have no rectangle of such a picture.
std::vector<ReadView> resize_views(const LayerSearch& search, const LayerReads& reads);

}  // namespace edgetwin::edgetpu

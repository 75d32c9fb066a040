// What lies around a layer's input: how many taps of the outermost windows read constants instead
// of the picture. It tells the padding where sizes alone do not.
#pragma once

#include "targets/edgetpu/decompile/sizes/size_candidates.h"
#include "targets/edgetpu/decompile/sizes/sizes.h"

namespace edgetwin::edgetpu {

// Taps that lie outside of the picture: of the first window in front of it, of the last one after
// it; -1: not to be seen.
struct ConstantTaps {
  int rows = -1, columns = -1;
};
struct PictureBorder {
  ConstantTaps front, back;
  bool seen() const {
    return front.rows >= 0 && front.columns >= 0 && back.rows >= 0 && back.columns >= 0;
  }
};

PictureBorder border_of(const DecompiledLayer& l, const SizeContext& context);

bool agrees_with(const SizeCandidate& c, const PictureBorder& border, const DecompiledLayer& l);

// The same where windows after the output are computed, too: at least as many taps lie outside.
bool reaches_beyond(const SizeCandidate& c, const PictureBorder& border, const DecompiledLayer& l);

// The padding as it was seen, where sides differ.
void add_seen_padding(std::vector<SizeCandidate>& all, const PictureBorder& border,
                      const DecompiledLayer& l);

}  // namespace edgetwin::edgetpu

// The part of the proof that asks only the written file.
#pragma once

#include "targets/edgetpu/compile/proof/proof.h"

namespace edgetwin::edgetpu::compiler {

// Whether the file can be read, its checks and forms, and what of `source` it gives back when it is
// decompiled.
void read_again(const Graph& source, ByteSpan bytes, Proof& proof);

}  // namespace edgetwin::edgetpu::compiler

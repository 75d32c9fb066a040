// Result<T>, Status and Error: every function of this library that can fail returns one. An error
// has a stable id, a sentence, a place, the calculation and a remedy; nothing is thrown but for
// lack of memory, nothing is printed, nothing exits.
//
//   Result<Network> network = Network::open("net.tflite");
//   if (!network.ok()) return fail(to_text(network.error()));
//   use(*network);
#pragma once

#include "base/result.h"

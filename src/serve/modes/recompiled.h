// Weights of a network on a device, which our compiler writes into the program: each exchange
// compiles it anew and loads it again.
#pragma once

#include <functional>
#include <memory>

#include "graph/graph.h"
#include "twin/runners.h"

namespace edgetwin::serve {

// The device's runner of a network that was changed.
using MakeRunner = std::function<Result<std::unique_ptr<Runner>>(const Model& model)>;

// A runner with exchangeable weights; with none where the network's first layer has none of int8.
// Errors: those of `make`.
Result<std::unique_ptr<Runner>> recompiled_runner(std::shared_ptr<const Model> model,
                                                  MakeRunner make);

}  // namespace edgetwin::serve

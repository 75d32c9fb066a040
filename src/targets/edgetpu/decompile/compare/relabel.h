// Operators that a comparison of layers passes through, and what they share with the others.
#pragma once

#include <optional>

#include "graph/graph.h"
#include "numerics/rules.h"

namespace edgetwin::edgetpu {

// What an activation leaves of the real numbers.
numerics::RealRange real_range(Activation a);
Activation activation_of(const Op& op);

// QUANTIZE, or an activation of its own.
bool rescales(const Op& op);

// A sum, difference or product with one constant number; nothing: it is something else.
std::optional<numerics::BinarySpec> with_number(const Graph& graph, const Op& op);

// Whether an operator on bytes only moves them or gives them another scale: the compiler leaves it
// out, or its instructions copy. Nothing is added then, or a product changes no byte.
bool keeps_bytes(const Graph& graph, const Op& op);

}  // namespace edgetwin::edgetpu

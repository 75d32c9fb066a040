// Types of operators as the file writes them, and what they mean: the table operators.def.
#pragma once

#include <string_view>

#include "graph/graph.h"

namespace edgetwin::espdl {

// The meaning of a type; OpKind::opaque where the runtime has no such operator.
OpKind kind_of(std::string_view op_type);

// True if the runtime can create an operator of this type.
bool is_operator(std::string_view op_type);

// How a file writes this operator: its own Op::type where that is one of the runtime's for this
// kind, otherwise the first of the kind. "" where the runtime has none.
std::string_view type_of(const Graph& graph, const Op& op);

}  // namespace edgetwin::espdl

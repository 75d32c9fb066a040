// What the parts of the judgement share: nothing, or why an operator stays on the host.
#pragma once

#include "targets/edgetpu/compile/judge/rules.h"
#include "targets/edgetpu/compile/judge/source.h"
#include "targets/edgetpu/compile/judge/values.h"

namespace edgetwin::edgetpu::compiler {

using Answer = std::optional<Refusal>;

Answer no(Rule rule, size_t op, std::string message);
// Bytes with one scale and a fixed shape.
Answer check_value(const Graph& graph, size_t op, ValueId id);
Answer check_activation(size_t op, Activation activation);
// The sizes of a window layer follow from each other.
struct WindowSide {
  int64_t kernel, stride, dilation;
};
bool agrees(const Value& in, const Value& out, const Padding& padding, const WindowSide& y,
            const WindowSide& x);
Answer no_sizes(const Graph& graph, size_t op);

// Why an operator by itself cannot be compiled, whatever stands beside it.
Answer refused(const Source& source, size_t op);
// Answers for all operators in the order of the file, with what the vendor's compiler leaves to the
// host: factors of RESIZE_BILINEAR, and what would need a second program.
void leave_as_vendor(const Graph& graph, std::vector<Answer>& answers);

// One result for each element, of one operand.
Answer check_elements(const Graph& graph, size_t op);
Answer check_sum(const Graph& graph, size_t op);
Answer check_product(const Graph& graph, size_t op);
Answer check_join(const Graph& graph, size_t op);
Answer check_pool(const Graph& graph, size_t op);
Answer check_part(const Graph& graph, size_t op);
Answer check_resize(const Graph& graph, size_t op);
Answer check_pad(const Graph& graph, size_t op);
Answer check_transpose(const Graph& graph, size_t op);
Answer check_tile(const Graph& graph, size_t op);
Answer check_transposed(const Source& source, size_t op);
Answer check_pack(const Graph& graph, size_t op);
Answer check_blocks(const Graph& graph, size_t op);
Answer check_extreme(const Graph& graph, size_t op);
Answer check_softmax(const Graph& graph, size_t op);
Answer check_recurrent(const Graph& graph, size_t op);

}  // namespace edgetwin::edgetpu::compiler

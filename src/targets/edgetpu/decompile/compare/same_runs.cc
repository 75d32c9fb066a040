#include "targets/edgetpu/decompile/compare/same_runs.h"

#include <algorithm>
#include <memory>

#include "exec/input.h"
#include "exec/session.h"

namespace edgetwin::edgetpu {
namespace {

Result<exec::Session> open(const Graph& g) {
  exec::Options options;
  options.numerics = "edgetpu";
  return exec::Session::create(std::make_shared<const Graph>(g), options);
}

Status run(exec::Session& session, const std::vector<Tensor>& inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) EDGETWIN_TRY(session.set_input(i, inputs[i].data));
  return session.run();
}

void add_differences(ByteSpan x, ByteSpan y, SameRuns& result, bool& same) {
  const size_t common = std::min(x.size(), y.size());
  size_t different = std::max(x.size(), y.size()) - common;
  for (size_t k = 0; k < common; ++k) different += x[k] != y[k] ? 1 : 0;
  result.bytes += std::max(x.size(), y.size());
  result.different += different;
  same = same && different == 0;
}

}  // namespace

Result<SameRuns> same_runs(const Graph& decompiled, const Graph& source, uint32_t runs) {
  EDGETWIN_TRY_ASSIGN(auto theirs, open(source));
  SameRuns result{runs, 0, 0, 0};
  auto mine = open(decompiled);
  const bool same_form = source.inputs.size() == decompiled.inputs.size() &&
                         source.outputs.size() == decompiled.outputs.size();
  if (!mine.ok() || !same_form) return result;
  std::vector<Shape> shapes;
  for (const ValueId v : source.inputs) shapes.push_back(theirs.shape(v));
  for (uint32_t seed = 1; seed <= runs; ++seed) {
    EDGETWIN_TRY_ASSIGN(const auto in, exec::generated_inputs(seed, source, shapes));
    EDGETWIN_TRY(run(theirs, in));
    if (!run(*mine, in).ok()) continue;
    bool same = true;
    for (size_t o = 0; o < source.outputs.size(); ++o) {
      add_differences(theirs.bytes(source.outputs[o]), mine->bytes(decompiled.outputs[o]), result,
                      same);
    }
    result.equal += same ? 1 : 0;
  }
  return result;
}

}  // namespace edgetwin::edgetpu

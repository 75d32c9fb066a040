#include <cstring>

#include "base/json/json.h"
#include "c/options.h"
#include "edgetwin/verify.h"
#include "edgetwin/version.h"

namespace edgetwin::c {
namespace {

Status copy_inputs(edgetwin_runner& from, edgetwin_runner& to) {
  const auto sources = from.tensors.inputs(), places = to.tensors.inputs();
  EDGETWIN_TRY(
      require(sources.size() == places.size(), "the runners have other numbers of inputs"));
  for (size_t i = 0; i < sources.size(); ++i) {
    EDGETWIN_TRY_ASSIGN(const Tensors::Memory a, from.tensors.memory(sources[i]));
    EDGETWIN_TRY_ASSIGN(const Tensors::Memory b, to.tensors.memory(places[i]));
    if (a.bytes.size() != b.bytes.size()) {
      return Error(ErrorCode::input_shape, "input " + std::to_string(i) + " has " +
                                               std::to_string(a.bytes.size()) + " bytes in one, " +
                                               std::to_string(b.bytes.size()) + " in the other");
    }
    if (!a.bytes.empty()) std::memcpy(b.bytes.data(), a.bytes.data(), a.bytes.size());
  }
  return Ok{};
}

// The last run with its outputs as tensors, whether the runner kept layers or not.
Result<Run> run_of(edgetwin_runner& runner) {
  EDGETWIN_TRY(runner.tensors.allocate());
  EDGETWIN_TRY(runner.tensors.invoke());
  Run run = runner.tensors.last_run();
  if (!run.outputs.empty()) return run;
  for (const int32_t i : runner.tensors.outputs()) {
    EDGETWIN_TRY_ASSIGN(const Tensors::Memory memory, runner.tensors.memory(i));
    EDGETWIN_TRY_ASSIGN(const TensorRow* row, runner.tensors.row(i));
    run.outputs.push_back(
        {row->name, row->dtype, row->shape, row->quant, to_bytes(ByteSpan(memory.bytes))});
  }
  return run;
}

Json json_of(const TensorAgreement& t) {
  Json j = Json::object();
  j.set("name", t.name).set("layer", t.layer).set("output", t.output);
  j.set("elements", t.elements).set("different", t.different).set("largest", t.largest);
  if (!t.problem.empty()) j.set("problem", t.problem);
  if (t.different > 0) j.set("first", t.first_position).set("a", t.first_a).set("b", t.first_b);
  return j;
}

std::unique_ptr<edgetwin_document> document_of(const Agreement& agreement) {
  Json j = Json::object();
  const bool yes = agreement.equal() && !agreement.first;
  j.set("schema", 1).set("program", "edgetwin").set("version", version());
  j.set("command", "verify").set("exit_code", yes ? 0 : 1).set("errors", Json::array());
  j.set("compared", agreement.compared).set("different", agreement.different);
  Json tensors = Json::array();
  std::string text;
  for (const TensorAgreement& t : agreement.tensors) {
    tensors.push(json_of(t));
    text += t.name + ": " + std::to_string(t.different) + " of " + std::to_string(t.elements) +
            " differ" + (t.problem.empty() ? "" : "; " + t.problem) + "\n";
  }
  j.set("tensors", std::move(tensors));
  j.set("first", agreement.first ? Json(agreement.tensors[*agreement.first].name) : Json());
  j.set("only_in_a", Json::list(agreement.only_in_a));
  j.set("only_in_b", Json::list(agreement.only_in_b));
  auto document = std::make_unique<edgetwin_document>();
  document->verdict = yes ? 0 : 1;
  document->parts["json"] = j.text();
  document->parts["text"] = std::move(text);
  return document;
}

}  // namespace
}  // namespace edgetwin::c

using namespace edgetwin;     // NOLINT: the entry points of this file
using namespace edgetwin::c;  // NOLINT

extern "C" {

EDGETWIN_EXPORT int32_t edgetwin_verify(edgetwin_runner* a, edgetwin_runner* b,
                                        const edgetwin_option* options, size_t n,
                                        edgetwin_document** out, edgetwin_error** error) {
  return guard_out(out, error, [&]() -> Result<std::unique_ptr<edgetwin_document>> {
    EDGETWIN_TRY(require_handle(a, "the first runner is NULL or was freed"));
    EDGETWIN_TRY(require_handle(b, "the second runner is NULL or was freed"));
    EDGETWIN_TRY_ASSIGN(const Options given, options_of(options, n));
    if (!given.empty()) return unknown_key(given.front().first, "none");
    EDGETWIN_TRY(a->tensors.allocate());
    EDGETWIN_TRY(b->tensors.allocate());
    EDGETWIN_TRY(copy_inputs(*a, *b));
    EDGETWIN_TRY_ASSIGN(const Run run_a, run_of(*a));
    EDGETWIN_TRY_ASSIGN(const Run run_b, run_of(*b));
    return document_of(compare(run_a, run_b));
  });
}

}  // extern "C"

#include "cli/run/decoded.h"

#include "cli/run/run_output.h"
#include "twin/compute.h"
#include "twin/decode/decode_tensors.h"
#include "twin/decode/decode_text.h"

namespace edgetwin::cli {

Resize resize_for(const RunArguments& a) {
  const DecoderInfo* decoder = find_decoder(a.decode);
  return decoder == nullptr ? Resize::nearest : static_cast<Resize>(decoder->resize);
}

Result<std::optional<Decoded>> decode_computed(const RunArguments& a, const twin::DecoderView& view,
                                               const Inputs& inputs,
                                               const std::vector<Tensor>& outputs,
                                               const Labels& labels) {
  if (a.decode.empty()) return std::optional<Decoded>{};
  const std::vector<Port> ports = twin::graph_ports(*view.graph, view.graph->inputs);
  EDGETWIN_TRY_ASSIGN(Decoded decoded,
                      twin::decode_tensors(outputs, ports, view, inputs,
                                           {a.decode, a.threshold, labels, !a.image.empty()}));
  return std::optional<Decoded>(std::move(decoded));
}

Status show_computed(const RunArguments& a, const std::vector<Tensor>& outputs,
                     const Labels& labels, const std::optional<Decoded>& decoded,
                     Console& console) {
  if (decoded && !a.image.empty()) EDGETWIN_TRY(a.image.write(ByteSpan(decoded->png)));
  if (a.output.empty()) print_summary(outputs, console);
  if (decoded) {
    console.print(twin::to_text(*decoded));
    console.json().set(twin::member_of(*decoded), twin::to_json(*decoded));
  } else if (!a.labels.empty()) {
    check_labels(outputs, labels, console);
    console.json().set("best", print_best(outputs, labels, console));
  }
  return Ok{};
}

}  // namespace edgetwin::cli

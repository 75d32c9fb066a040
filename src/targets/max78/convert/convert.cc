#include "targets/max78/convert/convert.h"

#include <algorithm>

#include "formats/ai8x/parameters.h"
#include "formats/ai8x/read_yaml.h"
#include "targets/max78/convert/match/match.h"
#include "targets/max78/convert/place/place.h"
#include "targets/max78/convert/scale/scales.h"
#include "targets/max78/plan/make_plan.h"
#include "tensor/npy.h"

namespace edgetwin::max78 {
namespace {

SampleShape shape_of(const Draft& d) {
  const DraftTensor& in = d.tensor(0);
  return {in.channels, in.h, in.w};
}

Status check_bits(const Draft& d, const ConvertSettings& s) {
  for (const auto& [name, bits] : s.bits_of) {
    const bool known = std::any_of(d.layers.begin(), d.layers.end(), [&, n = name](const auto& l) {
      return l.name == n || l.node.find("'" + n + "'") != std::string::npos;
    });
    if (!known) {
      return Error(ErrorCode::quant_setting,
                   "--weight-bits names '" + name + "', which has no layer with weights");
    }
  }
  return Ok{};
}

// int64, as the vendor's loader wants it.
Result<Bytes> sample_file(const Draft& d, const Tensor& sample) {
  EDGETWIN_TRY_ASSIGN(const Tensor q, device_input(d, sample));
  Shape shape = q.shape;
  if (d.tensor(0).w == 1) shape = {shape[0], shape[1]};
  EDGETWIN_TRY_ASSIGN(Tensor wide, Tensor::zeros(DType::int64, shape));
  std::copy(q.as<int8_t>().begin(), q.as<int8_t>().end(), wide.as<int64_t>().begin());
  return write_npy(wide);
}

// The node of the user's network that a layer came from.
std::string node_of(const Draft& d, int layer) {
  const bool known = layer >= 0 && layer < static_cast<int>(d.layers.size());
  return known ? d.layer(layer).node : "";
}

// The files, read again, must be a network that the device's rules allow.
Status judge(Conversion& c, ConversionResult& result, bool placed) {
  const std::string file = c.draft.name + ".yaml";
  ai8x::NetworkReading read = ai8x::read_network_report(
      c.yaml, file, c.draft.device, placed ? ai8x::Maps::needed : ai8x::Maps::planned);
  for (const Finding& f : read.report.errors()) {
    result.misfits.push_back(error_of(f, ErrorCode::ai8x_network));
    result.misfits.back().place = {};  // the lines of a file that is not written
  }
  if (!read.network) return Ok{};
  c.network = std::move(*read.network);
  EDGETWIN_TRY_ASSIGN(const torch::Checkpoint checkpoint,
                      torch::Checkpoint::read(c.checkpoint, c.draft.name + ".pth.tar"));
  ai8x::ParameterReading reading = ai8x::read_checkpoint(c.network, checkpoint);
  if (!reading.parameters) {
    return error_of(reading.report.errors().front(), ErrorCode::ai8x_network);
  }
  c.parameters = std::move(*reading.parameters);
  if (!placed) return Ok{};
  const Planning plan = make_plan(c.network, c.parameters, shape_of(c.draft), Options());
  for (Finding f : plan.findings) {
    f.place = node_of(c.draft, f.place.layer_number.value_or(-1));
    if (f.severity == Severity::error) {
      result.misfits.push_back(error_of(f, ErrorCode::max78_rules));
    } else if (f.severity == Severity::warning) {
      result.findings.push_back(std::move(f));
    }
  }
  return Ok{};
}

}  // namespace

Result<ConversionResult> convert(const Graph& graph, const std::vector<quantize::Sample>& samples,
                                 const ConvertSettings& settings, const ProgressSink& progress) {
  EDGETWIN_TRY(require_layout(graph, Layout::nchw));
  ConversionResult result;
  Conversion c;
  c.draft = match(graph, settings.device, settings.name, settings.fold);
  const auto failed = [&] {
    if (c.draft.misfits.empty()) return false;
    result.misfits = c.draft.misfits;
    result.findings = c.draft.findings;
    return true;
  };
  if (failed()) return result;
  if (c.draft.layers.empty()) {
    c.draft.misfit("", "the network has nothing that a layer computes");
  }
  if (failed()) return result;
  arrange(c.draft);
  if (failed()) return result;
  EDGETWIN_TRY(check_bits(c.draft, settings));
  for (DraftLayer& l : c.draft.layers) l.bits = l.identity ? 2 : settings.bits;
  if (settings.placed) {
    place(c.draft);
  } else {
    choose_format(c.draft);
  }
  if (failed()) return result;
  EDGETWIN_TRY(set_scales(c.draft, graph, samples, settings, progress));
  if (failed()) return result;
  c.yaml = yaml_text(c.draft, settings.placed);
  EDGETWIN_TRY_ASSIGN(c.checkpoint, checkpoint_bytes(c.draft));
  EDGETWIN_TRY_ASSIGN(c.sample, sample_file(c.draft, samples[0][0]));
  result.findings = c.draft.findings;
  EDGETWIN_TRY(judge(c, result, settings.placed));
  if (result.misfits.empty()) result.conversion = std::move(c);
  return result;
}

}  // namespace edgetwin::max78

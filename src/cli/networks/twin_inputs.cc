#include "cli/networks/twin_inputs.h"

#include "base/file.h"
#include "base/sha256.h"
#include "cli/shared/open_arguments.h"
#include "twin/network_impl.h"
#include "twin/values.h"

namespace edgetwin::cli {
namespace {

// Options that have no meaning for a network of the MAX7800x.
Status refuse_other_files(const ComputeArguments& c, const std::vector<std::string>& inputs) {
  const std::pair<bool, const char*> options[] = {
      {!c.isa.empty(), "--isa"},      {!c.model.empty(), "--model"},
      {!c.key.empty(), "--key"},      {c.wide, "--accumulators"},
      {!c.mean.empty(), "--mean"},    {!c.std.empty(), "--std"},
      {!c.shapes.empty(), "--shape"}, {c.allow_undefined, "--allow-undefined"}};
  for (const auto& [given, name] : options) {
    if (given) {
      return Error(ErrorCode::usage, std::string(name) + " does not go with a network .yaml");
    }
  }
  if (inputs.size() > 1) return Error(ErrorCode::usage, "a network .yaml has one input");
  return Ok{};
}

}  // namespace

Result<Network> open_for_twin(const std::string& model, const ComputeArguments& compute,
                              const Max78Arguments& max78, const std::vector<std::string>& inputs) {
  EDGETWIN_TRY_ASSIGN(Bytes data, read_file(model));
  return open_for_twin(std::move(data), model, compute, max78, inputs);
}

Result<Network> open_for_twin(Bytes data, const std::string& model, const ComputeArguments& compute,
                              const Max78Arguments& max78, const std::vector<std::string>& inputs) {
  OpenOptions open = open_options(compute, max78);
  if (file_kind(data) != FileKind::max78) return Network::Impl::open(std::move(data), model, open);
  EDGETWIN_TRY(refuse_other_files(compute, inputs));
  const bool file = inputs.size() == 1 && !inputs[0].starts_with("xs32:") &&
                    inputs[0].find('=') == std::string::npos;
  if (!open.sample.empty() || !file) return Network::open(ByteSpan(data), model, open);
  EDGETWIN_TRY_ASSIGN(const Bytes input, read_file(inputs[0]));
  const FileKind kind = twin::sniff(input);
  if (kind == FileKind::npy) open.sample = inputs[0];
  Result<Network> network = Network::open(ByteSpan(data), model, open);
  const bool sized = network.ok() || network.error().code != ErrorCode::input_missing;
  if (sized || kind != FileKind::image) return network;
  open.sample = inputs[0];  // nothing but the picture says its size
  return Network::open(ByteSpan(data), model, open);
}

Result<Inputs> inputs_for_twin(const Network& network, const Runner& runner,
                               const std::vector<std::string>& words,
                               const PictureOptions& pictures) {
  if (network.sample() == nullptr) {
    return read_inputs(words, runner, pictures, network.file());
  }
  const std::string& sample = network.impl().options.sample;
  if (!words.empty() && words[0] != sample) {
    return Error(ErrorCode::usage, "--sample and --input both name the network's input")
        .with_hint("Give one of them.");
  }
  std::string digest;
  if (!sample.starts_with("xs32:")) {
    EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(sample));
    digest = sha256_hex(data);
  }
  return Inputs{{*network.sample()}, {{sample, digest}}, std::nullopt};
}

std::vector<Tensor> classes_last(const Run& run) {
  std::vector<Tensor> outputs = run.outputs;
  if (!run.numerics.starts_with("max78")) return outputs;
  for (Tensor& t : outputs) t = twin::channels_last(t, twin::ChannelPlace::planes);
  return outputs;
}

}  // namespace edgetwin::cli

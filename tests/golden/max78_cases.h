// The recorded cases of MAX78000 and MAX78002: networks, parameters, samples and what the vendor's
// loader made of them.
#pragma once

#include <zlib.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "formats/ai8x/parameters.h"
#include "formats/ai8x/read_yaml.h"
#include "golden/golden.h"
#include "targets/max78/generate/generate.h"
#include "targets/max78/place/region.h"
#include "targets/max78/plan/make_plan.h"
#include "targets/max78/simulate/simulate.h"

namespace edgetwin::golden {

inline fs::path max78_root() { return shared_data() / "max7800x"; }

inline std::string gunzip(const fs::path& path) {
  std::string text;
  gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) return text;
  char block[65536];
  for (int n = 0; (n = gzread(file, block, sizeof(block))) > 0;) {
    text.append(block, static_cast<size_t>(n));
  }
  gzclose(file);
  return text;
}

inline std::string read_text(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

inline nlohmann::json max78_cases() {
  return nlohmann::json::parse(read_text(max78_root() / "cases.json"));
}

// A case with its network and parameters read; `refused` says why where they cannot be.
struct Max78Case {
  std::string refused;
  ai8x::Network network;
  ai8x::Parameters parameters;
  Tensor sample;
  max78::Options options;
  max78::Planning planning;

  // Of a case that is not refused.
  const max78::Plan& plan() const { return *planning.placed; }
};

inline max78::SampleShape shape_of(const Tensor& t) {
  const auto size = [&](int axis) {
    return t.shape.rank() > axis ? static_cast<int>(t.shape[axis]) : 1;
  };
  return {size(0), size(1), size(2)};
}

inline std::string load_parameters(const nlohmann::json& row, Max78Case& c) {
  const auto bytes = [&](const char* key) -> Bytes {
    if (!row.contains(key) || !row[key].is_string()) return {};
    const auto data = read_file(max78_root() / row[key].get<std::string>());
    return data.ok() ? *data : Bytes();
  };
  ai8x::ParameterReading reading;
  if (row.contains("checkpoint") && row["checkpoint"].is_string()) {
    const auto checkpoint = torch::Checkpoint::read(bytes("checkpoint"), "checkpoint");
    if (!checkpoint.ok()) return to_text(checkpoint.error());
    reading = ai8x::read_checkpoint(c.network, *checkpoint, c.options.parameters);
  } else {
    reading = ai8x::read_arrays(c.network, bytes("weights"), "weights", bytes("bias"), "bias",
                                c.options.parameters);
  }
  if (!reading.parameters) return to_text(reading.report.errors().front());
  c.parameters = std::move(*reading.parameters);
  return {};
}

// The plan keeps pointers into the case: that is why it is allocated.
inline std::unique_ptr<Max78Case> load_case(const nlohmann::json& row, ai8x::Device device,
                                            const std::vector<std::string>& words) {
  auto c = std::make_unique<Max78Case>();
  const auto options = max78::options_from(words);
  if (!options.ok()) {
    c->refused = to_text(options.error());
    return c;
  }
  c->options = *options;
  c->options.upstream_bugs = true;
  const std::string yaml = row["yaml"];
  auto network = ai8x::read_network(read_text(max78_root() / yaml), yaml, device);
  if (!network.ok()) {
    c->refused = to_text(network.error());
    return c;
  }
  c->network = std::move(*network);
  max78::apply_to(c->network, c->options);
  c->refused = load_parameters(row, *c);
  if (!c->refused.empty()) return c;
  max78::apply_to(c->parameters, c->options);
  auto sample = load_npy(max78_root() / row["sample"].get<std::string>());
  if (!sample.ok()) {
    c->refused = to_text(sample.error());
    return c;
  }
  c->sample = std::move(*sample);
  c->planning = max78::make_plan(c->network, c->parameters, shape_of(c->sample), c->options);
  for (const Finding& f : c->planning.findings) {
    if (f.severity == Severity::error && c->refused.empty()) {
      c->refused = to_text(error_of(f, ErrorCode::max78_rules));
    }
  }
  return c;
}

// The results of the output layers, as expected_words takes them.
inline std::vector<Tensor> outputs_of(const max78::Plan& plan,
                                      const max78::SimulationResult& result) {
  std::vector<Tensor> outputs;
  for (const int i : max78::output_layers(plan)) {
    for (const max78::LayerResult& l : result.layers) {
      if (l.layer == i) outputs.push_back(l.out);
    }
  }
  return outputs;
}

}  // namespace edgetwin::golden

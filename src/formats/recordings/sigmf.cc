#include <cmath>

#include "base/json/json.h"
#include "formats/recordings/recording.h"

namespace edgetwin::recordings {
namespace {

Error sigmf_error(const std::string& file, std::string member, std::string message) {
  return Error(ErrorCode::bad_value, std::move(message))
      .in_file(file)
      .in_field(std::move(member))
      .with_hint("docs/signals.md lists what is read of a SigMF recording.");
}

std::string sigmf_types() {
  std::string text;
  for (const SampleTypeInfo& row : all_sample_types()) {
    if (row.sigmf.empty()) continue;
    text += (text.empty() ? "" : ", ") + std::string(row.sigmf);
  }
  return text;
}

Result<double> number_of(const Json& object, const std::string& member, const std::string& file) {
  const auto value = object.get(member);
  if (!value) return 0.0;
  const auto number = value->as_number();
  if (number && std::isfinite(*number) && std::fabs(*number) < 1e15) return *number;
  return sigmf_error(file, member, "it is not a number that can be used");
}

}  // namespace

Result<SigMf> read_sigmf(std::string_view text, const std::string& file) {
  EDGETWIN_TRY_ASSIGN(const Json json, Json::parse(text, file));
  const auto global = json.get("global");
  if (!global) return sigmf_error(file, "global", "the member is missing");
  const auto word = global->get_string("core:datatype");
  if (!word) return sigmf_error(file, "core:datatype", "the member is missing");
  SigMf meta;
  bool known = false;
  for (const SampleTypeInfo& row : all_sample_types()) {
    // Of one byte the order does not matter, and recorders write both forms.
    if (row.sigmf.empty() || (*word != row.sigmf && *word != std::string(row.sigmf) + "_le"))
      continue;
    meta.type = row.type;
    known = true;
  }
  if (!known) {
    return sigmf_error(file, "core:datatype",
                       "samples of type '" + *word + "' are not read; " + sigmf_types() + " are");
  }
  if (global->get_integer("core:num_channels").value_or(1) != 1) {
    return sigmf_error(file, "core:num_channels", "several channels in one file are not read");
  }
  EDGETWIN_TRY_ASSIGN(meta.sample_rate, number_of(*global, "core:sample_rate", file));
  if (meta.sample_rate < 0.0) {
    return sigmf_error(file, "core:sample_rate", "the sample rate is negative");
  }
  meta.dataset = global->get_string("core:dataset").value_or("");
  // A recording may name data of its own folder only.
  if (meta.dataset.find('/') != std::string::npos || meta.dataset == "..") {
    return sigmf_error(file, "core:dataset", "it leads out of the folder of the recording");
  }
  const auto captures = json.get("captures");
  meta.captures = captures ? captures->size() : 0;
  if (meta.captures > 0) {
    EDGETWIN_TRY_ASSIGN(meta.centre, number_of(captures->at(0), "core:frequency", file));
  }
  return meta;
}

}  // namespace edgetwin::recordings

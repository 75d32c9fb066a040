// Schedules and policies as parts of a YAML document.
#pragma once

#include "train/settings/settings.h"
#include "train/settings/yaml_map.h"

namespace edgetwin::train {

Result<SchedulePolicy> read_schedule(const ai8x::YamlNode& node, const std::string& file);
// `whole`: a policy file, which must have start_epoch and weight_bits.
Status read_policy(const ai8x::YamlNode& node, const std::string& file, bool whole,
                   RunSettings& settings);

// data_settings.cc: the map `data`
Status read_data_settings(const ai8x::YamlNode& node, const std::string& file,
                          RunSettings& settings);

}  // namespace edgetwin::train

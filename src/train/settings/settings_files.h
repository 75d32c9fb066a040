// Files that say how a network is trained: schedules and policies as the vendor's program has
// them, and the settings file of a run. Specification: training, 7, 9.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "train/settings/settings.h"

namespace edgetwin::train {

// The one learning rate policy of a schedule file. Error: train_schedule with line and key.
Result<SchedulePolicy> parse_schedule(std::string_view yaml, const std::string& file);

// Start epoch, bits, quantile and overrides of a policy file into the settings. Errors:
// train_schedule; train_bits.
Status apply_policy(std::string_view yaml, const std::string& file, RunSettings& settings);

// The map of a settings file (NET.train.yaml). `schedule` and `qat` are maps or the names of files
// beside it. Errors: train_setting, those above, those of reading files.
Status apply_settings(std::string_view yaml, const std::string& file, RunSettings& settings);

// The key `train` of a description; false: it has none.
Result<bool> apply_description(std::string_view yaml, const std::string& file,
                               RunSettings& settings);

// The settings of a network: in its description, in `settings`, or in NET.train.yaml beside it.
// Error: train_conflict where both are there and none is named.
Status find_settings(const std::filesystem::path& network, const std::filesystem::path& settings,
                     RunSettings& to);

// One key by its path: "optimizer.lr=0.05".
Status apply_setting(std::string_view assignment, RunSettings& settings);

// All settings as a file, which gives the same settings when it is read. Paths are whole.
std::string settings_text(const RunSettings& settings);

}  // namespace edgetwin::train

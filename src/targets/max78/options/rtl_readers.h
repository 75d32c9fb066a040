// Readers of the values of options for folders for simulations; rows of options.def name them.
#pragma once

#include <string>

#include "targets/max78/options/option_values.h"
#include "targets/max78/options/options.h"

namespace edgetwin::max78 {

inline auto rtl_number(int RtlOptions::*member, int low, int high) {
  return [member, low, high](Options& o, const std::string& text) {
    const auto value = number_within(text, low, high);
    if (value) o.rtl.*member = static_cast<int>(*value);
    return value.has_value();
  };
}

inline auto rtl_name(std::string RtlOptions::*member) {
  return [member](Options& o, const std::string& text) {
    if (is_file_name(text)) o.rtl.*member = text;
    return is_file_name(text);
  };
}

inline auto camera_number(int CameraOptions::*member, int low, int high) {
  return [member, low, high](Options& o, const std::string& text) {
    const auto value = number_within(text, low, high);
    if (value) o.rtl.camera.*member = static_cast<int>(*value);
    return value.has_value();
  };
}

inline bool read_camera_file(Options& o, const std::string& text) {
  if (is_file_name(text)) o.rtl.camera.csv = text;
  return is_file_name(text);
}

inline bool read_camera_format(Options& o, const std::string& text) {
  const auto value = number(text);
  if (!value || (*value != 888 && *value != 565 && *value != 555)) return false;
  o.rtl.camera.format = static_cast<int>(*value);
  return true;
}

// An existing folder; None is no folder.
inline auto rtl_path(std::string RtlOptions::*member) {
  return [member](Options& o, const std::string& text) {
    o.rtl.*member = text == "None" ? "" : text;
    return !text.empty();
  };
}

}  // namespace edgetwin::max78

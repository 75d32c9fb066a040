#include "targets/max78/options/options.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

#include "base/text.h"
#include "targets/max78/options/option_values.h"
#include "targets/max78/options/rtl_readers.h"

namespace edgetwin::max78 {
namespace {

// In the order of Arithmetic; '_' of the table is written '-'.
const std::vector<std::string>& arithmetic_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> rows;
#define NUMERICS(name, type, family, summary) \
  if (std::string_view(#family) == "max78") rows.emplace_back(#name);
#include "numerics/numerics.def"
    for (std::string& row : rows) std::replace(row.begin(), row.end(), '_', '-');
    return rows;
  }();
  return names;
}

auto number_into(int Options::*member) {
  return [member](Options& o, const std::string& text) {
    const auto value = number_within(text, 0, 1 << 20);
    if (value) o.*member = static_cast<int>(*value);
    return value.has_value();
  };
}

auto signed_into(std::optional<int> Options::*member) {
  return [member](Options& o, const std::string& text) {
    const auto value = number_within(text, -(1 << 24), 1 << 24);
    if (value) o.*member = static_cast<int>(*value);
    return value.has_value();
  };
}

bool read_numerics(Options& o, const std::string& text) {
  const auto named = arithmetic_named(text);
  o.arithmetic = named.value_or(o.arithmetic);
  return named.has_value();
}

bool read_synthesize(Options& o, const std::string& text) {
  o.synthesize_input = number_within(text, INT32_MIN, UINT32_MAX);
  return o.synthesize_input.has_value();
}

bool read_synthesize_words(Options& o, const std::string& text) {
  const auto value = number_within(text, 1, 1 << 24);
  o.synthesize_words = value.value_or(o.synthesize_words);
  return value.has_value();
}

bool read_skipped(Options& o, const std::string& text) {
  const auto value = number_within(text, 0, 1 << 20);
  o.parameters.skip_checkpoint_layers = static_cast<int>(value.value_or(0));
  return value.has_value();
}

// "0,3"; no text: all layers.
bool read_no_bias(Options& o, const std::string& text) {
  o.parameters.no_bias = text.empty();
  for (size_t at = 0; at < text.size();) {
    const size_t comma = std::min(text.find(',', at), text.size());
    const auto layer = number(std::string_view(text).substr(at, comma - at));
    if (!layer || *layer < 0 || *layer > 127) return false;
    o.parameters.no_bias_layers.push_back(static_cast<int>(*layer));
    at = comma + 1;
  }
  return true;
}

bool read_width(Options& o, const std::string& text) {
  if (text != "8" && text != "32") return false;
  o.output_width = text == "8" ? 8 : 32;
  return true;
}

bool read_lines(Options& o, const std::string& text) {
  o.max_checklines = number_within(text, 0, INT64_MAX);
  return o.max_checklines.has_value();
}

// Port and pin, "2.5".
bool read_boost(Options& o, const std::string& text) {
  const size_t dot = text.find('.');
  if (dot == std::string::npos) return false;
  o.boost = text;
  return number_within(text.substr(0, dot), 0, 9) && number_within(text.substr(dot + 1), 0, 31);
}

bool read_divider(Options& o, const std::string& text) {
  const auto value = number_within(text, 1, 16);
  if (!value || (*value & (*value - 1)) != 0) return false;
  o.clock_divider = static_cast<int>(*value);
  return true;
}

// Goes into a Makefile: a name of letters, digits and a few signs.
bool read_board(Options& o, const std::string& text) {
  o.board = text;
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '-' || c == '.';
  });
}

// Wait states of the bus; two bits.
auto states_into(int Options::*member) {
  return [member](Options& o, const std::string& text) {
    const auto value = number_within(text, 0, 3);
    if (value) o.*member = static_cast<int>(*value);
    return value.has_value();
  };
}

bool read_input_offset(Options& o, const std::string& text) {
  const auto value = number_within(text, 0, 1 << 20);
  if (!value || *value % 4 != 0) return false;
  o.input_offset = static_cast<int>(*value);
  return true;
}

// "0,1,2".
bool read_streaming(Options& o, const std::string& text) {
  for (size_t at = 0; at <= text.size();) {
    const size_t comma = std::min(text.find(',', at), text.size());
    const auto layer = number(std::string_view(text).substr(at, comma - at));
    if (!layer || *layer < 0 || *layer > 127) return false;
    o.streaming_layers.push_back(static_cast<int>(*layer));
    at = comma + 1;
  }
  return true;
}

auto name_into(std::string FileNames::*member) {
  return [member](Options& o, const std::string& text) {
    if (is_file_name(text)) o.files.*member = text;
    return is_file_name(text);
  };
}

// Without its ending.
bool read_main_file(Options& o, const std::string& text) {
  o.files.main = text + ".c";
  return is_file_name(text);
}

bool read_result_file(Options& o, const std::string& text) {
  o.result_file = text.ends_with(".npy") ? text : text + ".npy";
  return is_file_name(text);
}

// Into an attribute of the .launch file.
bool read_openocd(Options& o, const std::string& text) {
  o.openocd = text;
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return is_word(c) || c == ' ' || c == '-' || c == '.' || c == '/' || c == '=';
  });
}

// Names for the compiler, spaces between them; into a Makefile, so that signs of make and of the
// shell are refused.
auto defines_into(std::string Options::*member) {
  return [member](Options& o, const std::string& text) {
    o.*member = text;
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return is_word(c) || c == '=' || c == ' '; });
  };
}

// The rows' readers by their place in the table; none for silent and refused options.
bool read_row(Options& o, const std::string& text, std::string_view row) {
#define SWITCH(name, member, value) \
  if (row == name) {                \
    o.member = value;               \
    return true;                    \
  }
#define VALUE(name, reader) \
  if (row == name) return reader(o, text);
#define LIST(name, reader) \
  if (row == name) return reader(o, text);
#define SILENT(name, values)
#define RENAMED(name, here)
#define REFUSED(name, values, reason)
#include "targets/max78/options/options.def"
#undef SWITCH
#undef VALUE
#undef LIST
#undef SILENT
#undef RENAMED
#undef REFUSED
  return true;
}

constexpr OptionInfo kOptions[] = {
#define SWITCH(name, member, value) {name, OptionInfo::Kind::sets, 0, ""},
#define VALUE(name, reader) {name, OptionInfo::Kind::takes_value, 1, ""},
#define LIST(name, reader) {name, OptionInfo::Kind::takes_list, 0, ""},
#define SILENT(name, values) {name, OptionInfo::Kind::silent, values, ""},
#define RENAMED(name, here) {name, OptionInfo::Kind::renamed, 1, here},
#define REFUSED(name, values, reason) {name, OptionInfo::Kind::refused, values, reason},
#include "targets/max78/options/options.def"
#undef SWITCH
#undef VALUE
#undef LIST
#undef SILENT
#undef RENAMED
#undef REFUSED
};

const OptionInfo* find_option(std::string_view name) {
  const auto* found = std::find_if(std::begin(kOptions), std::end(kOptions),
                                   [&](const OptionInfo& i) { return i.name == name; });
  return found == std::end(kOptions) ? nullptr : found;
}

Error unknown(const std::string& word) {
  const OptionInfo* nearest = nullptr;
  size_t distance = 3;  // further words are other words
  for (const OptionInfo& i : kOptions) {
    if (i.kind == OptionInfo::Kind::refused || i.kind == OptionInfo::Kind::silent) continue;
    const size_t d = edit_distance(word, i.name);
    if (d >= distance) continue;
    distance = d;
    nearest = &i;
  }
  return Error(ErrorCode::max78_option, "'" + word + "' is not an option of this program")
      .with_hint(nearest != nullptr
                     ? "Is it " + std::string(nearest->name) + "?"
                     : "docs/max78-rules.md lists the options of the vendor's loader.");
}

bool is_list(const std::string& word) {
  return !word.empty() && word.find_first_not_of("0123456789,") == std::string::npos;
}

}  // namespace

std::string_view name(Arithmetic arithmetic) {
  return arithmetic_names()[static_cast<size_t>(arithmetic)];
}

std::optional<Arithmetic> arithmetic_named(std::string_view name) {
  const std::vector<std::string>& names = arithmetic_names();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Arithmetic>(found - names.begin());
}

std::span<const OptionInfo> all_options() { return kOptions; }

Result<Options> options_from(const std::vector<std::string>& words) {
  Options options;
  std::string rtl_word, camera_word;  // one that needs --rtl, --input-csv
  bool main_given = false;
  for (size_t i = 0; i < words.size(); ++i) {
    const size_t equals = words[i].find('=');
    const bool joined = equals != std::string::npos && words[i].starts_with("--");
    const std::string name = joined ? words[i].substr(0, equals) : words[i];
    const OptionInfo* row = find_option(name);
    if (row == nullptr) return unknown(name);
    if (row->kind == OptionInfo::Kind::refused) {
      return Error(ErrorCode::max78_option, name + " is not taken: " + std::string(row->reason))
          .with_hint("docs/max78-rules.md lists the options that are.");
    }
    if (row->kind == OptionInfo::Kind::renamed) {
      return Error(ErrorCode::max78_option, name + " is " + std::string(row->reason) + " here");
    }
    const bool takes_list = row->kind == OptionInfo::Kind::takes_list;
    const bool next_is_list = takes_list && i + 1 < words.size() && is_list(words[i + 1]);
    const bool takes = row->values == 1 || (takes_list && (joined || next_is_list));
    if (joined && !takes) return Error(ErrorCode::max78_option, name + " takes no value");
    if (takes && !joined && i + 1 >= words.size()) {
      return Error(ErrorCode::max78_option, name + " needs a value");
    }
    const std::string value = !takes ? "" : joined ? words[i].substr(equals + 1) : words[++i];
    if (!read_row(options, value, name)) {
      return Error(ErrorCode::max78_option, name + " cannot be '" + value + "'");
    }
    if (name == "--mexpress" || name == "--no-mexpress") options.rtl.mexpress_given = true;
    if (name == "--sample-output-filename") options.rtl.answer_file_given = true;
    if (needs_rtl(name)) rtl_word = name;
    if (needs_camera(name)) camera_word = name;
    if (name == "--c-filename") main_given = true;
  }
  if (options.rtl.on && options.rtl.preload) {
    return Error(ErrorCode::max78_option, "--rtl and --rtl-preload exclude each other")
        .with_hint("--rtl-preload alone makes the folder, with the input in memory files.");
  }
  const bool makes_folder = options.rtl.on || options.rtl.preload;
  if (!makes_folder && !rtl_word.empty()) {
    return Error(ErrorCode::max78_option, rtl_word + " changes nothing without --rtl")
        .with_hint("Add --rtl, or leave " + rtl_word + " out.");
  }
  if (makes_folder && options.rtl.camera.csv.empty() && !camera_word.empty()) {
    return Error(ErrorCode::max78_option, camera_word + " changes nothing without --input-csv")
        .with_hint("Add --input-csv NAME, or leave " + camera_word + " out.");
  }
  if (makes_folder) EDGETWIN_TRY(check_rtl(options));
  if (makes_folder) settle_rtl(options);
  if (makes_folder && !main_given) options.files.main = "test.c";
  return options;
}

void apply_to(ai8x::Network& network, const Options& options) {
  for (ai8x::Layer& layer : network.layers) {
    if (options.ignore_streaming) layer.streaming = false;
    if (options.calcx4) layer.calcx4 = true;
    if (options.readahead) layer.readahead = true;
  }
  for (const int i : options.streaming_layers) {
    if (static_cast<size_t>(i) < network.layers.size()) {
      network.layers[static_cast<size_t>(i)].streaming = true;
    }
  }
  const auto first = static_cast<size_t>(options.start_layer);
  if (options.input_offset && first < network.layers.size()) {
    network.layers[first].in_offset = options.input_offset;
  }
}

}  // namespace edgetwin::max78

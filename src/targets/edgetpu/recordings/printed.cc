// Outputs that hardware tests printed with few digits, of inputs that follow from rules.
#include <algorithm>
#include <cmath>
#include <functional>

#include "base/sha256.h"
#include "targets/edgetpu/recordings/recorded.h"
#include "targets/edgetpu/recordings/rules.h"

namespace edgetwin::edgetpu::silicon {
namespace {

struct Size {
  int height = 0, width = 0, channels = 0;
};

// Rows, columns, channels; a value is cut to a byte.
Bytes picture_of(const Size& size, const std::function<double(int x, int y, int c)>& value) {
  Bytes bytes;
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x) {
      for (int c = 0; c < size.channels; ++c) {
        const double v = std::clamp(value(x, y, c), 0.0, 255.0);
        bytes.push_back(static_cast<std::byte>(static_cast<uint8_t>(v)));
      }
    }
  }
  return bytes;
}

// "grace_hopper.bmp of …, Pillow grey, then 64 x 64 bilinear"; "cat.bmp, same".
Result<std::optional<Bytes>> photograph(const Bench& bench, const std::string& rule,
                                        const Size& size) {
  const std::string file = rule.substr(0, rule.find_first_of(" ,"));
  if (!bench.files.find(file)) return std::optional<Bytes>();
  EDGETWIN_TRY_ASSIGN(const Tensor picture, bench.picture(file));
  EDGETWIN_TRY_ASSIGN(const Tensor grey, grey_of(picture));
  EDGETWIN_TRY_ASSIGN(Tensor small, resize_smooth(grey, size.height, size.width, Filter::bilinear));
  return std::optional<Bytes>(std::move(small.data));
}

// The input of a scene; nothing where the rule or its picture is not there.
Result<std::optional<Bytes>> scene(const Bench& bench, const std::string& rule, const Size& size) {
  using Numbers = std::optional<std::vector<double>>;
  if (const Numbers n = numbers_like(rule, "#, and # where the distance to (#,#) is below #")) {
    const auto& v = *n;
    return std::optional<Bytes>(picture_of(size, [&v](int x, int y, int) {
      const double dx = x - v[2], dy = y - v[3];
      return std::sqrt(dx * dx + dy * dy) < v[4] ? v[1] : v[0];
    }));
  }
  if (const Numbers n = numbers_like(rule, "#, and # in a border of # pixels")) {
    const auto& v = *n;
    return std::optional<Bytes>(picture_of(size, [&](int x, int y, int) {
      const int edge = std::min({x, y, size.width - 1 - x, size.height - 1 - y});
      return static_cast<double>(edge) < v[2] ? v[1] : v[0];
    }));
  }
  if (const Numbers n = numbers_like(rule, "all #")) {
    return std::optional<Bytes>(picture_of(size, [&n](int, int, int) { return (*n)[0]; }));
  }
  return photograph(bench, rule, size);
}

// How trackers' inputs are made: a spot on a flat or a noisy background.
struct Spots {
  double flat = 0, spot = 0, width = 0;
  std::optional<std::vector<double>> colour;
  double mean = 0, deviation = 0, step = 0, seed = 0;
};

std::optional<Spots> spots_of(const std::string& rule) {
  Spots s;
  const auto plain = numbers_like(rule, "flat: # + #*exp(-r^2/#)");
  const auto coloured = numbers_like(rule, "flat: # + (colour - #)*exp(-r^2/#)");
  s.colour = numbers_like(rule, "colour (#,#,#)");
  if (plain) s.flat = (*plain)[0], s.spot = (*plain)[0] + (*plain)[1], s.width = (*plain)[2];
  if (coloured) s.flat = (*coloured)[0], s.width = (*coloured)[2];
  if (!plain && !(coloured && s.colour)) return std::nullopt;
  const auto noise = numbers_like(rule, "normal(#, #,");
  auto seed = numbers_like(rule, "RandomState(#*cx + cy + #)");
  if (!seed) seed = numbers_like(rule, "RandomState(#*cx + cy)");
  if (!noise || !seed) return std::nullopt;
  s.mean = (*noise)[0], s.deviation = (*noise)[1];
  s.step = (*seed)[0], s.seed = seed->size() > 1 ? (*seed)[1] : 0.0;
  return s;
}

Bytes spot_picture(const Spots& s, const Printed& row, const Size& size) {
  const int cx = row.centre[0], cy = row.centre[1];
  const bool noisy = row.rule == "noisy";
  RandomState random(static_cast<uint32_t>(whole_number(s.step * cx + cy + s.seed)));
  return picture_of(size, [&](int x, int y, int c) {
    const double r2 = (x - cx) * (x - cx) + (y - cy) * (y - cy);
    const double light = std::exp(-r2 / s.width);
    const double behind = noisy ? random.normal(s.mean, s.deviation) : s.flat;
    const double spot = s.colour ? (*s.colour)[static_cast<size_t>(c) % 3] : s.spot;
    return behind + (spot - behind) * light;
  });
}

std::vector<int> numbers_of(const Ran& ran) {
  std::vector<int> all;
  for (const Tensor& t : ran.outputs) {
    for (const std::byte b : wire_bytes(t)) all.push_back(static_cast<int>(b));
  }
  return all;
}

std::string list(const std::vector<int>& numbers) {
  std::string text;
  for (const int n : numbers) text += (text.empty() ? "" : " ") + std::to_string(n);
  return text;
}

bool same_printed(double value, double printed, int digits) {
  const auto text = [digits](double v) {
    std::string t = fixed_digits(v, digits);
    if (t.find_first_not_of("-0.") == std::string::npos && t.starts_with('-')) t.erase(0, 1);
    return t;
  };
  return text(value) == text(printed);
}

// The numbers that a position prints: x, y and its error against the centre of the spot.
std::vector<double> position(const std::vector<int>& bytes, const PrintedOutputs& what,
                             const Printed& row, double scale, const Size& size) {
  // "x = (b0 - z)*s*0.1, y = ((b1 - z)*s - 10)*0.1 …"
  const auto numbers = numbers_like(what.output, "y = ((b1 - z)*s - #)*#");
  const double offset = numbers ? (*numbers)[0] : 0.0, factor = numbers ? (*numbers)[1] : 1.0;
  const double half_w = size.width / 2.0, half_h = size.height / 2.0;
  const double x = (bytes[0] - what.zero_point) * scale * factor;
  const double y = ((bytes[1] - what.zero_point) * scale - offset) * factor;
  const double error = std::max(std::fabs(x - (row.centre[0] - half_w) / half_w),
                                std::fabs(y - (row.centre[1] - half_h) / half_h));
  return {x, y, error};
}

bool prints_equal(const std::vector<int>& bytes, const PrintedOutputs& what, const Printed& row,
                  double scale, const Size& size) {
  if (bytes.size() != (what.positions ? 2 : row.printed.size())) return false;
  std::vector<double> values(bytes.begin(), bytes.end());
  for (double& v : values) v *= scale;
  if (what.positions) values = position(bytes, what, row, scale, size);
  for (size_t i = 0; i < values.size(); ++i) {
    const int digits = !what.positions ? 1 : i == 2 ? 3 : 2;
    if (!same_printed(values[i], row.printed[i], digits)) return false;
  }
  return true;
}

}  // namespace

Status printed_outputs(const Bench& bench, const PrintedOutputs& what) {
  const Options& o = bench.options;
  if (o.device.empty()) return Ok{};
  const auto model = bench.open(bench.c.model, "printed values", o.device);
  if (!model) return Ok{};
  const Shape& in = model->graph->value(model->graph->inputs.at(0)).shape;
  if (in.rank() != 4) {
    return Error(ErrorCode::silicon_cases, "the model's input is no picture").in_file(model->file);
  }
  const Size size{static_cast<int>(in[1]), static_cast<int>(in[2]), static_cast<int>(in[3])};
  const auto spots = spots_of(what.rule);
  for (const Printed& row : what.rows) {
    std::optional<Bytes> input;
    if (!what.positions) {
      EDGETWIN_TRY_ASSIGN(input, scene(bench, row.rule, size));
    } else if (spots) {
      input = spot_picture(*spots, row, size);
    }
    if (!input) {
      bench.missing(row.label, o.device, "no input: " + (row.rule.empty() ? what.rule : row.rule));
      continue;
    }
    EDGETWIN_TRY_ASSIGN(const Ran ran, run(model->graph, *input, o.device, o.threads));
    const std::vector<int> bytes = numbers_of(ran);
    const double scale = static_cast<double>(ran.outputs.at(0).quant.scale_of(0));
    const bool printed = prints_equal(bytes, what, row, scale, size);
    std::string detail = std::to_string(row.printed.size()) + " numbers, bytes " + list(bytes);
    if (bytes != row.bytes) detail += ", recorded " + list(row.bytes);
    if (!printed) detail += ", printed otherwise";
    if (sha256_hex(*input) != row.input_sha256) detail += ", from an input with other bytes";
    Check check = bench.check(row.label, o.device);
    check.file = model->file;
    bench.add(std::move(check), ran, printed && bytes == row.bytes, std::move(detail));
  }
  return Ok{};
}

}  // namespace edgetwin::edgetpu::silicon

#include "targets/edgetpu/recordings/recorded.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/file.h"
#include "base/sha256.h"
#include "image/image.h"
#include "ops/edgetpu/evidence.h"
#include "targets/edgetpu/recordings/rules.h"

namespace edgetwin::edgetpu::silicon {
namespace {

// Counts of ties and the findings about what is not settled; verified rules need no word.
void take_findings(const std::vector<Finding>& findings, Ran& ran) {
  const auto ties_even = ops::edgetpu_evidence(ops::EdgetpuRule::ties_even).id;
  const auto ties_odd = ops::edgetpu_evidence(ops::EdgetpuRule::zero_point_after).id;
  for (const Finding& f : findings) {
    if (f.id == ties_even || f.id == ties_odd) {
      int64_t count = 0;
      std::from_chars(f.message.data(), f.message.data() + f.message.size(), count);
      ran.ties += count;
    }
    if (f.id != ties_even) ran.open.push_back(f);
  }
}

std::string digits(double value, std::chars_format format, int precision) {
  std::array<char, 400> text = {};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, format, precision);
  return {text.data(), end.ptr};
}

}  // namespace

Result<Ran> run(const GraphPtr& graph, ByteSpan wire, const std::string& numerics, int threads) {
  exec::Options options;
  options.numerics = numerics;
  options.threads = threads;
  EDGETWIN_TRY_ASSIGN(exec::Session session, exec::Session::create(graph, options));
  EDGETWIN_TRY(set_wire_input(session, wire));
  session.reset_variables();
  EDGETWIN_TRY(session.run());
  Ran ran;
  for (size_t i = 0; i < session.graph().outputs.size(); ++i) {
    ran.outputs.push_back(session.output(i));
  }
  take_findings(session.findings(), ran);
  take_findings(session.run_findings(), ran);
  return ran;
}

uint64_t fnv1a(ByteSpan data) {
  uint64_t hash = 0xcbf29ce484222325U;
  for (const std::byte b : data) {
    hash ^= static_cast<uint64_t>(b);
    hash *= 0x100000001b3U;
  }
  return hash;
}

std::string hash_text(uint64_t hash) {
  std::string text = "0x";
  for (int shift = 60; shift >= 0; shift -= 4) text += "0123456789abcdef"[hash >> shift & 15U];
  return text;
}

std::string fixed_digits(double value, int count) {
  return digits(value, std::chars_format::fixed, count);
}

std::string significant_digits(double value, int count) {
  return digits(value, std::chars_format::general, count);
}

Check Bench::check(std::string what, const std::string& numerics) const {
  Check check;
  check.id = c.id;
  check.kind = c.kind();
  check.what = std::move(what);
  check.numerics = numerics;
  return check;
}

void Bench::add(Check check, const Ran& ran, bool equal, std::string detail) const {
  check.outcome = equal ? Outcome::equal : Outcome::different;
  check.detail = std::move(detail);
  check.ties = ran.ties;
  check.open = ran.open;
  checks.push_back(std::move(check));
}

void Bench::missing(std::string what, const std::string& numerics, std::string why) const {
  Check m = check(std::move(what), numerics);
  m.detail = std::move(why);
  checks.push_back(std::move(m));
}

std::optional<OpenedModel> Bench::open(const std::string& name, const std::string& what,
                                       const std::string& numerics) const {
  auto opened = models.open(name);
  if (opened.ok() && *opened) return std::move(**opened);
  missing(what, numerics,
          opened.ok() ? "no file " + std::filesystem::path(name).filename().string()
                      : opened.error().place.file + ": " + opened.error().message);
  return std::nullopt;
}

Result<Bytes> Bench::file(const std::string& name) const {
  const std::filesystem::path path = options.folder / name;
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) return read_file(path);
  const auto found = files.find(name);
  return read_file(found ? *found : path);
}

Result<Tensor> Bench::picture(const std::string& name) const {
  EDGETWIN_TRY_ASSIGN(const Bytes data, file(name));
  return decode_image(data, name);
}

Status full_output(const Bench& bench, const FullOutput& what) {
  const Options& o = bench.options;
  if (o.device.empty()) return Ok{};
  const std::string label = "all bytes";
  const auto model = bench.open(bench.c.model, label, o.device);
  if (!model) return Ok{};
  EDGETWIN_TRY_ASSIGN(const Bytes input, bench.file(what.input));
  EDGETWIN_TRY_ASSIGN(const Bytes wanted, bench.file(what.output));
  EDGETWIN_TRY_ASSIGN(const Ran ran, run(model->graph, input, o.device, o.threads));
  Bytes given;
  for (const Tensor& t : ran.outputs) {
    const Bytes bytes = wire_bytes(t);
    given.insert(given.end(), bytes.begin(), bytes.end());
  }
  size_t same = 0;
  std::optional<size_t> first;
  for (size_t i = 0; i < std::min(given.size(), wanted.size()); ++i) {
    same += given[i] == wanted[i];
    if (given[i] != wanted[i] && !first) first = i;
  }
  std::string detail = std::to_string(same) + " of " + std::to_string(wanted.size()) + " bytes";
  if (first) {
    detail += ", first at " + std::to_string(*first) + ": device " +
              std::to_string(static_cast<int>(wanted[*first])) + ", twin " +
              std::to_string(static_cast<int>(given[*first]));
  }
  Check check = bench.check(label, o.device);
  check.file = model->file;
  check.recorded_ties = bench.c.ties;
  bench.add(std::move(check), ran, given == wanted, std::move(detail));
  return Ok{};
}

Status score(const Bench& bench, const Score& what) {
  const Options& o = bench.options;
  if (o.device.empty()) return Ok{};
  // "Ara macao 0.75781 = 194/256"
  const auto value = numbers_like(what.value, "# = #/#");
  if (!value) return Error(ErrorCode::silicon_cases, "'" + what.value + "' is no score");
  const auto model =
      bench.open(bench.c.model.substr(0, bench.c.model.find(' ')) + ".tflite", "score", o.device);
  if (!model) return Ok{};
  const std::string image = what.image.substr(0, what.image.find(' '));
  const auto picture = bench.picture(image);
  if (!picture.ok()) {
    bench.missing("score", o.device, "no file " + image);
    return Ok{};
  }
  const Shape& in = model->graph->value(model->graph->inputs.at(0)).shape;
  if (in.rank() != 4) return Error(ErrorCode::silicon_cases, "the model's input is no picture");
  EDGETWIN_TRY_ASSIGN(const Tensor input, resize_smooth(*picture, static_cast<int>(in[1]),
                                                        static_cast<int>(in[2]), Filter::lanczos));
  Check check = bench.check("score", o.device);
  check.file = model->file;
  EDGETWIN_TRY_ASSIGN(const Ran ran, run(model->graph, input.data, o.device, o.threads));
  const Tensor& out = ran.outputs.at(0);
  double best = -std::numeric_limits<double>::infinity();
  for (int64_t i = 0; i < out.shape.elements(); ++i) {
    const double q = element_as_double(out.dtype, out.data, i);
    best = std::max(best, (q - static_cast<double>(out.quant.zero_point_of(0))) *
                              static_cast<double>(out.quant.scale_of(0)));
  }
  const double wanted = (*value)[1] / (*value)[2];
  std::string detail =
      "best score " + fixed_digits(best, 5) + ", recorded " + fixed_digits(wanted, 5);
  if (!what.input_sha256.empty() && sha256_hex(input.data) != what.input_sha256) {
    detail += ", from an input with other bytes";
  }
  bench.add(std::move(check), ran, std::fabs(best - wanted) < 0.5e-5, std::move(detail));
  return Ok{};
}

}  // namespace edgetwin::edgetpu::silicon

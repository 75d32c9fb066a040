// One of several processes that share a search for wide layers, or an analysis of all layers.
#include <bit>

#include "base/file.h"
#include "base/sha256.h"
#include "evaluate/rules/rules.h"
#include "quantize/calibration/noise.h"
#include "report/format.h"
#include "twin/make/quantize_parts.h"

namespace edgetwin::twin {
namespace {

using evaluation::ListPart;

constexpr const char* kSearch = "search";
constexpr const char* kAnalyse = "analyse";

// Real numbers stand as their bits, so that the whole has those of one process.
int64_t bits_of_real(double v) { return std::bit_cast<int64_t>(v); }

std::string words(const std::vector<std::string>& all) {
  std::string text;
  for (const std::string& w : all) text += w + " ";
  return text;
}

// Everything that decides a row: the network's bytes, the numbers of the samples, the options.
Result<Json> work_of_share(const QuantizeRun& run, const EspdlTask& task) {
  const QuantizeOptions& o = run.options;
  EDGETWIN_TRY_ASSIGN(const Bytes network, read_file(run.file));
  std::string samples;
  for (const quantize::Sample& s : task.samples) {
    for (const Tensor& t : s) samples += sha256_hex(t.data);
  }
  Json bits = Json::object();
  for (const auto& [name, width] : task.settings.bits_of) bits.set(name, width);
  Json j = Json::object();
  j.set("target", o.target).set("network_sha256", sha256_hex(network));
  j.set("samples", task.samples.size()).set("samples_sha256", sha256_hex(as_byte_span(samples)));
  j.set("steps", o.steps).set("method", o.method).set("bits", o.bits).set("bits_of", bits);
  j.set("with", words(o.with)).set("without", words(o.without)).set("like", o.like_upstream);
  j.set("high_precision", o.high_precision).set("runtime", o.runtime).set("lut", words(o.lut));
  j.set("lut_formulas", words(o.lut_formulas));
  return std::move(j.set("lut_step", o.lut_step ? Json(*o.lut_step) : Json()));
}

Json point_row(size_t index, const quantize::SearchPoint& p) {
  const std::string db = report::fixed_text(quantize::decibels(p.noise), 1);
  Json j = Json::object();
  j.set("index", index).set("wide", p.wide).set("last", p.last);
  j.set("noise_bits", bits_of_real(p.noise)).set("constant_bytes", p.constant_bytes);
  j.set("wide_macs_bits", bits_of_real(p.wide_macs)).set("decibels", db);
  return std::move(j.set("text", std::to_string(p.wide) + " layers of 16 bits: " + db + " dB, " +
                                     std::to_string(p.constant_bytes) + " bytes"));
}

std::optional<quantize::SearchPoint> point_of(const Json& row) {
  const auto wide = row.get_integer("wide"), noise = row.get_integer("noise_bits"),
             bytes = row.get_integer("constant_bytes"), macs = row.get_integer("wide_macs_bits");
  const auto last = row.get_string("last");
  if (!wide || !noise || !bytes || !macs || !last || *wide < 0) return std::nullopt;
  return quantize::SearchPoint{static_cast<size_t>(*wide), *last, std::bit_cast<double>(*noise),
                               *bytes, std::bit_cast<double>(*macs)};
}

Json layer_row(size_t index, const quantize::LayerNoise& l) {
  const auto db = [](double noise) { return report::fixed_text(quantize::decibels(noise), 1); };
  Json worst = Json::array();
  for (const quantize::ChannelNoise& c : l.worst) {
    Json one = Json::object();
    one.set("channel", c.channel);
    worst.push(std::move(one.set("noise_bits", bits_of_real(c.noise))));
  }
  Json j = Json::object();
  j.set("index", index).set("layer", l.layer).set("tensor", l.tensor).set("bits", l.bits);
  j.set("exponent", l.exponent).set("alone_bits", l.alone ? Json(bits_of_real(*l.alone)) : Json());
  j.set("accumulated_bits", bits_of_real(l.accumulated));
  j.set("cosine_bits", bits_of_real(l.cosine)).set("worst", std::move(worst));
  return std::move(j.set("text", l.layer + ": " + (l.alone ? db(*l.alone) + " dB alone, " : "") +
                                     db(l.accumulated) + " dB accumulated"));
}

}  // namespace

Result<ListPart> quantize_share(const QuantizeRun& run, uint64_t shard, uint64_t shards) {
  EDGETWIN_TRY_ASSIGN(const EspdlTask task, espdl_task(run));
  ListPart part;
  part.shard = shard;
  part.shards = shards;
  EDGETWIN_TRY_ASSIGN(part.identity, work_of_share(run, task));
  const auto mine = [shard, shards](size_t i) { return i % shards + 1 == shard; };
  if (run.options.search) {
    part.of = kSearch;
    EDGETWIN_TRY_ASSIGN(
        const quantize::SearchShare share,
        quantize::search_share(task.model.main(), task.samples, task.settings, mine));
    part.items = share.points;
    for (const auto& [i, point] : share.mine) part.rows.push_back(point_row(i, point));
    return part;
  }
  part.of = kAnalyse;
  EDGETWIN_TRY_ASSIGN(const quantize::Quantized quantized,
                      quantize::quantize_espdl(task.model.main(), task.samples, task.settings));
  EDGETWIN_TRY_ASSIGN(const quantize::AnalysisShare share,
                      quantize::analyse_share(quantized, task.samples, task.settings, mine));
  part.items = share.layers;
  part.identity.set("output_noise_bits", bits_of_real(share.analysis.output_noise));
  for (size_t i = 0; i < share.numbers.size(); ++i) {
    part.rows.push_back(layer_row(share.numbers[i], share.analysis.layers[i]));
  }
  return part;
}

Result<std::vector<quantize::SearchPoint>> measured_points(const QuantizeRun& run,
                                                           const EspdlTask& task) {
  const std::string& file = run.options.measured;
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(file));
  EDGETWIN_TRY_ASSIGN(const Json document, Json::parse(as_text(data), file));
  EDGETWIN_TRY_ASSIGN(const ListPart part, evaluation::read_list_part(document, file));
  EDGETWIN_TRY_ASSIGN(const Json work, work_of_share(run, task));
  if (part.of != kSearch || part.identity.text() != work.text()) {
    return evaluation::broken(evaluation::Rule::part_other,
                              "these points are of another network, other samples or other options")
        .in_file(file)
        .with_hint("Measure them again: --search --shard K/N, then `merge`.");
  }
  std::vector<quantize::SearchPoint> points;
  for (const Json& row : part.rows) {
    const auto point = point_of(row);
    if (!point) {
      return evaluation::broken(evaluation::Rule::part_form, "a row is no point of a search")
          .in_file(file);
    }
    points.push_back(*point);
  }
  if (part.shards == 1 && points.size() == part.items && !points.empty()) return points;
  return evaluation::broken(evaluation::Rule::part_missing,
                            "it has " + std::to_string(points.size()) + " of " +
                                std::to_string(part.items) + " points")
      .in_file(file);
}

}  // namespace edgetwin::twin

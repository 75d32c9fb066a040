#include "formats/espdl/document/target.h"

#include <algorithm>
#include <array>

#include "formats/espdl/document/layout.h"
#include "targets/target.h"

namespace edgetwin::espdl {
namespace {

// In the order of Target.
constexpr std::array kTargets = {targets::Id::espdl_c, targets::Id::esp32s3, targets::Id::esp32p4};

bool is_bias_beyond(const TensorData& t, int bits) {
  if (t.type != DataType::int32 || t.dims.size() != 1) return false;
  const int64_t limit = int64_t{1} << (bits - 1);
  for (size_t at = 0; at + 4 <= t.data.size(); at += 4) {
    int32_t v = 0;
    std::copy_n(t.data.begin() + static_cast<std::ptrdiff_t>(at), 4,
                reinterpret_cast<std::byte*>(&v));
    if (v >= limit || v < -limit) return true;
  }
  return false;
}

}  // namespace

std::string_view name(Target target) {
  return targets::name(kTargets[static_cast<size_t>(target)]);
}

std::optional<Target> target_by_name(std::string_view text) {
  const auto found = std::ranges::find(kTargets, targets::find_id(text));
  if (found == kTargets.end()) return std::nullopt;
  return static_cast<Target>(found - kTargets.begin());
}

namespace {

std::optional<bool> weights_in_blocks(const Document& document) {
  for (const TensorData& t : document.initializers) {
    if (const auto tag = parse_tag(t.doc_string)) return tag->block != 0;
  }
  return std::nullopt;
}

TargetEvidence evidence_of(const Document& document) {
  if (const auto text = document.property("target")) {
    if (const auto target = target_by_name(*text)) {
      return {target, "the file's metadata names the target " + *text, {}};
    }
  }
  bool blocks = false;
  for (const TensorData& t : document.initializers) {
    if (t.exponents.size() > 1) {
      return {Target::esp32p4,
              "the weights '" + t.name +
                  "' have an exponent per channel, which only the ESP32-P4's "
                  "runtime can",
              {}};
    }
    const auto tag = parse_tag(t.doc_string);
    if (tag && tag->block == 0) {
      return {Target::c, "the weights '" + t.name + "' are in plain order", {}};
    }
    blocks = blocks || tag.has_value();
  }
  for (const TensorData& t : document.initializers) {
    if (blocks && is_bias_beyond(t, 20)) {
      return {Target::esp32p4,
              "the bias '" + t.name + "' exceeds the 20 bits of the ESP32-S3's lanes",
              {}};
    }
  }
  return {std::nullopt,
          blocks ? "the file fits the ESP32-S3 and the ESP32-P4: its weights are in "
                   "blocks, and nothing else tells them apart"
                 : "the file has no weights that would tell its target",
          {}};
}

}  // namespace

TargetEvidence target_evidence(const Document& document) {
  TargetEvidence evidence = evidence_of(document);
  evidence.blocks = weights_in_blocks(document);
  return evidence;
}

}  // namespace edgetwin::espdl

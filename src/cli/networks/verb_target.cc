#include "cli/networks/verb_target.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <span>

#include "base/file.h"
#include "edgetwin/network.h"
#include "targets/target.h"

namespace edgetwin::cli {
namespace {

// A float network belongs to no family yet.
std::optional<Family> family_of(FileKind kind) {
  switch (kind) {
    case FileKind::tflite:
      return Family::tflite;
    case FileKind::edgetpu:
      return Family::edgetpu;
    case FileKind::espdl:
      return Family::espdl;
    case FileKind::max78:
    case FileKind::max78_program:
      return Family::max78;
    case FileKind::unknown:
    case FileKind::onnx:
    case FileKind::checkpoint:
    case FileKind::npy:
    case FileKind::npz:
    case FileKind::image:
      break;
  }
  return std::nullopt;
}

struct Applies {
  std::string_view verbs, option;
  uint32_t kinds;
  std::string_view reason;
};

constexpr uint32_t of(FileKind kind) { return 1U << static_cast<uint32_t>(kind); }

std::span<const Applies> all_applies() {
  using enum FileKind;
  static constexpr Applies kRows[] = {
#define APPLIES(verbs, option, kinds, reason) {verbs, option, kinds, reason},
#include "cli/networks/applies.def"
  };
  return kRows;
}

bool has_word(std::string_view words, std::string_view word) {
  for (size_t at = 0; at <= words.size();) {
    const size_t end = std::min(words.find(' ', at), words.size());
    if (words.substr(at, end - at) == word) return true;
    at = end + 1;
  }
  return false;
}

// Kinds that the table speaks of.
bool is_network(FileKind kind) { return family_of(kind).has_value() || kind == FileKind::onnx; }

std::optional<FileKind> kind_of(const std::string& file) {
  std::error_code failed;
  if (!std::filesystem::is_regular_file(file, failed)) return std::nullopt;
  const Result<Bytes> data = read_file(file);
  if (!data.ok()) return std::nullopt;
  return file_kind(*data);
}

bool some_family_lacks(std::string_view verb) {
  return std::ranges::any_of(all_targets(),
                             [&](const Target& t) { return !lacks(t.family, verb).empty(); });
}

}  // namespace

Status check_verb_target(std::string_view verb, const GivenTarget& given) {
  if (!given.target.empty()) {
    EDGETWIN_TRY(targets::require_target_for(given.target, verb));
    return Ok{};
  }
  if (!some_family_lacks(verb)) return Ok{};
  for (const std::string& file : given.files) {
    const auto kind = kind_of(file);
    if (!kind) continue;  // the verb says what is wrong
    const auto family = family_of(*kind);
    if (!family) continue;
    const std::string_view reason = lacks(*family, verb);
    if (reason.empty()) continue;
    return Error(ErrorCode::file_kind, "edgetwin " + std::string(verb) + " is not there for " +
                                           std::string(name(*family)) + ": " + std::string(reason))
        .in_file(file)
        .with_hint("Targets with this verb: " + targets::targets_with(verb) + ".");
  }
  return Ok{};
}

Status check_options_apply(std::string_view verb, const GivenTarget& given) {
  for (const Applies& row : all_applies()) {
    const bool asked =
        has_word(row.verbs, verb) && std::ranges::count(given.options, row.option) > 0;
    if (!asked) continue;
    std::optional<FileKind> other;
    bool useful = false;
    for (const std::string& file : given.files) {
      const auto kind = kind_of(file);
      useful = useful || !kind || !is_network(*kind) || (row.kinds & of(*kind)) != 0;
      if (!useful) other = kind;
    }
    if (useful || !other) continue;
    return Error(ErrorCode::usage, std::string(row.option) + " changes nothing for this file (" +
                                       std::string(name(*other)) + "): " + std::string(row.reason))
        .in_file(given.files.front())
        .with_hint("Leave " + std::string(row.option) + " out.");
  }
  return Ok{};
}

}  // namespace edgetwin::cli

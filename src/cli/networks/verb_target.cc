#include "cli/networks/verb_target.h"

#include <algorithm>
#include <filesystem>
#include <optional>

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
    std::error_code failed;
    if (!std::filesystem::is_regular_file(file, failed)) continue;  // the verb says what is wrong
    const Result<Bytes> data = read_file(file);
    if (!data.ok()) continue;
    const auto family = family_of(file_kind(*data));
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

}  // namespace edgetwin::cli

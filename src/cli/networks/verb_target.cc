#include "cli/networks/verb_target.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "base/file.h"
#include "base/words/near_word.h"
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

// Kinds that the table speaks of. What is no network a verb that computes refuses by itself.
bool is_judged(std::string_view verb, FileKind kind) {
  if (verb == "info" || verb == "diff") return kind != FileKind::unknown;
  return family_of(kind).has_value() || kind == FileKind::onnx;
}

// A file whose kind is known.
struct Sniffed {
  std::string file;
  FileKind kind;
};

std::vector<Sniffed> kinds_of(const std::vector<std::string>& files) {
  std::vector<Sniffed> known;
  for (const std::string& file : files) {
    std::error_code failed;
    if (!std::filesystem::is_regular_file(file, failed)) continue;
    const Result<Bytes> data = read_file(file);
    if (data.ok()) known.push_back({file, file_kind(*data)});
  }
  return known;
}

// The kinds of all given files, read when they are asked for first: most commands have no option
// that depends on them, and networks are large.
class Kinds {
 public:
  explicit Kinds(const std::vector<std::string>& files) : files_(files) {}
  const std::vector<Sniffed>& known() const {
    if (!known_) known_ = kinds_of(files_);
    return *known_;
  }
  bool all_known() const { return known().size() == files_.size(); }

 private:
  const std::vector<std::string>& files_;
  mutable std::optional<std::vector<Sniffed>> known_;
};

bool some_family_lacks(std::string_view verb) {
  return std::ranges::any_of(all_targets(),
                             [&](const Target& t) { return !lacks(t.family, verb).empty(); });
}

Status check_family(std::string_view verb, const Kinds& files) {
  if (!some_family_lacks(verb)) return Ok{};
  for (const Sniffed& f : files.known()) {
    const auto family = family_of(f.kind);
    // `check` without a target judges it for the Edge TPU, which has it compiled.
    if (!family || (verb == "check" && f.kind == FileKind::tflite)) continue;
    const std::string_view reason = lacks(*family, verb);
    if (reason.empty()) continue;
    return Error(ErrorCode::file_kind, "edgetwin " + std::string(verb) + " is not there for " +
                                           std::string(name(*family)) + ": " + std::string(reason))
        .in_file(f.file)
        .with_hint("Targets with this verb: " + targets::targets_with(verb) + ".");
  }
  return Ok{};
}

// Where the kind of every given file is known.
Status check_options(std::string_view verb, const GivenTarget& given, const Kinds& kinds) {
  for (const Applies& row : all_applies()) {
    const bool asked =
        has_word(row.verbs, verb) && std::ranges::count(given.options, row.option) > 0;
    if (!asked || !kinds.all_known()) continue;
    const std::vector<Sniffed>& files = kinds.known();
    const auto useful = [&](const Sniffed& f) {
      return !is_judged(verb, f.kind) || (row.kinds & of(f.kind)) != 0;
    };
    if (files.empty() || std::ranges::any_of(files, useful)) continue;
    return Error(ErrorCode::usage, std::string(row.option) + " changes nothing for this file (" +
                                       std::string(name(files.back().kind)) +
                                       "): " + std::string(row.reason))
        .in_file(files.front().file)
        .with_hint("Leave " + std::string(row.option) + " out.");
  }
  return Ok{};
}

// --- quantize

constexpr uint32_t kCheckpoint = 1, kPlaced = 2, kEspdl = 4, kTflite = 8;
constexpr uint32_t kNetworks = kPlaced | kEspdl | kTflite;

struct Quantizes {
  std::string_view option;
  uint32_t ways;
  std::string_view reason;
};

// MODEL is source(): it does not tell the chip.
Status check_quantize_options(const GivenTarget& given) {
  static constexpr Quantizes kRows[] = {
#define QUANTIZES(option, ways, reason) {option, ways, reason},
#include "cli/networks/quantizes.def"
  };
  const std::vector<Sniffed> models = kinds_of(given.words);
  const Target* target = find_target(given.target);
  if (models.size() != 1 || target == nullptr) return Ok{};
  const FileKind kind = models.front().kind;
  const bool known =
      kind == FileKind::checkpoint || kind == FileKind::onnx || kind == FileKind::tflite;
  if (!known) return Ok{};  // the verb says what it takes
  const bool max78 = target->family == Family::max78;
  const uint32_t way = target->family == Family::espdl ? kEspdl
                       : !max78                        ? kTflite
                       : kind == FileKind::checkpoint  ? kCheckpoint
                                                       : kPlaced;
  for (const Quantizes& row : kRows) {
    if ((row.ways & way) != 0 || std::ranges::count(given.options, row.option) == 0) continue;
    return Error(ErrorCode::usage, std::string(row.option) + " changes nothing for " +
                                       given.target + " and a file of this kind (" +
                                       std::string(name(kind)) + "): " + std::string(row.reason))
        .in_file(models.front().file)
        .with_hint("Leave " + std::string(row.option) + " out.");
  }
  return Ok{};
}

// A file that was made for one chip is not computed as if it were for another.
Status check_chip(std::string_view verb, const GivenTarget& given, const Kinds& files) {
  const Target* target = find_target(given.target);
  if (target == nullptr || verb == "quantize" || verb == "train" ||
      verb == "estimate") {  // these say themselves what they take
    return Ok{};
  }
  for (const Sniffed& f : files.known()) {
    const auto family = family_of(f.kind);
    // A network of TensorFlow Lite is for all chips that take such files.
    const bool shared = f.kind == FileKind::tflite && targets::takes(*target, ".tflite");
    // A network description is for both chips of its family, and its reader names them.
    if (!family || *family == target->family || f.kind == FileKind::max78) continue;
    if (shared) continue;
    return Error(ErrorCode::usage,
                 "--target " + given.target + ": the file is for " + std::string(name(*family)))
        .in_file(f.file)
        .with_hint("Leave --target out.");
  }
  return Ok{};
}

// `compile` takes one kind of network for each family.
Status check_compiled(const GivenTarget& given, const Kinds& files) {
  const Target* target = find_target(given.target);
  if (target == nullptr) return Ok{};
  const bool max78 = target->family == Family::max78;
  const FileKind wanted = max78 ? FileKind::max78 : FileKind::tflite;
  for (const Sniffed& f : files.known()) {
    if (f.kind == wanted || f.kind == FileKind::unknown || f.kind == FileKind::edgetpu) continue;
    const std::string form = max78 ? "a network .yaml" : "a full-integer .tflite";
    const bool makes = f.kind == FileKind::onnx;
    return Error(ErrorCode::file_kind, "edgetwin compile for " + given.target + " takes " + form +
                                           "; the file's kind is " + std::string(name(f.kind)))
        .in_file(f.file)
        .with_hint(makes ? "`edgetwin quantize " + f.file + " --target " + given.target +
                               " --calibrate DIR -o OUTPUT` makes one of it."
                         : "Name " + form + ".");
  }
  return Ok{};
}

// A network under the ending of another kind would be taken for what it is not.
Status check_endings(std::string_view verb, const GivenTarget& given) {
  const Target* target = find_target(given.target);
  const bool espdl = verb == "pack" ||
                     (verb == "quantize" && target != nullptr && target->family == Family::espdl);
  const bool tflite = has_word("synthesize decompile patch", verb) ||
                      (verb == "quantize" && target != nullptr &&
                       (target->family == Family::edgetpu || target->family == Family::tflite));
  if (espdl == tflite) return Ok{};
  const std::string_view own = espdl ? ".espdl" : ".tflite";
  for (const std::string& output : given.outputs) {
    const std::string ending = std::filesystem::path(output).extension().string();
    const bool network = has_word(".tflite .espdl .onnx .yaml .pt .pth .h5", ending);
    if (!network || ending.empty() || ending == own) continue;
    if (verb == "patch" && ending == ".espdl") continue;
    return Error(ErrorCode::usage, "edgetwin " + std::string(verb) + " writes " + std::string(own) +
                                       " files here, and the output ends in " + ending)
        .in_file(output)
        .with_hint("Let the output end in " + std::string(own) + ".");
  }
  return Ok{};
}

// Words that are no option: of a network .yaml they may be the vendor's.
Status check_unknown(std::string_view verb, const GivenTarget& given, const Kinds& kinds) {
  const auto is_option = [](const std::string& word) { return word.starts_with('-'); };
  const auto word = std::ranges::find_if(given.unknown, is_option);
  if (word == given.unknown.end()) return Ok{};
  const std::vector<Sniffed>& files = kinds.known();
  const bool yaml = std::ranges::count(given.options, "--network") > 0 ||
                    std::ranges::any_of(files, [](const Sniffed& f) {
                      return f.kind == FileKind::max78 || f.kind == FileKind::unknown;
                    });
  if (yaml || files.empty()) return Ok{};
  return Error(ErrorCode::usage, "The following argument was not expected: " + *word +
                                     did_you_mean(*word, given.known))
      .with_hint("edgetwin " + std::string(verb) +
                 " --help lists the options and ends with an example.");
}

// What is read must not be replaced by what is made of it.
Status check_outputs_apart(const GivenTarget& given) {
  for (const std::string& output : given.outputs) {
    for (const std::string& word : given.words) {
      std::error_code failed;
      if (!std::filesystem::is_regular_file(word, failed)) continue;
      if (!std::filesystem::equivalent(output, word, failed) || failed) continue;
      return Error(ErrorCode::usage, "the output would replace the file that it is made of")
          .in_file(output)
          .with_hint("Name another output.");
    }
  }
  return Ok{};
}

}  // namespace

Status check_verb_target(std::string_view verb, const GivenTarget& given) {
  if (given.target.empty()) return check_family(verb, Kinds(given.files));
  EDGETWIN_TRY(targets::require_target_for(given.target, verb));
  return Ok{};
}

Status check_given(std::string_view verb, const GivenTarget& given) {
  if (!given.target.empty()) EDGETWIN_TRY(targets::require_target_for(given.target, verb));
  EDGETWIN_TRY(check_outputs_apart(given));
  EDGETWIN_TRY(check_endings(verb, given));
  if (verb == "quantize") EDGETWIN_TRY(check_quantize_options(given));
  const Kinds files(given.files);  // read once for all tables
  if (given.target.empty()) EDGETWIN_TRY(check_family(verb, files));
  EDGETWIN_TRY(check_options(verb, given, files));
  if (verb == "compile") EDGETWIN_TRY(check_compiled(given, files));
  EDGETWIN_TRY(check_chip(verb, given, files));
  return check_unknown(verb, given, files);
}

}  // namespace edgetwin::cli

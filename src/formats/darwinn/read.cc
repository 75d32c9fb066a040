#include <algorithm>

#include "base/file.h"

#include "darwinn_generated.h"
#include "formats/darwinn/reader.h"
#include "formats/flatbuffer/fields.h"
#include "formats/tflite/custom_ops.h"
#include "formats/tflite/flexbuffer.h"
#include "formats/tflite/tflite.h"

namespace edgetwin::darwinn {
namespace {

constexpr size_t kWordBytes = 16;

// The first word of a bitstream tells its length in words of 128 bits.
bool looks_like_bitstream(ByteSpan data) {
  if (data.size() < 2 * kWordBytes || data.size() % kWordBytes != 0) return false;
  uint64_t word = 0;
  std::memcpy(&word, data.data(), sizeof word);
  constexpr uint64_t kStart = 0xF80;
  return (word & 0xFFFU) == kStart && word >> 19U == (data.size() / kWordBytes - 2) * 128;
}

// An executable has no identifier: its tables must be whole and hold a program.
bool looks_like_executable(ByteSpan data) {
  if (data.size() < sizeof(uint32_t) * 4 || data.size() >= kMaxFileBytes) return false;
  const Bytes copy = to_bytes(data);
  if (!flatbuffer::is_whole<flatbuffers::Verifier, schema::Executable>(copy, nullptr,
                                                                       {kMaxDepth, kMaxTables})) {
    return false;
  }
  const auto* list =
      flatbuffers::GetRoot<schema::Executable>(copy.data())->instruction_bitstreams();
  if (list == nullptr || list->size() == 0 || list->Get(0)->bitstream() == nullptr) return false;
  const auto* first = list->Get(0)->bitstream();
  return looks_like_bitstream(std::as_bytes(std::span(first->data(), first->size())));
}

// The options of one operator; places of errors are those of the options.
class Options {
 public:
  Options(Reading& reading, ByteSpan file, const tflite::CustomOp& op)
      : reading_(reading),
        data_(file.subspan(op.offset, op.size)),
        base_(op.offset),
        label_("#" + std::to_string(op.op) + " " + op.code) {
    op_.graph = op.graph;
    op_.op = op.op;
    op_.options = {op.offset, op.size};
  }

  Result<CompiledOp> read() {
    EDGETWIN_TRY_ASSIGN(const tflite::FlexMap map, placed(tflite::FlexMap::open(data_)));
    EDGETWIN_TRY(read_numbers(map));
    EDGETWIN_TRY_ASSIGN(const auto package, placed(map.text("4")));
    if (!package) return error("the map has no key '4', the package");
    EDGETWIN_TRY_ASSIGN(const auto further, placed(map.texts("7")));
    std::vector<ByteSpan> packages{*package};
    if (further) packages.insert(packages.end(), further->begin(), further->end());
    if (op_.has_chips && op_.chips.size() != packages.size()) {
      return error(std::to_string(op_.chips.size()) + " chips are named for " +
                   std::to_string(packages.size()) + " packages");
    }
    for (size_t i = 0; i < packages.size(); ++i) {
      const std::string label =
          label_ + (packages.size() == 1 ? " package" : " package " + std::to_string(i));
      const auto offset = static_cast<uint64_t>(packages[i].data() - data_.data());
      EDGETWIN_TRY_ASSIGN(Package p, read_package_at(reading_, packages[i], base_ + offset, label));
      op_.packages.push_back(std::move(p));
    }
    return std::move(op_);
  }

 private:
  Error error(std::string message) const {
    return Error(ErrorCode::darwinn_options, std::move(message))
        .in_file(reading_.file)
        .at_offset(base_)
        .in_field(label_ + " custom_options");
  }
  // Errors of the FlexBuffer do not know what it is for and where.
  template <class T>
  Result<T> placed(Result<T> result) const {
    if (result.ok()) return result;
    return error(result.error().message);
  }

  Status read_number(const tflite::FlexMap& map, const char* key, int64_t& to) const {
    EDGETWIN_TRY_ASSIGN(const std::optional<double> value, placed(map.number(key)));
    constexpr double kMost = 1e15;
    if (!value) return Ok{};
    if (!(*value >= -kMost && *value <= kMost)) {
      return error("the value of '" + std::string(key) + "' is no whole number");
    }
    to = static_cast<int64_t>(*value);
    return Ok{};
  }

  Status read_numbers(const tflite::FlexMap& map) {
    EDGETWIN_TRY(read_number(map, "1", op_.payload_version));
    EDGETWIN_TRY(read_number(map, "5", op_.execution_preference));
    EDGETWIN_TRY_ASSIGN(auto chips, placed(map.integers("6")));
    if (!chips) return Ok{};
    op_.has_chips = true;
    op_.chips = std::move(*chips);
    return Ok{};
  }

  Reading& reading_;
  ByteSpan data_;
  uint64_t base_;
  std::string label_;
  CompiledOp op_;
};

Result<File> read_tflite(Reading& reading, ByteSpan data) {
  EDGETWIN_TRY_ASSIGN(const auto ops, tflite::custom_ops(data, reading.file));
  File file;
  for (const tflite::CustomOp& op : ops) {
    if (op.code != kCustomCode) continue;
    EDGETWIN_TRY_ASSIGN(CompiledOp read, Options(reading, data, op).read());
    file.ops.push_back(std::move(read));
  }
  return file;
}

File wrap(Container container, Package package) {
  File file;
  file.container = container;
  file.ops.emplace_back();
  file.ops[0].packages.push_back(std::move(package));
  return file;
}

File wrap(Container container, Executable executable) {
  Package package;
  package.executables.push_back(std::move(executable));
  return wrap(container, std::move(package));
}

Executable bare(ByteSpan data) {
  Executable e;
  e.bitstreams.push_back({to_bytes(data), {}, {0, data.size()}});
  return e;
}

Result<File> read_any(Reading& reading, ByteSpan data, Container container) {
  switch (container) {
    case Container::tflite:
      return read_tflite(reading, data);
    case Container::package: {
      EDGETWIN_TRY_ASSIGN(Package p, read_package_at(reading, data, 0, "package"));
      return wrap(container, std::move(p));
    }
    case Container::executable: {
      EDGETWIN_TRY_ASSIGN(const Source source, reading.source(data, 0, "executable"));
      EDGETWIN_TRY_ASSIGN(Executable e, read_executable(source, "executable"));
      return wrap(container, std::move(e));
    }
    case Container::bitstream:
      return wrap(container, bare(data));
  }
  return Error(ErrorCode::internal, "a container of no kind");
}

}  // namespace

std::optional<Container> container_of(ByteSpan data) {
  if (looks_like_bitstream(data)) return Container::bitstream;
  if (looks_like_package(data)) return Container::package;
  if (tflite::looks_like_tflite(data)) {
    const auto ops = tflite::custom_ops(data, "");
    const bool any = ops.ok() && std::any_of(ops->begin(), ops->end(),
                                             [](const auto& op) { return op.code == kCustomCode; });
    return any ? std::optional(Container::tflite) : std::nullopt;
  }
  return looks_like_executable(data) ? std::optional(Container::executable) : std::nullopt;
}

Result<File> read(ByteSpan data, const std::string& file) {
  std::optional<Container> container = container_of(data);
  if (!container && tflite::looks_like_tflite(data)) container = Container::tflite;
  if (!container) {
    return Error(ErrorCode::edgetpu_no_program,
                 "this is no compiled model, DarwiNN package, executable or bitstream")
        .in_file(file)
        .at_offset(0);
  }
  Reading reading(file, data.size());
  EDGETWIN_TRY_ASSIGN(File result, read_any(reading, data, *container));
  result.findings = std::move(reading.findings);
  return result;
}

Result<Package> read_package(ByteSpan data, const std::string& file) {
  Reading reading(file, data.size());
  return read_package_at(reading, data, 0, "package");
}

Result<Executable> read_executable(ByteSpan data, const std::string& file) {
  Reading reading(file, data.size());
  EDGETWIN_TRY_ASSIGN(const Source source, reading.source(data, 0, "executable"));
  return read_executable(source, "executable");
}

}  // namespace edgetwin::darwinn

#include <algorithm>

#include "darwinn_generated.h"
#include "formats/darwinn/reader.h"
#include "formats/flatbuffer/fields.h"

namespace edgetwin::darwinn {
namespace {

constexpr size_t kIdentifierOffset = 4;
constexpr std::string_view kIdentifier = "DWN1";
constexpr int32_t kMultiChip = -1;

template <class T>
Status verify(const Source& source, const char* identifier, const std::string& label) {
  const ByteSpan data = source.data();
  if (flatbuffer::is_whole<flatbuffers::Verifier, T>(data, identifier, {kMaxDepth, kMaxTables})) {
    return Ok{};
  }
  return source.error(ErrorCode::darwinn_flatbuffer,
                      "an offset or a length in the tables points outside of its " +
                          std::to_string(data.size()) + " bytes",
                      data.data(), label);
}

// What the driver refuses about a set of executables.
Status check_set(const Source& source, const Package& package, const std::string& label) {
  const auto& all = package.executables;
  const auto refuse = [&](std::string message) {
    return source.error(ErrorCode::darwinn_content, std::move(message), source.data().data(),
                        label);
  };
  if (all.empty()) return refuse("the package holds no executable");
  for (size_t i = 0; i < all.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (all[i].type != all[j].type) continue;
      return refuse("executables " + std::to_string(j) + " and " + std::to_string(i) +
                    " are both " + std::string(name(all[i].type)));
    }
  }
  const bool execution = package.find(ExecutableType::execution_only) != nullptr;
  const bool caching = package.find(ExecutableType::parameter_caching) != nullptr;
  if (all.size() == 1 || (execution && caching)) return Ok{};
  return refuse("a package of " + std::to_string(all.size()) +
                " executables needs PARAMETER_CACHING and EXECUTION_ONLY");
}

Status read_executables(Reading& reading, const Source& source, ByteSpan data, Package& package,
                        const std::string& label) {
  const std::string field = label + " serialized_multi_executable";
  EDGETWIN_TRY_ASSIGN(const Source multi,
                      reading.source(data, source.place_of(data.data()), field));
  EDGETWIN_TRY(verify<schema::MultiExecutable>(multi, nullptr, field));
  const auto& table = *flatbuffers::GetRoot<schema::MultiExecutable>(multi.data().data());
  const auto* list = table.serialized_executables();
  if (list == nullptr) return Ok{};
  constexpr uint32_t kMost = 3;  // one of each type
  if (list->size() > kMost) {
    return multi.error(ErrorCode::darwinn_content,
                       std::to_string(list->size()) + " executables, a package has at most 3", list,
                       field);
  }
  for (uint32_t i = 0; i < list->size(); ++i) {
    const ByteSpan bytes = flatbuffer::bytes_of(list->Get(i));
    const std::string name = label + " executable " + std::to_string(i);
    EDGETWIN_TRY_ASSIGN(const Source part,
                        reading.source(bytes, multi.place_of(bytes.data()), name));
    EDGETWIN_TRY_ASSIGN(Executable read, read_executable(part, name));
    package.executables.push_back(std::move(read));
  }
  return Ok{};
}

void find_versions(const Source& source, const Package& p, const std::string& label) {
  if (p.min_runtime_version > kCurrentRuntimeVersion) {
    source.find(Severity::warning, label,
                "it needs runtime version " + std::to_string(p.min_runtime_version) +
                    "; the newest that is known is " + std::to_string(kCurrentRuntimeVersion));
  } else if (p.min_runtime_version < kOldestRuntimeVersion) {
    source.find(Severity::warning, label,
                "its minimum runtime version is " + std::to_string(p.min_runtime_version) +
                    ", older than any that is known");
  }
}

}  // namespace

bool looks_like_package(ByteSpan data) {
  return data.size() >= kIdentifierOffset + kIdentifier.size() &&
         as_text(data.subspan(kIdentifierOffset, kIdentifier.size())) == kIdentifier;
}

Result<Package> read_package_at(Reading& reading, ByteSpan data, uint64_t base,
                                const std::string& label) {
  EDGETWIN_TRY_ASSIGN(const Source source, reading.source(data, base, label));
  if (!looks_like_package(source.data())) {
    return source.error(ErrorCode::darwinn_flatbuffer,
                        "a package has the identifier DWN1 at byte 4",
                        source.data().data() + std::min(data.size(), kIdentifierOffset), label);
  }
  EDGETWIN_TRY(verify<schema::Package>(source, kIdentifier.data(), label));
  const auto& table = *schema::GetPackage(source.data().data());
  Package p;
  p.place = {base, data.size()};
  p.min_runtime_version = table.min_runtime_version();
  p.keypair_version = table.keypair_version();
  p.virtual_chip_id = table.virtual_chip_id();
  EDGETWIN_TRY_ASSIGN(p.signature,
                      flatbuffer::read_bytes(source, table.signature(), label + " signature"));
  EDGETWIN_TRY_ASSIGN(p.compiler_version, flatbuffer::read_text(source, table.compiler_version(),
                                                                label + " compiler_version"));
  EDGETWIN_TRY_ASSIGN(p.model_identifier, flatbuffer::read_text(source, table.model_identifier(),
                                                                label + " model_identifier"));
  const auto* several = table.multi_chip_package();
  if (p.virtual_chip_id == kMultiChip || (several != nullptr && several->size() != 0)) {
    return source.error(ErrorCode::darwinn_content,
                        "a package for several chips, which no driver takes", &table, label);
  }
  if (table.serialized_multi_executable() != nullptr) {
    EDGETWIN_TRY(read_executables(
        reading, source, flatbuffer::bytes_of(table.serialized_multi_executable()), p, label));
  }
  EDGETWIN_TRY(check_set(source, p, label));
  find_versions(source, p, label);
  return p;
}

}  // namespace edgetwin::darwinn

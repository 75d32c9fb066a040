#include <algorithm>

#include "formats/espdl/read/read_file.h"
#include "formats/espdl/wire/wire.h"

namespace edgetwin::espdl {
namespace {

struct Entry {
  uint32_t data_offset = 0;
  uint32_t name_offset = 0;
  uint32_t name_length = 0;
};
static_assert(sizeof(Entry) == kEntrySize);

Error package_error(const InputFile& file, std::string message, uint64_t at, std::string field) {
  return Error(ErrorCode::espdl_package, std::move(message))
      .in_file(file.name)
      .at_offset(at)
      .in_field(std::move(field));
}

// The header of PDL3 up to the number of models; leaves file.data at the package's own size.
Status read_package3(InputFile& file, ByteReader& reader, Container& container) {
  EDGETWIN_TRY_ASSIGN(const ByteSpan raw, reader.take(kPackageTextSize, "package.version"));
  const std::string_view text = as_text(raw);
  const size_t length = std::min(text.find('\0'), text.size());
  container.version_text = text.substr(0, length);
  if (text.find_first_not_of('\0', length) != std::string_view::npos) {
    container.findings.push_back(
        {Severity::note, "", "package.version", "bytes after its end are not zero", ""});
  }
  if (length == kPackageTextSize) {
    return package_error(file, "the version text has no end: at most 15 characters fit", kMagicSize,
                         "package.version");
  }
  EDGETWIN_TRY_ASSIGN(const uint32_t size, reader.read<uint32_t>("package.size"));
  EDGETWIN_TRY_ASSIGN(const ByteSpan digest, reader.take(kDigestSize, "package.sha256"));
  if (size > file.data.size() || size < package_header_size(3)) {
    const bool missing = size > file.data.size();
    return Error(missing ? ErrorCode::truncated : ErrorCode::espdl_package,
                 "a package of " + std::to_string(size) + " bytes in a file of " +
                     std::to_string(file.data.size()))
        .in_file(file.name)
        .at_offset(kMagicSize + kPackageTextSize)
        .in_field("package.size");
  }
  if (size < file.data.size()) {
    container.findings.push_back(
        {Severity::note, "", "package.size",
         std::to_string(file.data.size() - size) + " bytes after the package are not read", ""});
  }
  file.data = file.data.first(size);
  const std::string computed = package_digest(file.data);
  const std::string stated = hex(digest);
  if (stated == computed) return Ok{};
  return Error(ErrorCode::espdl_digest, "the package was changed or damaged after it was made")
      .in_file(file.name)
      .at_offset(kDigestOffset)
      .in_field("package.sha256")
      .detail("stated:   " + stated)
      .detail("computed: " + computed);
}

Result<std::vector<Entry>> read_entries(const InputFile& file, int version, ByteReader& reader) {
  EDGETWIN_TRY_ASSIGN(const uint32_t count, reader.read<uint32_t>("package.models"));
  const uint64_t at = reader.offset() - sizeof count;
  if (count == 0 || count > kMaxModels) {
    return package_error(
        file, std::to_string(count) + " models; a package has 1 to " + std::to_string(kMaxModels),
        at, "package.models");
  }
  std::vector<Entry> entries;
  for (uint32_t i = 0; i < count; ++i) {
    const uint64_t place = reader.offset();
    const std::string label = "package.entry[" + std::to_string(i) + "]";
    EDGETWIN_TRY_ASSIGN(const Entry entry, reader.read<Entry>(label));
    const uint64_t name_end = uint64_t{entry.name_offset} + entry.name_length;
    if (entry.data_offset > file.data.size() || name_end > file.data.size()) {
      return package_error(file,
                           "model at " + std::to_string(entry.data_offset) + " and name up to " +
                               std::to_string(name_end) + " in a package of " +
                               std::to_string(file.data.size()) + " bytes",
                           place, label);
    }
    if (entry.data_offset < package_header_size(version) + count * kEntrySize) {
      return package_error(file, "the model begins inside of the directory", place, label);
    }
    entries.push_back(entry);
  }
  return entries;
}

// Where each model must end: where the next one in the file begins.
Result<std::vector<uint64_t>> model_ends(const InputFile& file, const std::vector<Entry>& entries) {
  std::vector<uint64_t> begins;
  for (const Entry& entry : entries) begins.push_back(entry.data_offset);
  std::sort(begins.begin(), begins.end());
  const auto twice = std::adjacent_find(begins.begin(), begins.end());
  if (twice != begins.end()) {
    return package_error(file, "two entries name the model at " + std::to_string(*twice), *twice,
                         "package.entry");
  }
  std::vector<uint64_t> ends;
  for (const Entry& entry : entries) {
    const auto next = std::upper_bound(begins.begin(), begins.end(), entry.data_offset);
    ends.push_back(next == begins.end() ? file.data.size() : *next);
  }
  return ends;
}

void find_in_package(const std::vector<Entry>& entries, Container& container) {
  std::vector<std::string> names;
  size_t encrypted = 0;
  for (size_t i = 0; i < entries.size(); ++i) {
    const ModelFile& model = container.models[i];
    if (container.package_version != 1 && entries[i].data_offset % kModelAlignment != 0) {
      container.findings.push_back({Severity::warning, "", "'" + model.name + "'",
                                    "the model does not begin at a multiple of 16 bytes", ""});
    }
    names.push_back(model.name);
    encrypted += model.encrypted ? 1 : 0;
  }
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) {
    container.findings.push_back({Severity::warning, "", "'" + *twice + "'",
                                  "two models of the package have this name", ""});
  }
  if (encrypted > 1) {
    container.findings.push_back({Severity::warning, "", "package",
                                  std::to_string(encrypted) +
                                      " models are encrypted with one key and the same counter: "
                                      "whoever knows one of them can "
                                      "read the others",
                                  "Give every model a key of its own."});
  }
}

Result<ModelFile> read_packed(const InputFile& file, const Entry& entry, uint64_t end,
                              int version) {
  const std::string_view name = as_text(file.data.subspan(entry.name_offset, entry.name_length));
  if (const std::string_view problem = name_problem(name); !problem.empty()) {
    return package_error(file, "the name of a model " + std::string(problem), entry.name_offset,
                         "package.name");
  }
  auto model = read_model(file, entry.data_offset, end, true);
  if (!model.ok()) {
    return std::move(model).error().detail("in the model '" + std::string(name) +
                                           "' of the package");
  }
  if (model->edl_version != edl_version_of_package(version)) {
    return package_error(file,
                         "a model EDL" + std::to_string(model->edl_version) + " in a package PDL" +
                             std::to_string(version),
                         entry.data_offset, "header.magic");
  }
  model->name = name;
  return model;
}

}  // namespace

Result<Container> read_package(InputFile file, int version) {
  Container container;
  container.package_version = version;
  ByteReader reader(file.data, file.name);
  EDGETWIN_TRY(reader.skip(kMagicSize, "package.magic"));
  if (version == 3) EDGETWIN_TRY(read_package3(file, reader, container));
  EDGETWIN_TRY_ASSIGN(const std::vector<Entry> entries, read_entries(file, version, reader));
  EDGETWIN_TRY_ASSIGN(const std::vector<uint64_t> ends, model_ends(file, entries));
  for (size_t i = 0; i < entries.size(); ++i) {
    EDGETWIN_TRY_ASSIGN(ModelFile model, read_packed(file, entries[i], ends[i], version));
    container.models.push_back(std::move(model));
  }
  find_in_package(entries, container);
  return container;
}

}  // namespace edgetwin::espdl

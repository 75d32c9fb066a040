#include "formats/espdl/write/write.h"

#include <algorithm>
#include <limits>

#include "base/file.h"
#include "formats/espdl/wire/wire.h"
#include "formats/espdl/write/writer.h"

namespace edgetwin::espdl {
namespace {

Error cannot(std::string message, std::string field) {
  return Error(ErrorCode::espdl_write, std::move(message)).in_field(std::move(field));
}

void write_magic(ByteWriter& to, char letter, int version, std::string_view field) {
  const std::string text = std::string(1, letter) + "DL" + std::to_string(version);
  to.append(as_byte_span(text), field);
}

Result<Bytes> write_model(const ModelFile& model, const std::optional<Key>& key) {
  if (model.edl_version != 1 && model.edl_version != 2) {
    return cannot(
        "a model of version " + std::to_string(model.edl_version) + "; EDL1 and EDL2 exist",
        "header.magic");
  }
  EDGETWIN_TRY_ASSIGN(Bytes payload, write_document(model.document));
  if (model.encrypted) {
    if (!key) {
      return Error(ErrorCode::espdl_encrypted, "the model shall be encrypted, and there is no key")
          .in_field("header.encryption");
    }
    EDGETWIN_TRY_ASSIGN(payload, apply_key(payload, *key));
  }
  ByteWriter to;
  write_magic(to, 'E', model.edl_version, "header.magic");
  to.write(uint32_t{model.encrypted ? 1U : 0U}, "header.encryption");
  to.write(static_cast<uint32_t>(payload.size()), "header.length");
  if (model.edl_version == 2) to.write(uint32_t{0}, "header.zero");
  to.append(payload, "payload");
  return to.bytes();
}

Status check_package(const Container& c) {
  const int version = c.package_version;
  if (version < 1 || version > 3) {
    return cannot("a package of version " + std::to_string(version) + "; PDL1 to PDL3 exist",
                  "package.magic");
  }
  if (c.models.empty() || c.models.size() > kMaxModels) {
    return cannot(std::to_string(c.models.size()) + " models; a package has 1 to " +
                      std::to_string(kMaxModels),
                  "package.models");
  }
  const bool bad_text =
      c.version_text.size() >= kPackageTextSize || c.version_text.find('\0') != std::string::npos;
  if (bad_text || (version != 3 && !c.version_text.empty())) {
    return cannot(
        "the version text '" + c.version_text + "': only PDL3 has one, of at most 15 characters",
        "package.version");
  }
  for (const ModelFile& model : c.models) {
    if (const std::string_view problem = name_problem(model.name); !problem.empty()) {
      return cannot("the name of a model " + std::string(problem), "package.name");
    }
    if (model.edl_version != edl_version_of_package(version)) {
      return cannot("the model '" + model.name + "' is EDL" + std::to_string(model.edl_version) +
                        ", which a package PDL" + std::to_string(version) + " cannot hold",
                    "header.magic");
    }
  }
  return Ok{};
}

size_t round_up(size_t size, size_t step) { return (size + step - 1) / step * step; }

struct Parts {
  std::vector<Bytes> models;
  std::vector<uint32_t> data_offsets;
  std::vector<uint32_t> name_offsets;
  uint32_t size = 0;
};

Result<Parts> place_parts(const Container& c, const std::optional<Key>& key) {
  Parts parts;
  const size_t step = c.package_version == 1 ? 1 : kModelAlignment;
  uint64_t at = package_header_size(c.package_version) + c.models.size() * kEntrySize;
  for (const ModelFile& model : c.models) {
    parts.name_offsets.push_back(static_cast<uint32_t>(at));
    at += model.name.size();
  }
  for (const ModelFile& model : c.models) {
    EDGETWIN_TRY_ASSIGN(Bytes bytes, write_model(model, key));
    at = round_up(at, step);
    if (at + bytes.size() >= kMaxFileBytes - kModelAlignment) {
      return cannot("the models are larger than 2 GiB together", "package.size");
    }
    parts.data_offsets.push_back(static_cast<uint32_t>(at));
    at += bytes.size();
    parts.models.push_back(std::move(bytes));
  }
  parts.size = static_cast<uint32_t>(round_up(at, step));
  return parts;
}

void write_package3_header(ByteWriter& to, const Container& c, uint32_t size) {
  to.append(as_byte_span(c.version_text), "package.version");
  const Bytes rest(kPackageTextSize - c.version_text.size());
  to.append(rest, "package.version");
  to.write(size, "package.size");
  to.append(Bytes(kDigestSize), "package.sha256");
}

Bytes unhex(std::string_view digits) {
  const auto value = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  Bytes bytes;
  for (size_t i = 0; i + 1 < digits.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(value(digits[i]) * 16 + value(digits[i + 1])));
  }
  return bytes;
}

Result<Bytes> write_package(const Container& c, const std::optional<Key>& key) {
  EDGETWIN_TRY(check_package(c));
  EDGETWIN_TRY_ASSIGN(const Parts parts, place_parts(c, key));
  const size_t step = c.package_version == 1 ? 1 : kModelAlignment;
  ByteWriter to;
  write_magic(to, 'P', c.package_version, "package.magic");
  if (c.package_version == 3) write_package3_header(to, c, parts.size);
  to.write(static_cast<uint32_t>(c.models.size()), "package.models");
  for (size_t i = 0; i < c.models.size(); ++i) {
    to.write(parts.data_offsets[i], "entry.data_offset");
    to.write(parts.name_offsets[i], "entry.name_offset");
    to.write(static_cast<uint32_t>(c.models[i].name.size()), "entry.name_length");
  }
  for (const ModelFile& model : c.models) to.append(as_byte_span(model.name), "package.name");
  for (const Bytes& model : parts.models) {
    to.align(step, "padding");
    to.append(model, "model");
  }
  to.align(step, "padding");
  Bytes package = to.bytes();
  if (c.package_version == 3) {
    const Bytes digest = unhex(package_digest(package));
    std::copy(digest.begin(), digest.end(), package.begin() + kDigestOffset);
  }
  return package;
}

}  // namespace

Result<Bytes> write(const Container& container, std::optional<Key> key) {
  if (container.package_version != 0) return write_package(container, key);
  if (container.models.size() != 1) {
    return cannot(std::to_string(container.models.size()) + " models in a file for one", "models");
  }
  if (!container.version_text.empty() || !container.models.front().name.empty()) {
    return cannot("a name or a version text; a file for one model has neither", "models");
  }
  return write_model(container.models.front(), key);
}

Result<Container> pack(std::vector<ModelFile> models, int package_version,
                       std::string version_text) {
  Container c;
  c.package_version = package_version;
  if (package_version == 3) c.version_text = std::move(version_text);
  for (ModelFile& model : models) model.edl_version = edl_version_of_package(package_version);
  std::stable_sort(models.begin(), models.end(),
                   [](const ModelFile& a, const ModelFile& b) { return a.name < b.name; });
  c.models = std::move(models);
  EDGETWIN_TRY(check_package(c));
  for (size_t i = 1; i < c.models.size(); ++i) {
    if (c.models[i].name == c.models[i - 1].name) {
      return cannot("two models are named '" + c.models[i].name + "'", "package.name");
    }
  }
  return c;
}

}  // namespace edgetwin::espdl

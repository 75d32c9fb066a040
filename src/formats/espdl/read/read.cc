#include <algorithm>

#include "base/file.h"
#include "formats/espdl/read/read.h"
#include "formats/espdl/read/read_file.h"
#include "formats/espdl/read/reader.h"
#include "formats/espdl/wire/wire.h"

namespace edgetwin::espdl {
namespace {

// A table of a few bytes becomes a struct of strings and lists, so more than the file's own size.
constexpr uint64_t kMemoryPerByte = 8;

enum class Encryption : uint32_t { none = 0, aes128_ctr = 1 };

// Header and payload of one model.
struct Stored {
  int edl_version = 2;
  bool encrypted = false;
  uint64_t payload_offset = 0;
  ByteSpan payload;
};

// The model at `begin`, which ends before `end`.
Result<Stored> read_header(const InputFile& file, uint64_t begin, uint64_t end,
                           std::vector<Finding>& findings) {
  ByteReader reader(file.data.first(end), file.name);
  EDGETWIN_TRY(reader.skip(begin, "model"));
  Stored stored;
  EDGETWIN_TRY_ASSIGN(const ByteSpan magic, reader.take(kMagicSize, "header.magic"));
  const Magic known = magic_of(magic);
  if (known.letter != 'E') {
    return Error(ErrorCode::espdl_header,
                 "no model begins here: the first bytes are not EDL1 or EDL2")
        .in_file(file.name)
        .at_offset(begin)
        .in_field("header.magic");
  }
  stored.edl_version = known.version;
  EDGETWIN_TRY_ASSIGN(const uint32_t mode, reader.read<uint32_t>("header.encryption"));
  if (mode > static_cast<uint32_t>(Encryption::aes128_ctr)) {
    return Error(ErrorCode::espdl_header, "encryption mode " + std::to_string(mode) +
                                              "; 0 (plain) and 1 (AES-128-CTR) exist")
        .in_file(file.name)
        .at_offset(begin + kMagicSize)
        .in_field("header.encryption");
  }
  stored.encrypted = mode == static_cast<uint32_t>(Encryption::aes128_ctr);
  EDGETWIN_TRY_ASSIGN(const uint32_t length, reader.read<uint32_t>("header.length"));
  if (stored.edl_version == 2) {
    EDGETWIN_TRY_ASSIGN(const uint32_t zero, reader.read<uint32_t>("header.zero"));
    if (zero != 0) {
      findings.push_back({Severity::note, "", "header", "bytes 12 to 15 are not zero", ""});
    }
  }
  stored.payload_offset = reader.offset();
  EDGETWIN_TRY_ASSIGN(stored.payload, reader.take(length, "payload"));
  return stored;
}

// Packages fill up to 16 with zeros; anything else is strange.
void find_surplus(const InputFile& file, uint64_t from, uint64_t to, bool in_package,
                  std::vector<Finding>& findings) {
  const ByteSpan rest = file.data.subspan(from, to - from);
  const bool zero =
      std::all_of(rest.begin(), rest.end(), [](std::byte b) { return b == std::byte{0}; });
  if (rest.empty() || (in_package && zero && rest.size() < kModelAlignment)) return;
  findings.push_back({Severity::note, "", "payload",
                      std::to_string(rest.size()) + " bytes after the model are not read", ""});
}

Error no_key(const InputFile& file, uint64_t begin) {
  return Error(ErrorCode::espdl_encrypted,
               "the model is encrypted with AES-128-CTR and can be read only with its key")
      .in_file(file.name)
      .at_offset(begin + kMagicSize)
      .in_field("header.encryption")
      .with_hint("Add --key HEX with the 16 bytes that the exporter has printed.");
}

}  // namespace

Result<ModelFile> read_model(const InputFile& file, uint64_t begin, uint64_t end, bool in_package) {
  ModelFile model;
  EDGETWIN_TRY_ASSIGN(const Stored stored, read_header(file, begin, end, model.findings));
  model.edl_version = stored.edl_version;
  model.encrypted = stored.encrypted;
  find_surplus(file, stored.payload_offset + stored.payload.size(), end, in_package,
               model.findings);
  Bytes own;  // decrypted, or moved to where numbers may be read in place
  ByteSpan payload = stored.payload;
  if (stored.encrypted) {
    if (!file.key) return no_key(file, begin);
    EDGETWIN_TRY_ASSIGN(own, apply_key(payload, *file.key));
    payload = own;
  } else if (reinterpret_cast<uintptr_t>(payload.data()) % kModelAlignment != 0) {
    own = to_bytes(payload);
    payload = own;
  }
  Source source(payload, stored.payload_offset, file.name, file.budget, model.findings);
  EDGETWIN_TRY_ASSIGN(model.document, read_document(source, stored.encrypted));
  return model;
}

bool looks_like_espdl(ByteSpan data) { return magic_of(data).version != 0; }

Result<Container> read(ByteSpan data, const std::string& file, std::optional<Key> key) {
  if (data.size() >= kMaxFileBytes - 1) {
    return Error(ErrorCode::file_too_large,
                 std::to_string(data.size()) + " bytes, at most 2 GiB are read")
        .in_file(file)
        .at_offset(0)
        .in_field("file");
  }
  const Magic magic = magic_of(data);
  if (magic.version == 0) {
    return Error(data.size() < kMagicSize ? ErrorCode::truncated : ErrorCode::espdl_header,
                 "the file does not begin with EDL1, EDL2, PDL1, PDL2 or PDL3")
        .in_file(file)
        .at_offset(0)
        .in_field("magic");
  }
  flatbuffer::Budget budget(data.size(), kMemoryPerByte);
  const InputFile whole{data, file, budget, key};
  if (magic.letter == 'P') return read_package(whole, magic.version);
  EDGETWIN_TRY_ASSIGN(ModelFile model, read_model(whole, 0, data.size(), false));
  return single(std::move(model));
}

}  // namespace edgetwin::espdl

// The zip side of .npz, by libzip, which brings a library of ciphers: a module.
#include <zip.h>

#include <algorithm>
#include <memory>

#include "tensor/npy.h"
#include "tensor/zip.h"

namespace edgetwin {
namespace {

constexpr zip_int64_t kMaxMembers = 65536;
// What all members together may have: bytes that any archive may have, or this many times its own.
// Arrays of activations deflate to a tenth at best; those of zeros to a thousandth.
constexpr uint64_t kFreeBytes = uint64_t{64} << 20, kMaxRatio = 100;

struct ZipCloser {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
struct FileCloser {
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};
using Archive = std::unique_ptr<zip_t, ZipCloser>;

Error archive_error(const std::string& what, const std::string& file) {
  return Error(ErrorCode::npz_archive, what).in_file(file);
}

std::string text_of(zip_error_t& error) {
  std::string text = zip_error_strerror(&error);
  zip_error_fini(&error);
  return text;
}

Result<Tensor> read_member(zip_t* archive, zip_uint64_t index, const std::string& file) {
  zip_stat_t status;
  if (zip_stat_index(archive, index, 0, &status) != 0 || !(status.valid & ZIP_STAT_SIZE) ||
      !(status.valid & ZIP_STAT_NAME)) {
    return archive_error("member " + std::to_string(index) + " has no name or size", file);
  }
  std::string member = status.name;
  if (status.size > static_cast<zip_uint64_t>(kMaxTensorBytes)) {
    return archive_error("member '" + member + "' exceeds the limit", file);
  }
  const std::unique_ptr<zip_file_t, FileCloser> open(zip_fopen_index(archive, index, 0));
  if (!open) return archive_error("member '" + member + "' cannot be opened", file);
  // Grown as bytes arrive: the size in the directory is only a claim.
  Bytes data;
  std::vector<std::byte> block(65536);
  while (data.size() <= status.size) {
    const zip_int64_t n = zip_fread(open.get(), block.data(), block.size());
    if (n < 0) return archive_error("member '" + member + "' is damaged", file);
    if (n == 0) break;
    const bool is_first = data.empty();
    data.insert(data.end(), block.begin(), block.begin() + n);
    if (is_first && !looks_like_npy(data))
      return archive_error("member '" + member + "' is not a .npy file", file);
  }
  if (data.size() != status.size) {
    return archive_error("member '" + member + "' is shorter or longer than it claims", file);
  }
  EDGETWIN_TRY_ASSIGN(Tensor tensor, read_npy(data, file + ":" + member));
  tensor.name = member.ends_with(".npy") ? member.substr(0, member.size() - 4) : member;
  return tensor;
}

// Before anything is inflated: what the members claim to have.
Status check_claims(zip_t* archive, zip_int64_t count, size_t archive_bytes,
                    const std::string& file) {
  uint64_t total = 0;
  for (zip_int64_t i = 0; i < count; ++i) {
    zip_stat_t status;
    const bool known = zip_stat_index(archive, static_cast<zip_uint64_t>(i), 0, &status) == 0 &&
                       (status.valid & ZIP_STAT_SIZE) != 0;
    if (!known || status.size > static_cast<zip_uint64_t>(kMaxTensorBytes)) continue;  // said later
    total += status.size;
  }
  if (total <= std::max(kFreeBytes, kMaxRatio * archive_bytes)) return Ok{};
  return archive_error("its members claim " + std::to_string(total) + " bytes, more than " +
                           std::to_string(kMaxRatio) + " times the archive's " +
                           std::to_string(archive_bytes),
                       file);
}

Result<std::vector<Tensor>> read_archive(ByteSpan data, const std::string& file) {
  // libzip takes nothing at all for an empty archive.
  if (!looks_like_zip(data)) return archive_error("this is not an .npz archive", file);
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source = zip_source_buffer_create(data.data(), data.size(), 0, &error);
  if (source == nullptr) return archive_error(text_of(error), file);
  const Archive archive(zip_open_from_source(source, ZIP_RDONLY, &error));
  if (!archive) {
    zip_source_free(source);
    return archive_error("the archive cannot be opened: " + text_of(error), file);
  }
  zip_error_fini(&error);
  const zip_int64_t count = zip_get_num_entries(archive.get(), 0);
  if (count > kMaxMembers) return archive_error("the archive has too many members", file);
  EDGETWIN_TRY(check_claims(archive.get(), count, data.size(), file));
  std::vector<Tensor> tensors;
  int64_t total = 0;
  for (zip_int64_t i = 0; i < count; ++i) {
    EDGETWIN_TRY_ASSIGN(Tensor tensor,
                        read_member(archive.get(), static_cast<zip_uint64_t>(i), file));
    total += static_cast<int64_t>(tensor.data.size());
    if (total > kMaxTensorBytes) return archive_error("the arrays together exceed 1 GiB", file);
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

// Adds one member, which must outlive the archive's closing.
bool add_member(zip_t* archive, const std::string& name, const Bytes& data) {
  zip_source_t* source = zip_source_buffer(archive, data.data(), data.size(), 0);
  if (source == nullptr) return false;
  const zip_int64_t index =
      zip_file_add(archive, (name + ".npy").c_str(), source, ZIP_FL_ENC_UTF_8);
  if (index < 0) {
    zip_source_free(source);
    return false;
  }
  const auto member = static_cast<zip_uint64_t>(index);
  // 1 January 1980, the oldest date a zip can hold: the same input gives the same bytes.
  return zip_set_file_compression(archive, member, ZIP_CM_STORE, 0) == 0 &&
         zip_file_set_dostime(archive, member, 0, 0x21, 0) == 0;
}

Bytes read_back(zip_source_t* source) {
  Bytes out;
  zip_stat_t status;
  zip_stat_init(&status);
  if (zip_source_stat(source, &status) != 0 || zip_source_open(source) != 0) return out;
  out.resize(status.size);
  const zip_int64_t n = zip_source_read(source, out.data(), out.size());
  zip_source_close(source);
  if (n != static_cast<zip_int64_t>(out.size())) out.clear();
  return out;
}

Result<Bytes> write_archive(const std::vector<Tensor>& tensors) {
  std::vector<Bytes> members;
  for (const Tensor& tensor : tensors) {
    EDGETWIN_TRY_ASSIGN(Bytes bytes, write_npy(tensor));
    members.push_back(std::move(bytes));
  }
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* sink = zip_source_buffer_create(nullptr, 0, 0, &error);
  if (sink == nullptr) return archive_error(text_of(error), "");
  zip_source_keep(sink);  // the archive's closing gives up its own hold
  const std::unique_ptr<zip_source_t, void (*)(zip_source_t*)> keep(sink, zip_source_free);
  Archive archive(zip_open_from_source(sink, ZIP_TRUNCATE, &error));
  if (!archive) {
    zip_source_free(sink);
    return archive_error(text_of(error), "");
  }
  zip_error_fini(&error);
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (!add_member(archive.get(), tensors[i].name, members[i])) {
      return archive_error(std::string("'") + tensors[i].name + "': " + zip_strerror(archive.get()),
                           "");
    }
  }
  if (zip_close(archive.get()) != 0) return archive_error(zip_strerror(archive.get()), "");
  static_cast<void>(archive.release());  // closed: nothing left to discard
  Bytes out = read_back(sink);
  if (out.empty() && !tensors.empty()) return archive_error("the archive cannot be built", "");
  return out;
}

}  // namespace
}  // namespace edgetwin

edgetwin::ReadArchive* const edgetwin_read_npz = edgetwin::read_archive;
edgetwin::WriteArchive* const edgetwin_write_npz = edgetwin::write_archive;

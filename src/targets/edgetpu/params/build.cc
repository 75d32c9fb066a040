#include "targets/edgetpu/params/build.h"

#include <algorithm>

namespace edgetwin::edgetpu {

std::vector<BuiltBlob> build(const Located& located) {
  std::vector<BuiltBlob> built;
  for (const Blob& b : located.blobs) {
    built.push_back({b.id, {b.bytes.begin(), b.bytes.end()}, 0, 0, true});
    built.back().copied = static_cast<int64_t>(b.bytes.size());
  }
  for (const Piece& p : located.pieces) {
    BuiltBlob& b = built[p.blob];
    const auto at = b.bytes.begin() + static_cast<std::ptrdiff_t>(p.offset);
    b.equal = b.equal && std::equal(p.expected.begin(), p.expected.end(), at);
    std::copy(p.expected.begin(), p.expected.end(), at);
    b.made += static_cast<int64_t>(p.bytes);
    b.copied -= static_cast<int64_t>(p.bytes);
  }
  return built;
}

std::string blob_file_name(const BlobId& id) {
  const std::string op = id.op == 0 ? "" : "o" + std::to_string(id.op) + "_";
  return op + "p" + std::to_string(id.package) + "_e" + std::to_string(id.executable) + ".bin";
}

}  // namespace edgetwin::edgetpu

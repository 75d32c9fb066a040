// Where the parameters of each layer stand in a compiled model: found by making the bytes that the
// uncompiled model should give, in every form that the compiler may choose, and looking for them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "formats/darwinn/darwinn.h"
#include "targets/edgetpu/params/reference.h"

namespace edgetwin::edgetpu {

// A parameter vector of the file, by the numbers of its executable.
struct BlobId {
  size_t op = 0, package = 0, executable = 0;
  bool operator==(const BlobId&) const = default;
};

struct Blob {
  BlobId id;
  darwinn::ExecutableType type = darwinn::ExecutableType::stand_alone;
  darwinn::Extent place;  // in the file
  ByteSpan bytes;
};

// All parameter vectors that are not empty, in the file's order; they point into `file`.
std::vector<Blob> blobs_of(const darwinn::File& file);

enum class PieceKind : uint8_t { layer, softmax, selection, constant };
std::string_view name(PieceKind kind);

// One located run of bytes.
struct Piece {
  PieceKind kind = PieceKind::layer;
  size_t blob = 0;    // index into Located::blobs
  size_t offset = 0;  // in the blob
  size_t bytes = 0;   // with the padding at its end
  std::string label;  // operator of the uncompiled model
  Bytes expected;     // what the uncompiled model gives
  // Of layers.
  size_t layer = 0;  // index into Located::layers
  BlockShape shape;
  float output_scale = 0.0F;  // that gives the scales found; 0: none of the model's does
  size_t explained = 0;       // bytes equal to `expected`
};

struct Located {
  std::vector<Blob> blobs;
  std::vector<ReferenceLayer> layers;
  std::vector<Piece> pieces;       // by blob and offset
  std::vector<size_t> missing;     // layers that are in no blob: left to the host, or not found
  std::vector<int64_t> explained;  // by blob: bytes

  const Piece* piece_of(size_t layer) const;
  int64_t total() const;
  int64_t total_explained() const;
};

// `file` must outlive the result.
Located locate(const darwinn::File& file, const Graph& reference);

}  // namespace edgetwin::edgetpu

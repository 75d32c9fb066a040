// NumPy's array files: .npy (format 1.0 to 3.0, C order) and .npz (a zip of them).
// docs/formats/npy.md has the bytes and the limits.
#pragma once

#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "tensor/tensor.h"

namespace edgetwin {

bool looks_like_npy(ByteSpan data);
bool looks_like_zip(ByteSpan data);

// `file` is used in errors only. Fortran order is turned into C order; big-endian data into little.
// Errors: npy_header, npy_type, truncated, out_of_memory.
Result<Tensor> read_npy(ByteSpan data, const std::string& file);

// Format 1.0, header padded to a multiple of 64: the bytes numpy.save writes. The tensor's type
// must have an npy descriptor (error npy_type).
Result<Bytes> write_npy(const Tensor& tensor);

// All arrays in the order of the archive; a member "x.npy" becomes the tensor "x".
// Errors: npz_archive, and those of read_npy.
Result<std::vector<Tensor>> read_npz(ByteSpan data, const std::string& file);

// Stored (not deflated) members without time stamps. Errors: npz_archive, npy_type.
Result<Bytes> write_npz(const std::vector<Tensor>& tensors);

}  // namespace edgetwin

// Networks and register programs of the MAX78000 and MAX78002 in the form of the page's graph.
#pragma once

#include "serve/inspect/requests.h"

namespace edgetwin::serve {

// Members target (max78000 without it), weights (id of a checkpoint, or of an .npy), bias, sample
// (ids), input_shape (CxHxW). Their files are written into `folder`, which must outlive the use.
Result<OpenOptions> max78_options(const FileStore& files, const OpenedFile& file, const Members& m,
                                  const BriefFolder& folder);
// Operators, tensors and findings as of other networks, and "memory_svg"; without parameters
// pseudo-random ones stand in, which is a finding. The tensor of layer k has the number k + 1.
Result<Json> max78_network(const OpenedFile& file, const OpenOptions& options);
// Parts and registers, layer by layer.
Result<Json> max78_program(const OpenedFile& file);

}  // namespace edgetwin::serve

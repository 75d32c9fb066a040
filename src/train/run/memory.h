// Whether a batch fits into memory, before the first step. Specification: training, 20.
#pragma once

#include "base/result.h"
#include "train/network/model.h"

namespace edgetwin::train {

// What a step holds for one item, about: maps, masks and gradients of all layers.
int64_t bytes_per_item(const Network& network);

// Bytes that this process may still take; 0: unknown.
int64_t available_memory();

// Error: train_memory with the batch size that fits.
Status check_batch_memory(const Network& network, size_t batch, int64_t available);

}  // namespace edgetwin::train

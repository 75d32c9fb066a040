// Operands told by their channels: which producers' channels stand side by side in what a layer
// reads or what leaves for the host, and what a matrix of zeros and ones takes of them.
#pragma once

#include <optional>

#include "targets/edgetpu/decompile/operands/layer.h"

namespace edgetwin::edgetpu {

// Who made a word.
struct WordMakers {
  const std::vector<DecompiledLayer>& layers;
  const std::vector<Stage>& stages;
  const std::vector<int>& layer_of;  // by stage; -1: none
  const darwinn::Executable& inference;
  bool inputs_certain = true;
};

void add_votes(const ChannelVotes& from, ChannelVotes& to);

// Nothing: some word is not clearly one producer's, or a producer's words are not told apart.
std::optional<Operand> operand_of_channels(const ChannelVotes& votes, const WordMakers& makers);

// Of words that leave for the host, where so many channels of each pixel are looked at.
std::optional<Operand> operand_of_words(const std::vector<Origin>& words, int channels,
                                        const WordMakers& makers);

// Row after row, which of `operand`'s channels (`parts`: how many of each producer, padded to words
// one after the other) a matrix takes. `rows`: by output the index of its one.
std::optional<Operand> take_channels(const Operand& operand, const std::vector<int>& parts,
                                     const std::vector<size_t>& rows);

// The same of a picture of this size, whose parts may be in other places, with channels of real 0
// between them: rows of -1. Nothing: filler is taken, or pieces of channels.
std::optional<Operand> take_or_fill_channels(const Operand& operand, const std::vector<int>& parts,
                                             const std::vector<int>& rows, const Extent2D& picture);

}  // namespace edgetwin::edgetpu

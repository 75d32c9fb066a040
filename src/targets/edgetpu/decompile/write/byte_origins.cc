#include "targets/edgetpu/decompile/write/byte_origins.h"

#include <algorithm>
#include <numeric>
#include <string>

namespace edgetwin::edgetpu {
namespace {

constexpr unsigned kDigitBits = 8;
constexpr std::byte kAll{0xFF};

std::byte digit(uint64_t number, unsigned n) {
  return static_cast<std::byte>(number >> (n * kDigitBits));
}

unsigned digits_of(uint64_t numbers) {
  unsigned n = 1;
  while (numbers > 1 && ((numbers - 1) >> (n * kDigitBits)) != 0) ++n;
  return n;
}

// Every byte of all inputs, one after the other, as a digit of its place.
std::vector<Bytes> numbered(const std::vector<size_t>& input_bytes, unsigned n, std::byte flip) {
  std::vector<Bytes> inputs;
  uint64_t number = 0;
  for (const size_t size : input_bytes) {
    Bytes& b = inputs.emplace_back(size);
    for (std::byte& x : b) x = digit(number++, n) ^ flip;
  }
  return inputs;
}

Result<std::vector<Bytes>> run(const ByteProgram& program, const std::vector<Bytes>& inputs) {
  return program(std::vector<ByteSpan>(inputs.begin(), inputs.end()));
}

Error no_copy(size_t output, size_t byte) {
  return Error(ErrorCode::decompile_program,
               "byte " + std::to_string(byte) + " of output " + std::to_string(output) +
                   " is neither a byte of the inputs nor always the same");
}

}  // namespace

Result<std::vector<ByteOrigins>> trace_bytes(const ByteProgram& program,
                                             const std::vector<size_t>& input_bytes) {
  const uint64_t all = std::accumulate(input_bytes.begin(), input_bytes.end(), uint64_t{0});
  const unsigned digits = digits_of(all);
  std::vector<std::vector<Bytes>> straight;
  for (unsigned n = 0; n < digits; ++n) {
    EDGETWIN_TRY_ASSIGN(std::vector<Bytes> out, run(program, numbered(input_bytes, n, {})));
    straight.push_back(std::move(out));
  }
  EDGETWIN_TRY_ASSIGN(const std::vector<Bytes> turned,
                      run(program, numbered(input_bytes, 0, kAll)));
  std::vector<ByteOrigins> origins(turned.size());
  for (size_t o = 0; o < turned.size(); ++o) {
    for (size_t k = 0; k < turned[o].size(); ++k) {
      uint64_t number = 0;
      bool same = true;
      for (unsigned n = 0; n < digits; ++n) {
        const std::byte b = straight[n][o][k];
        number |= uint64_t{static_cast<uint8_t>(b)} << (n * kDigitBits);
        same = same && b == turned[o][k];
      }
      if (same) {
        origins[o].push_back({-1, static_cast<int64_t>(turned[o][k])});
        continue;
      }
      if (number >= all || turned[o][k] != (digit(number, 0) ^ kAll)) return no_copy(o, k);
      size_t input = 0;
      while (number >= input_bytes[input]) number -= input_bytes[input++];
      origins[o].push_back({static_cast<int32_t>(input), static_cast<int64_t>(number)});
    }
  }
  return origins;
}

}  // namespace edgetwin::edgetpu

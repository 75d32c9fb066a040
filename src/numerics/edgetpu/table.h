// The Edge TPU's tables of functions: eight pieces of polynomials of the fourth degree.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace edgetwin::numerics::edgetpu {

struct FunctionTable {
  static constexpr size_t kPieces = 8;
  static constexpr size_t kCoefficients = 5;
  using Polynomial = std::array<float, kCoefficients>;  // of x^0, x^1, …

  std::array<Polynomial, kPieces> piece{};
  std::array<float, kPieces - 1> bound{};  // where the next piece begins, ascending

  // Single precision, each step rounded. Whether the chip fuses them is not known: over 76,800
  // arguments of LOGISTIC no byte depends on it.
  float operator()(float x) const {
    size_t n = 0;
    bool before = true;  // without a branch that nothing predicts
    for (const float b : bound) {
      before = before && x >= b;
      n += before ? 1 : 0;
    }
    const Polynomial& p = piece[n];
    float y = p[kCoefficients - 1];
    for (size_t k = kCoefficients - 1; k-- > 0;) y = y * x + p[k];
    return y;
  }

  // The same function in other units.
  FunctionTable times(double factor) const {
    FunctionTable t = *this;
    for (Polynomial& p : t.piece) {
      for (float& c : p) c = static_cast<float>(static_cast<double>(c) * factor);
    }
    return t;
  }
};

// A table of an odd function has pieces for positive arguments only: it gets the argument's
// magnitude, and its result the argument's sign. So says a field of the instruction (`odd`).
inline float odd(const FunctionTable& table, float x) {
  return std::copysign(table(std::abs(x)), x);
}

// Arguments are limited to these on both sides.
inline constexpr float kLogisticLimit = 10.396732F;
inline constexpr float kTanhLimit = 6.874807F;

// As compiled models carry it for outputs in steps of 1/256; other steps have the same numbers
// times 1/256 of their reciprocal.
inline constexpr FunctionTable kLogisticTable{
    {{{32.0826263F, 13.8573666F, 2.26723862F, 0.165984079F, 0.00457601249F},
      {132.630966F, 85.7031479F, 21.8594437F, 2.57999992F, 0.117780134F},
      {135.458527F, 82.2097397F, 16.4306583F, 0.521119714F, -0.129669413F},
      {128.001617F, 63.9722519F, -0.329650819F, -6.31121683F, -1.16213655F},
      {128.002808F, 63.9249916F, 0.473451048F, -6.47530603F, 1.22420335F},
      {110.890182F, 98.7117844F, -26.8906574F, 3.43589926F, -0.171839997F},
      {195.841064F, 29.9668179F, -5.70822763F, 0.490329921F, -0.0159620475F},
      {244.798203F, 4.16675377F, -0.587941468F, 0.0372296944F, -0.000891290838F}}},
    {-5.63985491F, -2.96540403F, -1.34088004F, 0.0861396194F, 1.80565596F, 4.80117941F,
     8.47242165F}};

// 65535 e^x for x from -13.0381 to 0, the exponentials of softmax, as every compiled program with
// one carries it. One result in some twenty is not the nearest integer of the function.
inline constexpr FunctionTable kExponentialTable{
    {{{1839.6675F, 630.2154F, 81.34308F, 4.680994F, 0.10120727F},
      {13928.352F, 6826.62F, 1282.0364F, 108.85453F, 3.513191F},
      {33057.742F, 20768.045F, 5117.174F, 580.746F, 25.420813F},
      {50335.938F, 38372.758F, 11888.197F, 1745.7169F, 101.05772F},
      {60827.97F, 53701.17F, 20356.889F, 3842.9094F, 297.454F},
      {64842.34F, 62677.58F, 27987.324F, 6766.296F, 723.3006F},
      {65526.38F, 65428.203F, 32277.033F, 9857.563F, 1593.3411F},
      {65535.0F, 65534.95F, 32765.309F, 10888.121F, 2503.7742F}}},
    {-7.986872F, -5.480507F, -3.9326499F, -2.6985426F, -1.757619F, -0.9169553F, -0.1742215F}};

// An odd function. The public program with it has the table twice, times the reciprocals of two
// steps, 1/127.5 and 1/16383.5 in single precision; these are the only 40 numbers of single
// precision that make both. At most 2.1e-6 from tanh.
inline constexpr FunctionTable kTanhTable{
    {{{-6.2450045e-17F, 0.9998634F, 0.0035402963F, -0.36335003F, 0.104476154F},
      {-0.0008210397F, 1.0045091F, 0.0016772085F, -0.39257926F, 0.14937522F},
      {-0.046060503F, 1.2288907F, -0.42071348F, -0.034614198F, 0.0340921F},
      {-0.15057716F, 1.5857576F, -0.8812825F, 0.23160978F, -0.024041146F},
      {0.087817095F, 1.1230009F, -0.542835F, 0.12106336F, -0.010434602F},
      {0.485861F, 0.53073674F, -0.21101436F, 0.03810424F, -0.0026259366F},
      {0.828775F, 0.14084938F, -0.044051163F, 0.006192251F, -0.00032940612F},
      {0.9773923F, 0.014015942F, -0.0032754997F, 0.00034160673F, -1.3402427e-5F}}},
    {0.3597914F, 0.78073186F, 1.1744751F, 2.0300643F, 2.6845171F, 3.5472608F, 4.83642F}};

// 46340 / sqrt(x) for x from 1 to 4, for the reciprocal of softmax, as every compiled program with
// one carries it. 46340 is the largest number whose square is less than 2^31.
inline constexpr FunctionTable kInverseRootTable{
    {{{109663.41F, -135128.84F, 112302.266F, -49342.207F, 8845.37F},
      {99786.16F, -101767.54F, 69965.35F, -25417.17F, 3765.479F},
      {89722.984F, -73979.2F, 41119.766F, -12077.087F, 1446.5148F},
      {80423.64F, -53271.863F, 23783.623F, -5609.964F, 539.5391F},
      {71984.555F, -38202.617F, 13666.3F, -2583.1428F, 199.0968F},
      {64750.547F, -27807.225F, 8050.912F, -1231.8031F, 76.864265F},
      {59222.95F, -21285.252F, 5160.387F, -661.5083F, 34.603092F},
      {59222.95F, -21285.252F, 5160.387F, -661.5083F, 34.603092F}}},
    {1.1744492F, 1.4527012F, 1.7968035F, 2.2504222F, 2.7994583F, 3.4374754F,
     std::numeric_limits<float>::infinity()}};

// Such a table for all positive numbers: x = r * 4^e with r from 1 up to 4, and the root of 4^e is
// 2^e. Its pieces end at 4, and programs put sums of up to 16,384 through it, so that the chip must
// do this.
inline float inverse_root(const FunctionTable& table, float x) {
  constexpr int kFraction = 23, kBias = 127;  // of single precision
  const auto bits = std::bit_cast<int32_t>(x);
  const int exponent = bits >> kFraction;
  if (exponent < 1 || exponent > 2 * kBias) {  // none of a normal number
    const int twice = std::ilogb(x) & ~1;
    return std::ldexp(table(std::ldexp(x, -twice)), -twice / 2);
  }
  const int twice = (exponent - kBias) & ~1;
  const auto scale = std::bit_cast<float>((kBias - twice / 2) << kFraction);
  return table(std::bit_cast<float>(bits - (twice << kFraction))) * scale;
}

}  // namespace edgetwin::numerics::edgetpu

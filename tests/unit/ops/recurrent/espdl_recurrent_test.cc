// GRU and LSTM of ESP-DL against a second, slow computation of the formulas.
// Source: specification of the runtime, operators 11.
#include <algorithm>

#include "base/rng.h"
#include "ops/espdl_op_test.h"

namespace edgetwin::ops {
namespace {

struct Network {
  bool lstm = false;
  int gate = -8;  // exponent
  int seq = 3, inputs = 2, hidden = 2, dirs = 1;
  int e_x = -5, e_w = -6, e_r = -6, e_y = -7;
  int width = 8;
  bool vector = false, even = false;  // of the arithmetic
  bool bias = true, initial = false;
  std::vector<int> x, w, r, b, h0, c0;

  int gates() const { return lstm ? 4 : 3; }
  void fill(uint32_t seed, int bias_range = 2000) {
    XorShift32 random(seed);
    const auto some = [&](size_t n, int range) {
      std::vector<int> v(n);
      for (int& e : v) e = static_cast<int>(random.next() >> 8) % (2 * range + 1) - range;
      return v;
    };
    const int most = width == 8 ? 127 : 20000;
    const auto d = static_cast<size_t>(dirs), h = static_cast<size_t>(hidden);
    const auto rows = d * static_cast<size_t>(gates()) * h;
    x = some(static_cast<size_t>(seq * inputs), most);
    w = some(rows * static_cast<size_t>(inputs), most);
    r = some(rows * h, most);
    b = some(rows * 2, bias_range);
    h0 = some(d * h, most);
    c0 = some(d * h, 3000);
  }
};

float table_value(bool tanh, int k, int gate) {
  const float step = std::ldexp(1.0F, gate);
  const int last = static_cast<int>((tanh ? 3.5 : 6.3) * std::ldexp(1.0, -gate)) + 1;
  const int index = std::min(std::abs(k), last);
  const float v = static_cast<float>(index) * step;
  const auto sigmoid = [](float a) { return 1.0F / (1.0F + std::exp(-a)); };
  const float positive = tanh ? 2.0F * sigmoid(2.0F * v) - 1.0F : sigmoid(v);
  if (k >= 0) return positive;
  return tanh ? -positive : 1.0F - positive;
}

int dot(const Network& n, const int* a, const int* b, int count, int shift) {
  int64_t sum = 0;
  for (int i = 0; i < count; ++i) sum += int64_t{a[i]} * b[i];
  const int lanes = n.width == 8 ? 16 : 8;
  if (n.vector && count % lanes == 0 && shift >= 0) {
    const double exact = std::ldexp(static_cast<double>(sum), -shift);
    return rounded(exact, n.even, -32768, 32767);
  }
  const float scaled = static_cast<float>(sum) * std::ldexp(1.0F, -shift);
  const double moved = n.even ? scaled : std::floor(scaled + 0.5F);
  return rounded(moved, n.even, -32768, 32767);
}

struct State {
  std::vector<int> h, c;
};

int round_real(const Network& n, float v, int low, int high) {
  return n.even ? rounded(v, true, low, high)
                : static_cast<int>(std::min<float>(
                      std::max<float>(std::floor(v + 0.5F), static_cast<float>(low)),
                      static_cast<float>(high)));
}

void step(const Network& n, int dir, const int* x, State& s) {
  const int shift_w = n.gate - (n.e_x + n.e_w), shift_r = n.gate - (n.e_y + n.e_r);
  const int rows = n.gates() * n.hidden;
  const int low = n.width == 8 ? -128 : -32768, high = -low - 1;
  const std::vector<int> before = s.h;
  for (int i = 0; i < n.hidden; ++i) {
    int a[4] = {}, r[4] = {};
    for (int g = 0; g < n.gates(); ++g) {
      const int row = g * n.hidden + i;
      a[g] = dot(n, x, &n.w[static_cast<size_t>((dir * rows + row) * n.inputs)], n.inputs, shift_w);
      r[g] = dot(n, before.data(), &n.r[static_cast<size_t>((dir * rows + row) * n.hidden)],
                 n.hidden, shift_r);
      const int wb = n.bias ? n.b[static_cast<size_t>(dir * 2 * rows + row)] : 0;
      const int rb = n.bias ? n.b[static_cast<size_t>(dir * 2 * rows + rows + row)] : 0;
      if (n.lstm) {
        a[g] = static_cast<int16_t>(a[g] + wb + r[g] + rb);
      } else {
        a[g] = static_cast<int16_t>(a[g] + wb);
        r[g] = static_cast<int16_t>(r[g] + rb);
      }
    }
    const auto sig = [&](int k) { return table_value(false, k, n.gate); };
    const auto th = [&](int k) { return table_value(true, k, n.gate); };
    const float up = std::ldexp(1.0F, -n.e_y);
    const auto at = static_cast<size_t>(i);
    if (!n.lstm) {
      const float z = sig(a[0] + r[0]), reset = sig(a[1] + r[1]);
      const float inner = static_cast<float>(a[2]) + reset * static_cast<float>(r[2]);
      const float m = th(round_real(n, inner, INT32_MIN / 2, INT32_MAX / 2));
      s.h[at] = round_real(n, (1.0F - z) * m * up + z * static_cast<float>(before[at]), low, high);
    } else {
      const float kept = sig(a[2]) * static_cast<float>(s.c[at]);
      const float added = sig(a[0]) * th(a[3]) * std::ldexp(1.0F, -n.gate);
      s.c[at] = static_cast<int16_t>(round_real(n, kept + added, INT32_MIN / 2, INT32_MAX / 2));
      s.h[at] = round_real(n, sig(a[1]) * th(s.c[at]) * up, low, high);
    }
  }
}

struct Outcome {
  std::vector<int> y, y_h, y_c;
};

Outcome expected(const Network& n) {
  Outcome o;
  o.y.resize(static_cast<size_t>(n.seq * n.dirs * n.hidden));
  for (int dir = 0; dir < n.dirs; ++dir) {
    const auto h = static_cast<size_t>(n.hidden);
    const auto from = static_cast<size_t>(dir * n.hidden);
    State s{std::vector<int>(h), std::vector<int>(h)};
    for (size_t i = 0; i < h && n.initial; ++i) {
      s.h[i] = n.h0[from + i];
      if (n.lstm) s.c[i] = n.c0[from + i];
    }
    for (int t = 0; t < n.seq; ++t) {
      const int at = dir == 0 ? t : n.seq - 1 - t;
      step(n, dir, &n.x[static_cast<size_t>(at * n.inputs)], s);
      std::copy(s.h.begin(), s.h.end(), o.y.begin() + (at * n.dirs + dir) * n.hidden);
    }
    o.y_h.insert(o.y_h.end(), s.h.begin(), s.h.end());
    o.y_c.insert(o.y_c.end(), s.c.begin(), s.c.end());
  }
  return o;
}

RecurrentAttrs attrs_of(const Network& n) {
  RecurrentAttrs a;
  a.hidden_size = n.hidden;
  a.bidirectional = n.dirs == 2;
  a.gate_exponent = n.gate;
  return a;
}

template <class T>
OpTest test_of(const Network& n) {
  const int64_t d = n.dirs, h = n.hidden, rows = n.gates() * h;
  OpTest t(n.lstm ? OpKind::lstm : OpKind::gru, attrs_of(n));
  t.input(fixed<T>({n.seq, 1, n.inputs}, n.x, n.e_x));
  t.constant(fixed<T>({d, rows, n.inputs}, n.w, n.e_w));
  t.constant(fixed<T>({d, rows, h}, n.r, n.e_r));
  if (n.bias) {
    t.constant(fixed<int16_t>({d, 2 * rows}, n.b, n.gate));
  } else {
    t.absent();
  }
  t.absent();
  if (n.initial) {
    t.constant(fixed<T>({d, 1, h}, n.h0, n.e_y));
    if (n.lstm) t.constant(fixed<int16_t>({d, 1, h}, n.c0, n.gate));
  }
  fixed_output<T>(t, n.e_y);
  fixed_output<T>(t, n.e_y);
  if (n.lstm) fixed_output<int16_t>(t, n.gate);
  return t;
}

template <class T>
void compare(const Network& n, const std::string& arithmetic, const std::string& what) {
  const auto r = test_of<T>(n).run(espdl(arithmetic));
  ASSERT_TRUE(r.ok()) << to_text(r.error());
  const Outcome wanted = expected(n);
  EXPECT_EQ((*r)[0].shape, (Shape{n.seq, n.dirs, 1, n.hidden}));
  EXPECT_EQ(numbers<T>((*r)[0]), wanted.y) << what;
  EXPECT_EQ(numbers<T>((*r)[1]), wanted.y_h) << what;
  if (n.lstm) {
    EXPECT_EQ(numbers<int16_t>((*r)[2]), wanted.y_c) << what;
  }
}

TEST(EspdlRecurrent, AllArithmeticsAndForms) {
  uint32_t seed = 1;
  for (const std::string& arithmetic : kArithmetics) {
    for (const bool lstm : {false, true}) {
      for (const int width : {8, 16}) {
        for (const int size : {2, 8, 16}) {
          for (const int dirs : {1, 2}) {
            Network n;
            n.lstm = lstm;
            n.width = width;
            n.inputs = n.hidden = size;
            n.dirs = dirs;
            n.gate = seed % 2 == 0 ? -8 : -9;
            n.initial = seed % 3 == 0;
            n.bias = seed % 5 != 0;
            n.even = rounds_to_even(arithmetic);
            n.vector = arithmetic == "s3" || arithmetic == "p4";
            if (width == 16) n.e_x = n.e_w = n.e_r = -12, n.e_y = -15;
            n.fill(++seed);
            const std::string what = arithmetic + (lstm ? " lstm " : " gru ") +
                                     std::to_string(width) + " " + std::to_string(size);
            if (width == 8) {
              compare<int8_t>(n, arithmetic, what);
            } else {
              compare<int16_t>(n, arithmetic, what);
            }
          }
        }
      }
    }
  }
}

// Gates of int16 overflow: GRU's halves and LSTM's sum wrap around.
TEST(EspdlRecurrent, GatesWrap) {
  for (const bool lstm : {false, true}) {
    Network n;
    n.lstm = lstm;
    n.fill(99, 32000);
    n.e_x = n.e_w = -2;  // shift -4: the sums are large
    compare<int8_t>(n, "c", "wrap");
    n.vector = true;
    compare<int8_t>(n, "s3", "wrap");
  }
}

TEST(EspdlRecurrent, Refusals) {
  Network n;
  n.fill(5);
  RecurrentAttrs other = attrs_of(n);
  other.linear_before_reset = false;
  OpTest linear(OpKind::gru, other);
  linear.input(fixed<int8_t>({1, 1, 2}, {1, 2}, -5));
  linear.constant(fixed<int8_t>({1, 6, 2}, std::vector<int>(12, 1), -5));
  linear.constant(fixed<int8_t>({1, 6, 2}, std::vector<int>(12, 1), -5));
  fixed_output<int8_t>(linear, -5);
  EXPECT_EQ(linear.error(espdl("c")), ErrorCode::op_attribute);

  n.lstm = true;
  n.fill(5);
  Network cell = n;
  OpTest wrong(OpKind::lstm, attrs_of(cell));
  wrong.input(fixed<int8_t>({3, 1, 2}, n.x, -5));
  wrong.constant(fixed<int8_t>({1, 8, 2}, n.w, -5)).constant(fixed<int8_t>({1, 8, 2}, n.r, -5));
  fixed_output<int8_t>(wrong, -7);
  fixed_output<int8_t>(wrong, -7);
  fixed_output<int16_t>(wrong, -9);  // the gates have -8
  EXPECT_EQ(wrong.error(espdl("c")), ErrorCode::op_quant);
}

TEST(EspdlRecurrent, ReverseRunsForward) {
  Network n;
  n.fill(7);
  const auto forward = test_of<int8_t>(n).run(espdl("c"));
  RecurrentAttrs a = attrs_of(n);
  a.reverse = true;
  OpTest t(OpKind::gru, a);
  t.input(fixed<int8_t>({3, 1, 2}, n.x, n.e_x)).constant(fixed<int8_t>({1, 6, 2}, n.w, n.e_w));
  t.constant(fixed<int8_t>({1, 6, 2}, n.r, n.e_r)).constant(fixed<int16_t>({1, 12}, n.b, n.gate));
  fixed_output<int8_t>(t, n.e_y);
  EXPECT_EQ(numbers<int8_t>(t.result(espdl("c"))), numbers<int8_t>((*forward)[0]));
  EXPECT_EQ(t.findings.back().severity, Severity::warning);
}

}  // namespace
}  // namespace edgetwin::ops

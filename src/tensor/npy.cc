#include "tensor/npy.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace edgetwin {
namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);
constexpr size_t kMaxHeader = 65536;

struct Header {
  std::string descr;
  bool fortran = false;
  Shape shape;
};

// Reads the one-line Python dictionary of the header: only the three keys that the format defines.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : text_(text) {}

  // Empty on success, else what is wrong.
  std::string parse(Header& header) {
    if (!accept('{')) return "no dictionary";
    int seen = 0;
    while (!accept('}')) {
      std::string key;
      if (!quoted(key) || !accept(':')) return "no key";
      if (std::string problem = value(key, header); !problem.empty()) return problem;
      ++seen;
      if (!accept(',') && peek() != '}') return "no comma after '" + key + "'";
    }
    skip_space();
    if (pos_ != text_.size()) return "text after the dictionary";
    return seen == 3 ? "" : "it must have the keys descr, fortran_order and shape";
  }

 private:
  void skip_space() {
    while (pos_ < text_.size() && (text_[pos_] == ' ' || text_[pos_] == '\n')) ++pos_;
  }
  char peek() {
    skip_space();
    return pos_ < text_.size() ? text_[pos_] : '\0';
  }
  bool accept(char c) {
    if (peek() != c) return false;
    ++pos_;
    return true;
  }
  bool accept_word(std::string_view word) {
    skip_space();
    if (text_.substr(pos_, word.size()) != word) return false;
    pos_ += word.size();
    return true;
  }
  bool quoted(std::string& out) {
    const char quote = peek();
    if (quote != '\'' && quote != '"') return false;
    const size_t end = text_.find(quote, pos_ + 1);
    if (end == std::string_view::npos) return false;
    out = text_.substr(pos_ + 1, end - pos_ - 1);
    pos_ = end + 1;
    return true;
  }

  std::string value(const std::string& key, Header& header) {
    if (key == "descr") return quoted(header.descr) ? "" : "descr is not a plain type";
    if (key == "fortran_order") {
      header.fortran = accept_word("True");
      return header.fortran || accept_word("False") ? "" : "fortran_order is not a truth value";
    }
    if (key == "shape") return shape(header.shape);
    return "unknown key '" + key + "'";
  }

  std::string shape(Shape& out) {
    if (!accept('(')) return "shape is not a tuple";
    while (!accept(')')) {
      skip_space();
      int64_t dim = -1;
      const char* begin = text_.data() + pos_;
      const auto [end, ec] = std::from_chars(begin, text_.data() + text_.size(), dim);
      if (ec != std::errc() || dim < 0) return "a size of the shape is not a number";
      if (out.rank() == Shape::kMaxRank) return "the shape has more than 8 dimensions";
      pos_ += static_cast<size_t>(end - begin);
      accept_word("L");  // written by Python 2
      out.push_back(dim);
      if (!accept(',') && peek() != ')') return "the shape has no comma";
    }
    return "";
  }

  std::string_view text_;
  size_t pos_ = 0;
};

void swap_bytes(Bytes& data, size_t size) {
  for (size_t i = 0; i + size <= data.size(); i += size) {
    std::reverse(data.begin() + static_cast<std::ptrdiff_t>(i),
                 data.begin() + static_cast<std::ptrdiff_t>(i + size));
  }
}

// From column-major to row-major order.
Bytes reorder_fortran(const Bytes& data, const Shape& shape, size_t size) {
  Bytes out(data.size());
  const int64_t elements = shape.elements();
  for (int64_t i = 0; i < elements; ++i) {
    int64_t rest = i;
    int64_t source = 0;
    int64_t stride = shape.elements();
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
      stride /= shape[axis];
      source += rest % shape[axis] * stride;
      rest /= shape[axis];
    }
    std::memcpy(out.data() + static_cast<size_t>(i) * size,
                data.data() + static_cast<size_t>(source) * size, size);
  }
  return out;
}

Result<Header> read_header(ByteReader& reader) {
  EDGETWIN_TRY_ASSIGN(const ByteSpan magic, reader.take(6, "magic"));
  if (as_text(magic) != kMagic) {
    return reader.error(ErrorCode::npy_header, "this is not a .npy file", "magic");
  }
  EDGETWIN_TRY_ASSIGN(const auto major, reader.read<uint8_t>("major version"));
  EDGETWIN_TRY(reader.read<uint8_t>("minor version"));
  if (major < 1 || major > 3) {
    return reader.error(ErrorCode::npy_header,
                        "format version " + std::to_string(major) + " is not known",
                        "major version");
  }
  size_t length = 0;
  if (major == 1) {
    EDGETWIN_TRY_ASSIGN(length, reader.read<uint16_t>("header length"));
  } else {
    EDGETWIN_TRY_ASSIGN(length, reader.read<uint32_t>("header length"));
  }
  if (length > kMaxHeader) {
    return reader.error(ErrorCode::npy_header,
                        "the header has " + std::to_string(length) + " bytes, the limit is 65536",
                        "header length");
  }
  EDGETWIN_TRY_ASSIGN(const ByteSpan text, reader.take(length, "header"));
  Header header;
  if (const std::string problem = HeaderParser(as_text(text)).parse(header); !problem.empty()) {
    return reader.error(ErrorCode::npy_header, "the header cannot be understood: " + problem,
                        "header");
  }
  return header;
}

}  // namespace

bool looks_like_zip(ByteSpan data) {
  const std::string_view text = as_text(data);
  return text.starts_with("PK\x03\x04") || text.starts_with("PK\x05\x06");
}

bool looks_like_npy(ByteSpan data) { return as_text(data).starts_with(kMagic); }

Result<Tensor> read_npy(ByteSpan data, const std::string& file) {
  ByteReader reader(data, file);
  EDGETWIN_TRY_ASSIGN(Header header, read_header(reader));
  const bool big_endian = header.descr.starts_with('>');
  if (big_endian) header.descr[0] = '<';
  const auto dtype = dtype_from_npy(header.descr);
  if (!dtype) {
    return reader.error(ErrorCode::npy_type, "element type '" + header.descr + "' is not supported",
                        "descr");
  }
  const auto elements = checked_elements(header.shape.dims(), kMaxTensorBytes);
  if (!elements || storage_bytes(*dtype, *elements) > kMaxTensorBytes) {
    return reader.error(ErrorCode::out_of_memory,
                        "an array of " + to_string(header.shape) + " exceeds the limit", "shape");
  }
  // The bytes must be there before memory is taken for them.
  EDGETWIN_TRY_ASSIGN(const ByteSpan raw,
                      reader.take(static_cast<size_t>(storage_bytes(*dtype, *elements)), "data"));
  Tensor tensor;
  tensor.dtype = *dtype;
  tensor.shape = header.shape;
  tensor.data = to_bytes(raw);
  if (big_endian) swap_bytes(tensor.data, byte_size(*dtype));
  if (*dtype == DType::boolean) {  // NumPy takes any byte but 0 for true, a C++ bool must be 0 or 1
    for (std::byte& b : tensor.data) b = static_cast<std::byte>(b != std::byte{0});
  }
  if (header.fortran && *elements > 0) {
    tensor.data = reorder_fortran(tensor.data, tensor.shape, byte_size(*dtype));
  }
  return tensor;
}

Result<Bytes> write_npy(const Tensor& tensor) {
  const std::string_view descr = npy_descriptor(tensor.dtype);
  if (descr.empty()) {
    return Error(ErrorCode::npy_type, "NumPy has no type for " + std::string(name(tensor.dtype)));
  }
  std::string dict = "{'descr': '" + std::string(descr) + "', 'fortran_order': False, 'shape': (";
  for (int i = 0; i < tensor.shape.rank(); ++i) {
    dict += (i ? ", " : "") + std::to_string(tensor.shape[i]);
  }
  dict += tensor.shape.rank() == 1 ? ",), }" : "), }";
  constexpr size_t kPrefix = 10;
  dict.append(63 - (kPrefix + dict.size()) % 64, ' ');
  dict += '\n';
  ByteWriter writer;
  writer.append(as_byte_span(kMagic), "magic");
  writer.write(uint8_t{1}, "major version");
  writer.write(uint8_t{0}, "minor version");
  writer.write(static_cast<uint16_t>(dict.size()), "header length");
  writer.append(as_byte_span(dict), "header");
  writer.append(tensor.data, "data");
  return writer.bytes();
}

}  // namespace edgetwin

// Boost.JSON's event parser: strict, bounded in depth, without recursion, and the fastest
// reader that can be linked statically here (six times nlohmann's event parser; Debian's
// simdjson exists only as a shared library). Boost.JSON is compiled in this file alone.
#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/src.hpp>
#include <limits>

#include "replay/file_error.hpp"
#include "replay/readers.hpp"

namespace gpucheck::replay {

namespace {

/// Receives the parser's events and builds the document from them.
class JsonBuilder {
 public:
  using Text = boost::json::string_view;
  using Code = boost::json::error_code;
  static constexpr std::size_t max_object_size = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t max_array_size = max_object_size;
  static constexpr std::size_t max_key_size = max_object_size;
  static constexpr std::size_t max_string_size = max_object_size;

  explicit JsonBuilder(Document& document) : document_(document) {}

  bool on_document_begin(Code&) { return true; }
  bool on_document_end(Code&) {
    document_.set_root(stack_.front());
    return true;
  }
  bool on_object_begin(Code&) { return open(Kind::dictionary); }
  bool on_object_end(std::size_t count, Code&) { return close(2 * count); }
  bool on_array_begin(Code&) { return open(Kind::list); }
  bool on_array_end(std::size_t count, Code&) { return close(count); }
  bool on_key_part(Text part, std::size_t, Code&) { return on_text_part(part); }
  bool on_key(Text part, std::size_t, Code&) { return on_text(part); }
  bool on_string_part(Text part, std::size_t, Code&) { return on_text_part(part); }
  bool on_string(Text part, std::size_t, Code&) { return on_text(part); }
  bool on_number_part(Text, Code&) { return true; }
  bool on_int64(std::int64_t number, Text digits, Code&) { return push(integer(number, advance(digits))); }
  bool on_uint64(std::uint64_t number, Text digits, Code&) { return push(integer(number, advance(digits))); }
  bool on_double(double number, Text digits, Code&) { return push(real(number, advance(digits))); }
  bool on_bool(bool truth, Code&) { return push(boolean(truth, at_)); }
  bool on_null(Code&) { return push(null(at_)); }
  bool on_comment_part(Text, Code&) { return true; }
  bool on_comment(Text, Code&) { return true; }

 private:
  bool push(Value value) {
    if (size_ == stack_.size()) stack_.resize(2 * size_ + 1024);
    stack_[size_++] = value;
    return true;
  }
  // The container itself lies under its values until it is closed.
  bool open(Kind kind) { return push(document_.new_container(kind, at_)); }
  bool close(std::size_t count) {
    size_ -= count;
    document_.append(stack_[size_ - 1], std::span<const Value>(stack_).subspan(size_, count));
    return true;
  }
  bool in_file(Text part) const {
    const std::string_view bytes = document_.bytes();
    return std::greater_equal<>{}(part.data(), bytes.data()) &&
           std::less_equal<>{}(part.data() + part.size(), bytes.data() + bytes.size());
  }
  /// Where `token` begins; the place moves past it.
  std::size_t advance(Text token) {
    if (!in_file(token)) return at_;
    const auto start = static_cast<std::size_t>(token.data() - document_.bytes().data());
    at_ = start + token.size();
    return start;
  }
  // A text with escapes comes in parts, decoded into the parser's own buffer.
  bool on_text_part(Text part) {
    decoded_.append(part.data(), part.size());
    advance(part);
    return true;
  }
  bool on_text(Text part) {
    if (decoded_.empty() && in_file(part)) {
      const std::size_t start = advance(part);
      return push(Document::text_at(start, part.size(), start));
    }
    on_text_part(part);
    push(document_.decoded_text(decoded_, at_));
    decoded_.clear();
    return true;
  }

  Document& document_;
  // Values of the containers that are open; only the first `size_` count. Twice as fast
  // as push_back and resize, and this is where the reader spends its time.
  std::vector<Value> stack_;
  std::size_t size_ = 0;
  std::string decoded_;
  std::size_t at_ = 0;  ///< end of the last token that the parser showed
};

}  // namespace

void read_json(Document& document, const ReadLimits& limits) {
  boost::json::parse_options options;
  options.max_depth = limits.depth;
  boost::json::basic_parser<JsonBuilder> parser(options, document);
  const std::string_view bytes = document.bytes();
  boost::json::error_code code;
  const std::size_t read = parser.write_some(false, bytes.data(), bytes.size(), code);
  if (!code && read < bytes.size()) code = boost::json::error::extra_data;
  if (code) throw FileError(document.name(), read, "", "not valid JSON: " + code.message());
}

}  // namespace gpucheck::replay

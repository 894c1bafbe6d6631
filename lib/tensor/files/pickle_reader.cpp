#include "tensor/files/pickle_reader.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <unordered_map>
#include <utility>

#include "base/text/sanitize.hpp"
#include "tensor/files/pickle_nodes.hpp"

namespace gpucheck::tensor::files {
namespace {

/// How many containers may wait for their items at a time.
constexpr std::size_t most_marks = 1000;
/// Python's longest names are shorter.
constexpr std::size_t longest_global = 200;
/// What an entry of the memo takes.
constexpr std::uint64_t memo_memory = 48;

/// The stack machine that a pickle is a program for, cut down to what `torch.save` uses. Each opcode costs at least a
/// byte and adds at most one value.
class PickleMachine {
 public:
  PickleMachine(std::string_view bytes, MemoryBudget& budget, const StorageLoader& loader)
      : bytes_(bytes), budget_(budget), loader_(loader), nodes_(budget) {}

  Object run() {
    require(take_byte() == static_cast<std::uint8_t>(Opcode::proto) && take_byte() == pickle_protocol,
            "is not of protocol 2");
    for (;;) {
      at_ = position_;
      const auto opcode = static_cast<Opcode>(take_byte());
      if (opcode == Opcode::stop) break;
      if (!scalar(opcode) && !container(opcode) && !memo(opcode) && !calling(opcode)) {
        fail(fmt::format("opcode {:#04x} is not one of torch.save's", static_cast<unsigned>(opcode)));
      }
    }
    require(stack_.size() == 1 && marks_.empty(), "ends with more or less than one value");
    require(position_ == bytes_.size(), "goes on after its end");
    return nodes_.object_of(stack_.front());
  }

 private:
  // Each says whether the opcode is one of its own.
  bool scalar(Opcode opcode);
  bool container(Opcode opcode);
  bool memo(Opcode opcode);
  bool calling(Opcode opcode);

  void push(Node node) { stack_.push_back(nodes_.add(std::move(node))); }
  void push_text();
  void push_long();
  void push_tuple(std::size_t count) { push(Sequence{Sequence::Kind::tuple, pop(count)}); }
  void mark();
  void append(std::size_t count);
  void set_items(std::size_t count);
  void put_memo(std::uint32_t number);
  void get_memo(std::uint32_t number);
  void push_global();
  void build();

  [[nodiscard]] std::size_t floor() const noexcept { return marks_.empty() ? 0 : marks_.back(); }
  [[nodiscard]] std::size_t count_above_mark();
  /// The topmost values, which are taken off. Those below the last mark are out of reach.
  [[nodiscard]] std::vector<Place> pop(std::size_t count);
  [[nodiscard]] Place pop() { return pop(1).front(); }
  [[nodiscard]] Place top() const;
  [[nodiscard]] Sequence& container_at_top(bool is_dictionary);

  std::string_view take(std::uint64_t count) {
    require(count <= bytes_.size() - position_, "is cut short");
    return bytes_.substr(std::exchange(position_, position_ + count), count);
  }
  std::uint8_t take_byte() { return static_cast<std::uint8_t>(take(1).front()); }
  template <typename Number>
  Number take_number() {
    std::make_unsigned_t<Number> number = 0;
    unsigned shift = 0;
    for (const char c : take(sizeof(Number))) {
      number |= static_cast<std::make_unsigned_t<Number>>(std::uint64_t{static_cast<std::uint8_t>(c)} << shift);
      shift += 8;
    }
    return static_cast<Number>(number);
  }
  std::string_view take_line();

  void require(bool is_good, std::string_view problem) const {
    if (!is_good) fail(problem);
  }
  [[noreturn]] void fail(std::string_view problem) const {
    budget_.fail(fmt::format("data.pkl, byte {}: {}", at_, problem));
  }

  std::string_view bytes_;
  MemoryBudget& budget_;
  const StorageLoader& loader_;
  Nodes nodes_;
  std::size_t position_ = 0;
  std::size_t at_ = 0;  ///< where the opcode begins that runs
  std::vector<Place> stack_;
  std::vector<std::size_t> marks_;  ///< sizes of the stack
  std::unordered_map<std::uint32_t, Place> memo_;
};

bool PickleMachine::scalar(Opcode opcode) {
  switch (opcode) {
    case Opcode::none:
      push(std::monostate{});
      return true;
    case Opcode::newtrue:
      push(true);
      return true;
    case Opcode::newfalse:
      push(false);
      return true;
    case Opcode::binint:
      push(std::int64_t{take_number<std::int32_t>()});
      return true;
    case Opcode::binint1:
      push(std::int64_t{take_byte()});
      return true;
    case Opcode::binint2:
      push(std::int64_t{take_number<std::uint16_t>()});
      return true;
    case Opcode::long1:
      push_long();
      return true;
    case Opcode::binfloat: {
      std::uint64_t bits = 0;
      for (const char c : take(8)) bits = bits << 8U | static_cast<std::uint8_t>(c);
      push(std::bit_cast<double>(bits));
      return true;
    }
    case Opcode::binunicode:
      push_text();
      return true;
    default:
      return false;
  }
}

bool PickleMachine::container(Opcode opcode) {
  switch (opcode) {
    case Opcode::mark:
      mark();
      return true;
    case Opcode::empty_list:
      push(Sequence{Sequence::Kind::list, {}});
      return true;
    case Opcode::empty_dict:
      push(Sequence{Sequence::Kind::dictionary, {}});
      return true;
    case Opcode::empty_tuple:
      push_tuple(0);
      return true;
    case Opcode::tuple1:
      push_tuple(1);
      return true;
    case Opcode::tuple2:
      push_tuple(2);
      return true;
    case Opcode::tuple3:
      push_tuple(3);
      return true;
    case Opcode::tuple:
      push_tuple(count_above_mark());
      return true;
    case Opcode::append:
      append(1);
      return true;
    case Opcode::appends:
      append(count_above_mark());
      return true;
    case Opcode::setitem:
      set_items(2);
      return true;
    case Opcode::setitems:
      set_items(count_above_mark());
      return true;
    default:
      return false;
  }
}

bool PickleMachine::memo(Opcode opcode) {
  switch (opcode) {
    case Opcode::binput:
      put_memo(take_byte());
      return true;
    case Opcode::long_binput:
      put_memo(take_number<std::uint32_t>());
      return true;
    case Opcode::binget:
      get_memo(take_byte());
      return true;
    case Opcode::long_binget:
      get_memo(take_number<std::uint32_t>());
      return true;
    default:
      return false;
  }
}

bool PickleMachine::calling(Opcode opcode) {
  switch (opcode) {
    case Opcode::global:
      push_global();
      return true;
    case Opcode::binpersid:
      push(nodes_.storage_of(pop(), loader_));
      return true;
    case Opcode::reduce: {
      const std::vector<Place> call = pop(2);
      push(nodes_.result_of(call[0], call[1]));
      return true;
    }
    case Opcode::build:
      build();
      return true;
    default:
      return false;
  }
}

void PickleMachine::push_text() {
  const std::string_view text = take(take_number<std::uint32_t>());
  require(to_valid_utf8(text) == text, "a text is not UTF-8");
  push(std::string(text));
}

void PickleMachine::push_long() {
  const std::string_view digits = take(take_byte());
  require(digits.size() <= sizeof(std::int64_t), "a whole number has more than 64 bits");
  std::uint64_t number = !digits.empty() && digits.back() < 0 ? std::numeric_limits<std::uint64_t>::max() : 0;
  for (std::size_t i = digits.size(); i-- > 0;) number = number << 8U | static_cast<std::uint8_t>(digits[i]);
  push(static_cast<std::int64_t>(number));
}

void PickleMachine::mark() {
  require(marks_.size() < most_marks, "too many containers are begun and not ended");
  marks_.push_back(stack_.size());
}

std::size_t PickleMachine::count_above_mark() {
  require(!marks_.empty(), "a container ends that has not begun");
  const std::size_t count = stack_.size() - marks_.back();
  marks_.pop_back();
  return count;
}

std::vector<Place> PickleMachine::pop(std::size_t count) {
  require(count <= stack_.size() - floor(), "uses values that there are not");
  const auto first = stack_.end() - static_cast<std::ptrdiff_t>(count);
  std::vector<Place> values(first, stack_.end());
  stack_.erase(first, stack_.end());
  return values;
}

Place PickleMachine::top() const {
  require(stack_.size() > floor(), "uses a value that there is not");
  return stack_.back();
}

Sequence& PickleMachine::container_at_top(bool is_dictionary) {
  auto* const sequence = std::get_if<Sequence>(&nodes_[top()]);
  const bool fits = sequence != nullptr && (is_dictionary ? sequence->kind >= Sequence::Kind::dictionary
                                                          : sequence->kind == Sequence::Kind::list);
  require(fits, is_dictionary ? "sets items of what is not a dictionary" : "appends to what is not a list");
  return *sequence;
}

void PickleMachine::append(std::size_t count) {
  const std::vector<Place> values = pop(count);
  Sequence& list = container_at_top(false);
  list.items.insert(list.items.end(), values.begin(), values.end());
}

void PickleMachine::set_items(std::size_t count) {
  const std::vector<Place> values = pop(count);
  require(count % 2 == 0, "sets a key without a value");
  for (std::size_t i = 0; i < count; i += 2) require(nodes_.is_key(values[i]), "a key is neither number nor text");
  Sequence& dictionary = container_at_top(true);
  dictionary.items.insert(dictionary.items.end(), values.begin(), values.end());
}

void PickleMachine::put_memo(std::uint32_t number) {
  if (memo_.insert_or_assign(number, top()).second) budget_.take(memo_memory);
}

void PickleMachine::get_memo(std::uint32_t number) {
  const auto place = memo_.find(number);
  require(place != memo_.end(), "refers to a value that was never kept");
  stack_.push_back(place->second);
}

std::string_view PickleMachine::take_line() {
  const std::size_t end = bytes_.substr(0, std::min(bytes_.size(), position_ + longest_global)).find('\n', position_);
  require(end != std::string_view::npos, "a name is too long, or cut short");
  const std::size_t begin = std::exchange(position_, end + 1);
  return bytes_.substr(begin, end - begin);
}

void PickleMachine::push_global() {
  const std::string_view module = take_line();
  const std::string_view name = take_line();
  const std::optional<Global> global = find_global({module, name});
  if (!global) fail(fmt::format("{}.{} is not one of the names that may be used", one_line(module), one_line(name)));
  push(*global);
}

/// Gives an object its attributes: those of an OrderedDict are left out, nothing else has any.
void PickleMachine::build() {
  const Place attributes = pop();
  require(nodes_.is_dictionary(attributes), "attributes are not in a dictionary");
  const auto* const object = std::get_if<Sequence>(&nodes_[top()]);
  require(object != nullptr && object->kind == Sequence::Kind::ordered_dictionary,
          "gives attributes to what is not an OrderedDict");
}

}  // namespace

Object read_pickle(std::string_view bytes, MemoryBudget& budget, const StorageLoader& loader) {
  return PickleMachine(bytes, budget, loader).run();
}

}  // namespace gpucheck::tensor::files

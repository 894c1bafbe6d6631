#include <gtest/gtest.h>

#include "files_support.hpp"

/// Files of PyTorch's layout, byte for byte: what is written, and what PyTorch's own pickler writes, by hand.
namespace gpucheck::tensor::files::test {
namespace {

std::uint64_t number_at(std::string_view bytes, std::size_t at, unsigned count) {
  std::uint64_t number = 0;
  for (unsigned i = count; i-- > 0;) number = number << 8U | static_cast<std::uint8_t>(bytes.at(at + i));
  return number;
}

struct FoundEntry {
  std::string name;
  std::size_t begin;  ///< of its bytes
  std::string bytes;
};

/// The entries of an archive whose local headers follow each other, as its writer left them.
std::vector<FoundEntry> entries_of(const std::string& file) {
  std::vector<FoundEntry> found;
  std::size_t at = 0;
  while (file.substr(at, 4) == "PK\3\4") {
    EXPECT_EQ(number_at(file, at + 8, 2), 0U) << "compressed";
    const std::size_t size = number_at(file, at + 18, 4);
    const std::size_t name_size = number_at(file, at + 26, 2);
    const std::size_t extra_size = number_at(file, at + 28, 2);
    const std::size_t begin = at + 30 + name_size + extra_size;
    found.push_back({file.substr(at + 30, name_size), begin, file.substr(begin, size)});
    at = begin + size;
  }
  EXPECT_EQ(file.substr(at, 4), "PK\1\2") << "the directory follows";
  return found;
}

TEST(FileLayout, IsThatOfPyTorchsArchives) {
  const std::vector<FoundEntry> entries = entries_of(saved(List{{counting({3}, DType::uint8)}}));
  std::vector<std::string> names;
  for (const FoundEntry& entry : entries) {
    names.push_back(entry.name);
    EXPECT_EQ(entry.begin % 64, 0U) << entry.name;
  }
  EXPECT_EQ(names, (std::vector<std::string>{"archive/data.pkl", "archive/.format_version",
                                             "archive/.storage_alignment", "archive/byteorder", "archive/data/0",
                                             "archive/version", "archive/.data/serialization_id"}));
  EXPECT_EQ(entries.at(1).bytes, "1");
  EXPECT_EQ(entries.at(2).bytes, "64");
  EXPECT_EQ(entries.at(3).bytes, "little");
  EXPECT_EQ(entries.at(4).bytes, "\1\2\3");
  EXPECT_EQ(entries.at(5).bytes, "3\n");
  EXPECT_EQ(entries.at(6).bytes.size(), 40U);
  EXPECT_EQ(entries.at(6).bytes.find_first_not_of("0123456789"), std::string::npos);
}

TEST(FileLayout, HasTensorsAsPyTorchPicklesThem) {
  const std::string pickle = entries_of(saved(List{{counting({2, 3}, DType::float32)}})).front().bytes;
  EXPECT_EQ(pickle, raw("\x80\x02](ctorch._utils\n_rebuild_tensor_v2\n((X\7\0\0\0storagectorch\nFloatStorage\nX\1\0\0\0"
                        "0X\3\0\0\0cpuK\6tQK\0K\2K\3\x86K\3K\1\x86\x89"
                        "ccollections\nOrderedDict\n)RtRr\0\0\0\0e."));
}

TEST(FileLayout, HasNumbersInTheShortestWay) {
  const std::string pickle =
      entries_of(saved(Tuple{{255, 256, 65536, -1, std::int64_t{1} << 40U, 1.0, true, Object()}})).front().bytes;
  EXPECT_EQ(pickle, raw("\x80\x02(K\xFFM\x00\x01J\x00\x00\x01\x00J\xFF\xFF\xFF\xFF\x8A\x08\0\0\0\0\0\1\0\0"
                        "G\x3F\xF0\0\0\0\0\0\0\x88Nt."));
}

/// `torch.save([x])` of two rows and three columns.
std::string pytorch_list() {
  return raw(
      "\x80\x02]q\x00"
      "ctorch._utils\n_rebuild_tensor_v2\nq\x01((X\x07\0\0\0storageq\x02"
      "ctorch\nFloatStorage\nq\x03X\x01\0\0\0"
      "0q\x04X\x03\0\0\0cpuq\x05K\x06tq\x06QK\0K\x02K\x03\x86q\x07"
      "K\x03K\x01\x86q\x08\x89"
      "ccollections\nOrderedDict\nq\x09)Rq\x0Atq\x0BRq\x0C"
      "a.");
}

TEST(FileLayout, ReadsAListOfPyTorchs) {
  const std::string elements = contents(counting({2, 3}, DType::float32).storage());
  const auto list = loaded(archive_of(pytorch_list(), {elements})).as<List>();
  const auto& tensor = list.items.at(0).as<Tensor>();
  EXPECT_EQ(list.items.size(), 1U);
  EXPECT_EQ(tensor.dtype(), DType::float32);
  EXPECT_EQ(tensor.geometry(), (Geometry{{2, 3}, {3, 1}, 0}));
  EXPECT_EQ(contents(tensor.storage()), elements);
}

/// `torch.save(module.state_dict())` of a module with one weight: an OrderedDict with an attribute.
TEST(FileLayout, ReadsAStateDictionaryOfPyTorchs) {
  const std::string pickle =
      raw("\x80\x02"
          "ccollections\nOrderedDict\nq\x00)Rq\x01X\x06\0\0\0weightq\x02"
          "ctorch._utils\n_rebuild_tensor_v2\nq\x03((X\x07\0\0\0storageq\x04"
          "ctorch\nDoubleStorage\nq\x05"
          "X\x01\0\0\0"
          "0q\x06X\x03\0\0\0cpuq\x07K\x02tq\x08QK\x01K\x01\x85q\x09K\x01\x85q\x0A\x89h\x00)Rq\x0Btq\x0CRq\x0Ds"
          "}q\x0EX\x09\0\0\0_metadataq\x0Fh\x00)Rq\x10X\0\0\0\0q\x11}q\x12X\x07\0\0\0versionq\x13K\x01sssb.");
  const auto state = loaded(archive_of(pickle, {std::string(16, 'a')})).as<Dictionary>();
  EXPECT_TRUE(state.is_ordered);
  ASSERT_EQ(state.items.size(), 1U);
  EXPECT_EQ(state.items[0].first.as<std::string>(), "weight");
  EXPECT_EQ(state.items[0].second.as<Tensor>().geometry(), (Geometry{{1}, {1}, 1}));
}

/// `torch.save([y, y.storage(), torch.nn.Parameter(x), y.shape, 1+2j])`.
TEST(FileLayout, ReadsStoragesParametersSizesAndComplexNumbersOfPyTorchs) {
  const std::string pickle =
      raw("\x80\x02]q\x00("
          "ctorch._utils\n_rebuild_tensor_v2\nq\x01((X\x07\0\0\0storageq\x02"
          "ctorch\nIntStorage\nq\x03"
          "X\x01\0\0\0"
          "0q\x04X\x03\0\0\0cpuq\x05K\x02tq\x06QK\0K\x01K\x02\x86q\x07K\x02K\x01\x86q\x08\x89"
          "ccollections\nOrderedDict\nq\x09)Rq\x0Atq\x0BRq\x0C"
          "(h\x02h\x03h\x04h\x05K\x02tq\x0DQ"
          "ctorch._utils\n_rebuild_parameter\nq\x0Eh\x01((h\x02"
          "ctorch\nFloatStorage\nq\x0FX\x01\0\0\0"
          "1q\x10h\x05K\x01tq\x11Q"
          "K\0K\x01\x85q\x12K\x01\x85q\x13\x89h\x09)Rq\x14tq\x15Rq\x16\x88h\x09)Rq\x17\x87q\x18Rq\x19"
          "ctorch\nSize\nq\x1AK\x01K\x02\x86q\x1B\x85q\x1CRq\x1D"
          "c__builtin__\ncomplex\nq\x1EG\x3F\xF0\0\0\0\0\0\0G\x40\0\0\0\0\0\0\0\x86q\x1FRq\x20"
          "e.");
  const auto list = loaded(archive_of(pickle, {std::string(8, 'a'), std::string(4, 'b')})).as<List>();
  ASSERT_EQ(list.items.size(), 5U);
  EXPECT_EQ(list.items[1].as<TypedStorage>().storage, list.items[0].as<Tensor>().storage());
  EXPECT_EQ(list.items[1].as<TypedStorage>().dtype, DType::int32);
  EXPECT_TRUE(list.items[2].as<Parameter>().requires_grad);
  EXPECT_EQ(contents(list.items[2].as<Parameter>().data.storage()), "bbbb");
  EXPECT_EQ(list.items[3].as<Tuple>().items.at(1).as<std::int64_t>(), 2);
  EXPECT_EQ(list.items[4].as<std::complex<double>>(), std::complex<double>(1, 2));
}

TEST(FileLayout, ReadsAStorageWithoutATypeAsBytes) {
  const std::string pickle =
      raw("\x80\x02(X\x07\0\0\0storage"
          "ctorch.storage\nUntypedStorage\nX\x01\0\0\0"
          "0X\x03\0\0\0cpuK\3tQ.");
  const auto storage = loaded(archive_of(pickle, {"abc"})).as<TypedStorage>();
  EXPECT_EQ(storage.dtype, DType::uint8);
  EXPECT_EQ(contents(storage.storage), "abc");
}

TEST(FileLayout, ReadsLongNumbersOfEveryLength) {
  const auto number = [](const std::string& digits) {
    return loaded(archive_of("\x80\x02\x8A" + digits + ".")).as<std::int64_t>();
  };
  EXPECT_EQ(number(raw("\0")), 0);
  EXPECT_EQ(number(raw("\1\xFF")), -1);
  EXPECT_EQ(number(raw("\2\xFF\0")), 255);
  EXPECT_EQ(number(raw("\x8\0\0\0\0\0\0\0\x80")), std::numeric_limits<std::int64_t>::min());
}

}  // namespace
}  // namespace gpucheck::tensor::files::test

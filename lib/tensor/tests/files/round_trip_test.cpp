#include <gtest/gtest.h>

#include "files_support.hpp"
#include "runtime/tests/error_of.hpp"
#include "samples.hpp"

namespace gpucheck::tensor::files::test {
namespace {

using runtime::test::error_of;

/// What comes back of an object alone.
Object again(const Object& object, LoadOptions options = {}) { return loaded(saved(object), std::move(options)); }

TEST(Files, KeepNumbersTextsAndNothing) {
  EXPECT_TRUE(again({}).is_none());
  EXPECT_TRUE(again(true).as<bool>());
  EXPECT_FALSE(again(false).as<bool>());
  constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t number :
       {std::int64_t{0}, std::int64_t{1}, std::int64_t{-1}, std::int64_t{255}, std::int64_t{256}, std::int64_t{65535},
        std::int64_t{65536}, std::int64_t{2147483647}, std::int64_t{2147483648}, std::int64_t{-2147483648},
        std::int64_t{-2147483649}, highest, lowest}) {
    EXPECT_EQ(again(number).as<std::int64_t>(), number);
  }
  EXPECT_EQ(again(0.1).as<double>(), 0.1);
  EXPECT_TRUE(std::signbit(again(-0.0).as<double>()));
  EXPECT_EQ(again(std::complex<double>(1.5, -2)).as<std::complex<double>>(), std::complex<double>(1.5, -2));
  EXPECT_EQ(again("").as<std::string>(), "");
  EXPECT_EQ(again("d\xC3\xA9j\xC3\xA0").as<std::string>(), "d\xC3\xA9j\xC3\xA0");
}

TEST(Files, KeepContainersOfEverySize) {
  for (const std::size_t count : {0U, 1U, 2U, 3U, 4U, 300U}) {
    std::vector<Object> items;
    for (std::size_t i = 0; i < count; ++i) items.emplace_back(i);
    const auto list = again(List{items}).as<List>();
    const auto tuple = again(Tuple{items}).as<Tuple>();
    ASSERT_EQ(list.items.size(), count);
    ASSERT_EQ(tuple.items.size(), count);
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_EQ(list.items[i].as<std::int64_t>(), i);
      EXPECT_EQ(tuple.items[i].as<std::int64_t>(), i);
    }
  }
}

TEST(Files, KeepDictionariesAndTheirOrder) {
  for (const bool is_ordered : {false, true}) {
    Dictionary dictionary{.items = {{"b", 1}, {2, "two"}, {Object(), List{{0.5}}}}, .is_ordered = is_ordered};
    const Object copy = again(dictionary);
    const auto& items = copy.as<Dictionary>().items;
    EXPECT_EQ(copy.as<Dictionary>().is_ordered, is_ordered);
    ASSERT_EQ(items.size(), 3U);
    EXPECT_EQ(items[0].first.as<std::string>(), "b");
    EXPECT_EQ(items[0].second.as<std::int64_t>(), 1);
    EXPECT_EQ(items[1].first.as<std::int64_t>(), 2);
    EXPECT_EQ(items[1].second.as<std::string>(), "two");
    EXPECT_TRUE(items[2].first.is_none());
    EXPECT_EQ(items[2].second.as<List>().items.at(0).as<double>(), 0.5);
    EXPECT_TRUE(again(Dictionary{{}, is_ordered}).as<Dictionary>().items.empty());
  }
}

TEST(Files, KeepTensorsOfEveryType) {
  for (const DType dtype : all_dtypes) {
    SCOPED_TRACE(to_text(dtype));
    const Tensor tensor = counting({2, 3}, dtype);
    const auto copy = again(tensor).as<Tensor>();
    EXPECT_EQ(copy.dtype(), dtype);
    EXPECT_EQ(copy.geometry(), tensor.geometry());
    EXPECT_EQ(contents(copy.storage()), contents(tensor.storage()));
    const auto storage = again(TypedStorage{tensor.storage(), dtype}).as<TypedStorage>();
    EXPECT_EQ(storage.dtype, dtype);
    EXPECT_EQ(storage.count(), 6U);
    EXPECT_EQ(contents(storage.storage), contents(tensor.storage()));
  }
}

TEST(Files, KeepTensorsWithoutDimensionsAndWithoutElements) {
  const Tensor scalar = counting({}, DType::float64);
  const auto scalar_copy = again(scalar).as<Tensor>();
  EXPECT_EQ(scalar_copy.rank(), 0);
  EXPECT_EQ(contents(scalar_copy.storage()), contents(scalar.storage()));
  const auto empty_copy = again(counting({0, 3}, DType::int16)).as<Tensor>();
  EXPECT_EQ(empty_copy.sizes(), (Sizes{0, 3}));
  EXPECT_EQ(empty_copy.storage().bytes(), 0U);
  // A column of a matrix without rows begins behind its storage's end.
  const Tensor column = counting({0, 5}, DType::float32).with_geometry({{0}, {5}, 3});
  EXPECT_EQ(again(column).as<Tensor>().geometry(), column.geometry());
}

TEST(Files, KeepViewsWithTheWholeOfTheirStorage) {
  const Tensor tensor = counting({4, 5}, DType::int32);
  const Tensor view = tensor.with_geometry({.sizes = {5, 2}, .strides = {1, 10}, .offset = 0});
  const Tensor repeated = tensor.with_geometry({.sizes = {3, 2}, .strides = {0, 3}, .offset = 7});
  const auto copies = again(List{{view, repeated}}).as<List>();
  const auto& first = copies.items[0].as<Tensor>();
  const auto& second = copies.items[1].as<Tensor>();
  EXPECT_EQ(first.geometry(), view.geometry());
  EXPECT_EQ(second.geometry(), repeated.geometry());
  EXPECT_EQ(first.storage(), second.storage());
  EXPECT_EQ(contents(first.storage()), contents(tensor.storage()));
}

TEST(Files, HaveASharedStorageOnce) {
  const Tensor tensor = counting({4096}, DType::uint8);
  const Tensor view = tensor.with_geometry({.sizes = {2048}, .strides = {2}, .offset = 1});
  const std::string bytes = saved(List{{tensor, view, TypedStorage{tensor.storage(), DType::uint8}}});
  EXPECT_LT(bytes.size(), 2 * 4096U);
  const auto copies = loaded(bytes).as<List>();
  const Storage& storage = copies.items[0].as<Tensor>().storage();
  EXPECT_EQ(copies.items[1].as<Tensor>().storage(), storage);
  EXPECT_EQ(copies.items[2].as<TypedStorage>().storage, storage);
}

TEST(Files, TellSameTensorsFromEqualOnes) {
  const Tensor tensor = counting({2}, DType::float32);
  const Tensor view = tensor.with_geometry(tensor.geometry());
  const auto copies = again(List{{tensor, view, tensor, Parameter{tensor}, Parameter{tensor}}}).as<List>();
  const auto& first = copies.items[0].as<Tensor>();
  EXPECT_TRUE(first.is_same(copies.items[2].as<Tensor>()));
  EXPECT_FALSE(first.is_same(copies.items[1].as<Tensor>()));
  EXPECT_EQ(first.storage(), copies.items[1].as<Tensor>().storage());
  EXPECT_TRUE(copies.items[3].as<Parameter>().data.is_same(copies.items[4].as<Parameter>().data));
}

TEST(Files, KeepParameters) {
  for (const bool requires_grad : {true, false}) {
    const auto copy = again(Parameter{counting({10, 10}, DType::float32), requires_grad}).as<Parameter>();
    EXPECT_EQ(copy.requires_grad, requires_grad);
    EXPECT_EQ(copy.data.sizes(), (Sizes{10, 10}));
  }
}

TEST(Files, PutTensorsBackWhereTheyWere) {
  TwoDevices devices;
  const Tensor tensor = counting({3, 3}, DType::float32);
  const List list{{on(devices.first(), tensor), on(devices.second(), tensor), tensor}};
  const auto copies = again(list, {.machine = devices.machine()}).as<List>();
  for (std::size_t i = 0; i < 3; ++i) {
    SCOPED_TRACE(i);
    const auto& copy = copies.items[i].as<Tensor>();
    EXPECT_EQ(copy.device(), list.items[i].as<Tensor>().device());
    EXPECT_EQ(contents(copy.storage()), contents(tensor.storage()));
  }
}

TEST(Files, MapDevices) {
  TwoDevices devices;
  const Tensor tensor = counting({3}, DType::int64);
  const std::string bytes = saved(List{{on(devices.first(), tensor), tensor}});
  const auto places = [&](MapLocation map) {
    const auto copies = loaded(bytes, {.machine = devices.machine(), .map_location = std::move(map)}).as<List>();
    for (const Object& copy : copies.items)
      EXPECT_EQ(contents(copy.as<Tensor>().storage()), contents(tensor.storage()));
    return copies.items[0].as<Tensor>().device().text() + " " + copies.items[1].as<Tensor>().device().text();
  };
  EXPECT_EQ(places({}), "cuda:0 cpu");
  EXPECT_EQ(places("cpu"), "cpu cpu");
  EXPECT_EQ(places("cuda"), "cuda:0 cuda:0");
  EXPECT_EQ(places("cuda:1"), "cuda:1 cuda:1");
  EXPECT_EQ(places(host), "cpu cpu");
  EXPECT_EQ(places(Device(devices.second())), "cuda:1 cuda:1");
  EXPECT_EQ(places([&](const std::string& location) -> std::optional<Device> {
              if (location == "cpu") return std::nullopt;
              return Device(devices.second());
            }),
            "cuda:1 cpu");
}

TEST(Files, RefuseDevicesThatThereAreNot) {
  TwoDevices devices;
  const std::string bytes = saved(Parameter{counting({2}, DType::float32)});
  const auto refused = [&](const std::string& name) {
    return refusal(bytes, {.machine = devices.machine(), .map_location = name});
  };
  EXPECT_EQ(refused("cuda0"), "Invalid device string: 'cuda0'");
  EXPECT_EQ(refused("cuda:2"),
            "Attempting to deserialize object on CUDA device 2 but torch.cuda.device_count() is 2. Please use "
            "torch.load with map_location to map your storages to an existing device.");
  EXPECT_EQ(refused("gpu"),
            "don't know how to restore data location of torch.storage.UntypedStorage (tagged with gpu)");
}

TEST(Files, AreReadAsTheyWereWritten) {
  const std::string path = testing::TempDir() + "gpucheck_files_test.pt";
  save(List{{counting({5}, DType::float16), "text"}}, path);
  const auto copies = load(path, {}).as<List>();
  EXPECT_EQ(contents(copies.items[0].as<Tensor>().storage()), "\1\2\3\4\5\6\7\10\11\12");
  EXPECT_EQ(copies.items[1].as<std::string>(), "text");
  EXPECT_EQ(std::remove(path.c_str()), 0);
  EXPECT_EQ(error_of([&] { static_cast<void>(load(path, {})); }),
            "cannot open the file of tensors " + path + ": No such file or directory");
  EXPECT_EQ(error_of([&] { static_cast<void>(load(testing::TempDir(), {})); }),
            testing::TempDir() + " is not a regular file, as a file of tensors must be");
}

TEST(Files, AreNotWrittenOfWhatTheFormatCannotHold) {
  EXPECT_EQ(error_of([] { saved(Tensor()); }), "an undefined tensor cannot be saved");
  EXPECT_EQ(error_of([] { saved(Parameter{Tensor()}); }), "an undefined parameter cannot be saved");
  EXPECT_EQ(error_of([] { saved("\xFF"); }), "a text that is not UTF-8 cannot be saved");
  EXPECT_EQ(error_of([] {
              saved(Dictionary{{{List{}, 1}}});
            }),
            "a dictionary whose keys are not numbers, texts or nothing cannot be saved");
  EXPECT_EQ(error_of([] { saved(Parameter{counting({1}, DType::int32)}); }),
            "Only Tensors of floating point and complex dtype can require gradients");
  const Tensor tensor = counting({4}, DType::int32);
  EXPECT_EQ(error_of([&] {
              saved(List{{tensor, TypedStorage{tensor.storage(), DType::float32}}});
            }),
            "Cannot save multiple tensors or storages that view the same data as different types");
}

TEST(Files, KeepAllThatTheSamplesForPyTorchAre) {
  TwoDevices devices;
  for (const Sample& sample : samples(devices.first())) {
    EXPECT_EQ(description_of(again(sample.object, {.machine = devices.machine()})), description_of(sample.object))
        << sample.name;
  }
}

TEST(Files, HoldListsInListsToALimit) {
  Object nested = 1;
  for (int depth = 1; depth < max_depth; ++depth) nested = List{{nested}};
  const Object copy = again(nested);
  const Object* inner = &copy;
  for (int depth = 1; depth < max_depth; ++depth) inner = &inner->as<List>().items.at(0);
  EXPECT_EQ(inner->as<std::int64_t>(), 1);
  EXPECT_EQ(error_of([&] { saved(List{{nested}}); }), "lists in lists are saved up to 100 levels");
}

}  // namespace
}  // namespace gpucheck::tensor::files::test

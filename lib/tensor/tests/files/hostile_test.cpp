#include <gtest/gtest.h>

#include "files_support.hpp"

/// What a file may say that is not so, or not allowed.
namespace gpucheck::tensor::files::test {
namespace {

const std::string start = "\x80\x02";

/// The refusal of a pickle, without the file's name.
std::string pickle_refusal(const std::string& program, const std::vector<std::string>& storages = {}) {
  const std::string error = refusal(archive_of(start + program, storages));
  EXPECT_TRUE(error.starts_with("t.pt: ")) << error;
  return error.substr(std::min<std::size_t>(error.size(), 6));
}

/// A storage of floats by hand, and a tensor on it.
std::string storage_of(const std::string& count, const std::string& key = raw("X\1\0\0\0"
                                                                              "0")) {
  return raw("(X\7\0\0\0storagectorch\nFloatStorage\n") + key + raw("X\3\0\0\0cpu") + count + "tQ";
}
std::string tensor_of(const std::string& offset, const std::string& sizes, const std::string& strides) {
  return "ctorch._utils\n_rebuild_tensor_v2\n(" + storage_of(raw("K\4")) + offset + sizes + strides +
         "\x89"
         "ccollections\nOrderedDict\n)RtR.";
}
const std::vector<std::string> four_floats{std::string(16, '\0')};

TEST(HostileFiles, AreRefusedWhereverTheyAreCut) {
  const std::string whole = saved(List{{counting({2}, DType::float32), "text"}});
  ASSERT_EQ(refusal(whole), "no error");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_TRUE(refusal(whole.substr(0, size)).starts_with("t.pt: ")) << size;
  }
}

TEST(HostileFiles, AreRefusedOrReadWhicheverByteIsAnother) {
  const std::string whole = saved(List{{counting({2}, DType::float32), "text", Dictionary{{{1, 2}}, true}}});
  for (std::size_t place = 0; place < whole.size(); ++place) {
    for (const unsigned flipped : {1U, 128U}) {
      std::string bytes = whole;
      bytes[place] = static_cast<char>(static_cast<std::uint8_t>(bytes[place]) ^ flipped);
      const std::string error = refusal(bytes);
      EXPECT_TRUE(error == "no error" || error.starts_with("t.pt: ")) << place << ": " << error;
    }
  }
}

TEST(HostileFiles, AreNoticedWhereABitOfAStorageFlipped) {
  const std::string whole = saved(counting({64}, DType::uint8));
  const std::size_t place = whole.find("\1\2\3\4\5\6\7");
  ASSERT_NE(place, std::string::npos);
  std::string bytes = whole;
  bytes[place] = '\7';
  EXPECT_EQ(refusal(bytes), "t.pt: its entry data/0 is damaged");
}

TEST(HostileFiles, MayNotNameEntriesElsewhere) {
  for (const std::string name :
       {"../data.pkl", "/data.pkl", "t//data.pkl", "t/../data.pkl", "t/./x", "t\\..\\x", "data.pkl", "t/", ""}) {
    const std::string error = refusal(archive_of_entries({{"t/version", "3\n"}, {name, "N."}}));
    EXPECT_NE(error.find("which is not a name in a folder"), std::string::npos) << name << ": " << error;
  }
  EXPECT_EQ(refusal(archive_of_entries({{"t/version", "3\n"}, {"u/data.pkl", "N."}})),
            "t.pt: has entries in more than one folder");
}

TEST(HostileFiles, MayNotNameAnEntryTwice) {
  EXPECT_EQ(refusal(archive_of_entries({{"t/version", "3\n"}, {"t/version", "3\n"}})),
            "t.pt: has two entries named \"t/version\"");
}

TEST(HostileFiles, MustHaveWhatPyTorchsHave) {
  EXPECT_EQ(refusal(""), "t.pt: is not a zip archive, or has been cut short");
  EXPECT_EQ(refusal(archive_of_entries({{"t/data.pkl", start + "N."}})), "t.pt: has no entry version");
  EXPECT_EQ(refusal(archive_of_entries({{"t/version", "3\n"}})), "t.pt: has no entry data.pkl");
  for (const std::string version : {"0\n", "11\n", "", "x", "100\n"}) {
    EXPECT_EQ(refusal(archive_of_entries({{"t/version", version}, {"t/data.pkl", start + "N."}})),
              "t.pt: is of another version than 1 to 10");
  }
  for (const std::string version : {"1\n", "3", "10\n"}) {
    EXPECT_EQ(refusal(archive_of_entries({{"t/version", version}, {"t/data.pkl", start + "N."}})), "no error");
  }
  EXPECT_EQ(refusal(archive_of_entries({{"t/version", "3"}, {"t/byteorder", "big"}, {"t/data.pkl", start + "N."}})),
            "t.pt: has its bytes in another order than little-endian");
}

TEST(HostileFiles, MayNotCompress) {
  std::string bytes = archive_of(start + "N.");
  bytes[bytes.find("PK\1\2") + 10] = '\x8';  // the first entry's method in the directory
  EXPECT_EQ(refusal(bytes), "t.pt: its entry t/data.pkl is compressed: PyTorch's files are not");
}

TEST(HostileFiles, MayNotClaimMoreBytesThanTheyHave) {
  std::string bytes = archive_of(start + "N.");
  const std::size_t entry = bytes.find("PK\1\2");
  bytes.replace(entry + 20, 8, std::string(8, '\x7F'));
  EXPECT_EQ(refusal(bytes), "t.pt: its entry t/data.pkl is larger than the file");
}

TEST(HostileFiles, MayNotNameWhatIsNotInTheList) {
  EXPECT_EQ(pickle_refusal("cos\nsystem\n(X\4\0\0\0true\x85R."),
            "data.pkl, byte 2: os.system is not one of the names that may be used");
  EXPECT_EQ(pickle_refusal("cbuiltins\neval\n."),
            "data.pkl, byte 2: builtins.eval is not one of the names that may be used");
  EXPECT_EQ(pickle_refusal("c" + std::string(300, 'x') + "\n"), "data.pkl, byte 2: a name is too long, or cut short");
  EXPECT_EQ(pickle_refusal("ctorch\nSize\n."), "data.pkl: a name stands where a value should");
}

TEST(HostileFiles, MayCallNothingElse) {
  EXPECT_EQ(pickle_refusal("ctorch\nFloatStorage\n)R."), "data.pkl: a storage's type is called");
  EXPECT_EQ(pickle_refusal("K\1)R."), "data.pkl: what is called is of another type than PyTorch's");
  EXPECT_EQ(pickle_refusal("ccollections\nOrderedDict\nK\1\x85R."), "data.pkl: an OrderedDict is made of something");
  EXPECT_EQ(pickle_refusal("ccollections\nOrderedDict\n]R."), "data.pkl: what should be a tuple is something else");
  EXPECT_EQ(pickle_refusal("}}b."), "data.pkl, byte 4: gives attributes to what is not an OrderedDict");
  EXPECT_EQ(pickle_refusal("ccollections\nOrderedDict\n)RK\1b."),
            "data.pkl, byte 31: attributes are not in a dictionary");
  // OBJ, INST, NEWOBJ, EXT1 and a persistent name in text.
  for (const char opcode : {'o', 'i', '\x81', '\x82', 'P'}) {
    EXPECT_NE(pickle_refusal(std::string(1, opcode)).find("is not one of torch.save's"), std::string::npos);
  }
}

TEST(HostileFiles, MustBeOfProtocol2) {
  EXPECT_EQ(refusal(archive_of("\x80\x04N.")), "t.pt: data.pkl, byte 0: is not of protocol 2");
  EXPECT_EQ(refusal(archive_of("N.")), "t.pt: data.pkl, byte 0: is not of protocol 2");
  EXPECT_EQ(refusal(archive_of("")), "t.pt: data.pkl, byte 0: is cut short");
}

TEST(HostileFiles, MustEndWithOneValue) {
  EXPECT_EQ(pickle_refusal("."), "data.pkl, byte 2: ends with more or less than one value");
  EXPECT_EQ(pickle_refusal("NN."), "data.pkl, byte 4: ends with more or less than one value");
  EXPECT_EQ(pickle_refusal("N(."), "data.pkl, byte 4: ends with more or less than one value");
  EXPECT_EQ(pickle_refusal("N.N"), "data.pkl, byte 3: goes on after its end");
  EXPECT_EQ(pickle_refusal("N"), "data.pkl, byte 3: is cut short");
  EXPECT_EQ(pickle_refusal(raw("X\xFF\xFF\xFF\x7Fshort")), "data.pkl, byte 2: is cut short");
}

TEST(HostileFiles, MayNotReachBelowTheirStack) {
  EXPECT_EQ(pickle_refusal("a."), "data.pkl, byte 2: uses values that there are not");
  EXPECT_EQ(pickle_refusal("Na."), "data.pkl, byte 3: uses a value that there is not");
  EXPECT_EQ(pickle_refusal("](a."), "data.pkl, byte 4: uses values that there are not");
  EXPECT_EQ(pickle_refusal("]e."), "data.pkl, byte 3: a container ends that has not begun");
  EXPECT_EQ(pickle_refusal("\x86."), "data.pkl, byte 2: uses values that there are not");
  EXPECT_EQ(pickle_refusal(raw("q\0.")), "data.pkl, byte 2: uses a value that there is not");
  EXPECT_EQ(pickle_refusal(std::string(1001, '(')), "data.pkl, byte 1002: too many containers are begun and not ended");
}

TEST(HostileFiles, MayNotFillWhatIsNoContainer) {
  EXPECT_EQ(pickle_refusal("NNa."), "data.pkl, byte 4: appends to what is not a list");
  EXPECT_EQ(pickle_refusal("}Na."), "data.pkl, byte 4: appends to what is not a list");
  EXPECT_EQ(pickle_refusal("]NNs."), "data.pkl, byte 5: sets items of what is not a dictionary");
  EXPECT_EQ(pickle_refusal("}(Nu."), "data.pkl, byte 5: sets a key without a value");
  EXPECT_EQ(pickle_refusal("}]Ns."), "data.pkl, byte 5: a key is neither number nor text");
}

TEST(HostileFiles, MayReferOnlyToWhatWasKept) {
  EXPECT_EQ(pickle_refusal(raw("h\0.")), "data.pkl, byte 2: refers to a value that was never kept");
  EXPECT_EQ(pickle_refusal(raw("Nr\xFF\xFF\xFF\xFFj\xFE\xFF\xFF\xFF.")),
            "data.pkl, byte 8: refers to a value that was never kept");
  // A number like no pickler's is only a number.
  const std::string far = archive_of(start + raw("Nr\xFF\xFF\xFF\xFF"
                                                 "0"));
  EXPECT_NE(refusal(far).find("opcode 0x30"), std::string::npos);
}

TEST(HostileFiles, MayNotContainThemselves) {
  EXPECT_EQ(pickle_refusal(raw("]q\0h\0a.")), "data.pkl: lists lie in lists more than 100 levels deep");
}

TEST(HostileFiles, MayNotLieDeep) {
  const auto nested = [](std::size_t depth) { return std::string(depth, ']') + std::string(depth - 1, 'a') + "."; };
  EXPECT_EQ(refusal(archive_of(start + nested(max_depth))), "no error");
  EXPECT_EQ(pickle_refusal(nested(max_depth + 1)), "data.pkl: lists lie in lists more than 100 levels deep");
}

/// Each list holds the one before twice: of 200 bytes become 2^16 lists.
TEST(HostileFiles, MayNotGrowBeyondTheLimitWhenTheyAreRead) {
  std::string program = raw("]q\0");
  for (char i = 1; i <= 16; ++i) {
    program += std::string("](h") + static_cast<char>(i - 1) + "h" + static_cast<char>(i - 1) + "eq" + i;
  }
  const std::string error = refusal(archive_of(start + "(" + program + "t."), {.memory_limit = 1'000'000});
  EXPECT_EQ(error, "t.pt: reading it takes more than the 1000000 bytes that it may take");
}

TEST(HostileFiles, AreReadWithinTheMemoryTheyAreGiven) {
  const std::string bytes = saved(counting({100000}, DType::float64));
  EXPECT_EQ(refusal(bytes, {.memory_limit = 810'000}), "no error");
  EXPECT_EQ(refusal(bytes, {.memory_limit = 790'000}),
            "t.pt: reading it takes more than the 790000 bytes that it may take");
}

TEST(HostileFiles, MustHaveTheBytesOfTheirStorages) {
  EXPECT_EQ(pickle_refusal(storage_of("K\5") + ".", four_floats),
            "its entry data/0 has 16 bytes, which are not 5 elements of 4 bytes");
  EXPECT_EQ(pickle_refusal(storage_of("K\3") + ".", four_floats),
            "its entry data/0 has 16 bytes, which are not 3 elements of 4 bytes");
  EXPECT_EQ(pickle_refusal(storage_of("J\xFF\xFF\xFF\xFF") + ".", four_floats),
            "data.pkl: a storage's size is below zero");
  EXPECT_EQ(pickle_refusal(storage_of(raw("\x8A\x8\0\0\0\0\0\0\0\x40")) + ".", four_floats),
            "its entry data/0 has 16 bytes, which are not 4611686018427387904 elements of 4 bytes");
  EXPECT_EQ(pickle_refusal(storage_of("K\4", raw("X\1\0\0\0"
                                                 "7")) +
                           "."),
            "has no entry data/7");
  EXPECT_EQ(pickle_refusal(storage_of("K\4", raw("X\7\0\0\0../../x")) + "."),
            "data.pkl: a storage's key is not a number");
}

TEST(HostileFiles, MayNotSayTwoThingsOfAStorage) {
  const std::string other =
      raw("(X\7\0\0\0storagectorch\nIntStorage\nX\1\0\0\0"
          "0X\3\0\0\0cpuK\4tQ");
  EXPECT_EQ(pickle_refusal(storage_of("K\4") + other + "\x86.", four_floats),
            "data.pkl: storage 0 is said to be of two types or sizes");
  EXPECT_EQ(pickle_refusal(storage_of("K\4") + storage_of("K\5") + "\x86.", four_floats),
            "data.pkl: storage 0 is said to be of two types or sizes");
}

TEST(HostileFiles, MayPutOnlyStoragesOutsideThePickle) {
  EXPECT_EQ(pickle_refusal("NQ."), "data.pkl: what should be a tuple is of another type than PyTorch's");
  EXPECT_EQ(pickle_refusal("(X" + raw("\6\0\0\0moduleNNNN") + "tQ."),
            "data.pkl: only storages may lie outside the pickle");
  EXPECT_EQ(pickle_refusal(")Q."), "data.pkl: only storages may lie outside the pickle");
  EXPECT_EQ(pickle_refusal(raw("(X\7\0\0\0storagectorch\nSize\nX\1\0\0\0"
                               "0X\3\0\0\0cpuK\4tQ."),
                           four_floats),
            "data.pkl: a storage's type is not one");
}

TEST(HostileFiles, MustHaveTensorsWithinTheirStorages) {
  const auto refused = [](const std::string& offset, const std::string& sizes, const std::string& strides) {
    return pickle_refusal(tensor_of(offset, sizes, strides), four_floats);
  };
  EXPECT_EQ(refusal(archive_of(start + tensor_of(raw("K\0"), "K\4\x85", "K\1\x85"), four_floats)), "no error");
  EXPECT_EQ(refusal(archive_of(start + tensor_of("K\1", "K\3\x85", "K\1\x85"), four_floats)), "no error");
  EXPECT_EQ(refused("K\1", "K\4\x85", "K\1\x85"),
            "data.pkl: a tensor of sizes [4], strides [1] and offset 1 does not fit its storage of 4 elements");
  EXPECT_EQ(refused(raw("K\0"), "K\3\x85", "K\2\x85"),
            "data.pkl: a tensor of sizes [3], strides [2] and offset 0 does not fit its storage of 4 elements");
  const std::string huge = raw("\x8A\x8\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F");
  EXPECT_NE(refused(raw("K\0"), huge + huge + "\x86", huge + huge + "\x86").find("does not fit"), std::string::npos);
  EXPECT_NE(refused(huge, "K\1\x85", "K\1\x85").find("does not fit"), std::string::npos);
  EXPECT_NE(refused("J\xFF\xFF\xFF\xFF", "K\1\x85", "K\1\x85").find("does not fit"), std::string::npos);
  EXPECT_EQ(refused(raw("K\0"), "J\xFF\xFF\xFF\xFF\x85", "K\1\x85"), "data.pkl: a tensor's size is below zero");
  EXPECT_EQ(refused(raw("K\0"), "K\1\x85", "J\xFF\xFF\xFF\xFF\x85"), "data.pkl: a tensor's stride is below zero");
  EXPECT_EQ(refused(raw("K\0"), "K\1\x85", ")"), "data.pkl: a tensor has not a stride for each size");
  EXPECT_EQ(refused(raw("K\0"), "(" + std::string(13, 'N') + "t", ")"),
            "data.pkl: a tensor has 13 dimensions, more than 12");
  EXPECT_EQ(refused("N", ")", ")"), "data.pkl: a tensor's offset is of another type than PyTorch's");
  EXPECT_EQ(pickle_refusal("ctorch._utils\n_rebuild_tensor_v2\n)R."), "data.pkl: a tensor is not made of six parts");
}

TEST(HostileFiles, MayNotHaveOtherNumbersAndTexts) {
  EXPECT_EQ(pickle_refusal(raw("\x8A\x9\0\0\0\0\0\0\0\0\1.")),
            "data.pkl, byte 2: a whole number has more than 64 bits");
  EXPECT_EQ(pickle_refusal(raw("X\1\0\0\0\xFF.")), "data.pkl, byte 2: a text is not UTF-8");
  EXPECT_EQ(pickle_refusal("c__builtin__\ncomplex\nK\1K\2\x86R."),
            "data.pkl: a real part is of another type than PyTorch's");
  EXPECT_EQ(pickle_refusal("ctorch._utils\n_rebuild_parameter\nN\x88N\x87R."),
            "data.pkl: a parameter's data is of another type than PyTorch's");
}

}  // namespace
}  // namespace gpucheck::tensor::files::test

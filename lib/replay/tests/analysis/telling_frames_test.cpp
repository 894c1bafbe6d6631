#include "replay/analysis/telling_frames.hpp"

#include <gtest/gtest.h>

namespace gpucheck::replay {
namespace {

using Names = std::vector<std::string>;

TEST(TellingFrame, IsTheOneThatAPersonLooksFor) {
  StackTable table;
  table.frames = {{"torch::unwind::unwind()", "??", 0},
                  {"at::empty", "/src/empty.cpp", 5},
                  {"forward", "/app/model.py", 12},
                  {"main", "/app/train.py", 3}};
  table.stacks = {{}, {0, 1, 2, 3}, {0, 1}, {0}};
  EXPECT_EQ(telling_frame(table, 1), "forward (model.py:12)");
  EXPECT_EQ(telling_frame(table, 2), "at::empty (empty.cpp:5)");
  EXPECT_EQ(telling_frame(table, 3), "");
  EXPECT_EQ(telling_frame(table, no_stack), "");
}

TEST(TellingFrame, OfPythonHasAnyFile) {
  for (const char* file : {"model.py", "/home/me/train", "<stdin>", "/tmp/ipykernel_7/99.py", "<ipython-input-3-b>"}) {
    StackTable table;
    table.frames = {{"at::empty", "libtorch_cpu.so.2", 5}, {"main", "??", 0}, {"step", file, 7}, {"run", "run.py", 8}};
    table.stacks = {{}, {0, 1, 2, 3}};
    EXPECT_TRUE(telling_frame(table, 1).starts_with("step (")) << telling_frame(table, 1);
  }
  for (const char* file : {"", "??", "/lib/libc.so.6", "THPVariable.cpp", "thread.h", "kernel.cu", "eval.c"}) {
    StackTable table;
    table.frames = {{"native", file, 7}, {"run", "run.py", 8}};
    table.stacks = {{}, {0, 1}};
    EXPECT_EQ(telling_frame(table, 1), "run (run.py:8)") << file;
  }
}

TEST(TellingFrame, OfPyTorchComesWithWhatCalledIt) {
  StackTable table;
  table.frames = {{"linear", "/venv/lib/python3.12/site-packages/torch/nn/functional.py", 1},
                  {"_call_impl", "/venv/lib/python3.12/site-packages/torch/nn/modules/module.py", 2},
                  {"forward", "/home/me/torch/model.py", 3},
                  {"main", "/home/me/train.py", 4}};
  table.stacks = {{}, {0, 1, 2, 3}, {0, 1}, {2, 3}};
  EXPECT_EQ(telling_frame(table, 1), "linear (functional.py:1), in forward (model.py:3)");
  EXPECT_EQ(telling_frame(table, 2), "linear (functional.py:1)");
  EXPECT_EQ(telling_frame(table, 3), "forward (model.py:3)");
}

class TellingFrames : public testing::Test {
 protected:
  TellingFrames() {
    table_.frames = {{"at::empty", "empty.cpp", 5},   {"linear", "functional.py", 1}, {"attention", "model.py", 2},
                     {"feed_forward", "model.py", 3}, {"layer", "model.py", 4},       {"train", "train.py", 5},
                     {"evaluate", "train.py", 6}};
  }
  Names names_of(std::vector<std::vector<std::uint32_t>> stacks) {
    table_.stacks = {{}};
    std::vector<StackId> ids;
    for (auto& stack : stacks) {
      ids.push_back(static_cast<StackId>(table_.stacks.size()));
      table_.stacks.push_back(std::move(stack));
    }
    return telling_frames(table_, ids);
  }

 private:
  StackTable table_;
};

TEST_F(TellingFrames, AreOneEachWhereThatTellsThemApart) {
  EXPECT_EQ(names_of({{0, 1, 4, 5}, {0, 2, 4, 5}}), (Names{"linear (functional.py:1)", "attention (model.py:2)"}));
  EXPECT_EQ(names_of({}), Names{});
}

TEST_F(TellingFrames, NameTheCallersAtWhichStacksPart) {
  EXPECT_EQ(names_of({{0, 1, 2, 4, 5}, {1, 3, 4, 5}, {1, 3, 4, 6}, {2, 4, 5}}),
            (Names{"linear (functional.py:1), in attention (model.py:2)",
                   "linear (functional.py:1), in feed_forward (model.py:3), in train (train.py:5)",
                   "linear (functional.py:1), in feed_forward (model.py:3), in evaluate (train.py:6)",
                   "attention (model.py:2)"}));
}

TEST_F(TellingFrames, StacksThatAreTheSameHaveTheSameName) {
  EXPECT_EQ(names_of({{1, 4}, {1, 4}}), (Names{"linear (functional.py:1)", "linear (functional.py:1)"}));
}

TEST_F(TellingFrames, AStackMayEndWhereAnotherGoesOn) {
  EXPECT_EQ(names_of({{1, 4}, {1, 4, 5}, {}}),
            (Names{"linear (functional.py:1)", "linear (functional.py:1), in train (train.py:5)", ""}));
}

}  // namespace
}  // namespace gpucheck::replay

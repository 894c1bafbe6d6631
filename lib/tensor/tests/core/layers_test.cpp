#include <gtest/gtest.h>
#include <string>
#include <thread>
#include <vector>

#include "runtime/tests/error_of.hpp"
#include "tensor/call/layer.hpp"
#include "tensor/operators/arithmetic/arithmetic.hpp"
#include "tensor/operators/copies/copies.hpp"
#include "tensor/operators/factories/factories.hpp"
#include "tensor/operators/random/random.hpp"
#include "tensor/operators/reductions/reductions.hpp"

namespace gpucheck::tensor::test {
namespace {

using Seen = std::vector<std::string>;

/// Notes the calls that pass it.
class NotingLayer : public Layer {
 public:
  NotingLayer(std::string name, Seen& seen) : name_(std::move(name)), seen_(seen) {}
  void call(Call& call, const Next& next) override {
    seen_.push_back(name_ + " " + call.entry.schema.qualified_name());
    next(call);
    seen_.push_back(name_ + " done");
  }

 private:
  std::string name_;
  Seen& seen_;
};

double value_of(const Tensor& tensor) { return item(sum(tensor)).to_double(); }

TEST(Layers, ArePassedInTheChainsOrder) {
  Seen seen;
  NotingLayer observe("observe", seen);
  NotingLayer autocast("autocast", seen);
  NotingLayer autograd("autograd", seen);
  NotingLayer record("record", seen);
  const Tensor a = ones({2});
  Tensor b;
  {
    const LayerScope third(LayerKind::record, record);
    const LayerScope second(LayerKind::autograd, autograd);
    const LayerScope first(LayerKind::observe, observe);
    const LayerScope other(LayerKind::autocast, autocast);
    b = add(a, a, 3);
  }
  EXPECT_EQ(seen, (Seen{"observe aten::add.Tensor", "autocast aten::add.Tensor", "autograd aten::add.Tensor",
                        "record aten::add.Tensor", "record done", "autograd done", "autocast done", "observe done"}));
  EXPECT_EQ(value_of(b), 8.0);
}

TEST(Layers, EachOfTheThreeFirstOperatorsPassesThem) {
  Seen seen;
  NotingLayer autograd("autograd", seen);
  const Tensor a = ones({2, 3});
  const LayerScope scope(LayerKind::autograd, autograd);
  static_cast<void>(sum(a, {0}));
  bernoulli_(a, 0.25);
  add_(a, 1);
  EXPECT_EQ(seen, (Seen{"autograd aten::sum.dim_IntList", "autograd done", "autograd aten::bernoulli_.float",
                        "autograd done", "autograd aten::add_.Scalar", "autograd done"}));
}

TEST(Layers, SeeArgumentsAndChangeThem) {
  class Doubling : public Layer {
   public:
    void call(Call& call, const Next& next) override {
      const LayersExcluded excluded(LayerKind::autocast);
      Tensor& self = std::get<Tensor>(call.arguments[0]);
      self = add(self, self);
      next(call);
      call.results[0] = add(std::get<Tensor>(call.results[0]), 100);
    }
  } doubling;
  const Tensor a = ones({1});
  const LayerScope scope(LayerKind::autocast, doubling);
  const Tensor b = add(a, 5);
  const LayersExcluded excluded(LayerKind::autocast);
  EXPECT_EQ(value_of(b), 107.0);
}

TEST(Layers, SeeNothingOnOtherThreadsNorWhenExcluded) {
  Seen seen;
  NotingLayer record("record", seen);
  const LayerScope scope(LayerKind::record, record);
  std::thread([] { static_cast<void>(ones({2})); }).join();
  {
    const LayersExcluded excluded(LayerKind::observe, LayerKind::record);
    static_cast<void>(ones({2}));
    EXPECT_EQ(active_layer(LayerKind::record), nullptr);
  }
  EXPECT_EQ(seen, Seen{});
  EXPECT_EQ(active_layer(LayerKind::record), &record);
}

TEST(Layers, AnInnerScopeReplacesTheOuterOne) {
  Seen seen;
  NotingLayer outer("outer", seen);
  NotingLayer inner("inner", seen);
  const LayerScope first(LayerKind::record, outer);
  {
    const LayerScope second(LayerKind::record, inner);
    static_cast<void>(empty({1}));
  }
  static_cast<void>(empty({1}));
  EXPECT_EQ(seen,
            (Seen{"inner aten::empty.memory_format", "inner done", "outer aten::empty.memory_format", "outer done"}));
}

TEST(Layers, WhatAKernelCallsIsOnlyObserved) {
  Seen seen;
  NotingLayer observe("observe", seen);
  NotingLayer record("record", seen);
  const LayerScope first(LayerKind::observe, observe);
  const LayerScope second(LayerKind::record, record);
  static_cast<void>(ones({2}));
  EXPECT_EQ(seen, (Seen{"observe aten::ones", "record aten::ones", "observe aten::fill_.Scalar", "observe done",
                        "record done", "observe done"}));
}

TEST(Layers, AnExceptionLeavesThemAsTheyWere) {
  Seen seen;
  NotingLayer record("record", seen);
  const LayerScope scope(LayerKind::record, record);
  EXPECT_THROW(static_cast<void>(add(ones({2}), ones({3}))), Error);
  EXPECT_EQ(active_layer(LayerKind::record), &record);
}

TEST(BoxedCall, DoesWhatTheTypedOneDoes) {
  const Tensor a = ones({2});
  const Entry* const entry = find_operator("aten::add.Tensor");
  ASSERT_NE(entry, nullptr);
  const std::vector<Value> results = call_boxed(*entry, {a, a, Scalar(2)});
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(value_of(std::get<Tensor>(results[0])), 6.0);
  EXPECT_EQ(runtime::test::error_of([&] { static_cast<void>(call_boxed(*entry, {a})); }),
            "aten::add.Tensor takes 3 arguments, not 1");
  EXPECT_THROW(static_cast<void>(call_boxed(*entry, {a, Scalar(1), Scalar(2)})), std::bad_variant_access);
}

}  // namespace
}  // namespace gpucheck::tensor::test

"""A copy of the sources with builds of its own, in which mutations are made."""
import contextlib
import os
import pathlib
import shlex
import shutil
import subprocess

import catalogue
from catalogue import ROOT

SLOTS = 1 << 15  # of the file in which processes note the numbers of the mutations that they reach

# Read once: what a mutation changes may run often.
SWITCH = """#pragma once
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <type_traits>
namespace gpucheck_mutation {
constexpr std::uint32_t slots = @SLOTS@;
inline unsigned long chosen() {
  static const unsigned long number = [] {
    const char* const text = std::getenv("GPUCHECK_MUTATION");
    return text == nullptr ? 0 : std::strtoul(text, nullptr, 10);
  }();
  return number;
}
// Where the file that GPUCHECK_MUTATIONS_REACHED names is mapped, by all processes.
inline std::atomic<std::uint32_t>* reached() {
  static const auto table = []() -> std::atomic<std::uint32_t>* {
    const char* const path = std::getenv("GPUCHECK_MUTATIONS_REACHED");
    if (path == nullptr) return nullptr;
    const int file = ::open(path, O_RDWR | O_CLOEXEC);
    void* const bytes = ::mmap(nullptr, slots * sizeof(std::uint32_t), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    ::close(file);
    return bytes == MAP_FAILED ? nullptr : static_cast<std::atomic<std::uint32_t>*>(bytes);
  }();
  return table;
}
inline void note(std::uint32_t number) {
  std::atomic<std::uint32_t>* const table = reached();
  for (std::uint32_t slot = number % slots; table != nullptr; slot = (slot + 1) % slots) {
    std::uint32_t seen = table[slot].load(std::memory_order_relaxed);
    if (seen == number) return;
    if (seen == 0 && table[slot].compare_exchange_strong(seen, number)) return;
  }
}
inline bool is_chosen(unsigned number) {
  note(number);
  return number == chosen();
}
constexpr bool is(unsigned number) { return !std::is_constant_evaluated() && is_chosen(number); }
}  // namespace gpucheck_mutation
"""


class BuildFailed(Exception):
    """Its text is the end of what the build printed."""

    def __init__(self, printed):
        super().__init__(printed[-3000:])
        self.printed = printed


class Tree:
    def __init__(self, folder):
        self.root = pathlib.Path(folder).resolve() / "tree"
        self.configured = set()
        listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                                check=True, capture_output=True).stdout.decode().split("\0")
        sources = [name for name in listed if name and (ROOT / name).is_file()]
        for path in [path for path in self.root.rglob("*") if path.is_file()]:
            name = str(path.relative_to(self.root))
            if not name.startswith("build/") and name not in sources:
                path.unlink()
        for name in sources:
            self.bring_up_to_date(name)

    def bring_up_to_date(self, name):
        """Leaves a file that is the same alone, so that it is not built again."""
        copy, content = self.root / name, (ROOT / name).read_bytes()
        if not copy.exists() or copy.read_bytes() != content:
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(content)
            copy.chmod((ROOT / name).stat().st_mode)

    @contextlib.contextmanager
    def mutated(self, batch):
        """Holds these mutations meanwhile: the one alone, or all as switches."""
        switch = self.root / "gpucheck_mutation.hpp"
        names = {mutation.file for mutation in batch}
        try:
            for name in names:
                text = (ROOT / name).read_text()
                if batch[0].form:
                    text = catalogue.switched(text, [mutation for mutation in batch if mutation.file == name])
                    text = f'#include "{switch}"\n#line 1\n{text}'
                else:
                    start, end = batch[0].place()
                    text = text[:start] + batch[0].new + text[end:]
                (self.root / name).write_text(text)
            if batch[0].form:
                switch.write_text(SWITCH.replace("@SLOTS@", f"{SLOTS}U"))
            yield
        finally:
            switch.unlink(missing_ok=True)
            for name in names:
                self.bring_up_to_date(name)

    def build(self, preset, targets, keep_going=False, joined=False):
        """@param joined in a folder of its own, sources joined: the quicker one where nearly all of them are changed.
        @throws BuildFailed."""
        folder = self.folder(preset, joined)
        environment = {**os.environ, "CCACHE_BASEDIR": str(self.root), "CCACHE_NOHASHDIR": "1"}
        wrapper = shlex.split(os.environ.get("GPUCHECK_BUILD_WRAPPER", ""))
        more = ["--", "-k", "0"] if keep_going else []
        commands = [["cmake", "--build", folder, "--target", *targets, *more]]
        if folder not in self.configured:
            cached = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
            kind = ["-DCMAKE_UNITY_BUILD=ON", "-DCMAKE_CXX_FLAGS_DEBUG=-O1 -g1"] if joined else []
            commands.insert(0, ["cmake", "--preset", preset, "-B", folder,
                                "-DGPUCHECK_WERROR=OFF", "-DCMAKE_CXX_FLAGS=-Wno-narrowing", *kind, *cached])
        for command in commands:
            done = subprocess.run([*wrapper, *command], cwd=self.root, env=environment, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            if done.returncode != 0:
                raise BuildFailed(done.stdout)
        self.configured.add(folder)

    def folder(self, preset, joined=False):
        return self.root / "build" / (f"{preset}-joined" if joined else preset)

    def program(self, preset, name):
        return next(path for path in self.folder(preset).rglob(name) if path.is_file())

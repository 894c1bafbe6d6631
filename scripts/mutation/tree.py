"""A copy of the sources with builds of its own, in which mutations are made."""
import contextlib
import os
import pathlib
import shlex
import shutil
import subprocess

import catalogue
from catalogue import ROOT

# Read once: what a mutation changes may run often.
SWITCH = """#pragma once
#include <cstdlib>
#include <type_traits>
namespace gpucheck_mutation {
inline unsigned long chosen() {
  static const unsigned long number = [] {
    const char* const text = std::getenv("GPUCHECK_MUTATION");
    return text == nullptr ? 0 : std::strtoul(text, nullptr, 10);
  }();
  return number;
}
constexpr bool is(unsigned number) { return !std::is_constant_evaluated() && number == chosen(); }
}  // namespace gpucheck_mutation
"""


class BuildFailed(Exception):
    """The end of what the build printed."""


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
                switch.write_text(SWITCH)
            yield
        finally:
            switch.unlink(missing_ok=True)
            for name in names:
                self.bring_up_to_date(name)

    def build(self, preset, targets):
        """@throws BuildFailed."""
        environment = {**os.environ, "CCACHE_BASEDIR": str(self.root), "CCACHE_NOHASHDIR": "1"}
        wrapper = shlex.split(os.environ.get("GPUCHECK_BUILD_WRAPPER", ""))
        commands = [["cmake", "--build", f"build/{preset}", "--target", *targets]]
        if preset not in self.configured:
            cached = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
            commands.insert(0, ["cmake", "--preset", preset, "-DGPUCHECK_WERROR=OFF", *cached])
        for command in commands:
            done = subprocess.run([*wrapper, *command], cwd=self.root, env=environment, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            if done.returncode != 0:
                raise BuildFailed(done.stdout[-3000:])
        self.configured.add(preset)

    def program(self, preset, name):
        return next(path for path in (self.root / "build" / preset).rglob(name) if path.is_file())

"""The program that `run` has lazyscope-cli run: tests of the peer's, as they are, on our modules. One line of JSON a test, written as it ends.

PEER_ROOT is the peer's checkout, PEER_FILE the test file in it, PEER_RESULT where the lines go, PEER_SKIP a file with tests that are not to be run again.
"""
import importlib.util
import json
import os
import sys
import types
import unittest
import _lazyscope

ROOT = os.environ["PEER_ROOT"]

# What the test files import of the peer's compiler, which is not ours to have. They ask only whether a renderer is one of these, so an empty class answers;
# whatever else is asked of such a module is a stand-in that fails when it is used.
INNER = ("tinygrad.renderer", "tinygrad.codegen", "tinygrad.engine", "tinygrad.runtime", "tinygrad.schedule", "tinygrad.uop", "tinygrad.mixin", "tinygrad.llm",
         "tinygrad.function", "tinygrad.viz")


class Lacking(type):
    """A class of the peer's compiler: nothing is an instance of it, and using it is an error that says so."""
    def __call__(cls, *args, **kwargs): raise NotImplementedError(f"{cls.__name__}: a part of the peer's compiler")
    def __getattr__(cls, name):
        if name[:2] == "__":
            raise AttributeError(name)
        return Lacking(f"{cls.__name__}.{name}", (), {})


class Ops:
    """Ours, where a test asks which op a tensor's node has."""
    def __getattr__(self, name): return _lazyscope.ops.get(name) or Lacking(f"Ops.{name}", (), {})


def from_storage_scalar(x, dtype):
    """The number that memory's integer is: small floats are stored as their bits."""
    return _lazyscope.of_bits(x, dtype) if dtype.fmt is None and isinstance(x, int) else x


class Inner(types.ModuleType):
    """A module of the peer's compiler."""
    __path__ = []

    def __getattr__(self, name):
        if name[:2] == "__":
            raise AttributeError(name)
        if name == "from_storage_scalar":
            return from_storage_scalar
        if name == "Ops":
            return Ops()
        return Lacking(f"{self.__name__}.{name}", (), {})


def stand_in(module):
    """Names of the peer's compiler in a module that the library has."""
    known = module.__getattr__ if hasattr(module, "__getattr__") else None

    def find(name):
        if name[:2] == "__":
            raise AttributeError(name)
        try:
            return known(name)
        except (AttributeError, TypeError):      # or there is no such function
            pass
        return Lacking(f"{module.__name__}.{name}", (), {})
    module.__getattr__ = find


class Finder:
    """Finds the modules of INNER that the library does not have."""
    @staticmethod
    def find_spec(name, path=None, target=None):
        if any(name == inner or name.startswith(inner + ".") for inner in INNER):
            return importlib.util.spec_from_loader(name, Finder, is_package=True)
        return None

    @staticmethod
    def create_module(spec): return Inner(spec.name)
    @staticmethod
    def exec_module(module): pass


class Result(unittest.TestResult):
    """Writes what became of each test."""
    def __init__(self, file):
        super().__init__()
        self.file, self.parts = file, {}

    def write(self, test, outcome, reason=""):
        self.file.write(json.dumps({"test": test.id(), "outcome": outcome, "reason": reason}) + "\n")
        self.file.flush()

    def reason_of(self, error):
        """The last line of what was raised first, and where in the test file it was raised."""
        kind, value, traceback = error
        line = 0
        while traceback:
            if traceback.tb_frame.f_code.co_filename == os.environ["PEER_FILE"]:
                line = traceback.tb_lineno
            traceback = traceback.tb_next
        text = " ".join(str(value).split())
        return f"{line}: {kind.__name__}: {text[:200]}"

    def startTest(self, test):
        super().startTest(test)
        self.parts[test.id()] = None
        self.write(test, "begun")

    def stopTest(self, test):
        super().stopTest(test)
        bad = self.parts.pop(test.id())
        if bad != "done":
            self.write(test, *(bad or ("pass", "")))

    def addError(self, test, error):
        if test.id() in self.parts:
            self.parts[test.id()] = ("error", self.reason_of(error))
        else:      # of a class's or a module's preparation
            self.write(test, "error", self.reason_of(error))

    def addFailure(self, test, error):
        self.parts[test.id()] = ("fail", self.reason_of(error))

    def addSkip(self, test, reason):
        if test.id() in self.parts:
            self.parts[test.id()] = ("skip", reason)
        else:
            self.write(test, "skip", reason)

    def addExpectedFailure(self, test, error):
        self.parts[test.id()] = ("pass", "")

    def addUnexpectedSuccess(self, test):
        self.parts[test.id()] = ("surpassed", "the peer expects this to fail")

    def addSubTest(self, test, subtest, error):
        if error and not self.parts.get(test.id()):
            self.parts[test.id()] = ("fail", self.reason_of(error))


class Everything:
    """The ops that a renderer has: all, as far as the tests ask."""
    def __contains__(self, op): return True


def each_test(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from each_test(test)
        else:
            yield test


def main():
    sys.path.insert(0, ROOT)      # for the tests' own helpers, `test.helpers`; the library's `tinygrad` is found before the peer's
    sys.meta_path.append(Finder)
    import newer_torch      # beside this program
    for name in _lazyscope.modules:
        if name.partition(".")[0] == "tinygrad":
            stand_in(importlib.import_module(name))
    from tinygrad import Device, dtypes
    type(Device["CPU"].renderer).code_for_op = Everything()
    type(dtypes).fp8e4m3fnuz, type(dtypes).fp8e5m2fnuz = "no such dtype", "no such dtype"
    with open(os.environ["PEER_SKIP"]) as file:
        done = set(file.read().split())
    name = os.path.relpath(os.environ["PEER_FILE"], ROOT).removesuffix(".py").replace("/", ".")
    module = importlib.import_module(name)
    wanted = os.environ.get("PEER_ONLY", "")
    tests = [test for test in each_test(unittest.defaultTestLoader.loadTestsFromModule(module)) if test.id() not in done and wanted in test.id()]
    with open(os.environ["PEER_RESULT"], "a") as file:
        unittest.TestSuite(tests).run(Result(file))
        file.write(json.dumps({"test": name, "outcome": "end", "reason": ""}) + "\n")


main()

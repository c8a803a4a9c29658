"""The library's modules live as long as the process, and each run finds them as they were imported: what a program changes in them is put back after it.

Restored are the names of modules and of their classes, and the contents of lists, dicts, sets and objects in them.
"""
import gc
import sys
import _lazyscope

_frozen = next(finder for finder in sys.meta_path if finder.__name__ == "FrozenImporter")
_modules, _state = {}, []
_left_out = {
    "tinygrad.nn.onnx": "Lazyscope does not read ONNX files; build the model of nn's layers, and load weights with nn.state.safe_load",
    "tinygrad.llm": "Lazyscope has no language models of its own and does not read GGUF files; weights are loaded with nn.state.safe_load",
    "tinygrad.codegen": "Lazyscope has a compiler of its own; `lazyscope-cli show FILE --stage listing` shows what its stages make of a kernel",
    "tinygrad.renderer": "Lazyscope has renderers of its own; `lazyscope-cli show FILE --stage source` shows a kernel's text",
    "tinygrad.runtime": "Lazyscope's own tinygrad is without it: kernels run on the CPU, by the compiler that --compiler names",
    "tinygrad.shape": "Lazyscope's own tinygrad is without it: Tensor.lazydata.st has a tensor's views",
    "tinygrad.uop.symbolic": "Lazyscope's own tinygrad is without it: UOp.simplify() runs the rules of algebra, and PatternMatcher takes rules of a program",
    "tinygrad.schedule": "Lazyscope has a scheduler of its own: Tensor.schedule() gives what it decided",
}
_new_interpreters = {"multiprocessing.popen_spawn_posix": "spawn", "multiprocessing.popen_forkserver": "forkserver"}
_depth = 0
_made = []      # what the program had made when it imported the library


class Loader:
    create_module = staticmethod(lambda spec: None)

    @staticmethod
    def exec_module(module):
        """Nothing of the library is garbage, and the collector need not look at it: not while it is made, and not later. It tracks the objects that the program had made by then."""
        global _depth
        if _depth == 0:
            gc.disable()
            _made[:] = gc.get_objects()
        _depth += 1
        try:
            _frozen.exec_module(module)
            _modules[module.__name__] = module
            remember(module)
        finally:
            _depth -= 1
            if _depth == 0:
                gc.freeze()
                _lazyscope.thaw(_made)
                _made.clear()
                gc.enable()


class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name in _new_interpreters:
            raise RuntimeError(f"multiprocessing: start method '{_new_interpreters[name]}' begins another Python, which has no Lazyscope in it; use multiprocessing.set_start_method('fork')")
        if name == "tinygrad":
            _lazyscope.expect_kernels()
        parent, _, part = name.rpartition(".")
        if parent in _modules and name not in _lazyscope.modules and hasattr(_modules[parent], "__path__"):
            parts = name.split(".")
            reason = _left_out.get(name, _left_out.get(".".join(parts[:2]), "Lazyscope's own tinygrad is without it"))
            raise ModuleNotFoundError(f"No module named '{name}': {reason}", name=name)
        spec = _frozen.find_spec(name, path, target) if name.partition(".")[0] == "tinygrad" else None
        if spec:
            spec.loader = Loader
        return spec


def begin():
    """A run begins: the collector tracks only its objects. Where the program can use the library, tensors are to be expected."""
    gc.freeze()
    if _modules:
        _lazyscope.expect_kernels()


def remember(owner):
    """The current contents of the owner, a module, class or object of the library."""
    held = dict(vars(owner))
    _state.append((owner, held))
    for value in held.values():
        if type(value) in (dict, list, set):
            _state.append((value, value.copy()))
        elif isinstance(value, type):
            if value.__module__ == owner.__name__ or isinstance(owner, type) and value.__qualname__.startswith(owner.__qualname__ + "."):
                remember(value)
        elif type(value).__module__.partition(".")[0] == "tinygrad" and hasattr(value, "__dict__"):
            _state.append((value, dict(vars(value))))


def restore():
    """The library as it was imported. Its modules stay names of the packages that they are in."""
    for owner, held in _state:
        if type(owner) is list:
            owner[:] = held
        elif type(owner) in (dict, set):
            owner.clear()
            owner.update(held)
        else:
            now = vars(owner)
            put, remove = (type.__setattr__, type.__delattr__) if isinstance(owner, type) else (object.__setattr__, object.__delattr__)
            for name in [name for name in now if name not in held]:
                remove(owner, name)
            for name in [name for name, value in held.items() if now.get(name, _modules) is not value]:
                put(owner, name, held[name])
    for name in [name for name in sys.modules if name.partition(".")[0] == "tinygrad" and name not in _modules]:
        del sys.modules[name]
    sys.modules.update(_modules)
    for name, module in _modules.items():
        package, _, own = name.rpartition(".")
        if package:
            setattr(_modules[package], own, module)

"""Runs one program: its text, its folder's modules, its output."""
import sys
import _lazyscope
from lazyscope import _library

sys.meta_path.insert(0, _library.Finder)
loader_type, finder_type = sys.modules["_frozen_importlib_external"].SourceFileLoader, sys.modules["_frozen_importlib_external"].FileFinder


class Output:
    """What a program prints goes to the recording and to whoever listens."""
    encoding, errors, closed, name, mode = "utf-8", "strict", False, "<stdout>", "w"

    def write(self, text):
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        _lazyscope.write(text)
        return len(text)

    def writelines(self, lines):
        for line in lines:
            self.write(line)

    def flush(self): pass
    def isatty(self): return False
    def writable(self): return True
    def readable(self): return False
    def seekable(self): return False
    def fileno(self): return 1


class Loader(loader_type):
    """Modules beside the program are the program's own: their statements are recorded too."""
    def get_code(self, name):
        path = self.get_filename(name)
        text = self.get_data(path).decode("utf-8-sig")
        return compile_program(text, path)


compiled, MOST_COMPILED = {}, 64      # (text, filename, whether it is recorded) -> what was compiled of it, for runs to come


def compile_program(text, filename):
    text = text.removeprefix("\ufeff")
    recorded = _lazyscope.recording()
    key = text, filename, recorded
    if key not in compiled:
        if recorded:
            from lazyscope._marks import compile_marked
            made = compile_marked(text, filename)
        else:
            made = compile(text, filename, "exec", dont_inherit=True), None, None
        if len(compiled) == MOST_COMPILED:
            compiled.clear()
        compiled[key] = made
    code, number, spans = compiled[key]
    if recorded:
        _lazyscope.statements(number, filename, text, spans)
    return code


def hook(folder):
    def find(path):
        if path != folder:
            raise ImportError
        return finder_type(path, (Loader, [".py"]))
    return find


def run(text, filename, folder, arguments):
    """None, or (report, line, column) of what ended it."""
    import builtins
    _library.begin()
    sys.stdout, sys.argv = Output(), [filename] + arguments
    builtins.__lazyscope_mark__, builtins.__lazyscope_bound__ = _lazyscope.mark, _lazyscope.bound
    main = type(sys)("__main__")
    main.__file__, main.__builtins__ = filename, builtins
    before, sys.modules["__main__"] = sys.modules["__main__"], main
    path, hooks = sys.path[:], sys.path_hooks[:]
    if folder:
        sys.path.insert(0, folder)
        sys.path_hooks.insert(0, hook(folder))
        sys.path_importer_cache.pop(folder, None)
    known = set(sys.modules)
    try:
        exec(compile_program(text, filename), main.__dict__)
        return None
    except SystemExit as end:
        if end.code is None or end.code == 0:
            return None
        return f"{filename}: error: " + (end.code if isinstance(end.code, str) else f"the program ended itself with status {end.code}"), 0, 0
    except BaseException as error:
        from lazyscope._report import report
        error.__traceback__ = error.__traceback__.tb_next or error.__traceback__
        return report(error, filename, text)
    finally:
        for name in list(sys.modules):      # the next run begins anew
            module = sys.modules[name]
            own = getattr(module, "__file__", None) or ""
            if name not in known and folder and own.startswith(folder):
                del sys.modules[name]
        sys.modules["__main__"], sys.stdout = before, sys.__stdout__
        sys.path[:], sys.path_hooks[:] = path, hooks
        main.__dict__.clear()
        _library.restore()

"""Runs one program: its text, its folder's modules, its output."""
import gc
import posix
import sys
import _lazyscope
from lazyscope import _library

sys.meta_path.insert(0, _library.Finder)
posix.register_at_fork(before=_lazyscope.fork_begins, after_in_parent=_lazyscope.fork_parent, after_in_child=_lazyscope.fork_child)
loader_type, finder_type = sys.modules["_frozen_importlib_external"].SourceFileLoader, sys.modules["_frozen_importlib_external"].FileFinder


class Output:
    """A program's output, which goes to the recording and to stdout."""
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
    """Modules next to the program are the program's own: their statements are recorded too."""
    def get_code(self, name):
        path = self.get_filename(name)
        text = self.get_data(path).decode("utf-8-sig")
        return compile_program(text, path, whole=True)[0]


compiled, MOST_COMPILED = {}, 64      # (text, filename, whole, whether it is recorded) -> its compiled code, for later runs


def compile_program(text, filename, whole=False):
    """Codes that are run one after the other; whole: one."""
    text = text.removeprefix("\ufeff")
    recorded = _lazyscope.recording()
    key = text, filename, whole, recorded
    if key not in compiled:
        if recorded:
            from lazyscope._marks import compile_marked
            made = compile_marked(text, filename, whole)
        else:
            made = [compile(text, filename, "exec", dont_inherit=True)], None, None
        if len(compiled) == MOST_COMPILED:
            compiled.clear()
        if len(made[0]) == 1:      # a long program's take much memory
            compiled[key] = made
    else:
        made = compiled[key]
    codes, number, spans = made
    if recorded:
        _lazyscope.statements(number, filename, text, spans)
    return codes


def execute(text, filename, names):
    codes = compile_program(text, filename)[::-1]
    while codes:
        exec(codes.pop(), names)


def hook(folder):
    def find(path):
        if path != folder:
            raise ImportError
        return finder_type(path, (Loader, [".py"]))
    return find


def status_of(end, filename):
    """For a program that ended itself: None if it ended well, else (report, line, column, the status that Python exits with, whether it prints the report)."""
    if end.code is None or isinstance(end.code, int) and end.code & 0xff == 0:
        return None
    if isinstance(end.code, int):
        return f"{filename}: error: the program ended itself with status {end.code}", 0, 0, end.code & 0xff, False
    return f"{end.code}", 0, 0, 1, True


def attempt(step, text, filename):
    """None, or the end of the step, as in status_of; its status is 0 if an error ended it."""
    try:
        step()
        return None
    except SystemExit as end:
        return status_of(end, filename)
    except BaseException as error:
        from lazyscope._report import report
        while error.__traceback__ and error.__traceback__.tb_next and error.__traceback__.tb_frame.f_code.co_filename.startswith("library/_"):
            error.__traceback__ = error.__traceback__.tb_next
        return *report(error, filename, text), 0, True


def join_threads():
    """Those that are not daemons end first; then what waits for the end of threads, as executors do."""
    threading = sys.modules.get("threading")
    if not threading:
        return
    while waiting := [t for t in threading.enumerate() if t is not threading.current_thread() and t is not threading.main_thread() and not t.daemon]:
        waiting[0].join(0.05)      # a wait without end could not be stopped
    for ending in [threading._threading_atexits.pop() for _ in list(threading._threading_atexits)]:
        ending()


def run_exit_handlers():
    """The handlers of atexit, last first. Registrations of modules that live longer than the run are registered again."""
    import atexit
    atexit._run_exitfuncs()
    finalize = getattr(sys.modules.get("weakref"), "finalize", None)
    if finalize:
        finalize._shutdown = finalize._registered_with_atexit = False
    if "logging" in sys.modules:
        atexit.register(sys.modules["logging"].shutdown)
    for name in [name for name in sys.modules if name.partition(".")[0] == "concurrent"]:
        del sys.modules[name]


def forget(known, folder):
    """The program's own modules are removed, and their objects with them: the next run begins from the start."""
    for name in list(sys.modules):
        own = getattr(sys.modules[name], "__file__", None) or ""
        if name not in known and folder and own.startswith(folder):
            del sys.modules[name]


def run(text, filename, folder, arguments):
    """None, or the error that ended it, as in attempt. It ends as Python does: threads, then handlers of atexit, then what is left of its objects."""
    import builtins
    _library.begin()
    sys.stdout, sys.argv = Output(), [filename] + arguments
    builtins.__lazyscope_mark__, builtins.__lazyscope_bound__, builtins.__lazyscope_next__ = _lazyscope.mark, _lazyscope.bound, _lazyscope.next
    main = type(sys)("__main__")
    main.__file__, main.__builtins__ = filename, builtins
    before, sys.modules["__main__"] = sys.modules["__main__"], main
    path, hooks = sys.path[:], sys.path_hooks[:]
    if folder:
        sys.path.insert(0, folder)
        sys.path_hooks.insert(0, hook(folder))
        sys.path_importer_cache.pop(folder, None)
    known = set(sys.modules)
    names = main.__dict__
    try:
        ended = attempt(lambda: execute(text, filename, names), text, filename)
        ended = attempt(join_threads, text, filename) or ended
        ended = attempt(run_exit_handlers, text, filename) or ended
        return ended
    finally:
        sys.modules["__main__"] = before
        forget(known, folder)
        del main, names
        gc.collect()
        sys.stdout = sys.__stdout__
        sys.path[:], sys.path_hooks[:] = path, hooks
        used = "tinygrad.helpers" in sys.modules
        _library.restore()
        if used:
            sys.modules["tinygrad.helpers"].note_environment()

"""The tensors of a model by name, and files of them (https://huggingface.co/docs/safetensors: a length, a table in JSON, the elements)."""
from tinygrad.dtype import DTYPES_DICT, dtypes
from tinygrad.helpers import prod, round_up
from tinygrad.tensor import Tensor

SAFE_DTYPES = {"BOOL": "bool", "I8": "int8", "U8": "uint8", "I16": "int16", "U16": "uint16", "I32": "int32", "U32": "uint32", "I64": "int64", "U64": "uint64",
               "F8_E4M3": "fp8e4m3", "F8_E5M2": "fp8e5m2", "F16": "float16", "BF16": "bfloat16", "F32": "float32", "F64": "float64"}
safe_dtypes = {name: DTYPES_DICT[known] for name, known in SAFE_DTYPES.items() if known in DTYPES_DICT}
inverse_safe_dtypes = {dtype: name for name, dtype in safe_dtypes.items()}


def get_state_dict(obj, prefix="", tensor_type=Tensor):
    """The tensors in an object, its attributes, lists, tuples and dicts: {"layers.0.weight": tensor}."""
    if isinstance(obj, tensor_type):
        return {prefix.strip("."): obj}
    if hasattr(obj, "_asdict"):
        items = obj._asdict().items()
    elif isinstance(obj, dict):
        items = obj.items()
    elif isinstance(obj, (list, tuple)):
        items = enumerate(obj)
    elif hasattr(obj, "__dict__"):
        items = obj.__dict__.items()
    else:
        return {}
    return {name: t for key, value in items for name, t in get_state_dict(value, f"{prefix}{key}.", tensor_type).items()}


def get_parameters(obj):
    """The tensors in an object."""
    return list(get_state_dict(obj).values())


def load_state_dict(model, state_dict, strict=True, verbose=True, consume=False, realize=True):
    """A model's tensors replaced by those of the same names, cast to their dtypes. strict: each must be there. → the tensors"""
    loaded = []
    for name, t in get_state_dict(model).items():
        if name not in state_dict:
            if strict:
                raise KeyError(name)
            continue
        new = state_dict[name]
        if t.shape != new.shape:
            if {(), (1,)} != {t.shape, new.shape}:
                raise ValueError(f"Shape mismatch in layer `{name}`: Expected shape {t.shape}, but found {new.shape} in state dict.")
            new = new.reshape(t.shape)
        t.replace(new.cast(t.dtype) if new.dtype is not t.dtype else new)
        loaded.append(t)
        if consume:
            del state_dict[name]
    if realize and loaded:
        Tensor.realize(*loaded)
    return loaded


def _bytes_of(file):
    """The bytes of a file's name, an open file, or a tensor of them."""
    if isinstance(file, Tensor):
        return bytes(file.flatten().bitcast(dtypes.uint8).data())
    if hasattr(file, "read"):
        return file.read()
    with open(file, "rb") as opened:
        return opened.read()


def _table(data):
    """The table at the beginning, and where the elements begin."""
    import json
    if len(data) < 8:
        raise ValueError(f"no safetensors: {len(data)} bytes")
    n = int.from_bytes(data[:8], "little")
    if n > len(data) - 8:
        raise ValueError(f"no safetensors: the table would take {n} of {len(data)} bytes")
    try:
        table = json.loads(data[8:8 + n].decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"no safetensors: the table is not JSON: {error}") from None
    if not isinstance(table, dict):
        raise ValueError("no safetensors: the table is not an object")
    return table, 8 + n


def _entry(name, entry, n):
    """(dtype, shape, begin, end) of one tensor, checked against the n bytes that there are."""
    if not isinstance(entry, dict) or not isinstance(entry.get("shape"), list) or not isinstance(entry.get("data_offsets"), list):
        raise ValueError(f"safetensors: {name!r} has no dtype, shape and data_offsets")
    dtype, shape, offsets = safe_dtypes.get(str(entry.get("dtype"))), tuple(entry["shape"]), entry["data_offsets"]
    if dtype is None:
        raise ValueError(f"safetensors: {name!r} has dtype {entry.get('dtype')!r}, which tensors here do not have")
    if not all(type(size) is int and size >= 0 for size in shape) or len(offsets) != 2 or not all(type(at) is int for at in offsets):
        raise ValueError(f"safetensors: {name!r} has shape {shape} and offsets {offsets}")
    begin, end = offsets
    if not 0 <= begin <= end <= n or end - begin != prod(shape) * dtype.itemsize:
        raise ValueError(f"safetensors: {name!r}, shape {shape} of {dtype}, is at bytes {begin} to {end} of {n}")
    return dtype, shape, begin, end


def safe_load_metadata(file):
    """(the file's bytes as a tensor, where the elements begin, the table)"""
    data = _bytes_of(file)
    table, begin = _table(data)
    return Tensor(data), begin, table


def safe_load(file):
    """The tensors of a safetensors file by name; every size in it is checked."""
    import _lazyscope
    data = _bytes_of(file)
    table, start = _table(data)
    entries = {name: _entry(name, entry, len(data) - start) for name, entry in table.items() if name != "__metadata__"}
    before = None
    for name, (_, _, begin, end) in sorted(entries.items(), key=lambda item: item[1][2:]):
        if before and begin < before[1] and end > begin:
            raise ValueError(f"safetensors: {before[0]!r} and {name!r} overlap at byte {begin}")
        before = (name, end) if end > begin else before
    tensors = {}
    for name, (dtype, shape, begin, end) in entries.items():
        tensors[name] = _lazyscope.host(Tensor, data[start + begin:start + end], dtype, shape)
    return tensors


def safe_save(tensors, file, metadata=None):
    """Tensors by name as a safetensors file."""
    import _lazyscope
    import json
    table, offset = ({"__metadata__": metadata} if metadata else {}), 0
    for name, t in tensors.items():
        if t.dtype in dtypes.weaks:
            raise ValueError("safe_save requires concrete dtypes")
        table[name] = {"dtype": inverse_safe_dtypes[t.dtype], "shape": list(t.shape), "data_offsets": [offset, offset + t.nbytes()]}
        offset += t.nbytes()
    if tensors:
        Tensor.realize(*tensors.values())
    text = json.dumps(table, separators=(",", ":")).encode("utf-8")
    text += b" " * (round_up(len(text), 8) - len(text))
    with open(file, "wb") as opened:
        opened.write(len(text).to_bytes(8, "little") + text)
        for t in tensors.values():
            opened.write(_lazyscope.data(t))


def torch_load(file):
    """Always an error: those files are programs."""
    raise RuntimeError("torch_load is not supported, its files run code when they are read: save them as safetensors")

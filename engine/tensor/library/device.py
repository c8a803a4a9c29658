"""Devices: there is one, the CPU."""
from tinygrad.helpers import missing


def canonicalize(device):
    """A device's name as it is printed: "CPU". Any other than the CPU is refused."""
    if device is None:
        return "CPU"
    if isinstance(device, (tuple, list)):
        if len(device) == 1:
            return canonicalize(device[0])
        raise RuntimeError(f"tensors on several devices are not supported: {tuple(device)}")
    if not isinstance(device, str):
        raise TypeError(f"expected the name of a device, not a {type(device).__name__}")
    name = device.upper()
    if name.split(":")[0] not in ("CPU", "CLANG", "PYTHON", "NPY") or name.endswith(":") or name.split(":")[1:] not in ([], ["0"]):
        raise RuntimeError(f"there is no device {device!r} here: programs run on the CPU")
    return "CPU"


canonicalize_device = canonicalize


class _Renderer:
    """The attributes of a device's renderer that programs use."""
    device, has_local, has_shared, has_threads = "CPU", False, False, False

    def supported_dtypes(self):
        from tinygrad.dtype import dtypes
        return set(dtypes.all)


class _CPU:
    """The attributes of a device that programs use."""
    device, renderer = "CPU", _Renderer()
    def synchronize(self): return None
    def __repr__(self): return "<Device CPU>"


class _Device:
    """`Device.DEFAULT` is "CPU"; `Device["CPU"]` is the only device."""
    DEFAULT = "CPU"
    _devices = ["CPU"]
    def canonicalize(self, device): return canonicalize(device)
    def get_available_devices(self): return iter(["CPU"])
    def __getitem__(self, name): return cpu if canonicalize(name) else None
    def __getattr__(self, name): raise missing("Device", name, dir(_Device))


cpu, Device = _CPU(), _Device()

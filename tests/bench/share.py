#!/usr/bin/env python3
"""Pages in a browser: share.py LAZYSCOPE_CLI [PAGE.html…]

Without pages: the index pass (1,079 steps over 3,600 nodes) of a 512 × 512 matmul in tiles of 16 × 32. Of each page its size; the time from navigation to the end of loading and to the first
paint, median of five; of steps forwards, backwards and of jumps the time of script and layout, and the time to the next frame with what it waits for the screen: median and 99th percentile."""
import os
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'share'))
from chromium import Chromium, find  # noqa: E402

PROGRAM = """from tinygrad import Tensor
n = 512
a = ((Tensor.arange(n * n) * 7 % 23).cast("float") * 0.125 - 1).reshape(n, n).clone().realize()
b = ((Tensor.arange(n * n) * 5 % 19).cast("float") * 0.0625 - 0.5).reshape(n, n).clone().realize()
c = (a @ b).realize()
"""
STEPS = """(async () => {
  const L = window.lazyscope, N = L.n, frame = () => new Promise(r => requestAnimationFrame(() => setTimeout(r, 0)));
  const one = async (list, k) => { const a = performance.now(); L.go(k); document.body.getBoundingClientRect(); const b = performance.now(); await frame(); list.push([b - a, performance.now() - a]); };
  const middle = Math.floor(N / 2), n = Math.min(200, N - 1 - middle), forth = [], back = [], jump = [];
  L.go(middle); await frame();
  for (let k = 1; k <= n; k++) await one(forth, middle + k);
  for (let k = n - 1; k >= 0; k--) await one(back, middle + k);
  for (let i = 0, k = 1; i < 60; i++) { k = (k * 31 + 17) % N; await one(jump, k); }
  const at = (list, i, p) => { const s = list.map(x => x[i]).sort((x, y) => x - y); return s[Math.floor((s.length - 1) * p)].toFixed(1); };
  return [['steps', forth], ['back', back], ['jumps', jump]].map(([name, l]) => `${name}: script and layout ${at(l, 0, .5)}, p99 ${at(l, 0, .99)} ms; to the next frame ${at(l, 1, .5)}, p99 ${at(l, 1, .99)} ms`);
})()"""


def main():
    if not find():
        sys.exit('there is no chromium')
    with tempfile.TemporaryDirectory() as folder:
        pages = [os.path.abspath(p) for p in sys.argv[2:]]
        if not pages:
            program, recording, page = (os.path.join(folder, n) for n in ('p.py', 'p.lscope', 'p.html'))
            with open(program, 'w', encoding='utf-8') as f:
                f.write(PROGRAM)
            subprocess.run([sys.argv[1], 'run', program, '--record', recording, '--variant', 'opt=UPCAST:1:32,opt=UPCAST:0:16'], check=True, stdout=subprocess.DEVNULL)
            start = time.monotonic()
            subprocess.run([sys.argv[1], 'share', recording + '#3/index/500', '--html', page], check=True)
            print(f'written in {time.monotonic() - start:.1f} s')
            pages = [page]
        for page in pages:
            with Chromium() as c:
                loads = []
                for _ in range(5):
                    c.open('file://' + page)
                    loads.append(c.eval("new Promise(r => setTimeout(r, 300)).then(() => [performance.getEntriesByType('navigation')[0].loadEventEnd, "
                                        "(performance.getEntriesByName('first-contentful-paint')[0] || {startTime: NaN}).startTime])"))
                load, paint = (sorted(x[i] for x in loads)[2] for i in (0, 1))
                print(f'{os.path.basename(page)}: {os.path.getsize(page) / 1e6:.2f} MB, {c.eval("lazyscope.n")} frames, loaded in {load:.0f} ms, first paint {paint:.0f} ms')
                for line in c.eval(STEPS):
                    print('  ' + line)


main()

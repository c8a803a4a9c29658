"""Pages in a browser: check-browser.py LAZYSCOPE_CLI PROGRAMS

In Debian's chromium: stepping to the end and back gives the same elements, jumps give what steps give, a click selects, keys move, nothing is asked of a network, a hostile recording
runs nothing, and without scripts the picture is there. Skipped (77) where there is no chromium.
"""
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile

from chromium import Chromium, find
from german import ENGLISH, GERMAN, Catalogue, environment

os.environ.update(ENGLISH)

CLI, PROGRAMS, CATALOGUE = sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else None
HOSTILE = '</script><script>document.title="run"</script><img src=x onerror="document.title=1"><svg onload=alert(1)>'
found = []
SCENE = "document.getElementById('edges').innerHTML + document.getElementById('boxes').innerHTML + document.getElementById('card').innerHTML"


def say(text):
    found.append(text)
    print(text)


def share(link, folder, name):
    out = os.path.join(folder, name)
    subprocess.run([CLI, 'share', link, '--html', out], check=True)
    return 'file://' + out


def check_film(c, name, url):
    c.open(url)
    n = c.eval('lazyscope.n')
    answer = c.eval(f'''(() => {{ const seen = []; lazyscope.go(0);
      for (let k = 0; k < lazyscope.n; k++) {{ lazyscope.go(k); seen.push({SCENE}); }}
      const wrong = [];
      for (let k = lazyscope.n - 1; k >= 0; k--) {{ lazyscope.go(k); if ({SCENE} !== seen[k]) wrong.push(k); }}
      for (let i = 0, k = 1; i < 40; i++) {{ k = (k * 31 + 17) % lazyscope.n; lazyscope.go(k); if ({SCENE} !== seen[k]) wrong.push('jump to ' + k); }}
      return [wrong, new Set(seen).size]; }})()''')
    if answer[0]:
        say(f'{name}: these steps differ on the way back: {answer[0][:5]}')
    if answer[1] < min(n, 3):
        say(f'{name}: of {n} steps {answer[1]} differ: nothing was tried')
    over, numbers = c.eval('''(() => { const over = [], numbers = [], stage = document.getElementById('stage').getBoundingClientRect();
      for (let i = 0; i < Math.min(lazyscope.n, 60); i++) {
        lazyscope.go(i);
        for (const b of document.querySelectorAll('.node.k1 .box, .node.k2 .box, .node.k3 .box')) {
          const r = b.getBoundingClientRect(), x = Math.min(r.right, stage.right - 1) - 2, y = Math.max(r.top, stage.top) + 2;
          if (x > stage.left && x < stage.right && y > stage.top && y < stage.bottom && x > r.left && y < r.bottom &&
              !document.elementFromPoint(x, y).closest('#graph')) over.push(i);
        }
        const rows = [...document.querySelectorAll('.row:not(.k2)')].sort((a, b) => a.offsetTop - b.offsetTop).map(e => +e.children[1].textContent);
        if (rows.some((n, k) => k && n !== rows[k - 1] + 1)) numbers.push(i);
      }
      return [over, numbers]; })()''')
    if over:
        say(f'{name}: something lies over the change at steps {over[:5]}')
    if numbers:
        say(f'{name}: rows are not numbered in their order at steps {numbers[:5]}')
    if [k for k in ('←', '→') if k not in c.eval("document.getElementById('bar').textContent")] or c.eval("document.querySelectorAll('kbd').length") < 2:
        say(f'{name}: buttons do not name their keys')
    c.eval('lazyscope.go(0)')
    for key, at in (('ArrowRight', 1), ('ArrowRight', 2), ('ArrowLeft', 1), ('End', n - 1), ('ArrowRight', n - 1), ('Home', 0), ('ArrowLeft', 0), ('PageDown', min(10, n - 1))):
        c.key(key)
        if c.eval('lazyscope.at()') != at:
            say(f'{name}: after {key} at {c.eval("lazyscope.at()")}, not {at}')
    c.eval(f'lazyscope.go({n // 2})')
    box = c.eval('''(() => { const s = document.getElementById('stage').getBoundingClientRect();
      for (const g of document.querySelectorAll('.node')) { const b = g.querySelector('.box').getBoundingClientRect(), x = b.x + b.width / 2, y = b.y + b.height / 2;
        if (x > s.left + 60 && x < s.right - 200 && y > s.top + 60 && y < s.bottom - 60) return [x, y, +g.dataset.n]; } return null; })()''')
    if not box:
        say(f'{name}: there is no box in sight at step {n // 2}')
        return
    c.click(box[0], box[1])
    chosen, marked, facts = c.eval("[lazyscope.chosen(), [...document.querySelectorAll('.node.sel')].map(e => +e.dataset.n), document.getElementById('facts').textContent]")
    if chosen != box[2] or marked != [box[2]] or f'node {box[2]}' not in facts:
        say(f'{name}: after a click on {box[2]}: {chosen}, marked {marked}, "{facts[:60]}"')
    rows = c.eval("[...document.querySelectorAll('.tabs button')].find(b => b.textContent === 'Rows').click(), [...document.querySelectorAll('.row.sel')].map(e => +e.dataset.n)")
    if rows != [box[2]]:
        say(f'{name}: the row of {box[2]} is not marked and in sight: {rows}')
    if name != 'walk':
        said, rule, chosen, at = c.eval('''(() => { [...document.querySelectorAll('.tabs button')].find(b => b.textContent === 'Visits').click();
          const last = document.querySelector('.visit.told.now'); last.click();
          return [last.textContent, document.querySelector('.visit.asked.now span').textContent, lazyscope.chosen(), +last.dataset.n]; })()''')
        if rule + ' fires' not in said or chosen != at or c.eval("document.querySelectorAll('.visit.sel').length") < 1:
            say(f'{name}: the last visit says "{said[:80]}", the rule is {rule}, {chosen} is selected, not {at}')
        c.eval("[...document.querySelectorAll('.tabs button')].find(b => b.textContent === 'Rows').click()")
    c.key('Escape')
    if c.eval("document.querySelectorAll('.node.sel,.row.sel').length") != 0:
        say(f'{name}: Escape leaves a selection')
    for text in c.complaints():
        say(f'{name}: {text}')


def check_comparison(c, url):
    c.open(url)
    n = c.eval('lazyscope.n')
    if n < 3:
        say(f'comparison: {n} differences: nothing was tried')
        return
    for key, at in (('ArrowRight', 0), ('ArrowRight', 1), ('ArrowLeft', 0), ('ArrowLeft', 0), ('End', n - 1), ('ArrowRight', n - 1), ('Home', 0)):
        c.key(key)
        seen, top, high = c.eval("[lazyscope.at(), document.querySelector('tr.sel').getBoundingClientRect().top, innerHeight]")
        if seen != at or not 0 < top < high:
            say(f'comparison: after {key} at {seen}, not {at}, its row at {top} of {high}')
    x, y = c.eval("(() => { const b = document.querySelector('.columns tbody tr.sel').nextElementSibling.children[1].getBoundingClientRect(); return [b.x + 20, b.y + b.height / 2]; })()")
    c.click(x, y)
    if c.eval("document.querySelectorAll('tr.sel').length") != 1 or c.eval('lazyscope.chosen() === document.querySelector("tr.d").nextElementSibling') is not True:
        say('comparison: a click does not choose its row')
    c.key('Escape')
    if c.eval("document.querySelectorAll('tr.sel').length"):
        say('comparison: Escape leaves a selection')
    marks = c.eval("[...document.querySelectorAll('mark')].map(e => e.textContent).join(' ')")
    if 'r_' not in marks:
        say(f'comparison: the words that differ are not marked: {marks[:80]}')


def check_german(c, recording, folder):
    """All that is shown while one steps, chooses and opens every tab. Names of fields are as Python has them."""
    german = Catalogue(CATALOGUE)
    for name, words in (('pass', ('share', recording + '#3/index/20')), ('walk', ('share', recording)), ('comparison', ('compare', recording, '--kernel', '3', '--variant', 'opt=', '--variant', 'opt=UPCAST:0:4', '--seconds', '1'))):
        out = os.path.join(folder, 'de.html')
        subprocess.run([CLI, *words, '--html', out], check=True, env=environment(GERMAN), stdout=subprocess.DEVNULL)
        c.open('file://' + out)
        texts = c.eval('''(() => { const said = new Set();
          const hear = () => { const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT); for (let t; (t = walk.nextNode());) if (!t.parentNode.closest('script,noscript,.fact b')) said.add(t.textContent);
            for (const e of document.querySelectorAll('[title],[aria-label],[placeholder]')) for (const a of ['title', 'aria-label', 'placeholder']) if (e.getAttribute(a)) said.add(e.getAttribute(a)); };
          hear();
          for (const b of document.querySelectorAll('.tabs button')) { b.click(); hear(); }
          for (let k = 0; k < lazyscope.n; k++) { lazyscope.go(k); hear(); }
          for (const b of document.querySelectorAll('.node')) { lazyscope.select(+b.dataset.n); hear(); }
          if (lazyscope.select) { lazyscope.select(999999); hear(); }
          return [...said]; })()''')
        english = german.english_in(texts)
        if english or len(texts) < 20:
            say(f'german {name}: of {len(texts)} texts in English: {english[:8]}')


def check_numbers(c, folder):
    """Of a kernel in the classic profile the page shows the numbers of the listing; a source that has no row is its op."""
    recording, program = os.path.join(folder, 'c.lscope'), os.path.join(folder, 'sum.py')
    with open(program, 'w', encoding='utf-8') as f:
        f.write('from tinygrad import Tensor\nprint((Tensor([[1.0, 2.0], [3.0, 4.0]]).sum(1) + 2).tolist())\n')
    subprocess.run([CLI, 'run', program, '--set', 'profile=classic', '--record', recording], check=True, stdout=subprocess.DEVNULL)
    listing = json.loads(subprocess.run([CLI, 'show', recording, '--stage', 'linearize', '--json'], check=True, capture_output=True, text=True).stdout)['kernels'][0]['rows']
    c.open(share(recording + '#1/linearize', folder, 'l.html'))
    rows = c.eval('''[...document.querySelectorAll('.row')].sort((a, b) => a.offsetTop - b.offsetTop).map(e => [+e.dataset.n, e.children[1].textContent, e.children[2].textContent, e.children[4].textContent])''')
    want = {r['node']: str(i) for i, r in enumerate(listing)}
    if [n for _, n, _, _ in rows] != [want.get(id, '') for id, _, _, _ in rows] or '' not in [n for _, n, _, _ in rows]:
        say(f'classic: the rows have the numbers {[n for _, n, _, _ in rows]}')
    store = next(of for _, _, op, of in rows if op == 'STORE')
    if not re.fullmatch(r'INDEX [0-9]+', store):
        say(f'classic: the sources of the store are {store}')


def check_nested(c, url):
    """The card of a step that an algorithm made leads to its nested steps, whose nodes can be selected."""
    c.open(url)
    said, chosen, node = c.eval('''(() => { document.querySelector('#card .rule .link').click(); const part = document.querySelector('.part[data-n]'); part.querySelector('.link').click();
      return [document.querySelector('.part.sel').textContent, lazyscope.chosen(), +part.dataset.n]; })()''')
    if chosen != node or not said.startswith('1.1 CONST') or 'the neutral value' not in said:
        say(f'nested: after a click on the first nested step {chosen} is selected, not {node}; it says "{said}"')
    c.eval('lazyscope.go(0)')
    if 'no nested steps' not in c.eval("[...document.querySelectorAll('.panel')].find(p => !p.hidden).textContent"):
        say('nested: the input does not say that it has no nested steps')


def check_frames(c, url):
    """The frame of the reduce is around its boxes; a box of another loop that lies there has a hole in it, and the picture without scripts has the same frames."""
    c.open(url)
    drawn = c.eval("document.getElementById('loops').innerHTML + document.getElementById('titles').innerHTML")
    inside, around = c.eval('''(() => {
      const k = [...document.querySelectorAll('#titles text')].findIndex(t => t.textContent.includes('reduce')), frame = document.querySelectorAll('#loops .in')[k], graph = document.getElementById('graph');
      const is = word => { const g = [...document.querySelectorAll('.node')].find(e => e.textContent.startsWith(word)), [x, y] = g.getAttribute('transform').match(/-?[0-9.]+/g).map(Number), p = graph.createSVGPoint();
        p.x = x + 20; p.y = y + 19; return frame.isPointInFill(p); };
      return [is('PHI'), is('DEFINE_ACC')]; })()''')
    if not inside or around:
        say(f'frames: PHI is {"" if inside else "not "}in the frame of the reduce, DEFINE_ACC is {"" if around else "not "}in it')
    text = open(url[len('file://'):], encoding='utf-8').read()
    plain = text[text.index('<g id="loops">') + 14:text.index('</g><g id="edges">')] + text[text.index('<g id="titles">') + 15:text.index('</g><g id="boxes">')]
    if re.findall(r'<text[^>]*>([^<]*)|d="([^"]*)"', plain) != re.findall(r'<text[^>]*>([^<]*)|d="([^"]*)"', drawn) or 'reduce' not in drawn:
        say('frames: the picture without scripts has others')


def check_hostile(c, url):
    c.open(url)
    n = c.eval('lazyscope.n')
    c.eval(f"for (let k = 0; k < {n}; k++) lazyscope.go(k); for (const b of document.querySelectorAll('.tabs button')) b.click(); lazyscope.select(+document.querySelector('.node').dataset.n)")
    title, bad = c.eval("[document.title, document.querySelectorAll('img,svg[onload],script:not([type])').length]")
    if title in ('run', '1') or bad != 1:      # page.js
        say(f'hostile: the title is {title}, {bad} elements of a recording')


def main():
    if not find():
        print('there is no chromium: pages are not tried in a browser')
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        recording = os.path.join(folder, 'm.lscope')
        subprocess.run([CLI, 'run', os.path.join(PROGRAMS, 'matmul.py'), '--record', recording], check=True, stdout=subprocess.DEVNULL)
        with Chromium() as c:
            urls = {'index': share(recording + '#3/index/20', folder, 'a.html'), 'simplify': share(recording + '#3/simplify#2', folder, 'b.html'), 'walk': share(recording, folder, 'w.html'),
                    'against': share(recording + '#3/simplify#2~3/lower', folder, 'c.html')}
            for name, url in urls.items():
                check_film(c, name, url)
            c.open(urls['index'])
            if c.eval('lazyscope.at()') != 20:
                say(f'it opens at {c.eval("lazyscope.at()")}, not at 20')
            some = c.eval("+document.querySelector('.node').dataset.n")
            c.open(share(f'{recording}#3/index/20?node={some}', folder, 'n.html'))
            if c.eval('lazyscope.chosen()') != some or c.eval("document.querySelectorAll('.node.sel').length") != 1:
                say(f'it opens with {c.eval("lazyscope.chosen()")} chosen, not {some}')
            for width, height in ((1280, 800), (390, 844)):
                c.size(width, height)
                for name, url in urls.items():
                    c.open(url)
                    wide = c.eval('document.documentElement.scrollWidth')
                    if wide > width:
                        say(f'{name}: {wide} wide in a window of {width}')
            compared = os.path.join(folder, 'k.html')
            subprocess.run([CLI, 'compare', recording, '--kernel', '3', '--variant', 'opt=', '--variant', 'opt=UPCAST:0:4', '--seconds', '1', '--html', compared], check=True, stdout=subprocess.DEVNULL)
            check_comparison(c, 'file://' + compared)
            check_numbers(c, folder)
            check_frames(c, urls['index'])
            check_nested(c, share(recording + '#3/accumulate/1', folder, 's.html'))
            if CATALOGUE:
                check_german(c, recording, folder)
            db = sqlite3.connect(recording)
            for table, column in (('rules', 'name'), ('rules', 'sentence'), ('rules', 'text'), ('files', 'name'), ('files', 'text'), ('statements', 'text'), ('calls', 'args'), ('kernels', 'name'),
                                  ('kernels', 'source'), ('bindings', 'name')):
                db.execute(f'update {table} set {column} = {column} || ?', (HOSTILE,))
            db.commit()
            db.close()
            c.size(1280, 800)
            check_hostile(c, share(recording + '#3/index', folder, 'h.html'))
            check_hostile(c, share(recording, folder, 'hw.html'))
        with Chromium(scripts=False) as c:
            c.open(urls['index'])
            root = c.call('DOM.getDocument', depth=-1)['root']
            text = json.dumps(root)
            if 'need scripts' not in text or text.count('"node k') < 5:
                say('without scripts the picture or the note is missing')
    print(f'{len(found)} findings')
    sys.exit(bool(found))


main()

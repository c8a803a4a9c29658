"""Pages of `lazyscope-cli share` and `compare --html`: check-page.py LAZYSCOPE_CLI PROGRAMS

A page is whole in one file and loads nothing; its data is JSON; its frames, applied one after the other, are the graphs that `show` gives; what a hostile recording holds stays
text. Nothing here judges time. A finding is a line, and the exit status 1.
"""
import base64
import hashlib
import html.parser
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile

from german import ENGLISH, GERMAN, Catalogue, environment

os.environ.update(ENGLISH)
CLI, PROGRAMS, CATALOGUE = sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else None
HOSTILE = '</script><script>document.title="run"</script><img src=x onerror="document.title=1">\u2028&"\'<!--'
found = []


def say(text):
    found.append(text)
    print(text)


def cli(*words, ok=0):
    p = subprocess.run([CLI, *words], capture_output=True, text=True, errors='replace')
    if p.returncode != ok:
        say(f'{" ".join(words)}: exit status {p.returncode}, not {ok}: {p.stderr.strip()}')
    return p


def check_german(folder, recording):
    """Pages are in the language of their author, and so is the command line's output next to them."""
    german, out = Catalogue(CATALOGUE), os.path.join(folder, 'de.html')
    for name, words in (('pass', ('share', recording + '#3/index/20')), ('against', ('share', recording + '#3/simplify#2/2~3/lower')), ('walk', ('share', recording)),
                        ('comparison', ('compare', recording, '--kernel', '3', '--variant', 'opt=', '--variant', 'opt=UPCAST:0:4', '--seconds', '1'))):
        p = subprocess.run([CLI, *words, '--html', out], capture_output=True, text=True, env=environment(GERMAN))
        text = open(out, encoding='utf-8').read()
        check_whole('german ' + name, text, True)
        page = Page(text)
        language = dict(page.tags)['html'].get('lang')
        data = json.loads(next(body for attributes, body in page.scripts if attributes.get('id') == 'data'))
        script = next(body for attributes, body in page.scripts if attributes.get('id') != 'data')
        lacking = [w for w in re.findall(r"_\('([^']*)'", script) if w not in data['words'] and w in german.words]
        english = german.english_in(page.text)
        if p.returncode or language != 'de' or lacking or english or not data['words']:
            say(f'german {name}: exit status {p.returncode}, language {language}, without words for {lacking}, in English: {english}')
        if name == 'comparison' and 'die erste gegen sich selbst' not in p.stdout:
            say(f'german comparison: what is printed is not German: {p.stdout[:200]}')


class Page(html.parser.HTMLParser):
    """The tags that a browser would find, with their attributes, and the texts of scripts and styles."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.tags, self.scripts, self.styles, self.text, self.inside = [], [], [], [], None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag in ('script', 'style'):
            self.inside = (tag, dict(attrs))

    def handle_endtag(self, tag):
        if tag in ('script', 'style'):
            self.inside = None

    def handle_data(self, data):
        if self.inside and self.inside[0] == 'script':
            self.scripts.append((self.inside[1], data))
        elif self.inside:
            self.styles.append(data)
        else:
            self.text.append(data)


def hash_of(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def check_whole(name, text, film):
    """Nothing is loaded, and nothing but page.js is run."""
    page = Page(text)
    for tag, attributes in page.tags:
        for key, value in attributes.items():
            if key.startswith('on') or key in ('src', 'href', 'xlink:href', 'action', 'srcset', 'style'):
                say(f'{name}: <{tag} {key}="{value}">')
        if tag in ('link', 'iframe', 'object', 'embed', 'img', 'base', 'form'):
            say(f'{name}: there is a <{tag}>')
    policy = [a['content'] for t, a in page.tags if t == 'meta' and a.get('http-equiv') == 'Content-Security-Policy']
    if os.path.abspath(PROGRAMS) in text:
        say(f'{name}: it holds the path of a folder')
    if len(policy) != 1 or not policy[0].startswith("default-src 'none'"):
        say(f'{name}: its policy is {policy}')
    run = [t for a, t in page.scripts if a.get('type') != 'application/json']
    if len(run) != (1 if film else 0):
        say(f'{name}: {len(run)} scripts')
    for part in run + page.styles:
        if hash_of(part) not in policy[0]:
            say(f'{name}: the policy does not name the hash of "{part[:40]}…"')
        for address in re.findall(r'(?:https?:)?//[\w.-]+\.\w+[^\s\'")]*|url\s*\(|@import', part):
            if address != 'http://www.w3.org/2000/svg':
                say(f'{name}: {address} in a script or style')
    if not film:
        return None
    if not any(t == 'noscript' for t, _ in page.tags) or not any(t == 'svg' for t, _ in page.tags):
        say(f'{name}: nothing to see without scripts')
    data = [t for a, t in page.scripts if a.get('type') == 'application/json']
    if len(data) != 1 or '<' in data[0]:
        say(f'{name}: {len(data)} blocks of data, or a "<" in one')
    return json.loads(data[0])


def frames(data):
    """The lists of each frame, as page.js makes them."""
    lists = {'boxes': [], 'edges': [], 'loops': [], 'rows': [], 'skips': []}
    for frame in data['frames']:
        for name, items in lists.items():
            edit, i = frame[name], 0
            while i < len(edit):
                at, gone, n = edit[i:i + 3]
                items[at:at + gone] = edit[i + 3:i + 3 + n]
                i += 3 + n
        yield {name: [data[name][r] for r in items] for name, items in lists.items()}


def check_pass(recording, place, steps):
    """The rows of steps are the nodes that show prints, each with its change; every arrow leads from a box to a box."""
    with tempfile.NamedTemporaryFile(suffix='.html') as out:
        cli('share', f'{recording}#{place}', '--html', out.name)
        text = open(out.name, encoding='utf-8').read()
    data = check_whole(place, text, True)
    texts, n = data['texts'], len(data['frames'])
    for step, frame in enumerate(frames(data)):
        ids = {b[0] for b in frame['boxes']}
        for e in frame['edges']:
            if e[0] not in ids or e[1] not in ids:
                say(f'{place}: at step {step} an arrow from {e[0]} to {e[1]}, where there is no box')
        if len(frame['boxes']) == 0:
            say(f'{place}: nothing is drawn at step {step}')
        kernels = [texts[r[7]] for r in frame['loops'] if r[0] == 0]      # without an axis: the parts of the graph that kernels compute
        if not all(re.match(r'kernel \d+', title) for title in kernels):
            say(f'{place}: at step {step} frames of {kernels}')
        framed, loops = {title for r in frame['loops'] if r[0] for title in texts[r[7]].split(', ')}, {texts[r[4]] for r in frame['rows'] if texts[r[2]] == 'RANGE' and r[1] != 2}
        if framed != loops:
            say(f'{place}: at step {step} the frames are of the loops {framed}, not {loops}')
        if step not in steps and step - n not in steps:
            continue
        shown = json.loads(cli('show', f'{recording}#{place}/{step}', '--json').stdout)
        want = {(u['id'], u['op'], u['dtype'], u['arg'], tuple(u['src'])): u.get('change', 'same') for u in shown['nodes']}
        have = {(r[0], texts[r[2]], texts[r[3]], texts[r[4]], tuple(r[8:])): ['same', 'added', 'removed', 'changed', 'moved'][r[1]] for r in frame['rows']}
        # rows name a loop; what names it is in tests/ask/test-names.c
        want, have = ({k[:3] + ('',) + k[4:] if k[1] == 'RANGE' else k: v for k, v in rows.items()} for rows in (want, have))
        graph = {k for k, change in want.items() if change != 'removed'}
        rows = {k for k, change in have.items() if change != 'removed'}
        if graph != rows:
            say(f'{place}: step {step} has other nodes than show: {sorted(graph ^ rows)[:3]}')
        added = {k for k, change in want.items() if change == 'added'} ^ {k for k, change in have.items() if change == 'added'}
        if added:
            say(f'{place}: step {step} has other added nodes than show: {sorted(added)[:3]}')
    return data


def check_numbers(recording, place):
    """Rows have the numbers of the listing, which leaves out some in the classic profile: on the page, in `diff --json` and in its text."""
    with tempfile.NamedTemporaryFile(suffix='.html') as out:
        cli('share', f'{recording}#{place}', '--html', out.name)
        data = check_whole(place, open(out.name, encoding='utf-8').read(), True)
    unlike = 0
    for step, frame in enumerate(frames(data)):
        skips, have, after = {s[0]: s[1] if len(s) > 1 else None for s in frame['skips']}, {}, 0
        for row in frame['rows']:
            if row[1] != 2 and skips.get(row[0], 0) is not None:
                after += skips.get(row[0], 0)
                have[row[0]] = after
                after += 1
        if step == 0:
            continue
        words = ('diff', f'{recording}#{place}/{step - 1}', f'{recording}#{place}/{step}')
        rows = json.loads(cli(*words, '--json', ok=4).stdout)['rows']
        want = {r['b']['node']: r['b']['row'] for r in rows if 'b' in r and 'row' in r['b']}
        removed, gone = ({r['a']['node']: f'▲{r["a"]["row"]}' if 'row' in r['a'] else '' for r in rows if 'b' not in r},
                         {r[0]: data['texts'][r[6]] for r in frame['rows'] if r[1] == 2})
        if have != want or any(number != removed.get(node, number) for node, number in gone.items()):
            say(f'{place}: at step {step} rows have the numbers {have}, {gone}, not {want}, {removed}')
        nodes = {r['b']['node']: r['b'].get('row', -1) for r in rows if 'b' in r}
        if any(nodes.get(n, s) != s for r in rows if 'b' in r for n, s in zip(r['b']['src_nodes'], r['b']['src'])):
            say(f'{place}: at step {step} the sources of a row in diff --json have other numbers than their rows')
        text = [(line[2:7].strip(), line[8:13].strip()) for line in cli(*words, '--context', '9999', ok=4).stdout.splitlines()[:-1]]
        if text != [tuple(str(r[side]['row']) if side in r and 'row' in r[side] else '' for side in 'ab') for r in rows]:
            say(f'{place}: at step {step} diff prints other numbers than diff --json: {text}')
        unlike += list(have.values()) != list(range(len(frame['rows'])))
    if place.endswith('render'):
        listing = json.loads(cli('show', recording, '--stage', 'linearize', '--json').stdout)['kernels'][0]['rows']
        if want != {r['node']: i for i, r in enumerate(listing)}:
            say(f'{place}: the last step does not have the numbers of the listing')
    if not unlike:
        say(f'{place}: the rows are numbered by their order at all steps: nothing was tried')


def check_nested(recording, place, nested):
    """A step has the nodes that an algorithm made, and the steps of the passes in it, that `steps` gives. nested: the passes, by step."""
    with tempfile.NamedTemporaryFile(suffix='.html') as out:
        cli('share', f'{recording}#{place}', '--html', out.name)
        data = check_whole(place, open(out.name, encoding='utf-8').read(), True)
    texts, n = data['texts'], 0
    for step in json.loads(cli('steps', f'{recording}#{place}', '--json').stdout)['steps']:
        frame = data['frames'][step['index']]
        have, want = [[node, texts[text], texts[why]] for node, text, why in frame.get('parts', [])], [[p['node'], p['text'], p['why']] for p in step.get('parts', [])]
        if have != want:
            say(f'{place}: step {step["index"]} has the parts {have}, not {want}')
        passes = frame.get('nested', [])
        if [texts[p[0]] for p in passes] != nested.get(step['index'], []):
            say(f'{place}: step {step["index"]} has the nested passes {[texts[p[0]] for p in passes]}')
        for name, n_steps, left, shown in passes:
            of = f'{place.split("/")[0]}/{texts[name]}'
            inner = json.loads(cli('steps', f'{recording}#{of}', '--json').stdout)['steps']
            if n_steps != len(inner) or [texts[rule] for rule, _ in shown] != [s['rule'] for s in inner[:60]] or any(s['rule'] not in texts[say] for (_, say), s in zip(shown, inner)):
                say(f'{place}: of the nested pass {of} the page has {n_steps} steps, {[texts[rule] for rule, _ in shown][:3]}…')
            if texts[left] != (f'{of}/61' if n_steps > 60 else ''):
                say(f'{place}: the first step of {of} that is left out is {texts[left]}')
        n += len(want) + len(passes)
    if not n:
        say(f'{place}: no step has nested ones: nothing was tried')


def check_visits(recording, place, data):
    """The visits to each step, the stack at its match and the rules asked there are those that `steps --visits` gives."""
    visits = json.loads(cli('steps', f'{recording}#{place}', '--visits', '--json').stdout)['visits']
    stages, texts, before, n = ['push', 'match', 'link'], data['texts'], 0, 0
    for step, frame in enumerate(data['frames'][1:], 1):
        v = frame['visits']
        have = [(number, stages[stage], depth, node) for number, stage, depth, node, _, _ in v['list']]
        last = next(w['visit'] for w in visits if w.get('step') == step)
        want = [(w['visit'], w['stage'], w['depth'], w['node']) for w in visits[before + v['left']:last]]
        if have != want or not have or len(have) > 16 or (v['left'] and len(have) < 16):
            say(f'{place}: the visits to step {step} are {have[:2]}…, {len(have)} of them, not {want[:2]}…')
            return
        at = visits[last - 1]
        if v['deep'] != at['depth'] or v['stack'][0][:2] != [v['list'][-1][1], at['node']] or len(v['stack']) != min(v['deep'], 24):
            say(f'{place}: the stack at step {step} is {v["stack"][:1]} of {v["deep"]}, not {at["node"]} of {at["depth"]}')
        rules = [(texts[name], texts[how].startswith('fired'), texts[how].startswith('rejected early')) for name, how in v['rules']]
        if rules != [(r['rule'], r['fired'], r['asked'] != 'tried') for r in at['rules']][-40:]:
            say(f'{place}: the rules asked at step {step} are {rules}')
        before, n = last, n + 1
    if n == 0:
        say(f'{place}: no step has visits: nothing was tried')


def above(tree, i):
    """The rows of a tree that row i is of."""
    depth = tree[i]['depth']
    for row in reversed(tree[:i]):
        if row['depth'] < depth:
            depth = row['depth']
            yield row


def check_walk(recording, name):
    with tempfile.NamedTemporaryFile(suffix='.html') as out:
        cli('share', recording, '--html', out.name)
        text = open(out.name, encoding='utf-8').read()
    data = check_whole(name, text, True)
    texts = data['texts']
    program = json.loads(cli('show', recording, '--stage', 'program', '--json').stdout)
    statements = [program['statements'][stop['statement']] for stop in program['stops']]
    want = [(s['line'], s['turn']) for s in statements]
    have = [(f['line'], f['turn']) for f in data['frames']]
    if want != have:
        say(f'{name}: the statements are {have[:3]}, not {want[:3]}')
    if [stop['sentence'] for stop in program['stops']] != [data['texts'][f['did']] for f in data['frames']]:
        say(f'{name}: the sentences of the statements differ')
    names = [n['name'] for n in program['bindings']]
    if names != [data['texts'][n[0]] for f in data['frames'] for n in f['names']]:
        say(f'{name}: the names are not {names[:5]}')
    calls = sum(len(f['calls']) for f in data['frames'])
    if calls != len(program['calls']) + len(program['did']) or not program['did']:
        say(f'{name}: {calls} calls, not {len(program["calls"])}')
    listed, n_facts, stops = {}, 0, sorted({1, len(data['frames']) // 2, len(data['frames'])})
    for stop, f in enumerate(data['frames'], 1):
        of = {n[2] for n in f['names']} | {c[5] for c in f['calls'] if len(c) > 5 and c[2] >= 0}
        listed.update({node: (stop, rows) for node, rows in f.get('facts', [])})
        if len(of) <= 32 and of - set(listed):
            say(f'{name}: at statement {stop} there are no facts of the nodes {sorted(of - set(listed))[:3]}')
        for node, rows in f.get('facts', []) if stop in stops else []:
            tree = json.loads(cli('facts', recording, '--node', str(node), '--stop', str(stop), '--json').stdout)['facts']
            want = [(r['depth'], r['field']) for i, r in enumerate(tree) if r['depth'] <= 1 or not any('node' in s and s['depth'] > 0 for s in above(tree, i))]
            if [(depth, texts[field]) for depth, field, *_ in rows] != want:
                say(f'{name}: the facts of node {node} after statement {stop} are not those that facts lists: {[(r[0], texts[r[1]]) for r in rows]}, {want}')
            n_facts += len(rows)
    if not n_facts:
        say(f'{name}: no facts were compared: nothing was tried')
    for k, frame in enumerate(frames(data)):
        bound = {n[2] for f in data['frames'][:k + 1] for n in f['names'][-1:]}
        if bound and not frame['rows']:
            say(f'{name}: names were bound, and statement {k} has no graph')


def make_hostile(recording, out):
    """Every text of the recording that may hold anything does."""
    with open(recording, 'rb') as f, open(out, 'wb') as g:
        g.write(f.read())
    db = sqlite3.connect(out)
    for table, column in TEXTS:
        db.execute(f'update "{table}" set "{column}" = "{column}" || ?', (HOSTILE,))
    db.commit()
    db.close()


TEXTS = [('rules', 'name'), ('rules', 'file'), ('rules', 'sentence'), ('rules', 'text'), ('files', 'name'), ('files', 'text'), ('statements', 'text'), ('calls', 'name'), ('calls', 'args'),
         ('kernels', 'name'), ('kernels', 'source'), ('bindings', 'name')]


def main():
    with tempfile.TemporaryDirectory() as folder:
        matmul, small = os.path.join(folder, 'm.lscope'), os.path.join(folder, 's.lscope')
        cli('run', os.path.join(PROGRAMS, 'matmul.py'), '--record', matmul)
        cli('run', os.path.join(PROGRAMS, 'softmax.py'), '--record', small)
        for place in ('3/simplify#2', '3/index', '3/expand', '1/ast', '0/tensor'):
            check_visits(matmul, place, check_pass(matmul, place, {0, 1, 2, 7, 30, -1}))
        check_pass(small, '3/ast', set(range(13)))
        check_walk(matmul, 'matmul')
        check_walk(small, 'softmax')
        check_nested(small, '0/tensor', {1: ['sum_of_constant']})
        check_nested(small, '2/accumulate', {})
        classic, program = os.path.join(folder, 'c.lscope'), os.path.join(folder, 'sum.py')
        with open(program, 'w', encoding='utf-8') as f:
            f.write('from tinygrad import Tensor\nprint((Tensor([[1.0, 2.0], [3.0, 4.0]]).sum(1) + 2).tolist())\n')
        cli('run', program, '--set', 'profile=classic', '--set', 'NOOPT=1', '--set', 'UNROLL_LOOPS=4', '--record', classic)
        for place in ('1/linearize', '1/procedure', '1/unroll-loops', '1/render'):
            check_numbers(classic, place)
        failed, program = os.path.join(folder, 'f.lscope'), os.path.join(folder, 'fails.py')
        with open(program, 'w', encoding='utf-8') as f:
            f.write('from tinygrad import Tensor\na = Tensor([1, 2]) + 1\nb = a.nothing()\n')
        cli('run', program, '--record', failed, ok=1)
        out = os.path.join(folder, 'f.html')
        cli('share', failed, '--html', out)
        text = open(out, encoding='utf-8').read()
        check_whole('failed', text, True)
        if 'The program failed: fails.py' not in text or folder in text:
            say('failed: the page does not say that the program failed, or says in which folder')
        hostile = os.path.join(folder, 'h.lscope')
        make_hostile(matmul, hostile)
        for place in ('', '#3/index/20'):
            out = os.path.join(folder, 'h.html')
            cli('share', hostile + place, '--html', out)
            text = open(out, encoding='utf-8').read()
            check_whole('hostile' + place, text, True)
            if 'document.title' not in text:
                say(f'hostile{place}: the hostile text is not on the page: nothing was tried')
        for words, told in (((matmul + '#3/index', '--html', os.path.join(folder, 'no', 'x.html')), 'cannot be written'), ((matmul + '#3/index',), '--html'),
                            ((matmul + '#3/index/20?node=99999', '--html', out), 'no node 99999'), ((matmul + '#9/index', '--html', out), 'kernel'), ((matmul + '#3/nothing', '--html', out), 'nothing')):
            p = subprocess.run([CLI, 'share', *words], capture_output=True, text=True)
            if p.returncode == 0 or told not in p.stderr:
                say(f'share {" ".join(words)}: {p.returncode}: {p.stderr.strip()}')
        before = open(out, encoding='utf-8').read()
        subprocess.run([CLI, 'share', matmul + '#3/nothing', '--html', out], capture_output=True)
        if open(out, encoding='utf-8').read() != before:
            say('a page that could not be made took the place of another')
        cli('compare', matmul, '--kernel', '3', '--variant', 'opt=', '--variant', 'opt=UPCAST:0:4', '--seconds', '1', '--html', out)
        check_whole('compare', open(out, encoding='utf-8').read(), True)
        if CATALOGUE:
            check_german(folder, matmul)
    print(f'{len(found)} findings')
    sys.exit(bool(found))


main()

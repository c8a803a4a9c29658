'use strict';
/* Steps through a film (film.h): five lists of records, each frame an edit of the one before. What is shown is a function of the frame and of the selection. Texts are
   put in as text, never as HTML. */
(() => {
const D = JSON.parse(document.getElementById('data').textContent), T = D.texts, N = D.frames.length, walk = D.kind === 'walk';
const GLYPHS = [' ', '+', '−', '△', '='], BADGES = ['', 'M-4 0H4M0-4V4', 'M-4 0H4', 'M0-4.2L4 3H-4Z', 'M-3.8-2H3.8M-3.8 2H3.8'], HEIGHT = 38;
const first = walk ? 1 : D.first;          /* the number of the first frame: step 0 of a pass is its input */
const at = id => document.getElementById(id);
const el = (tag, name, text) => { const e = document.createElement(tag); if (name) e.className = name; if (text !== undefined) e.textContent = text; return e; };
const svg = (tag, attributes) => { const e = document.createElementNS('http://www.w3.org/2000/svg', tag); for (const k in attributes) e.setAttribute(k, attributes[k]); return e; };
const own = (map, key) => map && Object.prototype.hasOwnProperty.call(map, key) ? map[key] : undefined;
const _ = (text, ...parts) => (own(D.words, text) || text).replace(/\{(\d)\}/g, (hole, i) => parts[i]);      /* in the page's language, {0} and {1} filled in */
const WORDS = ['', _('added'), _('removed'), _('changed'), _('moved')];

/* --- the film --- */
const lists = { boxes: [], edges: [], loops: [], rows: [], skips: [] }, back = [];
let now = -1, chosen = null;

function apply(list, edits) {
  const undo = [];
  for (let i = 0; i < edits.length;) {
    const place = edits[i], gone = edits[i + 1], n = edits[i + 2], come = edits.slice(i + 3, i + 3 + n);
    undo.push([place, n, list.splice(place, gone, ...come)]);
    i += 3 + n;
  }
  return undo;
}
function seek(k) {
  while (now < k) {
    const f = D.frames[++now], undo = {};
    for (const name in lists) undo[name] = apply(lists[name], f[name]);
    back[now] = undo;
  }
  for (; now > k; now--)
    for (const name in lists)
      for (let i = back[now][name].length - 1; i >= 0; i--) {
        const [place, n, gone] = back[now][name][i];
        lists[name].splice(place, n, ...gone);
      }
}

/* A container whose children are records, in the list's order. */
function view(node, make) {
  const els = new Map();
  return { els, show(list) {
    const wanted = new Set(list);
    for (const [r, e] of els) if (!wanted.has(r)) { e.remove(); els.delete(r); }
    let next = node.firstChild;
    for (const r of list) {
      let e = els.get(r);
      if (!e) els.set(r, e = make(r));
      if (e === next) next = next.nextSibling; else node.insertBefore(e, next);
    }
  } };
}

/* The same of a long list of rows, all of one height: those that are seen are made. */
const ROW = 20;
function longView(node, make) {
  const inner = el('div', 'long'), els = new Map();
  let list = [], top = 0, high = 0;
  node.append(inner);
  function fill() {
    const from = Math.max(0, Math.floor(top / ROW) - 5), to = Math.min(list.length, Math.ceil((top + high) / ROW) + 5), wanted = new Set(list.slice(from, to));
    for (const [r, e] of els) if (!wanted.has(r)) { e.remove(); els.delete(r); }
    for (let i = from; i < to; i++) {
      let e = els.get(list[i]);
      if (!e) { els.set(list[i], e = make(list[i])); inner.append(e); }
      e.style.top = i * ROW + 'px';
    }
  }
  return {
    show(l) { list = l.slice(); inner.style.height = l.length * ROW + 'px'; fill(); },
    again() { for (const [, e] of els) e.remove(); els.clear(); fill(); },
    measure(h) { high = h; fill(); },
    scrolled(t) { if (Math.abs(t - top) >= 1) { top = t; fill(); } },
    reveal(i) { if (i * ROW < top || (i + 1) * ROW > top + high) { top = Math.max(0, Math.min(i * ROW - high / 3, list.length * ROW - high)); fill(); node.parentNode.scrollTop = top; } }
  };
}

/* --- the picture --- */
function makeBox(r) {
  const [id, kind, x, y, w, cls, flags, lanes, title, detail] = D.boxes[r];
  const g = svg('g', { 'class': 'node k' + kind + ' c' + cls + (flags & 1 ? ' strong' : ''), transform: 'translate(' + x + ' ' + y + ')', 'data-n': id });
  if (lanes > 1) g.append(svg('rect', { 'class': 'box under', x: 5, y: 5, width: w, height: HEIGHT, rx: 6 }));
  g.append(svg('rect', { 'class': 'box', width: w, height: HEIGHT, rx: 6 }), svg('rect', { 'class': 'stripe', x: 5, y: 5, width: 4, height: HEIGHT - 10, rx: 2 }));
  const t = svg('text', { 'class': 't', x: 14, y: T[detail] ? 16 : 23 });
  t.textContent = T[title];
  g.append(t);
  if (T[detail]) {
    const d = svg('text', { 'class': flags & 2 ? 'd what' : 'd', x: 14, y: 30.5 });
    d.textContent = T[detail];
    g.append(d);
  }
  if (kind) {
    const b = svg('g', { 'class': 'badge', transform: 'translate(' + (w - 3) + ' 1)' });
    b.append(svg('circle', { r: 8 }), svg('path', { d: BADGES[kind] }));
    g.append(b);
  }
  return g;
}
function makeEdge(r) {
  const [from, to, side, d] = D.edges[r];
  return svg('path', { 'class': 'e s' + side, d, 'data-f': from, 'data-t': to });
}
/* The frame of a loop is behind the edges, its title over them. */
function makeLoop(r) {
  const [axis, inside, line, faint] = D.loops[r], g = svg('g', { 'class': 'loop a' + axis });
  g.append(svg('path', { 'class': 'in', d: inside }), svg('path', { 'class': 'line', d: line }), svg('path', { 'class': 'faint', d: faint }));
  return g;
}
function makeTitle(r) {
  const [axis, , , , x, y, w, title] = D.loops[r], g = svg('g', { 'class': 'loop a' + axis }), t = svg('text', { 'class': 'd', x: x + 4, y: y + 10 });
  t.textContent = T[title];
  g.append(svg('rect', { x, y, width: w, height: 12, rx: 4 }), t);
  return g;
}
/* Rows are numbered as in the window: as the listing after the step prints them, which may leave numbers out and rows without one; a removed one has its number from the
   listing before. */
let numbers = new Map();
function countRows() {
  const skips = new Map(lists.skips.map(r => D.skips[r]));
  let next = 0;
  numbers = new Map();
  for (const r of lists.rows) {
    const [id, kind] = D.rows[r];
    if (kind === 2) continue;
    const none = skips.has(id) && skips.get(id) === undefined;
    if (!none) next += skips.get(id) || 0;
    numbers.set(id, none ? '' : next++);
  }
}
function numberOf(id) {
  const number = numbers.get(id);
  if (number !== undefined && number !== '') return number;
  const r = rowOf(id);
  return r ? T[r[6]] || T[r[2]] : '?';
}
function makeRow(r) {
  const [id, kind, op, dtype, arg, , own_number, operands, ...src] = D.rows[r], e = el('div', 'row mono k' + kind + (id === chosen ? ' sel' : ''));
  e.dataset.n = id;
  e.append(el('span', '', GLYPHS[kind]), el('span', '', T[own_number] || numbers.get(id)), el('span', '', T[op]), el('span', '', T[dtype].replace('dtypes.', '')),
           el('span', '', (T[operands] || src.map(numberOf).join(' ')) + (T[arg] && T[arg] !== 'None' ? '  ' + T[arg] : '')));
  return e;
}

const graph = at('graph'), scene = at('scene'), stage = at('stage');
for (const part of ['loops', 'edges', 'titles', 'boxes']) at(part).textContent = '';
graph.removeAttribute('viewBox');
graph.removeAttribute('role');
const sight = { x: 0, y: 0, z: 0 };
let width = 1, height = 1;
let listHeight = 1;
function measure() {
  width = stage.clientWidth || 1;
  height = stage.clientHeight || 1;
  listHeight = list.clientHeight;
  if (!panels.Rows.p.hidden) views.rows.measure(panels.Rows.p.clientHeight);
}
function place() { scene.setAttribute('transform', 'translate(' + sight.x.toFixed(1) + ' ' + sight.y.toFixed(1) + ') scale(' + sight.z.toFixed(4) + ')'); tellOutside(); }
function extent(keep) {
  let x0 = Infinity, y0 = Infinity, x1 = -Infinity, y1 = -Infinity;
  for (const r of lists.boxes) {
    const b = D.boxes[r];
    if (!keep(b)) continue;
    x0 = Math.min(x0, b[2]); y0 = Math.min(y0, b[3]); x1 = Math.max(x1, b[2] + b[4]); y1 = Math.max(y1, b[3] + HEIGHT);
  }
  return x1 < x0 ? null : { x0: x0 - 16, y0: y0 - 16, x1: x1 + 16, y1: y1 + 16 };
}
const all = () => extent(() => true);
function centre(b) {
  sight.x = width / 2 - (b.x0 + b.x1) / 2 * sight.z;
  sight.y = height / 2 - (b.y0 + b.y1) / 2 * sight.z;
}
function fit(least) {
  const b = all();
  if (!b) { sight.z = 1; return; }
  sight.z = Math.max(Math.min(width / (b.x1 - b.x0), height / (b.y1 - b.y0), 1), least);
  centre(b);
}
/* As little as is needed for a box to be seen. */
function reveal(b) {
  const z = sight.z;
  for (const [p, size, low, high] of [['x', width, b.x0, b.x1], ['y', height, b.y0, b.y1]]) {
    if ((high - low) * z > size) sight[p] = size / 2 - (low + high) / 2 * z;
    else if (low * z + sight[p] < 0) sight[p] = -low * z;
    else if (high * z + sight[p] > size) sight[p] = size - high * z;
  }
}
function look() {
  const f = D.frames[now], changed = extent(b => b[1] !== 0);
  const large = changed && ((changed.x1 - changed.x0) * sight.z > width || (changed.y1 - changed.y0) * sight.z > height);
  const b = large && f.at ? extent(b => b[1] !== 0 && f.at.includes(b[0])) || changed : changed;
  if (b) reveal(b);
}
function open() {
  measure();
  fit(0.8);
  look();
  place();
}
function tellOutside() {
  let n = 0;
  for (const r of lists.boxes) {
    const b = D.boxes[r], x = b[2] * sight.z + sight.x, y = b[3] * sight.z + sight.y;
    if (b[1] && (x > width || y > height || x + b[4] * sight.z < 0 || y + HEIGHT * sight.z < 0)) n++;
  }
  outside.textContent = !lists.boxes.length ? (walk ? _('No name is bound to a tensor yet: there is no graph.') : _('The graph is empty.')) : n === 1 ? _('1 change outside: press 0 to show everything') : n ? _('{0} changes outside: press 0 to show everything', n) : '';
}
function zoom(factor, x, y) {
  const z = Math.min(Math.max(sight.z * factor, 0.02), 4);
  sight.x = x - (x - sight.x) * z / sight.z;
  sight.y = y - (y - sight.y) * z / sight.z;
  sight.z = z;
  place();
}

/* --- what stands around it --- */
const bar = at('bar'), card = at('card'), side = at('side'), list = el('ol'), outside = el('div');
outside.id = 'outside';
const button = (text, label, action) => { const b = el('button', '', text); b.type = 'button'; b.title = label; b.setAttribute('aria-label', label); b.addEventListener('click', action); return b; };
const slider = el('input'), count = el('span');
slider.type = 'range'; slider.min = 0; slider.max = N - 1; slider.setAttribute('aria-label', walk ? _('Statement') : _('Step'));
slider.addEventListener('input', () => go(+slider.value));
count.id = 'count';
const moves = [button('|◀', _('First (Home)'), () => go(0)), button('◀ ←', _('Back (←)'), () => go(now - 1)), button('→ ▶', _('Forward (→)'), () => go(now + 1)), button('▶|', _('Last (End)'), () => go(N - 1))];
bar.append(moves[0], moves[1], slider, moves[2], moves[3], count);

const title = k => { const f = D.frames[k]; return walk ? T[f.say] : k + first === 0 ? _('input') : f.row !== undefined ? T[f.row] : (own(D.rules, f.rule) || [_('unknown rule')])[0]; };
const steps = D.frames.map((f, k) => {
  const li = el('li');
  li.append(el('span', '', walk ? f.line : k + first), el('span', '', title(k)));
  li.dataset.k = k;
  return li;
});
list.append(...steps);
list.addEventListener('click', e => { const li = e.target.closest('li'); if (li) go(+li.dataset.k); });
const filter = el('input');
filter.type = 'search'; filter.placeholder = walk ? _('Filter statements') : _('Filter by rule'); filter.setAttribute('aria-label', filter.placeholder);
filter.addEventListener('input', () => { const s = filter.value.toLowerCase(); steps.forEach((li, k) => { li.hidden = !title(k).toLowerCase().includes(s); }); });
at('list').append(filter, list);

const legend = el('div', 'legend');
[1, 2, 3, 4].forEach(k => { const s = el('span'); s.append(el('b', 'k' + k, GLYPHS[k]), ' ' + WORDS[k]); legend.append(s); });
const zooms = el('div', 'zoom');
const key = (name, b) => { b.append(el('kbd', '', name)); return b; };
zooms.append(button('−', _('Smaller (-)'), () => zoom(1 / 1.25, width / 2, height / 2)), button('+', _('Larger (+)'), () => zoom(1.25, width / 2, height / 2)),
             key('0', button(_('Fit'), _('Everything (0)'), () => { measure(); fit(0); place(); })), key('1', button('1:1', _('Original size (1)'), open)));
const foot = el('div', '', '');
foot.id = 'foot';
foot.append(legend, outside, zooms);
stage.after(foot);

let seen = '';
const tabs = el('div', 'tabs'), panels = {}, facts = el('div');
tabs.setAttribute('role', 'tablist');
facts.id = 'facts';
side.append(tabs);
function panel(name, words, content) {
  const p = el('div', 'panel'), b = button(words, words, () => show(name));
  b.setAttribute('role', 'tab');
  p.append(content);
  tabs.append(b);
  side.append(p);
  panels[name] = { p, b };
}
function show(name) {
  for (const n in panels) { panels[n].p.hidden = n !== name; panels[n].b.setAttribute('aria-selected', n === name); }
  seen = name;
  if (now >= 0) { measure(); if (name === 'Visits') fillVisits(); if (name === 'Nested') fillNested(); if (name === 'Facts') fillFacts(); scrollPanel(); }
}
function code(text) {
  const e = el('div', 'code mono'), lines = (text || '').split('\n').map(l => el('div', '', l));
  if (lines.length > 1 && lines[lines.length - 1].textContent === '') lines.pop();
  e.append(...lines);
  return { e, lines, marked: [] };
}
const rows = el('div'), visits = el('div'), nested = el('div'), program = code(D.program), source = code(D.source), calls = el('div'), bound = el('div'), fields = el('div');
if (walk) {
  panel('Program', _('Program'), program.e);
  panel('Calls', _('Calls'), calls);
  panel('Names', _('Names'), bound);
  panel('Facts', _('Facts'), fields);
  panel('Rows', _('Rows'), rows);
  panel('Output', _('Output'), code(D.output + (D.error ? '\n' + D.error : '')).e);
} else {
  panel('Rows', _('Rows'), rows);
  if (D.source) panel('Source', _('Source'), source.e);
  panel('Program', _('Program'), program.e);
  if (D.mode) panel('Visits', _('Visits'), visits);
  if (D.frames.some(f => f.parts || f.nested)) panel('Nested', _('Nested'), nested);
}
side.append(facts);

const views = { boxes: view(at('boxes'), makeBox), edges: view(at('edges'), makeEdge), loops: view(at('loops'), makeLoop), titles: view(at('titles'), makeTitle),
  rows: longView(rows, makeRow) };
const link = (text, id) => { const s = el('span', 'link', text); s.addEventListener('click', () => select(id)); return s; };

let cardMoved = false;      /* to ask where it is would lay out the page */
card.addEventListener('scroll', () => { cardMoved = true; });
function fillCard() {
  const f = D.frames[now], rule = own(D.rules, f.rule), parts = [];
  if (walk) {
    const p = el('p', 'rule mono', T[f.say]);
    const more = [_('line {0}', f.line)];
    if (f.times > 1) more.push(_('it ran {0} times', f.times)); else if (f.turn > 1) more.push(_('turn {0}', f.turn));
    if (f.ns) more.push((f.ns / 1e6).toFixed(3) + ' ms');
    p.append(el('span', 'where', '  ' + more.join(' · ')));
    parts.push(p, el('p', 'say', T[f.did]));
  } else {
    const p = el('p', 'rule', title(now));
    if (rule) p.append(el('span', 'where', '  ' + rule[3]));
    parts.push(p, el('p', 'say', T[f.say]));
    if (rule) parts.push(el('p', 'law mono', rule[1]));
    const names = el('p', 'names');
    for (const [name, value, id] of f.names) {
      const s = el('span');
      s.append(el('b', '', T[name]), ' = ', id === undefined ? T[value] : link(T[value], id));
      names.append(s);
    }
    if (f.names.length) parts.push(names);
    const n = (f.parts || []).length + (f.nested || []).reduce((sum, pass) => sum + pass[1], 0);
    if (n) {
      const more = el('span', 'link', n === 1 ? _('1 nested step') : _('{0} nested steps', n));
      more.addEventListener('click', () => panels.Nested.b.click());
      p.append(el('span', 'where', ' · '), more);
    }
  }
  card.replaceChildren(...parts);
  if (cardMoved) { card.scrollTop = 0; cardMoved = false; }
}
function fillWalk() {
  const f = D.frames[now], latest = new Map();
  calls.replaceChildren(...f.calls.map(([depth, name, args, where, defined, id]) => {
    const e = el('div', 'call mono d' + Math.min(depth, 5), args < 0 ? T[name] : T[name] + ' (' + T[args] + ')');
    if (args < 0) {      /* what the call computed, and its place */
      e.append(document.createElement('br'), el('small', '', T[where]));
      return e;
    }
    const more = [T[where] && _('called at {0}', T[where]), T[defined] && _('defined at {0}', T[defined]), id !== undefined && _('node {0}', id)].filter(Boolean).join(', ');
    if (more) e.append(document.createElement('br'), el('small', '', more));
    if (id !== undefined) { e.dataset.n = id; e.addEventListener('click', () => select(id)); }
    return e;
  }));
  if (!f.calls.length) calls.append(el('div', 'call dim', _('The statement called no tensor methods.')));
  for (let k = 0; k <= now; k++) for (const n of D.frames[k].names) { latest.delete(n[0]); latest.set(n[0], [n, k === now]); }
  bound.replaceChildren(...[...latest.values()].reverse().map(([[name, text, id], fresh]) => {
    const e = el('div', 'bound' + (fresh ? ' new' : ''));
    const b = link(T[name], id);
    b.classList.add('mono');
    e.append(b, ' ', el('small', '', _('node {0}', id)), el('div', '', T[text]));
    return e;
  }));
  if (!latest.size) bound.append(el('div', 'bound dim', _('No name is bound to a tensor yet.')));
}

/* How the driver walked to the step: its visits, the stack at the match, the rules that were asked. Made when it is seen. */
function fillVisits() {
  const f = D.frames[now], v = f.visits, parts = [el('h2', '', _('How the driver walked to this step')), el('p', 'dim', D.mode)];
  const line = (cells, id, name, last) => {
    const e = el('div', 'visit');
    e.classList.add('mono', name);
    e.classList.toggle('now', last);
    e.append(...cells.map(c => el('span', '', c)));
    if (id !== undefined) { e.dataset.n = id; e.classList.toggle('sel', id === chosen); }
    return e;
  };
  if (!v) parts.push(el('p', '', now + first === 0 ? _('The input: no rule has fired yet.') : _('The visits of this step are not on the page: it would be too large.')));
  else {
    if (v.left) parts.push(el('p', 'dim', _('{0} earlier visits since the last step are left out.', v.left)));
    parts.push(...v.list.map(([number, stage, depth, id, text, what], i) => {
      const e = line([number, D.stages[stage], id + ' ' + T[text], T[what]], id, 'told', i === v.list.length - 1);
      e.style.setProperty('--deep', Math.min(depth - 1, 12));
      return e;
    }));
    parts.push(el('h2', '', _('The stack at the match, its top first')));
    parts.push(...v.stack.map(([stage, id, text, waits], i) => line(['', D.stages[stage], id + ' ' + T[text], i ? T[waits] : _('visited now')], id, 'entry', i === 0)));
    if (v.deep > v.stack.length) parts.push(el('p', 'dim', _('{0} entries below are left out.', v.deep - v.stack.length)));
    parts.push(el('h2', '', T[v.asked]));
    parts.push(...v.rules.map(([name, how], i) => line([T[name], T[how]], undefined, 'asked', i === v.rules.length - 1)));
  }
  visits.replaceChildren(...parts);
}
visits.addEventListener('click', e => { const v = e.target.closest('.visit'); if (v && v.dataset.n !== undefined) select(+v.dataset.n); });

/* The fields of the selected node, as they were listed last, else of the statement's nodes. Made when they are seen. */
function fillFacts() {
  const found = [];
  for (let k = now; k >= 0 && !(chosen === null ? k < now : found.length); k--)
    for (const [id, rows] of D.frames[k].facts || []) if (chosen === null || id === chosen) found.push([k, rows]);
  const parts = [];
  for (const [k, rows] of found) {
    parts.push(el('h2', '', _('{0}, after line {1}', T[rows[0][1]], D.frames[k].line)));
    for (const [depth, name, value, more, id] of rows) {
      const e = el('div', 'fact'), line = el('div', 'mono');
      e.style.setProperty('--deep', depth);
      line.append(el('b', '', depth ? T[name] : ''), ' ', id === undefined || !depth ? T[value] : link(T[value], id));
      e.append(line);
      if (T[more]) e.append(el('small', '', T[more]));
      parts.push(e);
    }
  }
  if (!parts.length) parts.push(el('p', 'part', chosen === null ? _('No facts of tensors are new after this statement. Select a node to see its facts.') : _('The page has no facts of node {0}.', chosen)));
  fields.replaceChildren(...parts);
}

/* What the step is made of: the nodes that an algorithm made, and the steps of the passes that it ran. */
function fillNested() {
  const f = D.frames[now], k = now + first, parts = [];
  if (f.parts) parts.push(el('h2', '', _('Nodes that the rule made, in their order')));
  for (const [i, [id, text, why]] of (f.parts || []).entries()) {
    const e = el('div', 'part');
    e.append(el('small', '', k + '.' + (i + 1) + ' '), link(T[text], id), ': ' + T[why]);
    e.dataset.n = id;
    e.classList.toggle('sel', id === chosen);
    parts.push(e);
  }
  for (const [name, n, place, list] of f.nested || []) {
    parts.push(el('h2', '', _('Steps of the nested pass {0}', T[name])));
    for (const [i, [rule, say]] of list.entries()) {
      const e = el('div', 'part');
      e.append(el('small', '', i + 1 + ' '), el('b', 'mono', T[rule]), el('div', '', T[say]));
      parts.push(e);
    }
    if (n > list.length) parts.push(el('p', 'dim', _('{0} more steps are left out: share the place {1} to see them.', n - list.length, T[place])));
  }
  if (!parts.length) parts.push(el('p', 'part', _('This step has no nested steps.')));
  nested.replaceChildren(...parts);
}

/* --- selection --- */
const rowOf = id => { let found; for (const r of lists.rows) if (D.rows[r][0] === id && (!found || D.rows[r][1] !== 2)) found = D.rows[r]; return found; };
function describe() {
  const parts = [];
  if (chosen === null) {
    const n = [0, 0, 0, 0, 0];
    for (const r of lists.rows) n[D.rows[r][1]]++;
    parts.push(el('p', '', _('{0} nodes: {1}.', lists.rows.length - n[2], [1, 2, 3, 4].map(k => n[k] + ' ' + WORDS[k]).join(', '))));
    parts.push(el('p', 'dim', _('Click a box or a row to mark it in picture, rows, source and program, and to describe it here. Keys: ← → Home End, Page Up and Page Down for ten steps, 0 for everything, + −, Escape.')));
    return facts.replaceChildren(...parts);
  }
  const row = rowOf(chosen);
  if (!row) return facts.replaceChildren(el('p', '', walk ? _('Node {0} is not in the graph after this statement.', chosen) : _('Node {0} is not in the graph of this step.', chosen)));
  const [id, kind, op, dtype, arg, more, , , ...src] = row;
  const head = el('p'), name = el('b', 'mono', T[op]);
  head.append(name, el('span', 'dim', '  ' + _('node {0}', id) + (kind ? ', ' + WORDS[kind] : '')));
  parts.push(head, el('p', '', own(D.ops, T[op]) || ''));
  parts.push(el('p', 'mono', [T[dtype].replace('dtypes.', ''), T[more], T[arg] && T[arg] !== 'None' && _('argument {0}', T[arg])].filter(Boolean).join(', ')));
  const nodes = (label, ids) => {
    const p = el('p', 'mono', label + ' ');
    ids.forEach((i, k) => { const r = rowOf(i); p.append(k ? ', ' : '', link((r ? T[r[2]] + ' ' : '') + numberOf(i), i)); });
    if (ids.length) parts.push(p);
  };
  const users = [];
  for (const r of lists.rows) if (D.rows[r].indexOf(id, 8) >= 8) users.push(D.rows[r][0]);
  nodes(_('of'), src);
  nodes(_('used by'), [...new Set(users)].slice(0, 30));
  facts.replaceChildren(...parts);
}
/* Lines of what is chosen, else of what the step rewrote; from…to: those of the statement. */
function markLines(code, of, from, to) {
  for (const e of code.marked) e.className = '';
  const found = new Map();
  for (let i = from; from && i <= to; i++) found.set(i, 'now');
  for (const id of chosen === null ? D.frames[now].at || [] : [chosen])
    for (const line of own(of, id) || []) found.set(line, chosen === null ? 'step' : found.has(line) ? 'now hit' : 'hit');
  code.marked = [...found.keys()].sort((a, b) => a - b).filter(i => code.lines[i - 1]).map(i => { const e = code.lines[i - 1]; e.className = found.get(i); return e; });
}
function mark() {
  const f = D.frames[now], boxed = lists.boxes.some(r => D.boxes[r][0] === chosen), holders = new Set();
  if (chosen !== null && !boxed) for (const r of lists.rows) if (D.rows[r].indexOf(chosen, 8) >= 8) holders.add(D.rows[r][0]);
  for (const [r, e] of views.boxes.els) { e.classList.toggle('sel', D.boxes[r][0] === chosen); e.classList.toggle('holds', holders.has(D.boxes[r][0])); }
  for (const [r, e] of views.edges.els) e.classList.toggle('near', chosen !== null && (D.edges[r][0] === chosen || D.edges[r][1] === chosen));
  views.rows.again();
  if (seen === 'Visits') fillVisits();
  if (seen === 'Nested') fillNested();
  if (seen === 'Facts') fillFacts();
  for (const e of calls.children) e.classList.toggle('sel', chosen !== null && +e.dataset.n === chosen);
  markLines(source, D.source_of, 0, 0);
  if (walk && !f.file) markLines(program, D.lines_of, f.line, Math.max(f.end, f.line));
  else markLines(program, D.lines_of, 0, 0);
  describe();
  scrollPanel();
}
/* The first thing that is marked in the panel that is seen comes into it. */
function scrollPanel() {
  if (seen === 'Rows') {
    let i = chosen === null ? -1 : lists.rows.findIndex(r => D.rows[r][0] === chosen);
    if (i < 0 && chosen === null) i = lists.rows.findIndex(r => D.rows[r][1] !== 0);
    if (i >= 0) views.rows.reveal(i);
    return;
  }
  const p = panels[seen].p, marked = seen === 'Source' ? source.marked : seen === 'Program' ? program.marked : [], e = marked.length ? marked[0] : p.querySelector('.sel');
  if (!e) return;
  const top = e.offsetTop - p.offsetTop, h = p.clientHeight;
  if (top < p.scrollTop || top + 24 > p.scrollTop + h) p.scrollTop = top - h / 3;
}
function select(id) {
  chosen = id;
  mark();
  const b = id === null ? null : extent(b => b[0] === id);
  if (b) { reveal(b); place(); }
}

let told = 0, listTop = 0;
list.addEventListener('scroll', () => { listTop = list.scrollTop; });
function go(k) {
  k = Math.min(Math.max(k, 0), N - 1);
  if (k === now) return;
  if (now >= 0 && steps[now]) steps[now].classList.remove('now');
  seek(k);
  countRows();
  for (const name in views) views[name].show(lists[name === 'titles' ? 'loops' : name]);
  slider.value = k;
  count.textContent = walk ? _('{0} of {1}', k + 1, N) : _('step {0} of {1}', k + first, D.steps);
  moves[0].disabled = moves[1].disabled = k === 0;
  moves[2].disabled = moves[3].disabled = k === N - 1;
  const li = steps[k];
  li.classList.add('now');
  if (!filter.value) {
    const top = k * 24;
    if (top < listTop || top + 24 > listTop + listHeight) list.scrollTop = listTop = Math.max(0, top - listHeight / 3);
  }
  fillCard();
  if (walk) fillWalk();
  if (sight.z) { look(); place(); }
  mark();
  if (!walk) at('place').textContent = D.place.replace(/[^/]*$/, k + first);
  clearTimeout(told);
  told = setTimeout(() => { try { history.replaceState(null, '', '#' + (k + first)); } catch (e) { /* a page that may not say where it is still shows it */ } }, 400);
}

/* --- keys and pointer --- */
const keys = { ArrowLeft: () => go(now - 1), ArrowRight: () => go(now + 1), Home: () => go(0), End: () => go(N - 1), PageUp: () => go(now - 10), PageDown: () => go(now + 10),
  '+': () => zoom(1.25, width / 2, height / 2), '-': () => zoom(1 / 1.25, width / 2, height / 2), '0': () => { measure(); fit(0); place(); }, '1': open, Escape: () => select(null) };
document.addEventListener('keydown', e => {
  if (e.ctrlKey || e.altKey || e.metaKey || e.target === filter || !Object.prototype.hasOwnProperty.call(keys, e.key)) return;
  e.preventDefault();
  keys[e.key]();
});
const touches = new Map();
let dragged = false, apart = 0;
graph.addEventListener('pointerdown', e => { touches.set(e.pointerId, [e.clientX, e.clientY]); dragged = false; apart = 0; });
graph.addEventListener('pointermove', e => {
  const p = touches.get(e.pointerId);
  if (!p) return;
  const dx = e.clientX - p[0], dy = e.clientY - p[1];
  if (!dragged && Math.abs(dx) + Math.abs(dy) < 4) return;
  if (!dragged) graph.setPointerCapture(e.pointerId);
  dragged = true;
  touches.set(e.pointerId, [e.clientX, e.clientY]);
  if (touches.size === 2) {
    const [a, b] = [...touches.values()], d = Math.hypot(a[0] - b[0], a[1] - b[1]), box = stage.getBoundingClientRect();
    if (apart) zoom(d / apart, (a[0] + b[0]) / 2 - box.left, (a[1] + b[1]) / 2 - box.top);
    apart = d;
  } else {
    sight.x += dx;
    sight.y += dy;
    place();
  }
});
const lift = e => { touches.delete(e.pointerId); apart = 0; };
graph.addEventListener('pointerup', lift);
graph.addEventListener('pointercancel', lift);
graph.addEventListener('click', e => { const g = e.target.closest('.node'); if (!dragged) select(g ? +g.dataset.n : null); });
graph.addEventListener('wheel', e => {
  e.preventDefault();
  const box = stage.getBoundingClientRect();
  if (e.ctrlKey) zoom(Math.exp(-e.deltaY / 300), e.clientX - box.left, e.clientY - box.top);
  else { sight.x -= e.deltaX; sight.y -= e.deltaY; place(); }
}, { passive: false });
rows.addEventListener('click', e => { const r = e.target.closest('.row'); if (r) select(+r.dataset.n); });
/* a line of source or program: the first node of the graph that it shows */
for (const [c, of] of [[source, D.source_of], [program, D.lines_of]])
  c.e.addEventListener('click', e => {
    const line = c.lines.indexOf(e.target) + 1, hit = line && lists.rows.find(r => D.rows[r][1] !== 2 && (own(of, D.rows[r][0]) || []).includes(line));
    if (hit !== undefined && line) select(D.rows[hit][0]);
  });
window.addEventListener('resize', () => { measure(); place(); });
panels.Rows.p.addEventListener('scroll', () => views.rows.scrolled(panels.Rows.p.scrollTop));
window.addEventListener('hashchange', () => go(wanted()));
function wanted() { const k = parseInt(location.hash.slice(1), 10); return Number.isNaN(k) ? D.start : k - first; }

show(walk ? 'Program' : 'Rows');
measure();
go(wanted());
open();
if (D.chosen !== undefined) select(D.chosen);
/* for who drives the page: tests, and a presentation's remote */
window.lazyscope = { n: N, go, select, at: () => now, chosen: () => chosen };
})();

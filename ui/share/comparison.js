'use strict';
/* A comparison's page: from difference to difference, and a row that is chosen. Rows that differ and follow each other are one difference. */
(() => {
const words = JSON.parse(document.getElementById('data').textContent).words;
const _ = (text, ...parts) => (Object.prototype.hasOwnProperty.call(words, text) ? words[text] : text).replace(/\{(\d)\}/g, (hole, i) => parts[i]);      /* in the page's language */
const el = (tag, text) => { const e = document.createElement(tag); e.textContent = text; return e; };
const starts = [...document.querySelectorAll('tr.d')].filter(r => !r.previousElementSibling || !r.previousElementSibling.classList.contains('d'));
const bar = document.getElementById('bar'), back = el('button', '◀'), on = el('button', '▶'), count = el('span', '');
let now = -1, chosen = null;
back.title = _('The previous difference (←)');
on.title = _('The next difference (→)');
back.setAttribute('aria-label', back.title);
on.setAttribute('aria-label', on.title);
count.id = 'count';
count.setAttribute('role', 'status');
bar.append(back, on, count);

function choose(row) {
  if (chosen) chosen.classList.remove('sel');
  chosen = row;
  if (row) row.classList.add('sel');
}
function say() {
  count.textContent = !starts.length ? _('no difference') : now < 0 ? _('differences: {0}', starts.length) : _('difference {0} of {1}', now + 1, starts.length);
  back.disabled = now <= 0;
  on.disabled = now >= starts.length - 1;
}
function go(k) {
  if (!starts.length) return;
  now = Math.max(0, Math.min(starts.length - 1, k));
  const row = starts[now];
  row.closest('details').open = true;
  choose(row);
  row.scrollIntoView({ block: 'center' });
  say();
}
back.addEventListener('click', () => go(now - 1));
on.addEventListener('click', () => go(now + 1));
document.addEventListener('click', e => {
  const row = e.target.closest('.columns tbody tr');
  if (!row || String(getSelection())) return;
  choose(row === chosen ? null : row);
  for (let k = 0; k < starts.length; k++)
    if (starts[k] === row || starts[k].compareDocumentPosition(row) & Node.DOCUMENT_POSITION_FOLLOWING) now = k;
  say();
});
const keys = { ArrowRight: () => go(now + 1), ArrowLeft: () => go(now - 1), Home: () => go(0), End: () => go(starts.length - 1), Escape: () => choose(null) };
document.addEventListener('keydown', e => {
  if (e.ctrlKey || e.altKey || e.metaKey || !Object.prototype.hasOwnProperty.call(keys, e.key)) return;
  e.preventDefault();
  keys[e.key]();
});
say();
/* for who drives the page, as in a film's */
window.lazyscope = { n: starts.length, go, at: () => now, chosen: () => chosen };
})();

// waiting.js - whether somebody still waits for an answer: on the card while
// time passes, in what is said after the answer, and in the history when a yes
// was used. The browser's clock does it; the server tells only what changes.
import { clock, el, fill, roughly } from './dom.js';
import { on } from './live.js';

const known = new Map(); // id → {approval, node}

const called = (a) => a.token || a.client || 'The client';
const left = (ms) => (ms > 120e3 ? roughly(ms) : `${Math.ceil(ms / 1000)} s`);

function words(a) {
  const now = Date.now();
  if (a.waits > now) return `${called(a)} is waiting, ${left(a.waits - now)} left`;
  return `${called(a)} stopped waiting: your yes counts if it asks again within ${
    roughly(Math.max(0, a.until - now))}`;
}

function draw({ approval, node }) {
  const text = words(approval);
  if (node.textContent === text) return;
  fill(node, text);
  node.classList.toggle('late', approval.waits <= Date.now());
}

// The line of a card. It lives as long as the card does.
export function waits(a) {
  const entry = { approval: { ...a }, node: el('p', { class: 'aged waits' }) };
  known.set(a.id, entry);
  draw(entry);
  return entry.node;
}

// What becomes of an answer, once it is given.
export function outcome(a, how) {
  if (a.waits > Date.now()) {
    return how === 'deny' ? `${called(a)} is told now` : `${called(a)} goes on now`;
  }
  return how === 'deny' ? `${called(a)} stopped waiting: it is told if it asks again`
    : `${called(a)} stopped waiting: your yes counts if it asks again within ${
      roughly(Math.max(0, a.until - Date.now()))}`;
}

// Of a change in the history: the yes that it has used.
export function usedYes(o) {
  return o.allowed_used && el('span', { class: 'yes' },
    `used your yes to the question of ${clock(o.asked)}`);
}

on('approval_waits', ({ id, waits: until }) => {
  const entry = known.get(id);
  if (!entry) return;
  entry.approval.waits = until;
  draw(entry);
});
on('approval_gone', ({ id }) => known.delete(id));
setInterval(() => { if (!document.hidden) known.forEach(draw); }, 500);

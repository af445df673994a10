// waiting.js - whether somebody still waits for an answer: on the card while
// time passes, in what is said after the answer, and in the history when a yes
// was used. The browser's clock does it; the server tells only what changes.
import { clock, el, fill, roughly } from './dom.js';
import { on } from './live.js';

const known = new Map(); // id → {approval, node}

const called = (a) => a.token || a.client || 'The client';
const left = (ms) => (ms > 120e3 ? roughly(ms) : `${Math.ceil(ms / 1000)} s`);

// A yes is for this very change of the file as it was shown.
const late = (a) => `${called(a)} stopped waiting: your yes counts if it asks for exactly this `
  + `again within ${roughly(Math.max(0, a.until - Date.now()))}, and the file is still as it was`;

function words(a) {
  const now = Date.now();
  return a.waits > now ? `${called(a)} is waiting, ${left(a.waits - now)} left` : late(a);
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
  if (how === 'once') return late(a);
  return how === 'deny' ? `${called(a)} stopped waiting: it is told if it asks again`
    : `${called(a)} stopped waiting: it goes on if it asks again`; // the grant says until when
}

// Of a change in the history: the very yes that it has used (see approval_bind).
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

// waiting.js - whether the agent still waits for an answer: on the card of a
// question, in the toast after the answer, and in the history when a yes was
// used. The countdown runs by the browser's clock; the server sends changes only.
import { clock, el, fill, roughly } from './dom.js';
import { called } from './client.js';
import { on } from './server.js';

const known = new Map(); // id → {approval, node}

const left = (ms) => (ms > 120e3 ? roughly(ms) : `${Math.ceil(ms / 1000)} s`);

// An approval is valid for this change of the file as shown.
const late = (a) => `${called(a)} stopped waiting: your approval will be used if it asks for exactly this `
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

// The line about waiting on a card.
export function waits(a) {
  const entry = { approval: { ...a }, node: el('p', { class: 'aged waits' }) };
  known.set(a.id, entry);
  draw(entry);
  return entry.node;
}

// The effect of an answer, for the toast.
export function outcome(a, how) {
  if (a.waits > Date.now()) {
    return how === 'deny' ? `${called(a)} is told now` : `${called(a)} goes on now`;
  }
  if (how === 'once') return late(a);
  return how === 'deny' ? `${called(a)} stopped waiting: it is told if it asks again`
    : `${called(a)} stopped waiting: it goes on if it asks again`; // a grant has its own expiry
}

// For a change in the history: the approval that it used (see approval_bind).
export function usedYes(o) {
  return o.allowed_used && el('span', { class: 'yes' },
    `used your approval of the question of ${clock(o.asked)}`);
}

on('approval_waits', ({ id, waits: until }) => {
  const entry = known.get(id);
  if (!entry) return;
  entry.approval.waits = until;
  draw(entry);
});
on('approval_gone', ({ id }) => known.delete(id));
setInterval(() => { if (!document.hidden) known.forEach(draw); }, 500);

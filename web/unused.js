// unused.js - yes answers that no call has used: the agent stopped waiting
// before the answer came. Each would let the same call pass when it is made
// again, until it expires; here the person can withdraw it.
import { button, byId, el, fromRoot, keep, path, roughly, time, toast, tool } from './dom.js';
import { client, called } from './client.js';
import { get, on, post } from './server.js';

let answers = [];
let latest = 0; // number of the latest request: an older reply is not drawn

async function withdraw(approval) {
  try {
    await post(`/api/approvals/${encodeURIComponent(approval.id)}`, { answer: 'withdraw' });
    toast(`Withdrawn: ${fromRoot(approval.path)}. ${called(approval)} is denied if it asks again`);
    byId('h-approvals').focus();
  } catch (fault) {
    toast(fault.message, true);
  }
  await refresh().catch(() => {});
}

function row(approval) {
  const left = roughly(Math.max(0, approval.until - Date.now()));
  return el('li', { class: 'unused' },
    el('p', {}, path(approval.path, undefined, approval.lookalikes), ' ', tool(approval.tool), ' ',
      client(approval)),
    el('p', { class: 'note' }, 'Asked ', time(approval.time), '. ', called(approval),
      ' stopped waiting before your approval. It is used if exactly this is asked for again within ',
      left, ', and the file is still as it was.'),
    button('Withdraw', () => withdraw(approval), { 'data-withdraw': approval.id,
      'aria-label': `Withdraw your approval: ${fromRoot(approval.path)}` }));
}

function draw() {
  byId('unused').hidden = !answers.length;
  keep(byId('unused-list'), answers, (one) => one.id, (one, old) => old ?? row(one));
}

export async function refresh() {
  const mine = ++latest;
  const { approvals } = await get('/api/approvals/unused');
  if (mine !== latest) return;
  answers = approvals;
  draw();
}

export function start() {
  const again = () => refresh().catch(() => {});
  on('unused', again);
  on('refetch', again);
}

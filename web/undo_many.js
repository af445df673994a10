// undo_many.js - undo of many changes at once: a preview for each file, and an
// undo that is bound to it.
import { button, byId, count, el, fill, path, toast } from './dom.js';
import { lookalikes } from './change.js';
import { tally, view as diffView } from './diff.js';
import { get, post } from './server.js';

const WAYS = [['abort', 'do not undo changes with conflicts'],
  ['ours', 'keep what is there now, undo the rest'],
  ['theirs', 'use the old text'], ['markers', 'write both, with conflict markers']];

// A description of the effect on a file.
function fate(file) {
  if (!file.done) return 'stays as it is';
  if (file.removes) return 'will be removed';
  return file.creates ? 'will be restored' : 'will change back';
}

// Why some changes of the file are not undone, or later ones are kept.
function reasons(file) {
  const several = (n) => (n === 1 ? 'was' : 'were');
  return [
    file.conflicts > 0 && el('p', { class: 'error' }, `\u26a0 ${count(file.conflicts,
      'change')} in conflict: the same place was changed since`),
    file.problem && el('p', { class: 'error' }, `\u26a0 ${file.problem}`),
    file.unknown > 0 && el('p', { class: 'note' }, `${count(file.unknown, 'change')} `
      + 'cannot be undone: the old content is no longer stored'),
    file.merged > 0 && el('p', { class: 'note' },
      `${count(file.merged, 'change')} ${several(file.merged)} followed by others elsewhere `
      + 'in the file, which stay'),
  ];
}

export function fileView(file, isOpen = false) {
  const body = el('div', { class: 'undo-diff' });
  return el('li', { class: file.conflicts || file.problem ? 'undo-file stuck' : 'undo-file' },
    el('p', {}, path(file.path, file.shown, file.lookalikes), ' ',
      el('span', { class: 'verdict' }, fate(file)), ' ',
      file.lines_added !== undefined && tally(file.lines_added, file.lines_removed), ' ',
      el('span', { class: 'note' }, `${file.done} of ${count(file.operations, 'change')} will be undone`)),
    lookalikes(file), reasons(file),
    file.done > 0 && el('details', {
      open: isOpen,
      ontoggle: () => { if (!body.childElementCount) body.append(diffView(file)); },
    }, el('summary', {}, 'Show what changes'), body));
}

const sum = (plan, key) => plan.files.reduce((all, file) => all + (file[key] ?? 0), 0);

function summary(plan) {
  const done = sum(plan, 'done');
  const files = plan.files.filter((file) => file.done).length;
  const kept = sum(plan, 'operations') - done;
  return el('ul', { class: 'plain undo-sum' },
    el('li', {}, `${count(done, 'change')} in ${count(files, 'file')} `
      + 'will be undone'),
    sum(plan, 'conflicts') > 0 && el('li', {},
      `${count(sum(plan, 'conflicts'), 'change')} in conflict`),
    kept > 0 && el('li', {}, `${count(kept, 'change stays', 'changes stay')} as `
      + `${kept === 1 ? 'it is' : 'they are'}`),
    plan.more && el('li', { class: 'error' },
      `There are more changes than one step takes: the newest ${plan.operations.length} `
        + 'will be undone'),
    el('li', { class: 'note' }, 'What was undone before stays undone. '
      + 'Each undo is a change itself, and can be undone.'));
}

// Resolves when the dialog is closed: true if something was undone.
export function undoMany(filter, words) {
  const dialog = byId('sure');
  let conflicts = 'abort';
  let done = false;

  async function undo(plan) {
    for (const one of dialog.querySelectorAll('button')) one.disabled = true;
    try {
      const result = await post('/api/undo',
        { operations: plan.operations, digest: plan.digest, conflicts });
      done = true;
      dialog.close();
      toast(`${count(result.undone, 'change')} undone`
        + `${result.kept ? `, ${result.kept} left as ${result.kept === 1 ? 'it is' : 'they are'}` : ''}`);
    } catch (fault) {
      toast(fault.message, true);
      if (fault.status === 409) load();
      else dialog.close();
    }
  }

  function choice() {
    return el('p', { class: 'undo-way' },
      el('label', { for: 'undo-conflicts' }, 'Where there is a conflict: '),
      el('select', {
        id: 'undo-conflicts',
        onchange: (event) => { conflicts = event.target.value; load(); },
      }, WAYS.map(([value, way]) => el('option', { value, selected: value === conflicts }, way))));
  }

  function draw(plan) {
    const works = plan.files.some((file) => file.done);
    const go = button(`Undo ${count(sum(plan, 'done'), 'change')}`, () => undo(plan), { class: 'primary', disabled: !works });
    fill(dialog, el('h2', { id: 'sure-title' }, `Undo ${words}?`),
      plan.files.length ? summary(plan)
        : el('p', {}, 'There is nothing to undo: no change matches, or all are undone.'),
      (plan.files.some((file) => file.conflicts) || conflicts !== 'abort') && choice(),
      plan.files.length > 0 && el('div', { class: 'conflicts', tabindex: '0', role: 'region',
        'aria-label': 'Files' },
      el('ul', { class: 'plain' }, plan.files.map((file) => fileView(file)))),
      el('div', { class: 'buttons' }, button('Cancel', () => dialog.close()), go));
    (works ? go : dialog.querySelector('.buttons button')).focus();
  }

  async function load() {
    try {
      draw(await get('/api/undo', { ...filter, conflicts }));
    } catch (fault) {
      dialog.close();
      toast(fault.message, true);
    }
  }

  fill(dialog, el('h2', { id: 'sure-title' }, `Undo ${words}?`),
    el('p', { class: 'note' }, 'Computing the preview …'),
    el('div', { class: 'buttons' }, button('Cancel', () => dialog.close())));
  dialog.showModal();
  load();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => resolve(done), { once: true });
  });
}

// undomany.js - undo of many changes at once: what would happen to each file,
// and then just that.
import { button, byId, count, el, fill, path, toast } from './dom.js';
import { tally, view as diffView } from './diff.js';
import { get, post } from './live.js';

const WAYS = [['abort', 'leave those places as they are (nothing of that change is undone)'],
  ['ours', 'keep what is there now, undo the rest'],
  ['theirs', 'put the old text there'], ['markers', 'put both there, with markers']];

function fate(file) {
  if (file.problem) return ['stays', file.problem];
  if (file.removes) return ['is removed', ''];
  if (file.creates) return ['is there again', ''];
  if (!file.done) return ['stays as it is', ''];
  return ['changes back', file.merged ? 'what was changed since, elsewhere in it, stays' : ''];
}

function fileView(file) {
  const [words, note] = fate(file);
  const body = el('div', { class: 'undo-diff' });
  const change = !file.problem && file.done > 0;
  return el('li', { class: file.conflicts || file.problem ? 'undo-file stuck' : 'undo-file' },
    el('p', {}, path(file.path, file.shown), ' ', el('span', { class: 'verdict' }, words), ' ',
      change && file.lines_added !== undefined
        && tally(file.lines_added, file.lines_removed),
      ' ', el('span', { class: 'note' }, count(file.operations, 'change'))),
    note && el('p', { class: 'note' }, note),
    file.conflicts > 0 && el('p', { class: 'error' }, `${'\u26a0'} ${count(file.conflicts,
      'change')} in conflict: the same place was changed since`),
    file.unknown > 0 && el('p', { class: 'note' },
      `${count(file.unknown, 'change')} cannot be undone: the old content is not kept any more`),
    change && el('details', {
      ontoggle: () => { if (!body.childElementCount) body.append(diffView(file)); },
    }, el('summary', {}, 'Show what changes'), body));
}

function summary(plan) {
  const sum = (key) => plan.files.reduce((all, file) => all + (file[key] ?? 0), 0);
  const stuck = plan.files.filter((file) => file.problem).length;
  return el('ul', { class: 'plain undo-sum' },
    el('li', {}, `${count(sum('done'), 'change')} in ${count(plan.files.filter(
      (file) => file.done).length, 'file')} `
      + `${sum('done') === 1 ? 'is' : 'are'} undone`),
    sum('conflicts') > 0 && el('li', {}, `${count(sum('conflicts'), 'change')} in conflict`),
    sum('unknown') + stuck > 0 && el('li', {},
      `${count(sum('unknown') + stuck, 'change or file', 'changes or files')} cannot be undone`),
    plan.more && el('li', { class: 'error' },
      'There are more than 1,000 changes: the newest 1,000 are undone'),
    el('li', { class: 'note' }, 'Changes that fit and were undone before stay undone. '
      + 'Each undo is a change itself, and can be undone.'));
}

// Resolves when it is closed: true when something was done.
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
    const go = button(`Undo ${count(plan.files.reduce((n, file) => n + (file.done ?? 0), 0),
      'change')}`, () => undo(plan), { class: 'primary', disabled: !works });
    fill(dialog, el('h2', { id: 'sure-title' }, `Undo ${words}?`),
      plan.files.length ? summary(plan)
        : el('p', {}, 'There is nothing to undo: no change fits, or all are undone.'),
      (plan.files.some((file) => file.conflicts) || conflicts !== 'abort') && choice(),
      plan.files.length > 0 && el('div', { class: 'conflicts', tabindex: '0', role: 'region',
        'aria-label': 'Files' },
      el('ul', { class: 'plain' }, plan.files.map(fileView))),
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
    el('p', { class: 'note' }, 'Looking at what would happen …'),
    el('div', { class: 'buttons' }, button('Cancel', () => dialog.close())));
  dialog.showModal();
  load();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => resolve(done), { once: true });
  });
}

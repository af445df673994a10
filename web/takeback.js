// takeback.js - undo, redo and restore: are you sure, and what to do where
// somebody else has changed the same place.
import { button, byId, code, count, el, fill, path, shown, time, toast } from './dom.js';
import { tally, view as diffView } from './diff.js';
import { get, post } from './live.js';
import { fileView } from './undomany.js';

const DEEDS = {
  undo: {
    title: 'Undo this change?', go: 'Undo', done: 'Undone',
    words: 'The file becomes what it was before this change. What others have '
      + 'changed elsewhere in it stays. You can redo it.',
    there: 'What undoing puts there', base: 'As this change left it',
  },
  redo: {
    title: 'Make this change again?', go: 'Redo', done: 'Made again',
    words: 'The change is made once more, beside what has happened since. You '
      + 'can undo it.',
    there: 'What redoing puts there', base: 'As undoing left it',
  },
  restore: {
    title: 'Restore the file to this point?', go: 'Restore', done: 'Restored',
    words: 'The whole file becomes what it was right after this change; later '
      + 'changes to it go. You can undo that.',
    there: 'What restoring puts there', base: 'Before both',
  },
};
const CHOICES = [
  ['abort', 'Leave the file as it is', 'nothing changes'],
  ['markers', 'Put both there, with markers', 'you edit the file afterwards'],
  ['ours', 'Keep what is there now', 'the rest is taken back'],
  ['theirs', 'Use the old text', 'what is there now goes; the history keeps it'],
];

function send(kind, operation, conflicts) {
  if (kind === 'restore') {
    return post('/api/restore', { path: operation.path, at: operation.id,
      version: operation.now });
  }
  return post(`/api/history/${encodeURIComponent(operation.id)}/${kind}`,
    { conflicts });
}

function about(operation) {
  return el('p', { class: 'about' }, path(operation.path, operation.shown, operation.lookalikes), ' ',
    code(operation.tool), ' ', time(operation.time));
}

// ---- conflicts

function side(title, text, kind) {
  const none = text === undefined || text === null || text === '';
  return el('div', { class: `side ${kind}` }, el('h4', {}, title),
    none ? el('p', { class: 'note' }, 'nothing')
      : el('pre', { dir: 'ltr', translate: 'no' }, shown(text)));
}

function conflictView(kind, conflict, i, all) {
  return el('section', { class: 'conflict' },
    el('h3', {}, `Place ${i + 1} of ${all}, line ${conflict.line}`),
    el('div', { class: 'sides' },
      side('In the file now', conflict.ours, 'ours'),
      side(DEEDS[kind].there, conflict.theirs, 'theirs'),
      side(DEEDS[kind].base, conflict.base, 'base')));
}

function choices() {
  return el('fieldset', { class: 'choices' },
    el('legend', {}, 'Resolve the conflict'),
    CHOICES.map(([value, words, then], i) => el('label', { class: 'check' },
      el('input', { type: 'radio', name: 'conflicts', value, checked: i === 0 }),
      el('span', {}, words, el('small', {}, then)))));
}

function conflicted(dialog, kind, operation, list, ask) {
  const form = choices();
  fill(dialog,
    el('h2', { id: 'sure-title' }, 'The same place was changed since'),
    about(operation),
    el('p', {}, `${count(list.length, 'place')} of the file `
      + `${list.length === 1 ? 'is' : 'are'} not as this change left `
      + `${list.length === 1 ? 'it' : 'them'}. Nothing has been done yet.`),
    el('div', { class: 'conflicts', tabindex: '0', role: 'region',
      'aria-label': 'Conflicts' },
    list.map((conflict, i) => conflictView(kind, conflict, i, list.length))),
    form,
    el('div', { class: 'buttons' },
      button('Cancel', () => dialog.close()),
      button('Apply', () => {
        const how = form.querySelector(':checked').value;
        if (how === 'abort') {
          dialog.close();
          toast('Left as it is');
        } else ask(how);
      }, { class: 'primary' })));
  form.querySelector('input').focus();
}

// ---- what restoring would change: only a file that is still so is replaced

async function look(operation, box, go) {
  go.disabled = true;
  fill(box, el('p', { class: 'note' }, 'Looking at what would change …'));
  try {
    const change = await get('/api/compare',
      { path: operation.path, from: 'now', to: operation.id });
    operation.now = change.from.version ?? 'none';
    fill(box, change.same
      ? el('p', {}, 'The file is like that already: nothing changes.')
      : [el('p', {}, !change.to.exists ? 'The file will be removed. '
        : !change.from.exists ? 'The file will be there again. ' : '',
      change.lines_added !== undefined && tally(change.lines_added, change.lines_removed)),
      diffView(change)]);
    go.disabled = change.same;
  } catch (fault) {
    fill(box, el('p', { class: 'error' }, fault.message));
  }
  if (!go.disabled) go.focus();
}

// ---- what undoing one change would do: undo itself says so where it cannot

async function lookUndo(operation, box, go) {
  const { id, time: at, path: file } = operation;
  go.disabled = true;
  fill(box, el('p', { class: 'note' }, 'Looking at what would change …'));
  try {
    const plan = await get('/api/undo', { path: file, since: at, until: at, conflicts: 'abort' });
    const isThis = plan.operations.length === 1 && plan.operations[0] === id;
    if (isThis) fill(box, el('ul', { class: 'plain' }, fileView(plan.files[0], /* isOpen= */ true)));
    else box.remove();
  } catch {
    box.remove();
  }
  go.disabled = false;
  go.focus();
}

const LOOKS = { restore: look, undo: lookUndo };

// A file that goes is named before everything else.
function removal(kind, operation) {
  const goes = kind === 'undo' ? 'create' : kind === 'redo' ? 'delete' : '';
  return operation.kind === goes && el('p', { class: 'does' }, 'This removes the file ',
    path(operation.path, operation.shown, operation.lookalikes),
  kind === 'undo' ? '. You can redo it.' : '. You can undo that.');
}

// ---- the dialog

// Resolves when it is closed: true when something was done.
export function takeBack(kind, operation) {
  const dialog = byId('sure');
  const deed = DEEDS[kind];
  let done = false;
  const preview = LOOKS[kind] && el('div', { class: 'conflicts', tabindex: '0',
    role: 'region', 'aria-label': 'What changes' });

  async function ask(conflicts) {
    for (const one of dialog.querySelectorAll('button')) one.disabled = true;
    try {
      await send(kind, operation, conflicts);
      done = true;
      dialog.close();
      toast(`${deed.done}: ${operation.shown ?? operation.path}`);
    } catch (fault) {
      const list = fault.data?.conflicts;
      if (fault.status === 409 && list?.length) {
        conflicted(dialog, kind, operation, list, ask);
        return;
      }
      if (kind === 'restore' && fault.status === 409) {
        toast('The file has changed since this preview: look again', true);
        look(operation, preview, go);
        for (const one of dialog.querySelectorAll('button')) one.disabled = one === go;
        return;
      }
      dialog.close();
      toast(fault.message, true);
    }
  }

  const go = button(deed.go, () => ask('abort'), { class: 'primary' });
  fill(dialog, el('h2', { id: 'sure-title' }, deed.title), about(operation),
    removal(kind, operation) || el('p', {}, deed.words), preview,
    el('div', { class: 'buttons' },
      button('Cancel', () => dialog.close()), go));
  dialog.showModal();
  go.focus();
  LOOKS[kind]?.(operation, preview, go);
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => resolve(done), { once: true });
  });
}

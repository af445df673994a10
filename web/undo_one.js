// undo_one.js - the dialog of undo, redo and restore: a preview, the confirmation
// that is bound to it, and how to resolve conflicts.
import { button, byId, code, count, el, fill, path, shown, time, toast } from './dom.js';
import { tally, view as diffView } from './diff.js';
import { get, post } from './server.js';
import { fileView } from './undo_many.js';

const ACTIONS = {
  undo: {
    title: 'Undo this change?', go: 'Undo', done: 'Undone',
    words: 'The file becomes what it was before this change. Later changes to other '
      + 'parts of it stay. You can redo it.',
    there: 'What undoing puts there', base: 'As this change left it',
  },
  redo: {
    title: 'Redo this change?', go: 'Redo', done: 'Redone',
    words: 'The change is applied again, on top of later changes. You can undo it.',
    there: 'What redoing puts there', base: 'As undoing left it',
  },
  restore: {
    title: 'Restore the file to this point?', go: 'Restore', done: 'Restored',
    words: 'The whole file becomes what it was right after this change; later '
      + 'changes to it are lost. You can undo that.',
    there: 'What restoring puts there', base: 'Before both',
  },
};
const CHOICES = [
  ['abort', 'Leave the file as it is', 'nothing changes'],
  ['markers', 'Write both, with conflict markers', 'you edit the file afterwards'],
  ['ours', 'Keep what is there now', 'the rest is undone'],
  ['theirs', 'Use the old text', 'the present text is replaced; the history keeps it'],
];

function send(kind, operation, conflicts) {
  if (kind === 'restore') {
    return post('/api/restore', { path: operation.path, at: operation.id,
      version: operation.now });
  }
  return post(`/api/history/${encodeURIComponent(operation.id)}/${kind}`,
    { conflicts, digest: operation.digest });
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
      side(ACTIONS[kind].there, conflict.theirs, 'theirs'),
      side(ACTIONS[kind].base, conflict.base, 'base')));
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

// ---- preview of a restore: it is bound to the version of the file

async function look(operation, box, go) {
  go.disabled = true;
  fill(box, el('p', { class: 'note' }, 'Computing the preview …'));
  try {
    const change = await get('/api/compare',
      { path: operation.path, from: 'now', to: operation.id });
    operation.now = change.from.version ?? 'none';
    fill(box, change.same
      ? el('p', {}, 'The file already has this content: nothing changes.')
      : [el('p', {}, !change.to.exists ? 'The file will be removed. '
        : !change.from.exists ? 'The file will be restored. ' : '',
      change.lines_added !== undefined && tally(change.lines_added, change.lines_removed)),
      diffView(change)]);
    go.disabled = change.same;
  } catch (fault) {
    fill(box, el('p', { class: 'error' }, fault.message));
  }
  if (!go.disabled) go.focus();
}

// ---- preview of an undo or redo: the confirmation is bound to it

function planView(kind, file) {
  if (kind === 'undo' || !file.done) {
    return el('ul', { class: 'plain' }, fileView(file, /* isOpen= */ true));
  }
  return [el('p', {}, path(file.path, file.shown, file.lookalikes), ' ',
    file.lines_added !== undefined && tally(file.lines_added, file.lines_removed)),
  diffView(file)];
}

async function lookPlan(kind, operation, box, go) {
  go.disabled = true;
  fill(box, el('p', { class: 'note' }, 'Computing the preview …'));
  try {
    const plan = await get(`/api/history/${encodeURIComponent(operation.id)}/${kind}`);
    operation.digest = plan.digest;
    fill(box, plan.files.map((file) => planView(kind, file)));
    go.disabled = false;
    go.focus();
  } catch (fault) {
    fill(box, el('p', { class: 'error' }, fault.message));
  }
}

const LOOKS = {
  restore: look,
  undo: (...all) => lookPlan('undo', ...all),
  redo: (...all) => lookPlan('redo', ...all),
};

// A file that will be deleted is named first.
function removal(kind, operation) {
  const goes = kind === 'undo' ? 'create' : kind === 'redo' ? 'delete' : '';
  return operation.kind === goes && el('p', { class: 'does' }, 'This removes the file ',
    path(operation.path, operation.shown, operation.lookalikes),
  kind === 'undo' ? '. You can redo it.' : '. You can undo that.');
}

// ---- the dialog

// The file has changed since the preview; conflicts are handled before.
const isOld = (fault) => fault.status === 409 && !fault.data?.conflicts?.length;

// Resolves when the dialog is closed: true if something was changed.
export function takeBack(kind, operation) {
  const dialog = byId('sure');
  const action = ACTIONS[kind];
  let done = false;

  async function ask(conflicts) {
    for (const one of dialog.querySelectorAll('button')) one.disabled = true;
    try {
      await send(kind, operation, conflicts);
      done = true;
      dialog.close();
      toast(`${action.done}: ${operation.shown ?? operation.path}`);
    } catch (fault) {
      const list = fault.data?.conflicts;
      if (fault.status === 409 && list?.length) {
        conflicted(dialog, kind, operation, list, ask);
      } else if (isOld(fault)) {
        toast('The file has changed since this preview, and nothing was done: check the new preview', true);
        draw();
      } else {
        dialog.close();
        toast(fault.message, true);
      }
    }
  }

  function draw() {
    const preview = el('div', { class: 'conflicts', tabindex: '0',
      role: 'region', 'aria-label': 'What changes' });
    const go = button(action.go, () => ask('abort'), { class: 'primary' });
    fill(dialog, el('h2', { id: 'sure-title' }, action.title), about(operation),
      removal(kind, operation) || el('p', {}, action.words), preview,
      el('div', { class: 'buttons' },
        button('Cancel', () => dialog.close()), go));
    LOOKS[kind](operation, preview, go);
  }

  draw();
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => resolve(done), { once: true });
  });
}

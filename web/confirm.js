// confirm.js - a dialog that asks for confirmation.
import { button, byId, el, fill } from './dom.js';

// Resolves to true if the person confirms.
export function sure(title, body, words) {
  const dialog = byId('sure');
  let yes = false;
  const back = button('Cancel', () => dialog.close());
  const go = button(words, () => {
    yes = true;
    dialog.close();
  }, { class: 'primary', 'data-agree': '' });
  fill(dialog, el('h2', { id: 'sure-title' }, title), body,
    el('div', { class: 'buttons' }, back, go));
  dialog.showModal();
  back.focus();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => resolve(yes), { once: true });
  });
}

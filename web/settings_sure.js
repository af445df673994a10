// settings_sure.js - one more question before something that cannot be undone.
import { button, byId, el, fill } from './dom.js';

// Resolves to whether the person goes on.
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

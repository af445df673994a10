// settings_places.js - the roots and the hooks, and where each comes from.
import { byId, code, el, fill } from './dom.js';
import { onSettings } from './settings_now.js';

const WHEN = { before_edit: 'before a change', after_edit: 'after a change' };

const line = (what, from) => el('li', { class: 'entry' },
  el('p', { class: 'files' }, what), el('p', { class: 'note origin' }, from));

function draw(now) {
  const roots = now.roots ?? [];
  const hooks = now.hooks ?? [];
  fill(byId('roots-list'), roots.length
    ? el('ul', { class: 'plain' }, roots.map((root) => line(code(root.path), root.origin)))
    : el('p', { class: 'note' }, 'No directory is served: start stet with one, ',
      code('stet serve --http 127.0.0.1:7717 DIR'), '.'));
  fill(byId('hooks-list'), hooks.length
    ? el('ul', { class: 'plain' }, hooks.map((hook) => line(
      [code(hook.command), ` ${WHEN[hook.when]}`,
        hook.match && [' of ', code(hook.match)]], hook.origin)))
    : el('p', { class: 'note' }, 'No command runs before or after a change. Hooks are set '
      + 'on the command line or in the settings file, and take effect after a restart.'));
}

export const refresh = async () => {};

export function part() {
  return el('section', { id: 'places', 'aria-labelledby': 'h-roots' },
    el('h2', { id: 'h-roots', tabindex: '-1' }, 'Roots'),
    el('p', { class: 'note' }, 'Agents can access files beneath these directories, and nothing '
      + 'else.'),
    el('div', { id: 'roots-list' }),
    el('h2', { id: 'h-hooks' }, 'Hooks'),
    el('div', { id: 'hooks-list' }));
}

export function start() { onSettings(draw); }

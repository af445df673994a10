// client.js - the words for a client: the name of its token first, as the
// person gave it, and what the client calls itself second. The server makes
// them (src/store/client_name.c); here the trusted part is set in bold.
import { el, name } from './dom.js';

export const words = (one) => one.who || one.client || 'an unnamed client';

// In a list: the token's name, the rest as a tooltip. Without a token there is
// only what the client calls itself.
export function brief(one) {
  const all = words(one);
  const first = one.token ?? '';
  if (!first || !all.startsWith(first)) return name(all);
  return el('span', { class: 'client', title: all }, el('b', {}, name(first)));
}

export function client(one) {
  const all = words(one);
  const first = one.token ?? '';
  if (!first || !all.startsWith(first)) return name(all);
  return el('span', { class: 'client' }, el('b', {}, name(first)),
    name(all.slice(first.length)));
}

// client.js - the label of a client: the name of its token first, as the
// person gave it, and its declared name second. The server makes the label
// (src/store/client_name.c); here the trusted part is set in bold.
import { el, name } from './dom.js';

// Characters that look like the dot between the parts: src/store/client_name.c
// has the same list.
const DOTS = /[\u00b7\u0387\u1427\u16eb\u2022\u2027\u2219\u22c5\u2e31\u2e33\u30fb\u318d\ua78f\uff65\u{10101}]/gu;

// A declared name within a sentence.
const declared = (text) => text.replace(DOTS, (char) => (char === '\u00b7' ? '.'
  : `\\u{${char.codePointAt(0).toString(16)}}`));

// A short name of a client, for use in a sentence.
export const called = (one) => one.token || declared(one.client ?? '') || 'The client';

export const words = (one) => one.who || one.client || 'an unnamed client';

// In a list: the token's name, the rest as a tooltip. Without a token only the
// declared name.
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

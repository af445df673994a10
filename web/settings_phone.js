// settings_phone.js - sign-in on another device: a QR code with a one-time link.
// Only where another device can reach this server.
import { button, byId, code, el, fill, svg } from './dom.js';
import { post } from './server.js';
import { qr } from './qr.js';
import { onSettings } from './settings_now.js';

const QUIET = 4; // quiet zone around the code, in modules
let base = '';

const isHere = (host) => /^(localhost|.*\.localhost|127\..*|\[::1\])$/.test(host);
// Behind a proxy this page has a host name that other devices may use as well.
const baseOf = (now) => (isHere(location.hostname) ? now.phone : location.origin);

function picture(text) {
  const cells = qr(text);
  if (!cells) return el('p', { class: 'note' }, 'The link is too long for a code.');
  const size = cells.length + 2 * QUIET;
  const path = cells.flatMap((row, y) => row.map((dark, x) => (dark
    ? `M${x + QUIET} ${y + QUIET}h1v1h-1z` : ''))).join('');
  return svg('svg', { class: 'qr', viewBox: `0 0 ${size} ${size}`, role: 'img',
    'aria-label': 'QR code of the link', 'shape-rendering': 'crispEdges' },
  svg('rect', { width: size, height: size, fill: '#fff' }),
  svg('path', { d: path, fill: '#000' }));
}

async function show() {
  const box = byId('phone-code');
  try {
    const { key } = await post('/api/link', {});
    const link = `${base}/#key=${key}`;
    fill(box, picture(link),
      el('p', { class: 'note' }, 'It signs in one device, once, within five minutes. '
        + 'Anybody who scans the code is signed in: show it to nobody else.'),
      base.startsWith('http:') && el('p', { class: 'beware' }, 'The connection is not '
        + 'encrypted: anybody on the network can read it and sign in. Put a TLS proxy in '
        + 'front of stet on any network that you share.'),
      el('pre', { translate: 'no', dir: 'ltr', class: 'link-text' }, link),
      button('Hide it', () => {
        fill(box);
        byId('phone-show').focus();
      }));
  } catch (fault) {
    fill(box, el('p', { class: 'error', role: 'alert' }, fault.message));
  }
}

function draw(now) {
  if (baseOf(now) === base && byId('phone-body').children.length) return;
  base = baseOf(now);
  fill(byId('phone-body'), base
    ? [el('p', {}, 'Scan a code to open this page on another device, at ', code(base), '.'),
      button('Show a code', show, { id: 'phone-show' }),
      el('div', { id: 'phone-code' })]
    : [el('p', {}, 'A phone cannot reach this server: it listens on this machine only.'),
      el('p', { class: 'note' }, 'To change that, start it at an address of your network, '
        + 'or behind a proxy with TLS under a name of its own:'),
      el('pre', { translate: 'no', dir: 'ltr', class: 'link-text' },
        'stet serve --http 192.168.1.20:7717 DIR\n'
        + 'stet serve --http 127.0.0.1:7717 --allow-host files.example DIR')]);
}

export const refresh = async () => {};

export function part() {
  return el('section', { id: 'phone', 'aria-labelledby': 'h-phone' },
    el('h2', { id: 'h-phone', tabindex: '-1' }, 'On your phone'),
    el('div', { id: 'phone-body' }));
}

// The link is a secret, too.
export const leave = () => byId('phone-code')?.replaceChildren();

export function start() { onSettings(draw); }

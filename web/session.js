// session.js - the session of this tab: a bearer token that the server gave in
// exchange for the key of a one-time link.
//
// The session secret is sent only with requests of the page. A cookie would also
// be sent to every other port of this machine.
const STORED = 'stet.session';
const CHANNEL = 'stet.session';

function stored() {
  try {
    return sessionStorage.getItem(STORED) ?? '';
  } catch {
    return ''; // storage is disabled: the session lasts until the next reload
  }
}

let session = '';

function keep(value) {
  session = value;
  try {
    if (value) sessionStorage.setItem(STORED, value);
    else sessionStorage.removeItem(STORED);
  } catch { /* see stored() */ }
}

export const signedIn = () => session !== '';
export const credentials = () => (session ? { Authorization: `Bearer ${session}` } : {});
export const forget = () => keep('');

// ---- signing in

const keyOf = (hash) => /^#key=([\w-]+)$/.exec(hash)?.[1];
export const hasKey = () => keyOf(location.hash) !== undefined;

// Exchange a key in the URL for a session, which works once. The key is removed
// from the URL and from the browser's history.
export async function signIn() {
  session = stored();
  const key = keyOf(location.hash);
  if (!key) return;
  history.replaceState(null, '', location.pathname);
  const response = await fetch('/api/signin', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ key }),
  });
  const body = await response.json();
  if (!response.ok) throw new Error(body.error?.message);
  keep(body.session);
  channel()?.postMessage(session);
}

// ---- other tabs: a tab that is signed out takes the session of a new one.
// Only pages of the same origin, port included, are on the channel.

let shared;
function channel() {
  if (typeof BroadcastChannel === 'undefined') return undefined;
  shared ??= new BroadcastChannel(CHANNEL);
  return shared;
}

export function onSession(then) {
  channel()?.addEventListener('message', ({ data }) => {
    if (signedIn() || typeof data !== 'string') return;
    keep(data);
    then();
  });
}

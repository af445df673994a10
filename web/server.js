// server.js - requests to the server's API, and its event stream.
import { byId, fill } from './dom.js';
import { credentials, forget, onSession } from './session.js';

export class Fault extends Error {
  constructor(status, error) {
    super(error?.message ?? `The server answered ${status}`);
    this.status = status;
    this.code = error?.code;
    this.data = error?.data ?? {};
  }
}

export const bus = new EventTarget();

function tell(name, detail) {
  bus.dispatchEvent(new CustomEvent(name, { detail }));
}
export function on(name, then) {
  bus.addEventListener(name, (event) => then(event.detail));
}

// The server was restarted: it knows neither the session nor the host name of
// this page.
function isOver(path, status_) {
  return status_ === 401 || (status_ === 403 && path === '/api/status');
}

async function ask(path, options) {
  let response;
  try {
    response = await fetch(path, { cache: 'no-store', ...options,
      headers: { ...credentials(), ...options?.headers } });
  } catch {
    lost();
    throw new Fault(0, { message: 'The server cannot be reached' });
  }
  const body = await response.json().catch(() => ({}));
  if (response.ok) return body;
  if (isOver(path, response.status)) signedOut();
  throw new Fault(response.status, body.error);
}

export function get(path, query) {
  const words = new URLSearchParams();
  for (const [key, value] of Object.entries(query ?? {})) {
    if (value !== undefined && value !== '') words.set(key, value);
  }
  const text = words.toString();
  return ask(text ? `${path}?${text}` : path);
}

export async function post(path, body) {
  return ask(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
}

export async function status() {
  const now = await get('/api/status');
  tell('status', now);
  return now;
}

// ---- the event stream, which reconnects

const NAMES = ['approval', 'approval_gone', 'approval_waits', 'call', 'operation', 'client', 'grants',
  'settings', 'unused'];
const FIRST_WAIT = 1000;
const LONGEST_WAIT = 30000;
let stream; // AbortController of the open stream
let wait = FIRST_WAIT;
let timer;
let again;
let state = 'connecting';
let ended = false;

function show(next, words) {
  state = next;
  byId('link').dataset.state = next;
  fill(byId('link-word'), words);
}

function banner(words) {
  byId('banner').hidden = !words;
  const text = byId('banner-text');
  if (text.textContent !== words) fill(text, words);
}

export function connect() {
  clearInterval(timer);
  if (ended) return;
  stream?.abort();
  const mine = new AbortController();
  stream = mine;
  listen(mine.signal).catch(() => {}).then(() => {
    if (!mine.signal.aborted) lost();
  });
}

// Not an EventSource: that cannot send the session.
async function listen(signal) {
  const response = await fetch('/api/live',
    { cache: 'no-store', headers: credentials(), signal });
  if (response.status === 401) signedOut();
  if (!response.ok) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const events = (rest + value).split('\n\n');
    rest = events.pop();
    events.forEach(hear);
  }
}

// Lines of "name: value"; a comment has no name.
function hear(event) {
  const fields = Object.fromEntries(event.split('\n').map((line) => {
    const colon = line.indexOf(': ');
    return [line.slice(0, colon), line.slice(colon + 2)];
  }));
  if (NAMES.includes(fields.event)) tell(fields.event, JSON.parse(fields.data));
  else if (fields.event === 'hello') greeted();
}

function greeted() {
  wait = FIRST_WAIT;
  show('live', 'live');
  banner('');
  tell('refetch');
}

function lost() {
  stream?.abort();
  if (ended || (state === 'lost' && again > Date.now())) return;
  show('lost', 'not connected');
  again = Date.now() + wait * (0.8 + 0.4 * Math.random());
  wait = Math.min(wait * 2, LONGEST_WAIT);
  clearInterval(timer);
  timer = setInterval(() => {
    const left = Math.ceil((again - Date.now()) / 1000);
    if (left <= 0) retry();
    else byId('banner').dataset.left = `next try in ${left} s`;
  }, 250);
  banner('The connection to stet is lost. What you see may be old, and agents '
    + 'that ask are not shown here until it is back.');
}

// Requests the status first, to distinguish an unreachable server from one that
// does not accept this session any more.
async function retry() {
  clearInterval(timer);
  again = 0;
  byId('banner').dataset.left = 'trying';
  try {
    await status();
  } catch (fault) {
    if (fault.status) lost();
    return;
  }
  ended = false;
  connect();
}

function signedOut() {
  ended = true;
  forget();
  stream?.abort();
  clearInterval(timer);
  show('lost', 'signed out');
  delete byId('banner').dataset.left;
  banner("You are signed out. Run 'stet open' in a terminal to come back in.");
}

export function watch() {
  byId('banner-retry').addEventListener('click', retry);
  onSession(retry);
  addEventListener('online', () => { if (state === 'lost') retry(); });
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) return;
    if (state === 'lost') retry();
    else if (state === 'live') tell('refetch');
  });
}

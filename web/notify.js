// notify.js - desktop notifications and a sound for questions that arrive while the
// page is hidden; both off until the person turns them on.
//
// Permission is requested by a click only. A notification has the client and the
// path, never the content of a file.
import { button, byId, el, fill, fromRoot, remember, remembered, spelled } from './dom.js';
import { words } from './client.js';
import { on } from './server.js';

const TONE_HZ = 660;
const TONE_S = 0.18;
const LOUD = 0.12;
const open = new Map(); // id of the question → its notification
let audio;

const known = () => 'Notification' in globalThis && isSecureContext;
const granted = () => known() && Notification.permission === 'granted';
const wanted = () => remembered('notify', 'off') === 'on' && granted();
const loud = () => remembered('sound', 'off') === 'on';

// ---- the sound

function tone() {
  try {
    audio ??= new AudioContext();
    audio.resume().catch(() => {});
    const gain = audio.createGain();
    const voice = audio.createOscillator();
    const from = audio.currentTime;
    voice.frequency.value = TONE_HZ;
    gain.gain.setValueAtTime(0, from);
    gain.gain.linearRampToValueAtTime(LOUD, from + 0.02);
    gain.gain.linearRampToValueAtTime(0, from + TONE_S);
    voice.connect(gain).connect(audio.destination);
    voice.start(from);
    voice.stop(from + TONE_S);
  } catch { /* no sound on this machine */ }
}

// ---- the notification

function goTo(id) {
  globalThis.focus();
  location.hash = 'approvals';
  // The hashchange event, which comes first, changes the view.
  setTimeout(() => {
    const slip = [...byId('approvals-list').children].find((one) => one.dataset.key === id);
    (slip ?? byId('h-approvals')).focus();
    slip?.scrollIntoView({ block: 'start' });
  }, 0);
}

function notify(approval) {
  const who = spelled(words(approval));
  try {
    const one = new Notification(`${who} asks`, {
      body: spelled(fromRoot(approval.path ?? '')), tag: approval.id,
    });
    one.onclick = () => {
      one.close();
      goTo(approval.id);
    };
    open.set(approval.id, one);
  } catch { /* a browser that shows them from a service worker alone */ }
}

const isLookedAt = () => !document.hidden && document.hasFocus();

function came(approval) {
  if (loud()) tone();
  if (wanted() && !isLookedAt() && !open.has(approval.id)) notify(approval);
}

function gone({ id }) {
  open.get(id)?.close();
  open.delete(id);
}

// ---- turning them on

function explanation() {
  if (!known()) return 'This browser does not let this page show notifications.';
  if (Notification.permission === 'denied') {
    return 'Your browser blocks notifications of this page: allow them in its settings '
      + 'for this address.';
  }
  return 'When a question arrives while this page is not visible. They show who asks and '
    + 'for which file, never what is in it.';
}

async function turn(box) {
  if (box.checked && known() && Notification.permission === 'default') {
    await Notification.requestPermission();
  }
  remember('notify', box.checked && granted() ? 'on' : 'off');
  draw();
}

function check(id, label, onchange) {
  return el('label', { class: 'check' }, el('input', { type: 'checkbox', id, onchange }), label);
}

function draw() {
  const box = byId('notify-on');
  box.checked = wanted();
  box.disabled = !known() || Notification.permission === 'denied';
  byId('sound-on').checked = loud();
  fill(byId('notify-words'), explanation());
  const state = [wanted() && 'on', loud() && 'with sound'].filter(Boolean).join(', ') || 'off';
  fill(byId('notify-state'), `Notifications: ${state}`);
}

function panel() {
  const desktop = check('notify-on', 'On the desktop', (event) => turn(event.target));
  const sound = check('sound-on', 'A short sound', (event) => {
    remember('sound', event.target.checked ? 'on' : 'off');
    if (event.target.checked) tone();
    draw();
  });
  const node = el('details', { class: 'notify', id: 'notify' },
    el('summary', { id: 'notify-state' }),
    el('div', { class: 'notify-panel' }, desktop,
      el('p', { class: 'note', id: 'notify-words' }), sound,
      button('Close', () => { node.open = false; node.firstElementChild.focus(); },
        { class: 'quiet' })));
  return node;
}

export function start() {
  byId('approvals-tools').append(panel());
  draw();
  on('approval', came);
  on('approval_gone', gone);
}

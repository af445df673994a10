// reach.js - the scope of an answer: its description, the buttons that offer it,
// and the confirmation of one that covers a whole root.
//
// The description of files, client and exceptions is made by the server, which
// stores the grant: only times are formatted here, in the browser's time zone.
import { brief, button, byId, code, el, fill, minute, name, path, when } from './dom.js';

const TITLES = {
  file: 'This file', directory: 'This directory', session: 'This session',
  always: 'This tool, any file',
};
const HOUR = 3600e3;
const SECOND = 1000;
const midnight = () => new Date().setHours(24, 0, 0, 0);

// Durations beside the default of the offer; [value, label, ms, text].
const SPANS = [
  ['', 'until you revoke it', () => 0],
  ['hour', '1 hour', () => HOUR, 'for 1 hour'],
  ['today', 'today', () => midnight() - Date.now(), 'until midnight'],
];

export const parts = (list) => list.filter(Boolean).join(' · ');

function endOf(until) {
  const end = midnight();
  if (Math.abs(until - end) <= SECOND) return 'midnight';
  return until < end ? minute(until) : when(until);
}

// The expiry of a grant.
export function ends(grant) {
  if (!grant.until) return grant.ends;
  return grant.session
    ? `while its session lasts, until ${endOf(grant.until)} at the latest`
    : `until ${endOf(grant.until)}`;
}

// The whole scope of a grant.
export const sentence = (grant) => parts(
  [grant.files, grant.who, ends(grant), grant.except]);

// The expiry of a grant that is only offered.
function offerEnds(offer, span) {
  if (!span[3]) return offer.ends;
  return offer.answer === 'session' ? `${span[3]}, while its session lasts` : span[3];
}

// ---- the buttons

function spanChoice(id, changed) {
  return el('fieldset', { class: 'spans' },
    el('legend', {}, 'For how long'),
    SPANS.map(([value, label], i) => el('label', { class: 'check' },
      el('input', { type: 'radio', name: `span-${id}`, value, checked: i === 0,
        onchange: changed }),
      label)));
}

// The button of one wide answer, with its scope.
function offerButton(offer, panel, choose) {
  const reach = el('span', { class: 'reach' });
  const node = button([el('span', { class: 'what' }, TITLES[offer.answer]), reach],
    () => choose(offer.answer, { offer, span: panel.span() }),
    { 'data-answer': offer.answer, disabled: Boolean(offer.missing) });
  return {
    node,
    missing: Boolean(offer.missing),
    draw: () => fill(reach, offer.missing ? `Not possible: ${offer.missing}`
      : parts([offer.files, offer.who, offerEnds(offer, panel.span()), offer.except])),
  };
}

// The buttons of all wide answers. choose(answer, reach) is called for the pressed
// one; enable(false) disables them while only part of a change is chosen.
export function widePanel(approval, choose) {
  const panel = {};
  const redraw = () => offers.forEach((one) => one.draw());
  const form = spanChoice(approval.id, redraw);
  panel.span = () => SPANS.find(
    ([value]) => value === form.querySelector(':checked').value);
  const offers = approval.offers.map((offer) => offerButton(offer, panel, choose));
  redraw();
  panel.enable = (on) => {
    for (const one of offers) one.node.disabled = !on || one.missing;
  };
  panel.node = el('details', { class: 'wider' },
    el('summary', {}, 'Allow for longer…'),
    el('div', { class: 'offers', role: 'group', 'aria-label': 'Allow from now on' },
      form, offers.map((one) => one.node)));
  return panel;
}

// Members of the request for a wide answer.
export function reachBody({ offer, span }) {
  const ms = span[2]();
  return ms ? { reach: offer.reach, for_ms: ms } : { reach: offer.reach };
}

// ---- the confirmation

// Resolves to true if the person confirms. Only a grant for a whole root needs a
// confirmation.
export function agreed(approval, { offer, span }) {
  if (!offer.widest) return Promise.resolve(true);
  const dialog = byId('sure');
  let yes = false;
  const row = (title, ...words) => el('div', {}, el('dt', {}, title), el('dd', {}, words));
  const end = offerEnds(offer, span);
  const go = button(`Allow: ${parts([offer.files, offer.who, end, offer.except])}`,
    () => {
      yes = true;
      dialog.close();
    }, { class: 'primary', 'data-agree': '' });
  const back = button('Cancel', () => dialog.close());
  fill(dialog,
    el('h2', { id: 'sure-title' }, 'Allow all of this without asking?'),
    el('p', {}, 'The question is about ', path(approval.path),
      ' alone. This answer covers more:'),
    el('dl', { class: 'spelled' },
      row('May', offer.files),
      row('Who', name(offer.who)),
      approval.root && row('Where', code(approval.root)),
      offer.answer === 'session' && row('Session', code(brief(approval.session))),
      row('How long', end),
      offer.except && row('But', offer.except)),
    el('div', { class: 'buttons' }, back, go));
  dialog.showModal();
  back.focus();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => resolve(yes), { once: true });
  });
}

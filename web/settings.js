// settings.js - the view Settings: one module for each part, in this order.
import { byId } from './dom.js';
import * as grants from './grants.js';
import * as phone from './settings_phone.js';
import * as places from './settings_places.js';
import * as rules from './settings_rules.js';
import * as tokens from './settings_tokens.js';

const PARTS = [tokens, phone, grants, rules, places];

export function start() {
  for (const one of PARTS) {
    byId('settings-body').append(one.part());
    one.start();
  }
}

// Refresh values without events, such as the last use of a grant.
export function visible(is) {
  if (is) PARTS.forEach((one) => one.refresh().catch(() => {}));
  else PARTS.forEach((one) => one.leave?.());
}

// Called with the query of the URL: "#settings?grant=ID".
export function routed(words) {
  grants.routed(words);
}

export const keys = {};

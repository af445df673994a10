// settings.js - what the person has set or allowed, and may change here: one
// module for each part, drawn in this order.
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

// What is not told as it happens, such as when a grant was last used.
export function visible(is) {
  if (is) PARTS.forEach((one) => one.refresh().catch(() => {}));
  else PARTS.forEach((one) => one.leave?.());
}

export const keys = {};

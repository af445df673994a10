// settings_now.js - /api/settings, fetched once for all parts that show it.
import { get, on } from './server.js';

const readers = [];
let asked = 0; // number of the latest request: older replies are ignored

export function onSettings(then) { readers.push(then); }

export async function refresh() {
  const mine = ++asked;
  const now = await get('/api/settings');
  if (mine === asked) readers.forEach((then) => then(now));
}

export function start() {
  const again = () => refresh().catch(() => {});
  on('settings', again);
  on('refetch', again);
}

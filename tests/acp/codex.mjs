// codex.mjs - Codex with a scripted model, and the processes beneath one. For
// the tests and for bench/acp.mjs: it needs no package.
import fs from 'node:fs';
import path from 'node:path';

const cpu = process.arch === 'arm64' ? ['arm64', 'aarch64'] : ['x64', 'x86_64'];

// The program itself, in the npm package.
export const codexIn = (modules) => path.join(modules,
  `@openai/codex-linux-${cpu[0]}/vendor/${cpu[1]}-unknown-linux-musl/bin/codex`);

// What keeps it on loopback. The key is in SCRIPT_KEY.
export function configure(home, url, extra, model) {
  fs.writeFileSync(path.join(home, 'config.toml'), `
model = "${model ?? 'gpt-5.5'}"
model_provider = "script"
check_for_update_on_startup = false
${extra ?? ''}
[features]
plugins = false
apps = false
[analytics]
enabled = false
[model_providers.script]
name = "script"
base_url = "${url}"
env_key = "SCRIPT_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
`);
}

// All that were started beneath a process.
export function offspring(pid) {
  const parents = new Map();
  for (const name of fs.readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const stat = fs.readFileSync(`/proc/${name}/stat`, 'utf8');
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
    } catch { /* it has just ended */ }
  }
  const found = [];
  for (let next = [pid]; next.length;) {
    next = [...parents].filter(([, parent]) => next.includes(parent)).map(([child]) => child);
    found.push(...next);
  }
  return found;
}

// Its share of memory, in KiB; of one that lets nobody look (docs/confinement.md)
// all that it has there, which is more.
export const pss = (pid) => {
  const kib = (file, name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(fs.readFileSync(`/proc/${pid}/${file}`, 'utf8'))[1]);
  try { return kib('smaps_rollup', 'Pss'); } catch (error) {
    if (error.code !== 'EACCES') throw error;
    return kib('status', 'VmRSS');
  }
};

// What a process was started with; none when it is gone.
export const words = (pid) => {
  try { return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1); } catch { return []; }
};

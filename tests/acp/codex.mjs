// codex.mjs - Codex with a scripted model, and the child processes of one. For
// the tests and for bench/acp.mjs: it needs no package.
import fs from 'node:fs';
import path from 'node:path';

const cpu = process.arch === 'arm64' ? ['arm64', 'aarch64'] : ['x64', 'x86_64'];

// The native program in the npm package.
export const codexIn = (modules) => path.join(modules,
  `@openai/codex-linux-${cpu[0]}/vendor/${cpu[1]}-unknown-linux-musl/bin/codex`);

// Configuration that keeps Codex on loopback. The key is in SCRIPT_KEY.
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

// All descendants of a process.
export function offspring(pid) {
  const parents = new Map();
  for (const name of fs.readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const stat = fs.readFileSync(`/proc/${name}/stat`, 'utf8');
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
    } catch { /* the process has just ended */ }
  }
  const found = [];
  for (let next = [pid]; next.length;) {
    next = [...parents].filter(([, parent]) => next.includes(parent)).map(([child]) => child);
    found.push(...next);
  }
  return found;
}

// Proportional memory (PSS) in KiB; the resident memory of a process whose PSS is
// not readable (docs/confinement.md), which is more.
export const pss = (pid) => {
  const kib = (file, name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(fs.readFileSync(`/proc/${pid}/${file}`, 'utf8'))[1]);
  try { return kib('smaps_rollup', 'Pss'); } catch (error) {
    if (error.code !== 'EACCES') throw error;
    return kib('status', 'VmRSS');
  }
};

// The arguments of a process; none when it has ended.
export const words = (pid) => {
  try { return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1); } catch { return []; }
};

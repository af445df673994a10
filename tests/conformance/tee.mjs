// tee.mjs DIR COMMAND... - run a server and record the messages between it and
// its client: one line {"from":...,"text":...} per message, in a file in DIR.
import { spawn } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const [dir, command, ...args] = process.argv.slice(2);
const file = openSync(join(dir, `${process.pid}.jsonl`), 'w');
const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });

function keep(from) {
  let pieces = []; // of a line whose newline has not arrived yet
  return (data) => {
    let begin = 0;
    for (let at = data.indexOf(10); at >= 0; at = data.indexOf(10, begin)) {
      pieces.push(data.subarray(begin, at));
      const text = Buffer.concat(pieces).toString();
      writeSync(file, `${JSON.stringify({ from, text })}\n`);
      pieces = [];
      begin = at + 1;
    }
    pieces.push(data.subarray(begin));
  };
}

process.stdin.on('data', keep('client'));
process.stdin.pipe(child.stdin);
child.stdin.on('error', () => {});
child.stdout.on('data', keep('server'));
child.stdout.pipe(process.stdout);
child.on('close', (code) => {
  closeSync(file);
  process.exitCode = code ?? 1;
});

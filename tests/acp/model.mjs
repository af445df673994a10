// model.mjs - a fake model that responds according to a script.
//
// A script is a list of steps, one for each request of Codex; a step is a
// list of actions, or a function that makes one from the request:
//   { say }             a message, in pieces        { think }   a summary
//   { call, args, in }  a function call             { patch }   apply_patch
//   { status }          an HTTP error               { hang }    no more comes
//   { until }           a promise that is waited for
//   { stamps, every }   so many pieces, each the time when it was sent
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const pieces = (text) => text.match(/[^]{1,7}/g) ?? [''];

function* events(act, id) {
  const done = (item) => ({ type: 'response.output_item.done', output_index: 0, item });
  const added = (item) => ({ type: 'response.output_item.added', output_index: 0, item });

  if (act.say !== undefined) {
    yield added({ type: 'message', role: 'assistant', id, content: [] });
    for (const delta of pieces(act.say)) {
      yield { type: 'response.output_text.delta', item_id: id, output_index: 0, content_index: 0, delta };
    }
    yield done({ type: 'message', role: 'assistant', id,
      content: [{ type: 'output_text', text: act.say }] });
  } else if (act.think !== undefined) {
    yield added({ type: 'reasoning', id, summary: [] });
    yield { type: 'response.reasoning_summary_part.added', item_id: id, summary_index: 0,
      part: { type: 'summary_text', text: '' } };
    for (const delta of pieces(act.think)) {
      yield { type: 'response.reasoning_summary_text.delta', item_id: id, summary_index: 0, delta };
    }
    yield done({ type: 'reasoning', id, summary: [{ type: 'summary_text', text: act.think }],
      encrypted_content: 'eA==' });
  } else if (act.call) {
    yield done({ type: 'function_call', id, call_id: act.id ?? `call_${id}`, name: act.call,
      ...(act.in ? { namespace: act.in } : {}), arguments: JSON.stringify(act.args ?? {}) });
  } else if (act.patch) {
    yield done({ type: 'custom_tool_call', id, call_id: act.id ?? `call_${id}`,
      name: 'apply_patch', input: act.patch });
  }
}

// A message like that of { say }, whose text is performance.now().
async function sendStamps(act, id, send) {
  const item = { type: 'message', role: 'assistant', id };
  let text = '';
  send({ type: 'response.output_item.added', output_index: 0, item: { ...item, content: [] } });
  for (let i = 0; i < act.stamps; i++) {
    await sleep(act.every);
    const delta = `${performance.now()} `;
    send({ type: 'response.output_text.delta', item_id: id, output_index: 0, content_index: 0, delta });
    text += delta;
  }
  send({ type: 'response.output_item.done', output_index: 0, item: { ...item, content: [{ type: 'output_text', text }] } });
}

async function answer(step, n, response) {
  const send = (event) =>
    response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);

  const refused = step.find((act) => act.status);
  if (refused) {
    response.writeHead(refused.status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { message: refused.message ?? 'no', code: refused.code } }));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  send({ type: 'response.created', response: { id: `r${n}` } });
  for (const [i, act] of step.entries()) {
    if (act.until) await act.until;
    if (act.hang) return;
    if (act.stamps) await sendStamps(act, `${n}_${i}`, send);
    for (const event of events(act, `${n}_${i}`)) send(event);
  }
  send({ type: 'response.completed', response: { id: `r${n}`, usage: {
    input_tokens: 100, input_tokens_details: { cached_tokens: 0 }, output_tokens: 10,
    output_tokens_details: { reasoning_tokens: 0 }, total_tokens: 110 } } });
  response.end();
}

// Start the model. The requests of Codex are in `requests`.
export async function startModel(script) {
  const requests = [];
  const server = http.createServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += piece;
    if (request.method !== 'POST' || !request.url.endsWith('/responses')) {
      response.writeHead(404).end('{}');
      return;
    }
    const n = requests.push(JSON.parse(body)) - 1;
    const step = script[n] ?? [{ say: 'The script is over.' }];
    await answer(typeof step === 'function' ? step(requests[n]) : step, n, response);
  });
  await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  return {
    requests,
    url: `http://127.0.0.1:${server.address().port}/v1`,
    // The output that Codex gave for the latest call.
    output: (request) => request.input.findLast((item) => item.type.endsWith('_output')),
    close: () => { server.close(); server.closeAllConnections(); },
  };
}

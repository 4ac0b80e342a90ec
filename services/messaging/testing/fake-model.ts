// A fake model server with OpenAI's chat completions API: streaming, tool calls, usage, and all kinds of failures.
import http from 'node:http';
import type { AddressInfo } from 'node:net';

// biome-ignore lint/suspicious/noExplicitAny: tests read any part of a request
type ModelCall = { path: string; authorization: string; body: any; text: string };

/** An answer: text, sent in the listed pieces, or tool calls. */
type ModelReply = { text?: string | string[]; calls?: { name: string; args: unknown }[]; tokens?: number };

/**
 * silent: accepts the call and sends nothing. stalls: stops sending. broken: sends invalid JSON. cut: ends in the middle. endless: never stops.
 * endless calls: always calls a tool. empty: ends without text. refuses: 401. overloaded: 503. html: responds with a web page. huge: one chunk of
 * JSON that never ends.
 */
type Failure = 'silent' | 'stalls' | 'broken' | 'cut' | 'endless' | 'endless calls' | 'empty' | 'refuses' | 'overloaded' | 'html' | 'huge';

type Turn = ModelReply | Failure | ((call: ModelCall) => ModelReply | Failure);

type FakeModel = {
  url: string;
  /** The calls since the last reset(). */
  calls: ModelCall[];
  /** Plans the next answers, one for each call. The default answer is «No lo sé.». */
  next(...turns: Turn[]): void;
  /** Sets the answer to all further calls, until reset(). */
  always(turn: Turn): void;
  reset(): void;
  /** The number of open connections. */
  open(): number;
  stop(): Promise<void>;
};

export async function startFakeModel(port = 0): Promise<FakeModel> {
  const calls: ModelCall[] = [];
  let planned: Turn[] = [];
  let usual: Turn = { text: 'No lo sé.' };
  let open = 0;
  const server = http.createServer(async (request, response) => {
    open += 1;
    response.once('close', () => {
      open -= 1;
    });
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const call = { path: request.url ?? '', authorization: request.headers.authorization ?? '', body: JSON.parse(text || '{}'), text };
    calls.push(call);
    if (!call.path.endsWith('/chat/completions')) return void response.writeHead(404).end();
    const turn = planned.shift() ?? usual;
    answer(response, typeof turn === 'function' ? turn(call) : turn);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    calls,
    next: (...turns) => planned.push(...turns),
    always(turn) {
      usual = turn;
    },
    reset() {
      calls.length = 0;
      planned = [];
      usual = { text: 'No lo sé.' };
    },
    open: () => open,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const chunk = (delta: object, finish: string | null = null) => ({
  id: 'chatcmpl-test',
  object: 'chat.completion.chunk',
  created: 1_760_000_000,
  model: 'test',
  choices: [{ index: 0, delta, finish_reason: finish }],
});
const failure = (message: string) => JSON.stringify({ error: { message, type: 'test', code: null } });

function answer(response: http.ServerResponse, turn: ModelReply | Failure): void {
  if (turn === 'refuses') return void response.writeHead(401, { 'content-type': 'application/json' }).end(failure('Incorrect API key'));
  if (turn === 'overloaded') return void response.writeHead(503, { 'content-type': 'application/json' }).end(failure('Overloaded'));
  if (turn === 'html') return void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Sign in to the network</html>');
  if (turn === 'silent') return;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (data: unknown) => response.write(`data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`);
  const done = (finish: string, tokens: number) => {
    send(chunk({}, finish));
    send({ ...chunk({}), choices: [], usage: { prompt_tokens: tokens - 10, completion_tokens: 10, total_tokens: tokens } });
    send('[DONE]');
    response.end();
  };
  send(chunk({ role: 'assistant', content: '' }));
  if (turn === 'huge') {
    const part = Buffer.alloc(1024 * 1024, 'x');
    const fill = () => {
      while (!response.destroyed && response.write(part));
    };
    response.write('data: {"choices": [{"delta": {"content": "');
    response.on('drain', fill);
    return void fill();
  }
  if (turn === 'stalls') return void send(chunk({ content: 'Un momento' }));
  if (turn === 'empty') return void done('stop', 20);
  if (turn === 'broken') {
    send(chunk({ content: 'Hoy' }));
    send('{"choices": [{"delta": {"content": "hay');
    return void response.end();
  }
  if (turn === 'cut') {
    send(chunk({ content: 'Hoy hay' }));
    return void response.end();
  }
  if (turn === 'endless') {
    const more = setInterval(() => send(chunk({ content: 'bla '.repeat(400) })), 1);
    return void response.once('close', () => clearInterval(more));
  }
  const reply: ModelReply = turn === 'endless calls' ? { calls: [{ name: 'waitlist', args: {} }] } : (turn as ModelReply);
  for (const text of typeof reply.text === 'string' ? [reply.text] : (reply.text ?? [])) send(chunk({ content: text }));
  (reply.calls ?? []).forEach(({ name, args }, index) => {
    const written = typeof args === 'string' ? args : JSON.stringify(args);
    send(chunk({ tool_calls: [{ index, id: `call_${asId()}`, type: 'function', function: { name, arguments: '' } }] }));
    // In two pieces, as models send them.
    for (const piece of [written.slice(0, 3), written.slice(3)]) send(chunk({ tool_calls: [{ index, function: { arguments: piece } }] }));
  });
  done(reply.calls?.length ? 'tool_calls' : 'stop', reply.tokens ?? 100);
}

let ids = 0;
const asId = () => ++ids;

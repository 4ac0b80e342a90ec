// A model's server of a test's own, which speaks OpenAI's chat completions over HTTP: streaming, tool calls, usage, and moods.
import http from 'node:http';
import type { AddressInfo } from 'node:net';

// biome-ignore lint/suspicious/noExplicitAny: requests are what the tests look at
export type Asked = { path: string; authorization: string; body: any; text: string };

/** What it says: text, in pieces as they are listed, or calls of tools. */
export type Said = { text?: string | string[]; calls?: { name: string; args: unknown }[]; tokens?: number };

/** silent: takes the call and says nothing. stalls: begins and falls silent. broken: sends what is no JSON. cut: ends in the middle.
 * endless: never stops. empty: says nothing and ends. refuses, overloaded: 401, 503. */
export type Mood = 'silent' | 'stalls' | 'broken' | 'cut' | 'endless' | 'endless calls' | 'empty' | 'refuses' | 'overloaded' | 'html';

type Turn = Said | Mood | ((asked: Asked) => Said | Mood);

export type FakeModel = {
  url: string;
  asked: Asked[];
  /** The next answers, one each; without one it says that it knows nothing. */
  next(...turns: Turn[]): void;
  /** For every call from now on, until forget(). */
  always(turn: Turn): void;
  forget(): void;
  /** Connections that are open now. */
  open(): number;
  stop(): Promise<void>;
};

export async function startFakeModel(port = 0): Promise<FakeModel> {
  const asked: Asked[] = [];
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
    asked.push(call);
    if (!call.path.endsWith('/chat/completions')) return void response.writeHead(404).end();
    const turn = planned.shift() ?? usual;
    answer(response, typeof turn === 'function' ? turn(call) : turn);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    next: (...turns) => planned.push(...turns),
    always(turn) {
      usual = turn;
    },
    forget() {
      asked.length = 0;
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

function answer(response: http.ServerResponse, turn: Said | Mood): void {
  if (turn === 'refuses') return void response.writeHead(401, { 'content-type': 'application/json' }).end(failure('Incorrect API key'));
  if (turn === 'overloaded') return void response.writeHead(503, { 'content-type': 'application/json' }).end(failure('Overloaded'));
  if (turn === 'html') return void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Sign in to the network</html>');
  if (turn === 'silent') return;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const tell = (data: unknown) => response.write(`data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`);
  const done = (finish: string, tokens: number) => {
    tell(chunk({}, finish));
    tell({ ...chunk({}), choices: [], usage: { prompt_tokens: tokens - 10, completion_tokens: 10, total_tokens: tokens } });
    tell('[DONE]');
    response.end();
  };
  tell(chunk({ role: 'assistant', content: '' }));
  if (turn === 'stalls') return void tell(chunk({ content: 'Un momento' }));
  if (turn === 'empty') return void done('stop', 20);
  if (turn === 'broken') {
    tell(chunk({ content: 'Hoy' }));
    tell('{"choices": [{"delta": {"content": "hay');
    return void response.end();
  }
  if (turn === 'cut') {
    tell(chunk({ content: 'Hoy hay' }));
    return void response.end();
  }
  if (turn === 'endless') {
    const more = setInterval(() => tell(chunk({ content: 'bla '.repeat(400) })), 1);
    return void response.once('close', () => clearInterval(more));
  }
  const said: Said = turn === 'endless calls' ? { calls: [{ name: 'waitlist', args: {} }] } : (turn as Said);
  for (const text of typeof said.text === 'string' ? [said.text] : (said.text ?? [])) tell(chunk({ content: text }));
  (said.calls ?? []).forEach(({ name, args }, index) => {
    const written = typeof args === 'string' ? args : JSON.stringify(args);
    tell(chunk({ tool_calls: [{ index, id: `call_${asId()}`, type: 'function', function: { name, arguments: '' } }] }));
    // In two pieces, as models do.
    for (const piece of [written.slice(0, 3), written.slice(3)]) tell(chunk({ tool_calls: [{ index, function: { arguments: piece } }] }));
  });
  done(said.calls?.length ? 'tool_calls' : 'stop', said.tokens ?? 100);
}

let ids = 0;
const asId = () => ++ids;

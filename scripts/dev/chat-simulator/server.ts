// The simulated chat provider: the Graph API for the product, a page with a patient's phone, and control calls for tests.
import { readFileSync } from 'node:fs';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { serveOnLoopback } from '../../loopback.ts';
import { answerGraph, refuse } from './graph.ts';
import { createState, type State } from './state.ts';
import { createWebhooks, newId, type Webhooks } from './webhooks.ts';

const PAGE = new URL('./phone.html', import.meta.url);
/** One grey pixel. */
const PICTURE = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==', 'base64');

export function startSimulator({ port, webhookUrl, secret }: { port: number; webhookUrl: string; secret: string }) {
  const state = createState();
  const webhooks = createWebhooks({ url: webhookUrl, secret });
  const server = http.createServer((request, response) => {
    handle(state, webhooks, request, response).catch((error: Error) => send(response, 400, { error: error.message }));
  });
  return serveOnLoopback(server, port);
}

async function handle(state: State, webhooks: Webhooks, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams, origin } = new URL(request.url ?? '/', `http://${request.headers.host}`);
  const method = request.method ?? 'GET';
  if (pathname === '/') return void response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(readFileSync(PAGE));
  const sent = await text(request);
  const body = sent ? JSON.parse(sent) : undefined;
  const parts = pathname.split('/').filter(Boolean);
  if (parts[0] === 'simulator') return send(response, 200, await control(state, webhooks, method, parts[1] ?? '', searchParams, body));
  if (/^v\d+\.\d+$/.test(parts[0] ?? '')) parts.shift();
  if (parts[0] === 'picture') return void response.writeHead(200, { 'content-type': 'image/png' }).end(PICTURE);
  if (parts[0]?.startsWith('media-')) return send(response, 200, { url: `${origin}/picture`, mime_type: 'image/png', file_size: PICTURE.length, id: parts[0] });

  state.note({ at: new Date().toISOString(), method, path: pathname, body });
  const fault = state.takeFault(pathname);
  if (fault?.delayMs) await sleep(fault.delayMs);
  const refusal = fault?.status ? refuse(fault.status, fault.code ?? 0, fault.message ?? 'Simulated fault') : undefined;
  const token = (request.headers.authorization ?? '').replace(/^Bearer /, '');
  const answer = refusal ?? answerGraph(state, webhooks, { method, parts, token, body }, fault);
  if (fault?.drop) return void request.socket.destroy();
  send(response, answer.status, answer.body);
}

// biome-ignore lint/suspicious/noExplicitAny: what a test or the page sends
async function control(state: State, webhooks: Webhooks, method: string, what: string, query: URLSearchParams, body: any): Promise<unknown> {
  switch (`${method} ${what}`) {
    case 'GET numbers':
      return [...state.numbers.values()].map(({ id, phone, verified }) => ({ id, phone, verified }));
    case 'GET seen':
      return state.seen;
    case 'DELETE seen':
      state.forget();
      return { forgotten: true };
    case 'POST faults':
      state.addFault(body);
      return { added: true };
    case 'GET thread': {
      const [numberId, phone] = [query.get('number') ?? '', query.get('phone') ?? ''];
      if (query.get('read')) readAll(state, webhooks, numberId, phone);
      return state.thread(numberId, phone);
    }
    case 'POST say':
      return say(state, webhooks, body);
    default:
      throw new Error('There are GET numbers, seen and thread, POST say and faults, DELETE seen');
  }
}

function readAll(state: State, webhooks: Webhooks, numberId: string, phone: string): void {
  for (const line of state.thread(numberId, phone)) {
    if (line.from !== 'clinic' || line.status !== 'delivered') continue;
    line.status = 'read';
    void webhooks.status(state.number(numberId), phone, { id: line.id, status: 'read', biz_opaque_callback_data: line.body.biz_opaque_callback_data });
  }
}

type Said = {
  /** The clinic's number by the provider's id, and the patient's phone in digits. */
  number: string;
  phone: string;
  name?: string;
  /** Id of the message; the same id again simulates a repeated delivery. */
  id?: string;
  text?: string;
  choice?: { kind?: 'button_reply' | 'list_reply'; id: string; title: string };
  button?: { payload: string; text: string };
  image?: { caption?: string };
};

/** A message of a patient: a text, a choice of a button or list row, the button of a template, or a picture. */
async function say(state: State, webhooks: Webhooks, said: Said): Promise<unknown> {
  const { number, phone, name = 'Paciente de prueba', id = newId() } = said;
  if (!/^\d{5,15}$/.test(phone) || !number) throw new Error('number and phone (digits) are needed');
  const message = messageOf(said, id);
  state.addLine(number, phone, { id, from: 'patient', at: new Date().toISOString(), body: message });
  await webhooks.message(state.number(number), phone, name, { id, ...message });
  return { id };
}

function messageOf({ text = '', choice, button, image }: Said, id: string): Record<string, unknown> {
  if (choice) {
    const { kind = 'button_reply', ...chosen } = choice;
    return { type: 'interactive', interactive: { type: kind, [kind]: chosen } };
  }
  if (button) return { type: 'button', button };
  if (image) return { type: 'image', image: { id: `media-${id}`, mime_type: 'image/png', caption: image.caption } };
  return { type: 'text', text: { body: text } };
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

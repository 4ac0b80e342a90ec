// The simulated tax authority over HTTP: paths and responses like those of the real one, and control calls below /simulator.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { serveOnLoopback } from '../../loopback.ts';
import { type Body, openBooks, refuse, type Verdict } from './books.ts';
import { openJournal } from './journal.ts';

/**
 * `slow` responds after `slowMs`, `lost` executes the call and closes the connection, `down` responds with 503, `refuses` rejects
 * every document, `locked` refuses every sign-in. The remaining mood closes the connection immediately.
 */
// plain-words: away is a value of the simulator's interface
export const MOODS = ['answers', 'slow', 'away', 'lost', 'down', 'refuses', 'locked'] as const;
export type Mood = (typeof MOODS)[number];

export type Simulator = Awaited<ReturnType<typeof startSimulator>>;

export type Options = {
  /** 0 for a free one. */
  port: number;
  /** The folder of the journal; without it, entries are stored in memory only. */
  folder?: string | undefined;
  mood?: Mood;
  /** Delay of responses in the mood `slow`. */
  slowMs?: number;
};

const PAGE = new URL('./page.html', import.meta.url);

export function startSimulator({ port, folder, mood = 'answers', slowMs = 10_000 }: Options) {
  const books = openBooks(openJournal(folder));
  const state = { mood, lasts: Number.POSITIVE_INFINITY, after: 'answers' as Mood, slowMs };
  const tokens = new Set<string>();
  const calls: Record<string, number> = {};

  async function answer(path: string, body: Body, token: string): Promise<{ status: number; body: object | string }> {
    if (path === '/seguridad/auth') return logIn(body);
    if (path === '/firmardocumento/') return { status: 200, body: await books.sign(body) };
    if (path === '/firmardocumento/status') return { status: 200, body: 'Application is running...!!' };
    if (!tokens.has(token)) return { status: 401, body: { status: 'UNAUTHORIZED' } };
    switch (path) {
      case '/fesv/recepciondte': {
        const refused = refuse('099', 'RECHAZADO POR SIMULACION', ['[resumen.totalPagar] simulado']);
        return judged(state.mood === 'refuses' ? refused : await books.receive(body), { version: 2, ambiente: body.ambiente });
      }
      case '/fesv/recepcion/consultadte/': {
        const known = books.query(body);
        return known ? { status: 200, body: known } : { status: 404, body: { estado: 'NO ENCONTRADO', descripcionMsg: 'no existe' } };
      }
      case '/fesv/anulardte':
        return judged(await books.invalidate(body));
      case '/fesv/contingencia':
        return judged(await books.announce(body));
      default:
        return { status: 404, body: { status: 'NOT FOUND' } };
    }
  }

  function logIn({ user, pwd }: Body) {
    if (state.mood === 'locked' || !user || !pwd)
      return { status: 401, body: { status: 'ERROR', body: { codigo: '106', mensaje: 'credenciales no validas' } } };
    const token = `Bearer ${randomUUID()}`;
    tokens.add(token);
    return { status: 200, body: { status: 'OK', body: { user, token, rol: { codigo: 'ROLE_USER' }, roles: ['ROLE_USER'], tokenType: 'Bearer' } } };
  }

  /** Control calls: mood, certificates, documents. */
  function control(method: string, path: string, body: Body): object | undefined {
    if (path === '/simulator/certificates') return { xml: books.certificate(String(body.nit), String(body.password)) };
    if (path === '/simulator/tokens' && method === 'DELETE') tokens.clear();
    else if (path !== '/simulator') return undefined;
    if (method === 'POST' && MOODS.some((mood) => mood === body.mood)) Object.assign(state, { lasts: Number.POSITIVE_INFINITY, after: 'answers' }, body);
    const known = { documents: [...books.documents.values()], events: books.events.size, certificates: [...books.holders.keys()] };
    return { ...state, moods: MOODS, calls, ...known, tokens: tokens.size };
  }

  const server = http.createServer(async (request, response) => {
    const path = new URL(request.url ?? '/', 'http://simulator').pathname;
    if (path === '/') return void response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(readFileSync(PAGE));
    const send = (status: number, body: object | string) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const body = await read(request);
    const controlled = path.startsWith('/simulator') && control(request.method ?? '', path, body);
    if (controlled) return void send(200, controlled);
    calls[path] = (calls[path] ?? 0) + 1;
    const mood = state.lasts > 0 ? state.mood : state.after;
    state.lasts -= 1;
    if (mood === 'away') return void request.socket.destroy(); // plain-words: away is a value of the simulator's interface
    if (mood === 'down') return void send(503, { status: 'UNAVAILABLE' });
    if (mood === 'slow') await sleep(state.slowMs);
    const answered = await answer(path, body, request.headers.authorization ?? '');
    // The mood `lost` affects only calls that change something.
    if (mood === 'lost' && path.startsWith('/fesv/') && !path.includes('consulta')) return void request.socket.destroy();
    send(answered.status, answered.body);
  });
  // Longer than clients reuse a connection; otherwise they sometimes use one that is just being closed.
  server.keepAliveTimeout = 60_000;
  return serveOnLoopback(server, port);
}

const judged = (verdict: Verdict, head: object = {}) => ({ status: verdict.estado === 'RECHAZADO' ? 400 : 200, body: { ...head, ...verdict } });

async function read(request: http.IncomingMessage): Promise<Body> {
  const content = await text(request);
  // curl sends JSON with the content type of a form, too.
  const isForm = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded') && !content.startsWith('{');
  if (isForm) return Object.fromEntries(new URLSearchParams(content));
  try {
    return JSON.parse(content || '{}') as Body;
  } catch {
    return {};
  }
}

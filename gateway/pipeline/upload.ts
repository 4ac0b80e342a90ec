// Files on their way in: from the client's socket to a service piece by piece, as fast as the service takes them and never
// more than one piece in memory.
import type { Readable } from 'node:stream';
import type { DescMethodUnary, Message } from '@bufbuild/protobuf';
import { fail, invalid, ServiceError } from '@clinic/lib/errors/errors.ts';
import type { Caller } from '@clinic/lib/rpc/caller.ts';
import type { Transport } from '@connectrpc/connect';
import busboy from 'busboy';
import type { Request } from 'express';
import type { Route, Upload } from '../http/route.ts';
import { call } from '../http/rpc.ts';
import { compileInput, mediaType } from './input.ts';

/** Larger ones would live until the next great sweep of the memory. */
const PIECE_BYTES = 64 * 1024;
const FORM = 'multipart/form-data';
/** What a form may add to its file. */
const FORM_BYTES = 64 * 1024;

/** What to call for each request: sends the file on and returns the reply to the row's RPC. What is no file of this kind leaves no trace. */
export function compileUpload(route: Route, end: DescMethodUnary, { type, maxBytes, begin, append }: Upload, transport: Transport) {
  const readInput = compileInput(route);
  return async (request: Request, caller: Caller): Promise<Message> => {
    const send = (rpc: DescMethodUnary, input: object) => call(transport, rpc, input as never, caller);
    const init = await readInput(request);
    if (Number(request.headers['content-length']) > maxBytes + FORM_BYTES) fail('PAYLOAD_TOO_LARGE');
    let id: string | undefined;
    let chunks = 0;
    try {
      for await (const content of pieces(fileOf(request, type), maxBytes)) {
        id ??= ((await send(begin, init)) as unknown as { id: string }).id;
        await send(append, { id, seq: chunks++, content });
      }
    } finally {
      request.unpipe().resume(); // what nobody reads any more is thrown away, so that the client hears the answer
    }
    return send(end, { id: id ?? invalid('body', 'must not be empty'), chunks });
  };
}

function fileOf(request: Request, type: string): AsyncIterable<Buffer> {
  const given = mediaType(request.headers['content-type']);
  if ((given !== type && given !== FORM) || (request.headers['content-encoding'] ?? 'identity') !== 'identity')
    fail('UNSUPPORTED_MEDIA_TYPE', `Send Content-Type: ${type} or ${FORM}`);
  return given === FORM ? fileOfForm(request) : request.iterator({ destroyOnReturn: false });
}

/** The first file of a form; fields and other files are ignored. */
async function* fileOfForm(request: Request): AsyncGenerator<Buffer> {
  const form = parserOf(request);
  const file = await new Promise<Readable | undefined>((resolve, reject) => {
    form.once('file', (_name, stream) => resolve(stream));
    form.on('file', (_name, stream) => void stream.on('error', () => {}));
    form.once('close', () => resolve(undefined));
    form.once('error', () => reject(brokenForm()));
    request.once('aborted', () => form.destroy(brokenForm()));
    request.pipe(form);
  });
  if (!file) return;
  try {
    yield* file.iterator({ destroyOnReturn: false });
  } catch {
    throw brokenForm();
  }
}

function parserOf(request: Request): busboy.Busboy {
  try {
    return busboy({ headers: request.headers, limits: { files: 1, fields: 20, fieldSize: 1_024, parts: 21 } });
  } catch {
    throw brokenForm();
  }
}

const brokenForm = () => new ServiceError('VALIDATION_ERROR', 'body: is no complete form', [{ path: 'body', message: 'is no complete form' }]);

/** The same bytes in pieces of one size. */
async function* pieces(source: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let size = 0;
  let total = 0;
  for await (const bytes of source) {
    total += bytes.length;
    if (total > maxBytes) fail('PAYLOAD_TOO_LARGE');
    held.push(bytes);
    size += bytes.length;
    if (size < PIECE_BYTES) continue;
    let rest = Buffer.concat(held);
    for (; rest.length >= PIECE_BYTES; rest = rest.subarray(PIECE_BYTES)) yield rest.subarray(0, PIECE_BYTES);
    held = [Buffer.from(rest)];
    size = rest.length;
  }
  if (size > 0) yield Buffer.concat(held);
}

// Uploads: passes a file from the client's socket to a service chunk by chunk, as fast as the service accepts it, with only one chunk in memory.
import type { Readable } from 'node:stream';
import type { DescMethodUnary, Message } from '@bufbuild/protobuf';
import { type Detail, fail, invalid, ServiceError, throwIfInvalid } from '@clinic/lib/errors/errors.ts';
import type { Caller } from '@clinic/lib/rpc/caller.ts';
import type { Transport } from '@connectrpc/connect';
import busboy from 'busboy';
import type { Request, Response } from 'express';
import { skipRest } from '../http/body.ts';
import { acceptFile } from '../http/body-time.ts';
import type { Route, Upload } from '../http/route.ts';
import { call } from '../http/rpc.ts';
import { WAITING_MS } from '../http/times.ts';
import { reportUnknown } from '../http/unknown-fields.ts';
import { createLanes } from '../limits/lanes.ts';
import type { Operating } from '../limits/operating-state.ts';
import { compileInput, mediaType } from './input.ts';

/** Larger buffers would remain in memory until the next full garbage collection. */
const CHUNK_BYTES = 64 * 1024;
/** A number of chunks that the RPC of a row refuses, and then deletes the upload. */
const DISCARD = 0;
const FORM = 'multipart/form-data';
/** The maximum size of a form without its file. */
const MAX_FORM_BYTES = 64 * 1024;
/** Fewer than the requests that a clinic may have at the same time, so that slow uploads do not make its other requests wait. Per process. */
const OF_CLINIC = { concurrent: 10, waiting: 100, maxWaitMs: WAITING_MS };

const enterUploads = createLanes();

type UploadOptions = { operating: Pick<Operating, 'checkChange'>; completeMs: number };

/**
 * Returns a function that uploads the file of a request and returns the reply of the row's RPC. Chunks are sent while the file arrives; if the
 * file is refused later or breaks off, the upload is discarded; if the clinic has become read-only meanwhile, it is not completed.
 */
export function compileUpload(route: Route, complete: DescMethodUnary, upload: Upload, transport: Transport, { operating, completeMs }: UploadOptions) {
  const { type, maxBytes, begin, append, nameField } = upload;
  const parseInput = compileInput(route);
  return async (request: Request, response: Response, caller: Caller, idempotencyKey?: string): Promise<Message> => {
    const send = (rpc: DescMethodUnary, input: object, options = {}) => call(transport, rpc, input as never, caller, options);
    const init = await parseInput(request, response);
    if (Number(request.headers['content-length']) > maxBytes + MAX_FORM_BYTES) fail('PAYLOAD_TOO_LARGE');
    const onName = (name: string) => nameField && Object.assign(init, { [nameField]: name });
    let id: string | undefined;
    let chunks = 0;
    const leave = await enterUploads(caller.clinic?.id ?? '', OF_CLINIC);
    try {
      acceptFile(request);
      for await (const content of rechunk(fileOf(route, type, request, response, onName), maxBytes)) {
        id ??= ((await send(begin, init)) as unknown as { id: string }).id;
        await send(append, { id, seq: chunks++, content });
      }
    } catch (error) {
      // Without the RPC, for example while the service is unavailable, a job of the service deletes the upload later.
      if (id !== undefined) await send(complete, { id, chunks: DISCARD }, { timeoutMs: completeMs }).catch(() => {});
      throw error;
    } finally {
      leave();
      request.unpipe();
      skipRest(request);
    }
    operating.checkChange(caller.clinic?.id);
    return send(complete, { id: id ?? invalid('body', 'must not be empty'), chunks }, { idempotencyKey, timeoutMs: completeMs });
  };
}

type OnName = (name: string) => void;

function fileOf(route: Route, type: string, request: Request, response: Response, onName: OnName): AsyncIterable<Buffer> {
  const sent = mediaType(request.headers['content-type']);
  if ((sent !== type && sent !== FORM) || (request.headers['content-encoding'] ?? 'identity') !== 'identity')
    fail('UNSUPPORTED_MEDIA_TYPE', `Send Content-Type: ${[...new Set([type, FORM])].join(' or ')}`);
  return sent === FORM ? fileOfForm(route, request, response, onName) : request.iterator({ destroyOnReturn: false });
}

/** The only file of a form. After the whole form was read, throws if it has a second file or a parameter that belongs in the query. */
async function* fileOfForm(route: Route, request: Request, response: Response, onName: OnName): AsyncGenerator<Buffer> {
  if (request.destroyed) throw incompleteForm(); // its events were emitted while the request waited
  const form = parserOf(request);
  const fields: string[] = [];
  let isSecond = false;
  form
    .on('field', (name) => fields.push(name))
    .once('filesLimit', () => {
      isSecond = true;
    });
  const closed = new Promise<undefined>((resolve, reject) => {
    form.once('close', () => resolve(undefined)).once('error', () => reject(incompleteForm()));
    request.once('aborted', () => form.destroy(incompleteForm()));
  });
  closed.catch(() => {}); // when the file is refused, nothing waits for the end of the form
  const opened = new Promise<Readable>((resolve) => {
    form.once('file', (_name, stream, { filename }) => {
      onName((filename ?? '').toWellFormed());
      resolve(stream.on('error', () => {}));
    });
  });
  request.pipe(form);
  const file = await Promise.race([opened, closed]);
  try {
    if (file) yield* file.iterator({ destroyOnReturn: false });
    await closed;
  } catch {
    throw incompleteForm();
  }
  if (isSecond) invalid('body', 'must have one file');
  const misplaced = fields.find((name) => Object.hasOwn(route.request.query?.shape ?? {}, name));
  if (misplaced !== undefined) invalid(misplaced, 'must be sent as a query parameter');
  const details: Detail[] = [];
  const unknown = fields.map((path) => ({ path, known: [] }));
  reportUnknown(unknown, route, request, response, details);
  throwIfInvalid(details[0]);
}

function parserOf(request: Request): busboy.Busboy {
  try {
    return busboy({ headers: request.headers, defParamCharset: 'utf8', limits: { files: 1, fields: 20, fieldSize: 1_024, parts: 21 } });
  } catch {
    throw incompleteForm();
  }
}

const incompleteForm = () => new ServiceError('VALIDATION_ERROR', 'body: must be a complete form', [{ path: 'body', message: 'must be a complete form' }]);

/** Yields the bytes of `source` in chunks of CHUNK_BYTES. Throws PAYLOAD_TOO_LARGE beyond `maxBytes`. */
async function* rechunk(source: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let size = 0;
  let total = 0;
  for await (const bytes of source) {
    total += bytes.length;
    if (total > maxBytes) fail('PAYLOAD_TOO_LARGE');
    held.push(bytes);
    size += bytes.length;
    if (size < CHUNK_BYTES) continue;
    let rest = Buffer.concat(held);
    for (; rest.length >= CHUNK_BYTES; rest = rest.subarray(CHUNK_BYTES)) yield rest.subarray(0, CHUNK_BYTES);
    held = [Buffer.from(rest)];
    size = rest.length;
  }
  if (size > 0) yield Buffer.concat(held);
}

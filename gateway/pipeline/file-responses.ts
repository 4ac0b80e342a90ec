// Files that are too large for memory, sent chunk by chunk as fast as the client reads them.
import { once } from 'node:events';
import type { DescMethodUnary } from '@bufbuild/protobuf';
import { fail } from '@clinic/lib/errors/errors.ts';
import type { Caller } from '@clinic/lib/rpc/caller.ts';
import type { Log } from '@clinic/lib/telemetry/log.ts';
import type { FileChunk } from '@clinic/proto/common/v1/file_pb.js';
import type { Transport } from '@connectrpc/connect';
import type { Request, Response } from 'express';
import { requestIdOf } from '../http/request-log.ts';
import { call } from '../http/rpc.ts';
import { contentDisposition, type Send, setHeaders, startFile } from '../http/send.ts';
import type { OpenStream } from './open-stream.ts';

/** Sends the file of an RPC that streams FileChunk. The first message contains the head of the file. */
export function sendFileStream({ first, rest, abort }: OpenStream, log: Log): Send {
  const { head, content } = (first.value ?? {}) as Partial<FileChunk>;
  if (!head) fail('INTERNAL', 'the first message of a file stream has no head');
  return (request, response, status, headers) => {
    response.once('close', () => abort.abort());
    if (head.filename) response.setHeader('Content-Security-Policy', "default-src 'none'; sandbox");
    if (startFile(request, response, head, headers)) return;
    if (head.size > 0n) response.setHeader('Content-Length', Number(head.size));
    response.writeHead(status);
    sendChunks(request, response, chunks(), log);
  };

  async function* chunks() {
    if (content) yield content;
    for await (const message of rest) yield (message as FileChunk).content;
  }
}

type Page = { content: Uint8Array; nextCursor: string };

/** Opens the CSV file of an RPC that returns pages of `content`. Waits for the first page, so that an error there is sent as an error response. */
export async function openPagedFile(transport: Transport, rpc: DescMethodUnary, input: object, caller: Caller, filename: string, log: Log): Promise<Send> {
  const getPage = async (cursor: string) => (await call(transport, rpc, { ...input, cursor } as never, caller)) as unknown as Page;
  const first = await getPage('');
  return (request, response, status, headers) => {
    setHeaders(response, headers);
    response.writeHead(status, { 'Content-Type': 'text/csv; charset=utf-8', 'Content-Disposition': contentDisposition(filename) });
    sendChunks(request, response, contents(), log);
  };

  async function* contents() {
    for (let page: Page | undefined = first; page; ) {
      const next: Promise<Page> | undefined = page.nextCursor ? getPage(page.nextCursor) : undefined; // requested while this page is being sent
      next?.catch(() => {}); // handled when it is awaited
      yield page.content;
      page = await next;
    }
  }
}

/** Sends the body. On an error it destroys the connection, so that the client does not mistake a part of the file for the whole. */
function sendChunks(request: Request, response: Response, chunks: AsyncGenerator<Uint8Array>, log: Log): void {
  if (request.method === 'HEAD') return void response.end();
  const disconnected = new AbortController();
  response.once('close', () => disconnected.abort());
  const send = async () => {
    for await (const chunk of chunks) {
      if (disconnected.signal.aborted) return;
      if (!response.write(chunk)) await once(response, 'drain', { signal: disconnected.signal });
    }
    response.end();
  };
  send().catch((error: unknown) => {
    if (!response.destroyed) log.error({ err: error, requestId: requestIdOf(response) }, 'sending a file failed before its end; the connection was closed');
    response.destroy();
  });
}

// Files that nobody wants in memory on their way out: a piece after another, as fast as the client takes them. Who leaves ends
// the work behind them.
import { once } from 'node:events';
import type { DescMethodServerStreaming } from '@bufbuild/protobuf';
import { fail } from '@clinic/lib/errors/errors.ts';
import type { Caller } from '@clinic/lib/rpc/caller.ts';
import type { Log } from '@clinic/lib/telemetry/log.ts';
import type { FileChunk, FileHead } from '@clinic/proto/common/v1/file_pb.js';
import type { Transport } from '@connectrpc/connect';
import type { Response } from 'express';
import { requestIdOf } from '../http/request-log.ts';
import { callStream } from '../http/rpc.ts';
import { type Send, startFile } from '../http/send.ts';

type Opened = { head: FileHead; first: Uint8Array; rest: AsyncGenerator<FileChunk>; left: AbortController };

/** Asks for the first piece, so that whatever forbids the file is still an answer of its own. */
export async function openFile(transport: Transport, rpc: DescMethodServerStreaming, input: object, caller: Caller): Promise<Opened> {
  const left = new AbortController();
  const rest = callStream(transport, rpc, input as never, caller, left.signal) as unknown as AsyncGenerator<FileChunk>;
  const { value } = (await rest.next()) as { value: FileChunk | undefined };
  return { head: value?.head ?? fail('INTERNAL', 'a file without a head'), first: value?.content ?? new Uint8Array(), rest, left };
}

export function showFile({ head, first, rest, left }: Opened, log: Log): Send {
  return (request, response, status, headers = {}) => {
    response.once('close', () => left.abort());
    if (startFile(request, response, head, headers)) return;
    if (head.size > 0n) response.setHeader('Content-Length', Number(head.size));
    response.writeHead(status);
    if (request.method === 'HEAD') return void response.end();
    send(response, first, rest, left.signal).catch((error: unknown) => {
      if (!response.destroyed) log.error({ err: error, requestId: requestIdOf(response) }, 'a file breaks off');
      response.destroy(); // half a file must not look like a whole one
    });
  };
}

async function send(response: Response, first: Uint8Array, rest: AsyncGenerator<FileChunk>, signal: AbortSignal): Promise<void> {
  response.write(first);
  for await (const { content } of rest) if (!response.write(content)) await once(response, 'drain', { signal });
  response.end();
}

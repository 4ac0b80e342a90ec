// Files on their way out: a page after another, as fast as the client takes them, never more than two pages in memory.
import { once } from 'node:events';
import type { DescMethodUnary } from '@bufbuild/protobuf';
import type { Caller } from '@clinic/lib/rpc/caller.ts';
import type { Log } from '@clinic/lib/telemetry/log.ts';
import type { Transport } from '@connectrpc/connect';
import type { Response } from 'express';
import { requestIdOf } from '../http/request-log.ts';
import { call } from '../http/rpc.ts';
import { contentDisposition, type Send } from '../http/send.ts';

type Page = { content: Uint8Array; nextCursor: string };
type Pages = { first: Page; next: (cursor: string) => Promise<Page> };

/** Asks for the first page, so that whatever forbids the file is still an answer of its own. */
export async function openPages(transport: Transport, rpc: DescMethodUnary, input: object, caller: Caller): Promise<Pages> {
  const next = async (cursor: string) => (await call(transport, rpc, { ...input, cursor } as never, caller)) as unknown as Page;
  return { first: await next(''), next };
}

export function showPages({ type, filename }: { type: string; filename: string }, pages: Pages, log: Log): Send {
  return (request, response, status, headers = {}) => {
    for (const name in headers) response.setHeader(name, headers[name] as string);
    response.writeHead(status, { 'Content-Type': type, 'Content-Disposition': contentDisposition(filename) });
    if (request.method === 'HEAD') return void response.end();
    send(response, pages).catch((error: unknown) => {
      if (!response.destroyed) log.error({ err: error, requestId: requestIdOf(response) }, 'a file breaks off');
      response.destroy(); // half a file must not look like a whole one
    });
  };
}

async function send(response: Response, { first, next }: Pages): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  for (let page: Page | undefined = first; page; ) {
    // The next page is read while this one is on its way.
    const following: Promise<Page> | undefined = page.nextCursor ? next(page.nextCursor) : undefined;
    following?.catch(() => {});
    if (!response.write(page.content)) await once(response, 'drain', { signal: gone.signal });
    if (gone.signal.aborted) return;
    page = await following;
  }
  response.end();
}

// Ends requests whose body takes too long to arrive. Node's own limit is the same for all requests of a server, but files may take longer.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Times } from './times.ts';

export const hasBody = ({ headers }: IncomingMessage): boolean => headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

const starts = new WeakMap<IncomingMessage, () => void>();

/** Calls `refuse` when the body has not arrived after `bodyMs`, or after `fileMs` if acceptFile() was called. */
export function limitBodyTime(request: IncomingMessage, response: ServerResponse, { bodyMs, fileMs }: Times, refuse: () => void): void {
  if (!hasBody(request)) return;
  const end = () => request.complete || refuse();
  let timer = setTimeout(end, bodyMs);
  starts.set(request, () => {
    clearTimeout(timer);
    timer = setTimeout(end, fileMs);
  });
  response.once('close', () => {
    clearTimeout(timer);
    starts.delete(request);
  });
}

/** The request may take as long as a file from now on. Called when its client was allowed to upload one. */
export const acceptFile = (request: IncomingMessage): void => starts.get(request)?.();

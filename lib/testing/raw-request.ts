// Sends requests that fetch would refuse or change.
import { once } from 'node:events';
import http, { type IncomingMessage, type RequestOptions } from 'node:http';
import { text } from 'node:stream/consumers';

type Options = Pick<RequestOptions, 'path' | 'method' | 'agent'> & { headers: Record<string, string> };

/** Sends the `path` of the options, or that of the URL, and the headers as they are. A request of any method may have a body. */
export async function rawRequest(url: string, { headers, ...options }: Options, body: string | Uint8Array = ''): Promise<{ status: number; text: string }> {
  const request = http.request(url, { ...options, headers: { ...headers, 'content-length': Buffer.byteLength(body) } });
  const [response] = (await once(request.end(body), 'response')) as [IncomingMessage];
  return { status: response.statusCode ?? 0, text: await text(response) };
}

// The part of autocannon that the load generator uses; the package brings no types.
declare module 'autocannon' {
  import type { EventEmitter } from 'node:events';

  export type RequestParts = { method?: string; path?: string; headers?: Record<string, string>; body?: string };
  type Options = {
    url: string;
    connections: number;
    duration: number;
    timeout?: number;
    headers?: Record<string, string>;
    requests?: { setupRequest: (request: RequestParts) => RequestParts }[];
  };
  /** Emits `response` (client, status, bytes, milliseconds), `reqError` (error) and `done` (result). */
  export default function autocannon(options: Options, done: () => void): EventEmitter;
  export default function autocannon(options: Options): Promise<{ '2xx': number; non2xx: number; errors: number }>;
}

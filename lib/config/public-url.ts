// PUBLIC_URL: where clients reach the gateway. Links in mails, messages and responses begin with it.
import { z } from 'zod';
import { isLoopback } from '../formats/loopback.ts';
import type { Log } from '../telemetry/log.ts';

/** Without a slash at the end. */
export const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' }).transform((url) => url.replace(/\/+$/, ''));

/** For services, whose links are always absolute. */
export const publicUrlSettings = { PUBLIC_URL: httpUrl.default('http://localhost:8080') };

/** Logs a warning when the links of a production system work on this machine only. */
export function checkPublicUrl({ NODE_ENV, PUBLIC_URL }: { NODE_ENV: string; PUBLIC_URL?: string | undefined }, log: Pick<Log, 'warn'>): void {
  if (NODE_ENV !== 'production' || (PUBLIC_URL !== undefined && !isLoopback(new URL(PUBLIC_URL).hostname))) return;
  log.warn({}, 'PUBLIC_URL is not set to a public address: links in mails, messages and responses work on this machine only (docs/running.md)');
}

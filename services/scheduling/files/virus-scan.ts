// Checks contents with ClamAV's daemon, by its command INSTREAM (clamd(8)). A content that could not be checked is refused.
import { once } from 'node:events';
import { connect } from 'node:net';
import { fail } from '@clinic/lib/errors/errors.ts';
import type { App } from '../app.ts';

type VirusScan = {
  add(content: Buffer): Promise<void>;
  /** Throws MALWARE_FOUND, or UNAVAILABLE when the daemon has not checked the whole content. */
  finish(): Promise<void>;
  /** Must always be called at the end. */
  close(): void;
};

const SILENT_MS = 30_000;

/** Checks nothing when no address is configured. */
export function startVirusScan({ virusScanner, log }: Pick<App, 'virusScanner' | 'log'>): VirusScan {
  if (!virusScanner) return { add: async () => {}, finish: async () => {}, close() {} };
  const socket = connect(virusScanner);
  let reply = '';
  const ended = new Promise<void>((resolve, reject) => {
    socket
      .setTimeout(SILENT_MS, () => socket.destroy(new Error(`no answer for ${SILENT_MS} ms`)))
      .on('data', (data) => {
        reply += data.toString('latin1');
      })
      .on('end', resolve)
      .on('error', reject);
  });
  ended.catch(() => {}); // reported by those who wait for it
  const unchecked = (error: unknown): never => {
    log.error({ err: error }, 'the virus scanner of CLAMAV_ADDRESS could not check a file, which is refused');
    return fail('UNAVAILABLE', 'The file could not be checked for viruses: retry later');
  };
  const write = async (data: Buffer) => {
    if (!socket.write(data)) await Promise.race([once(socket, 'drain'), ended]).catch(unchecked);
  };
  socket.write('zINSTREAM\0');
  return {
    async add(content) {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(content.length);
      await write(Buffer.concat([length, content]));
    },
    async finish() {
      await write(Buffer.alloc(4));
      await ended.catch(unchecked);
      const verdict = reply.replace(/\0$/, '');
      if (verdict === 'stream: OK') return;
      const found = /^stream: (.+) FOUND$/.exec(verdict)?.[1];
      if (found) fail('MALWARE_FOUND', `The file contains malware: ${found}`);
      unchecked(new Error(`clamd answered ${JSON.stringify(verdict.slice(0, 200))}`));
    },
    close: () => void socket.destroy(),
  };
}

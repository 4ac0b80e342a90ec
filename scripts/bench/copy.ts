// COPY FROM STDIN over a plain pg connection: a hundred times faster than inserts.
import { once } from 'node:events';
import type pg from 'pg';

/** What the connection offers beyond its published types. */
type CopyConnection = {
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(reason: string): void;
  stream: NodeJS.WritableStream & { writableNeedDrain: boolean };
};

const CHUNK_BYTES = 64 * 1024;

/** Copies lines of tab-separated values. */
export async function copyIn(client: pg.ClientBase, target: string, lines: Iterable<string>): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let failure: Error | undefined;
  // pg calls these by name; it has no documented type for them.
  const submittable = {
    submit: (connection: CopyConnection) => connection.query(`copy ${target} from stdin`),
    handleCopyInResponse: (connection: CopyConnection) => void send(connection, lines).catch((error: Error) => connection.sendCopyFail(error.message)),
    handleCommandComplete() {},
    handleError(error: Error) {
      failure = error;
      reject(error);
    },
    handleReadyForQuery: () => (failure ? reject(failure) : resolve()),
  };
  client.query(submittable as unknown as pg.Submittable);
  return promise;
}

async function send(connection: CopyConnection, lines: Iterable<string>): Promise<void> {
  let chunk = '';
  for (const line of lines) {
    chunk += `${line}\n`;
    if (chunk.length < CHUNK_BYTES) continue;
    connection.sendCopyFromChunk(Buffer.from(chunk));
    chunk = '';
    if (connection.stream.writableNeedDrain) await once(connection.stream, 'drain');
  }
  connection.sendCopyFromChunk(Buffer.from(chunk));
  connection.endCopyFrom();
}

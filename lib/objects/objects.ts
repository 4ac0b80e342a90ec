// Stores contents outside the database, each under a key such as `<clinic>/<file>`: in a folder, or in an S3-compatible store.
import path from 'node:path';
import { ServiceError } from '../errors/errors.ts';
import type { Log } from '../telemetry/log.ts';
import { folderStore } from './folder-store.ts';
import type { ObjectSettings } from './settings.ts';

export type ObjectStore = {
  /** Stores the content, of `size` bytes, durably and as a whole, or not at all. Replaces what the key had. */
  put(key: string, size: number, content: AsyncIterable<Uint8Array>): Promise<void>;
  /** Undefined when the key has none. */
  get(key: string): Promise<AsyncIterable<Uint8Array> | undefined>;
  /** Also when the key has none. */
  delete(key: string): Promise<void>;
};

/** Its functions throw UNAVAILABLE when the store fails, and log why. */
export function openObjectStore(settings: ObjectSettings, log: Log): ObjectStore {
  const store = folderStore(path.join(settings.DATA_DIR, 'files'));
  const explained = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      if (error instanceof ServiceError) throw error; // of the content
      log.error({ err: error }, 'the store of files failed');
      throw new ServiceError('UNAVAILABLE', 'Files cannot be stored or read at the moment: retry later');
    });
  return {
    put: (key, size, content) => explained(store.put(key, size, content)),
    get: (key) => explained(store.get(key)),
    delete: (key) => explained(store.delete(key)),
  };
}

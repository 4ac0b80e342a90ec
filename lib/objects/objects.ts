// Stores contents outside the database, each under a key such as `<clinic>/<file>`: in a folder, or in an S3-compatible store.
import path from 'node:path';
import { fail, ServiceError } from '../errors/errors.ts';
import type { Log } from '../telemetry/log.ts';
import { folderStore } from './folder-store.ts';
import type { ObjectStore } from './object-store.ts';
import type { ObjectSettings } from './settings.ts';

/**
 * Opens the store that the settings name. Its functions, and the contents that it returns, log a failure of the store and throw UNAVAILABLE; a
 * ServiceError of the content is thrown unchanged.
 */
export function openObjectStore(settings: ObjectSettings, log: Log): ObjectStore {
  const store = storeOf(settings);
  const failed = (error: unknown): never => {
    if (error instanceof ServiceError) throw error; // thrown by the content, not by the store
    log.error({ err: error }, 'the store of files failed');
    return fail('UNAVAILABLE', 'Files cannot be stored or read at the moment: retry later');
  };
  const use = <T>(work: (store: ObjectStore) => Promise<T>): Promise<T> => Promise.resolve(store).then(work).catch(failed);
  async function* reading(content: AsyncIterable<Uint8Array>) {
    try {
      yield* content;
    } catch (error) {
      failed(error);
    }
  }
  return {
    put: (key, size, content) => use((store) => store.put(key, size, exactly(size, content))),
    async get(key) {
      const content = await use((store) => store.get(key));
      return content && reading(content);
    },
    delete: (key) => use((store) => store.delete(key)),
  };
}

/** The content, which fails when it has fewer or more bytes than announced: a store would wait for the missing ones. */
async function* exactly(size: number, content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let left = size;
  for await (const bytes of content) {
    left -= bytes.length;
    if (left < 0) break;
    yield bytes;
  }
  if (left !== 0) throw new Error(`the content has ${left < 0 ? 'more' : 'fewer'} than ${size} bytes`);
}

function storeOf({ DATA_DIR, S3_ENDPOINT: endpoint, S3_REGION: region, ...s3 }: ObjectSettings): ObjectStore | Promise<ObjectStore> {
  if (endpoint === undefined) return folderStore(path.join(DATA_DIR, 'files'));
  const { S3_BUCKET: bucket, S3_ACCESS_KEY: accessKey, S3_SECRET_KEY: secretKey } = s3;
  if (bucket === undefined || accessKey === undefined || secretKey === undefined) throw new Error('S3_ENDPOINT is set without the settings that it requires');
  const options = { endpoint, region, bucket, accessKey, secretKey };
  return import('./s3-store.ts').then(({ s3Store }) => s3Store(options)); // its library takes 35 MB
}

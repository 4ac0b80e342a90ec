// Contents in an S3-compatible store. They are encrypted before they get here.
import { Readable } from 'node:stream';
import { DeleteObjectCommand, GetObjectCommand, NoSuchKey, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import type { ObjectStore } from './object-store.ts';

type S3Options = {
  endpoint: string;
  region: string;
  bucket: string;
  accessKey: string;
  secretKey: string;
  /** How long the store may neither accept nor send anything. Default: SILENT_MS. */
  silentMs?: number;
};

const NO_LOG = { debug() {}, info() {}, warn() {}, error() {} };
/** Less than the 10 seconds after which the caller of an RPC gives up. */
const SILENT_MS = 8_000;

export function s3Store({ endpoint, region, bucket: Bucket, accessKey, secretKey, silentMs = SILENT_MS }: S3Options): ObjectStore {
  const client = new S3Client({
    endpoint,
    region,
    forcePathStyle: true, // most compatible stores have no host name for each bucket
    credentials: { accessKeyId: accessKey, secretAccessKey: secretKey },
    // Not every compatible store supports checksums, and each encrypted chunk is authenticated anyway.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    logger: NO_LOG, // the default logger writes to the console; openObjectStore() logs every failure
    requestHandler: { socketTimeout: 0 }, // it would include the time in which the source or the reader of a content is slow
  });
  return {
    async put(Key, size, content) {
      const wait = createWait(silentMs);
      let failure: unknown;
      // The client does not notice a source that fails.
      const Body = Readable.from(sending(content, wait), { objectMode: false }).on('error', (error) => {
        failure = error;
        wait.abort(error);
      });
      wait.begin();
      try {
        await client.send(new PutObjectCommand({ Bucket, Key, ContentLength: size, Body }), { abortSignal: wait.signal });
      } catch (error) {
        throw failure ?? wait.signal.reason ?? error;
      } finally {
        wait.end();
        Body.destroy();
      }
    },
    async get(Key) {
      const wait = createWait(silentMs);
      wait.begin();
      try {
        const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }), { abortSignal: wait.signal });
        return receiving(Body as Readable, wait);
      } catch (error) {
        if (error instanceof NoSuchKey) return undefined;
        throw wait.signal.reason ?? error;
      } finally {
        wait.end();
      }
    },
    async delete(Key) {
      const wait = createWait(silentMs);
      wait.begin();
      try {
        await client.send(new DeleteObjectCommand({ Bucket, Key }), { abortSignal: wait.signal });
      } catch (error) {
        throw wait.signal.reason ?? error;
      } finally {
        wait.end();
      }
    },
  };
}

type Wait = { signal: AbortSignal; abort(reason: unknown): void; begin(): void; end(): void };

/** Aborts the signal when a wait for the store exceeds `maxMs`. */
function createWait(maxMs: number): Wait {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    begin() {
      clearTimeout(timer);
      timer = setTimeout(() => controller.abort(new Error(`the store did not respond for ${maxMs} ms`)), maxMs);
    },
    end: () => clearTimeout(timer),
  };
}

/** The content; waits while the store accepts what was yielded, and for its response after the end. */
async function* sending(content: AsyncIterable<Uint8Array>, wait: Wait): AsyncGenerator<Uint8Array> {
  wait.end();
  for await (const bytes of content) {
    wait.begin();
    yield bytes;
    wait.end();
  }
  wait.begin();
}

async function* receiving(body: Readable, wait: Wait): AsyncGenerator<Uint8Array> {
  wait.begin();
  try {
    for await (const bytes of body) {
      wait.end();
      yield bytes;
      wait.begin();
    }
  } catch (error) {
    throw wait.signal.reason ?? error;
  } finally {
    wait.end();
  }
}

// Contents in an S3-compatible store. They are encrypted before they get here.
import { Readable } from 'node:stream';
import { DeleteObjectCommand, GetObjectCommand, NoSuchKey, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import type { ObjectStore } from './object-store.ts';

export type S3Options = { endpoint: string; region: string; bucket: string; accessKey: string; secretKey: string };

const NO_LOG = { debug() {}, info() {}, warn() {}, error() {} };
const CONNECT_MS = 5_000;
const IDLE_MS = 20_000;

export function s3Store({ endpoint, region, bucket: Bucket, accessKey, secretKey }: S3Options): ObjectStore {
  const client = new S3Client({
    endpoint,
    region,
    forcePathStyle: true, // most compatible stores have no host name for each bucket
    credentials: { accessKeyId: accessKey, secretAccessKey: secretKey },
    // Not every compatible store supports checksums, and each encrypted chunk is authenticated anyway.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    logger: NO_LOG, // the default logger writes to the console; openObjectStore() logs every failure
    requestHandler: { connectionTimeout: CONNECT_MS, socketTimeout: IDLE_MS },
  });
  return {
    async put(Key, size, content) {
      const aborted = new AbortController();
      let failure: unknown;
      // The client does not notice a source that fails.
      const Body = Readable.from(content, { objectMode: false }).on('error', (error) => {
        failure = error;
        aborted.abort();
      });
      try {
        await client.send(new PutObjectCommand({ Bucket, Key, ContentLength: size, Body }), { abortSignal: aborted.signal });
      } catch (error) {
        throw failure ?? error;
      } finally {
        Body.destroy();
      }
    },
    async get(Key) {
      try {
        return (await client.send(new GetObjectCommand({ Bucket, Key }))).Body as Readable;
      } catch (error) {
        if (error instanceof NoSuchKey) return undefined;
        throw error;
      }
    },
    async delete(Key) {
      await client.send(new DeleteObjectCommand({ Bucket, Key }));
    },
  };
}

// Streams of services that do not begin.

import { PatientFileService } from '@clinic/proto/scheduling/v1/patient_file_pb.js';
import type { Transport } from '@connectrpc/connect';
import { expect, test } from '@jest/globals';
import { openStream } from './open-stream.ts';

test('a stream without a first message is unavailable after the time limit, and its call ends', async () => {
  let signal: AbortSignal | undefined;
  const transport = {
    async stream(_method: unknown, given: AbortSignal) {
      signal = given;
      return { message: { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) } };
    },
  } as unknown as Transport;
  const caller = { kind: 'anonymous', id: '', requestId: '', ip: '', role: '' } as const;
  const opening = openStream(transport, PatientFileService.method.downloadPatientFile, {}, caller, 50);
  await expect(opening).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
  expect(signal?.aborted).toBe(true);
});

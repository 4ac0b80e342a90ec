// Responses that are files.
import { REASONS, ServiceError } from '@clinic/lib/errors/errors.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { activeState, RECORD_ID, startTestGateway, type TestGateway } from '../testing/test-gateway.ts';

let gateway: TestGateway;
let authorization: string;
beforeAll(async () => {
  gateway = await startTestGateway();
  authorization = `Bearer ${await gateway.token()}`;
  gateway.replies['AccessService.resolveAccess'] = () => ({ ...activeState, features: ['dental'] });
});
afterAll(() => gateway.stop());

const content = Uint8Array.from({ length: 5_000 }, (_, index) => index % 256);
let file: object;
beforeEach(() => {
  file = { content, contentType: 'application/pdf', filename: 'presupuesto año 1.pdf', etag: 'abc' };
  gateway.replies['TreatmentPlanService.getEstimate'] = () => file;
});
const get = (headers: Record<string, string> = {}, method = 'GET') =>
  fetch(`${gateway.url}/api/dental/treatment-plans/${RECORD_ID}/estimate.pdf`, { method, headers: { authorization, ...headers } });

describe('a file', () => {
  test('is sent byte for byte with its type, name and ETag', async () => {
    const response = await get();
    expect([response.status, response.headers.get('content-type'), response.headers.get('content-length')]).toEqual([200, 'application/pdf', '5000']);
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename="presupuesto_ano_1.pdf"; filename*=UTF-8''presupuesto%20a%C3%B1o%201.pdf`);
    expect([response.headers.get('etag'), response.headers.get('cache-control')]).toEqual(['"abc"', 'private, no-cache']);
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(content);
  });

  test.each(['"abc"', 'W/"abc"', '"x", "abc"', '*'])('is not sent again to a client that has it: %s', async (known) => {
    const response = await get({ 'if-none-match': known });
    expect([response.status, response.headers.get('etag'), (await response.arrayBuffer()).byteLength]).toEqual([304, '"abc"', 0]);
  });

  test('is sent to a client that has another version', async () => {
    expect((await get({ 'if-none-match': '"abd"' })).status).toBe(200);
  });

  test('is sent whole to a client that asks for a range', async () => {
    const response = await get({ range: 'bytes=0-99' });
    expect([response.status, response.headers.get('accept-ranges'), (await response.arrayBuffer()).byteLength]).toEqual([200, 'none', 5_000]);
  });

  test('without a name is inline, and without a tag is not cached', async () => {
    file = { content, contentType: 'image/png', filename: '', etag: '' };
    const response = await get({ 'if-none-match': '*' });
    expect([response.status, response.headers.get('content-disposition'), response.headers.get('cache-control')]).toEqual([200, 'inline', 'no-store']);
    expect(response.headers.get('etag')).toBeNull();
  });

  test('that is text is compressed', async () => {
    file = { content: Buffer.from(`<svg>${' '.repeat(5_000)}</svg>`), contentType: 'image/svg+xml', filename: '', etag: 'abc' };
    const response = await get({ 'accept-encoding': 'gzip' });
    expect([response.headers.get('content-encoding'), (await response.text()).length]).toEqual(['gzip', 5_011]);
  });

  test('has no body for HEAD', async () => {
    const response = await get({}, 'HEAD');
    expect([response.status, response.headers.get('content-length'), (await response.arrayBuffer()).byteLength]).toEqual([200, '5000', 0]);
  });
});

describe('a file in chunks', () => {
  const head = { contentType: 'video/mp4', filename: '', etag: 'v1', size: 3_000n };
  const chunk = (fill: number) => new Uint8Array(1_000).fill(fill);
  let ended = 0;
  const reply = (chunks: () => Iterable<object> | AsyncIterable<object>) => {
    gateway.replies['ConversationService.getMedia'] = async function* () {
      try {
        yield* chunks();
      } finally {
        ended++;
      }
    };
  };
  const get = (headers: Record<string, string> = {}, method = 'GET') =>
    fetch(`${gateway.url}/api/conversations/+50370001234/media/${RECORD_ID}`, { method, headers: { authorization, ...headers } });

  test('is sent completely, with its type and length', async () => {
    reply(() => [{ head, content: chunk(1) }, { content: chunk(2) }, { content: chunk(3) }]);
    const response = await get();
    expect([response.status, response.headers.get('content-type'), response.headers.get('content-length')]).toEqual([200, 'video/mp4', '3000']);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(Buffer.concat([chunk(1), chunk(2), chunk(3)]));
  });

  test('that is refused leads to an error response; a failure midway breaks the connection', async () => {
    reply(() => {
      throw new ServiceError('CHAT_MEDIA_REFUSED');
    });
    const refused = await get();
    expect([refused.status, await refused.json()]).toEqual([REASONS.CHAT_MEDIA_REFUSED.http, expect.objectContaining({ code: 'CHAT_MEDIA_REFUSED' })]);
    reply(async function* () {
      yield { head: { ...head, size: 0n }, content: chunk(1) };
      throw new ServiceError('CHAT_MEDIA_REFUSED');
    });
    await expect(get().then((response) => response.arrayBuffer())).rejects.toThrow();
  });

  test('is not read further after 304, HEAD or a disconnect', async () => {
    const endless = async function* () {
      yield { head: { ...head, size: 0n }, content: chunk(1) };
      while (true) yield { content: await Promise.resolve(chunk(2)) };
    };
    for (const send of [
      async () => expect((await get({ 'if-none-match': '"v1"' })).status).toBe(304),
      async () => expect((await (await get({}, 'HEAD')).arrayBuffer()).byteLength).toBe(0),
      async () => (await get()).body?.cancel(),
    ]) {
      reply(endless);
      const before = ended;
      await send();
      await waitFor(() => ended > before);
    }
  });
});

test('of 10 concurrent exports of a clinic, 2 run, 4 wait and the others are refused', async () => {
  gateway.replies['AccessService.resolveAccess'] = () => ({ ...activeState, features: ['csv_export'] });
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let [running, most] = [0, 0];
  gateway.replies['PatientBulkService.exportPatients'] = async () => {
    most = Math.max(most, ++running);
    await released;
    running--;
    return { content: new TextEncoder().encode('x') };
  };
  const exported = () => fetch(`${gateway.url}/api/patients/export`, { headers: { authorization } });
  const refused: Response[] = [];
  const all = Array.from({ length: 10 }, async () => {
    const response = await exported();
    if (response.status !== 200) refused.push(response);
    await response.clone().text();
    return response.status;
  });
  await waitFor(() => refused.length === 4);
  for (const response of refused) {
    expect([response.status, response.headers.get('retry-after'), await response.json()]).toEqual([
      503,
      '5',
      { error: expect.any(String), code: 'UNAVAILABLE' },
    ]);
  }
  release();
  expect((await Promise.all(all)).filter((status) => status === 200)).toHaveLength(6);
  expect(most).toBe(2);
  expect((await exported()).status).toBe(200);
});

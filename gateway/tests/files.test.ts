// Files that RPCs answer with: bytes as they are, a name for the download, nothing twice.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { activeState, openDoor, RECORD_ID, type TestDoor } from './fakes.ts';

let door: TestDoor;
let authorization: string;
beforeAll(async () => {
  door = await openDoor();
  authorization = `Bearer ${await door.token()}`;
  door.answers['AccessService.resolveAccess'] = () => ({ ...activeState, features: ['dental'] });
});
afterAll(() => door.stop());

const content = Uint8Array.from({ length: 5_000 }, (_, index) => index % 256);
let file: object;
beforeEach(() => {
  file = { content, contentType: 'application/pdf', filename: 'presupuesto año 1.pdf', etag: 'abc' };
  door.answers['TreatmentPlanService.getEstimate'] = () => file;
});
const get = (headers: Record<string, string> = {}, method = 'GET') =>
  fetch(`${door.url}/api/dental/treatment-plans/${RECORD_ID}/estimate.pdf`, { method, headers: { authorization, ...headers } });

describe('a file', () => {
  test('comes byte for byte with its type, name and tag', async () => {
    const response = await get();
    expect([response.status, response.headers.get('content-type'), response.headers.get('content-length')]).toEqual([200, 'application/pdf', '5000']);
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename="presupuesto_ano_1.pdf"; filename*=UTF-8''presupuesto%20a%C3%B1o%201.pdf`);
    expect([response.headers.get('etag'), response.headers.get('cache-control')]).toEqual(['"abc"', 'private, no-cache']);
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(content);
  });

  test.each(['"abc"', 'W/"abc"', '"x", "abc"', '*'])('is not sent again to who has it: %s', async (known) => {
    const response = await get({ 'if-none-match': known });
    expect([response.status, response.headers.get('etag'), (await response.arrayBuffer()).byteLength]).toEqual([304, '"abc"', 0]);
  });

  test('is sent to who has another one', async () => {
    expect((await get({ 'if-none-match': '"abd"' })).status).toBe(200);
  });

  test('without a name is shown in place, without a tag is not kept', async () => {
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

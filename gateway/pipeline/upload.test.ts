// Uploads that take long.
import { once } from 'node:events';
import net from 'node:net';
import { systemClock } from '@clinic/lib/clock/clock.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { afterEach, expect, test } from '@jest/globals';
import { TIMES } from '../http/times.ts';
import { activeState, CLINIC_ID, RECORD_ID, startTestGateway, type TestGateway } from '../testing/test-gateway.ts';

const BYTES = 200_000;
const SHORT = { ...TIMES, bodyMs: 500, fileMs: 4_000 };

let gateway: TestGateway;
let authorization: string;
const sockets: net.Socket[] = [];

async function start(times = TIMES): Promise<void> {
  gateway = await startTestGateway({}, systemClock, times);
  authorization = `Bearer ${await gateway.token()}`;
  gateway.replies['AccessService.resolveAccess'] = () => ({ ...activeState, features: ['csv_import'] });
  gateway.replies['PatientBulkService.beginPatientImport'] = () => ({ id: RECORD_ID });
}
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await gateway.stop();
});

/** Begins a request with a body of BYTES and sends 100,000 of them. The client does not close its side of the connection. */
function begin(path: string, type: string) {
  const socket = net.connect({ port: Number(new URL(gateway.url).port), host: '127.0.0.1', allowHalfOpen: true });
  sockets.push(socket);
  const received = { text: '', closed: false, afterMs: 0, socket, send: (bytes: number) => socket.write(Buffer.alloc(bytes, 'x')) };
  const begun = performance.now();
  socket
    .on('error', () => {})
    .on('close', () => {
      received.closed = true;
    })
    .on('data', (part) => {
      received.text += part.toString();
      received.afterMs ||= performance.now() - begun;
    });
  socket.write(
    [`POST ${path} HTTP/1.1`, 'Host: x', `Authorization: ${authorization}`, `Content-Type: ${type}`, `Content-Length: ${BYTES}`, '', ''].join('\r\n'),
  );
  received.send(100_000);
  return received;
}

const finished = () => gateway.calls.filter(({ rpc }) => rpc === 'PatientBulkService.finishPatientImport');
const completed = () => finished().filter(({ request }) => (request as { chunks: number }).chunks > 0).length;
const discarded = () => finished().length - completed();

test('a file may take longer to arrive than another body; after its own limit the request ends too, even if the client goes on sending', async () => {
  await start(SHORT);
  const [body, file, endless] = [
    begin('/api/patients', 'application/json'),
    begin('/api/patients/import', 'text/csv'),
    begin('/api/patients/import', 'text/csv'),
  ];
  const dripping = setInterval(() => [body, endless].map(({ send }) => send(1)), 50);
  await waitFor(() => body.text.endsWith('}'));
  expect(body.text).toMatch(/^HTTP\/1.1 408 /);
  expect(body.text).toContain('headers may take 10 seconds, a file 5 minutes, another body 30 seconds');
  expect(file.text).toBe('');
  file.send(BYTES - 100_000);
  await waitFor(() => file.text.startsWith('HTTP/1.1 202 ') || file.text.startsWith('HTTP/1.1 200 '));
  await waitFor(() => endless.text.startsWith('HTTP/1.1 408 '));
  expect(endless.afterMs).toBeGreaterThan(SHORT.fileMs - 100);
  await waitFor(() => body.closed && endless.closed);
  clearInterval(dripping);
  await waitFor(() => discarded() === 1);
  expect(completed()).toBe(1);
});

test('an upload that the client breaks off is discarded', async () => {
  await start();
  const upload = begin('/api/patients/import', 'text/csv');
  await waitFor(() => gateway.calls.some(({ rpc }) => rpc === 'PatientBulkService.appendPatientImport'));
  upload.socket.destroy();
  await waitFor(() => discarded() === 1);
  expect(completed()).toBe(0);
});

test('an upload that began before its clinic became read-only is not completed', async () => {
  await start();
  const upload = begin('/api/patients/import', 'text/csv');
  await waitFor(() => gateway.calls.some(({ rpc }) => rpc === 'PatientBulkService.appendPatientImport'));
  let reads = 0;
  gateway.replies['AccessService.getOperatingState'] = () => {
    reads++;
    return { clinics: [{ clinicId: CLINIC_ID, readOnly: true }] };
  };
  await waitFor(() => reads > 0);
  upload.send(BYTES - 100_000);
  await waitFor(() => upload.text.endsWith('}'));
  expect(upload.text).toMatch(/^HTTP\/1.1 503 [\s\S]*"code":"READ_ONLY"/);
  expect(completed()).toBe(0);
});

test('an upload that the service does not complete in time gets 503 before its connection counts as idle', async () => {
  await start({ ...TIMES, completeMs: 300, idleMs: 1_000 });
  gateway.replies['PatientBulkService.finishPatientImport'] = () => new Promise(() => {});
  const upload = begin('/api/patients/import', 'text/csv');
  upload.send(BYTES - 100_000);
  await waitFor(() => upload.text.endsWith('}'));
  expect(upload.text).toMatch(/^HTTP\/1.1 503 [\s\S]*"code":"UNAVAILABLE"/);
  const idle = begin('/api/patients/import', 'text/csv');
  await once(idle.socket, 'end');
  expect(idle.text).toBe('');
  expect(TIMES.idleMs).toBeGreaterThan(TIMES.completeMs);
});

test('of 11 slow uploads of a clinic, the last waits until another has ended', async () => {
  await start();
  const [first] = Array.from({ length: 11 }, () => begin('/api/patients/import', 'text/csv'));
  const begun = () => gateway.calls.filter(({ rpc }) => rpc === 'PatientBulkService.beginPatientImport').length;
  await waitFor(() => begun() === 10);
  first?.send(BYTES - 100_000);
  await waitFor(() => begun() === 11);
});

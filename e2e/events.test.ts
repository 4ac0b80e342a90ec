// Operators' figures stay correct despite lost and repeated events and failures of NATS. The test has its own product and NATS, and runs in one
// topology, because events work in the same way in both.

import { rmSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { STREAM } from '@clinic/lib/events/nats.ts';
import { EVENT_ID_HEADER } from '@clinic/lib/events/published-stream.ts';
import { publicApi } from '@clinic/lib/testing/public-api.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { connect, headers } from 'nats';
import { startNats } from '../scripts/dev/embedded/nats.ts';
import { tempFolder } from '../scripts/dev/temp-folder.ts';
import { type Api, apiAt, type Body } from './api.ts';
import { addDoctor, book, booking, type Clinic, newClinic } from './clinic.ts';
import { type OwnProduct, startOwnProduct } from './own-product.ts';

const folder = tempFolder('events');

let nats: { url: string; stop(): Promise<void> };
let wire: Wire;
let product: OwnProduct;
let api: Api;
let clinic: Clinic;
let doctor: Body;
let today: string;
let clinics = 0;
let booked = 0;

const inOneProcess = publicApi().topology === 'single' ? describe : describe.skip;

inOneProcess('the figures become correct', () => {
  beforeAll(async () => {
    nats = await startNats({ dataDir: folder, open: true });
    wire = await openWire(() => Number(new URL(nats.url).port));
    product = await startOwnProduct({ NATS_URL: `nats://127.0.0.1:${wire.port}` });
    api = apiAt(product.api);
    // A time zone in which the day has just begun.
    const hour = new Date().getUTCHours();
    const timezone = hour < 2 ? 'UTC' : `Etc/GMT+${Math.min(hour - 1, 12)}`;
    clinic = await newClinic(api, { registration: { timezone } });
    clinics++;
    doctor = await addDoctor(api, clinic);
    today = new Intl.DateTimeFormat('sv-SE', { timeZone: timezone }).format(new Date());
  });

  afterAll(async () => {
    await product?.stop();
    await wire?.close();
    await nats?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Books an appointment late today, half an hour after the previous one. */
  async function bookNext(): Promise<Body> {
    const minutes = 14 * 60 + booked * 30;
    booked++;
    const startTime = `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
    return book(api, clinic, { ...booking(doctor.id, startTime, today), outsideHours: true });
  }

  const figures = async () => {
    const { totalClinics, recentSignups, apptToday } = (await api.get('/api/superadmin/stats', api.operator)).body;
    return { totalClinics, recentSignups, apptToday };
  };
  const expectCorrect = () => waitFor(async () => expect(await figures()).toEqual({ totalClinics: clinics, recentSignups: clinics, apptToday: booked }));

  test('without failures', async () => {
    await bookNext();
    await expectCorrect();
  });

  test('one event is lost by the network', async () => {
    wire.swallow('appointment-booked');
    await bookNext();
    await waitFor(() => wire.swallowed() === 1);
    await expectCorrect();
  });

  test('one event is delivered five times, and an old one after a newer one', async () => {
    const { id } = await bookNext();
    await expectCorrect();
    const event = await published((payload) => payload.appointment?.appointmentId === id);
    await api.patch(`/api/appointments/${id}/status`, { status: 'cancelled' }, clinic);
    booked--;
    await expectCorrect();
    const connection = await connect({ servers: nats.url });
    const stream = connection.jetstream();
    // Published without the message id by which the stream drops duplicates: repeatedly with the event's id, and once with a different event id, so
    // that only the revision shows that it is old.
    for (let time = 0; time < 4; time++) await stream.publish(event.subject, event.payload, { headers: event.headers });
    const otherId = headers();
    otherId.set(EVENT_ID_HEADER, '0198a3f2-7c1e-7d4b-9a53-2f6c1e8b4d70');
    await stream.publish(event.subject, event.payload, { headers: otherId });
    await connection.drain();
    const before = booked;
    await bookNext(); // is published after the repeats: when it is counted, they have been handled
    await expectCorrect();
    expect((await figures()).apptToday).toBe(before + 1);
  });

  test('NATS is unavailable while bookings and registrations continue', async () => {
    await nats.stop();
    wire.cut();
    for (let count = 0; count < 3; count++) await bookNext();
    await newClinic(api, { plan: 'trial' });
    clinics++;
    expect((await figures()).apptToday).toBe(booked - 3); // nothing is published yet, and no request was refused
    nats = await startNats({ dataDir: folder, open: true });
    await expectCorrect();
  });

  test('the store of NATS is deleted', async () => {
    await bookNext();
    await expectCorrect();
    await nats.stop();
    wire.cut();
    await bookNext();
    rmSync(path.join(folder, 'nats'), { recursive: true });
    nats = await startNats({ dataDir: folder, open: true });
    await bookNext();
    await expectCorrect();
    const connection = await connect({ servers: nats.url });
    const { state } = await (await connection.jetstreamManager()).streams.info(STREAM);
    await connection.close();
    expect(state.messages).toBeGreaterThan(booked + clinics); // rebuilt from the outboxes: changes of status and doctors too
  });
});

/** The event in the stream with the wanted payload. */
async function published(wanted: (payload: Body) => boolean) {
  const connection = await connect({ servers: nats.url });
  try {
    const manager = await connection.jetstreamManager();
    const { state } = await manager.streams.info(STREAM);
    for (let seq = state.last_seq; seq >= state.first_seq; seq--) {
      const message = await manager.streams.getMessage(STREAM, { seq });
      const id = message.header.get(EVENT_ID_HEADER);
      if (!wanted(message.json())) continue;
      const again = headers();
      again.set(EVENT_ID_HEADER, id);
      return { subject: message.subject, payload: message.data, headers: again };
    }
    throw new Error('the event is not in the stream');
  } finally {
    await connection.close();
  }
}

type Wire = { port: number; swallow(text: string): void; swallowed(): number; cut(): void; close(): Promise<void> };

/** A proxy between the product and NATS that drops a chosen message and closes its connection. */
function openWire(target: () => number): Promise<Wire> {
  const ends = new Set<net.Socket>();
  let unwanted: string | undefined;
  let losses = 0;
  const cut = () => {
    for (const end of ends) end.destroy();
  };
  const server = net.createServer((client) => {
    const remote = net.connect(target(), '127.0.0.1');
    for (const end of [client, remote]) {
      ends.add(end);
      const other = end === client ? remote : client;
      end.on('error', () => {});
      end.on('close', () => {
        ends.delete(end);
        other.destroy();
      });
    }
    client.on('data', (chunk) => {
      if (unwanted === undefined || !chunk.includes(`.${unwanted} `)) return void remote.write(chunk);
      unwanted = undefined;
      losses++;
      client.destroy();
    });
    remote.on('data', (chunk) => client.write(chunk));
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      resolve({
        port: (server.address() as net.AddressInfo).port,
        swallow(text) {
          unwanted = text;
        },
        swallowed: () => losses,
        cut,
        close() {
          cut();
          return new Promise((closed) => server.close(() => closed()));
        },
      });
    });
  });
}

// The floor of several processes: Express calls one process for the access check and then another one for the read, by grpc-js with JSON. They
// run the statements of the floor, without deadlines, tokens, row-level security or checks.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import grpc from '@grpc/grpc-js';
import express, { type Request } from 'express';
import { checkAccess, listDay, listSlots, type Named, poolOf } from './floor-reads.ts';

type Read = { clinic: string; doctor?: string; date: string };

const serialize = (value: object) => Buffer.from(JSON.stringify(value));
const deserialize = (bytes: Buffer) => JSON.parse(bytes.toString());
const unary = (path: string) => ({
  path,
  requestStream: false as const,
  responseStream: false as const,
  requestSerialize: serialize,
  requestDeserialize: deserialize,
  responseSerialize: serialize,
  responseDeserialize: deserialize,
});
const CONTRACTS = { identity: unary('/Identity/check'), scheduling: unary('/Scheduling/read') };

async function serve<Input>(name: keyof typeof CONTRACTS, work: (input: Input) => Promise<object>): Promise<void> {
  const server = new grpc.Server();
  const handler: grpc.handleUnaryCall<Input, object> = ({ request }, callback) => void work(request).then((response) => callback(null, response), callback);
  server.addService({ handler: CONTRACTS[name] }, { handler });
  server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (_error, port) => process.send?.({ port }));
}

async function connect(name: keyof typeof CONTRACTS): Promise<(input: object) => Promise<object>> {
  const [{ port }] = (await once(fork(import.meta.filename, [name]), 'message')) as [{ port: number }];
  const client = new grpc.Client(`127.0.0.1:${port}`, grpc.credentials.createInsecure());
  return (input) =>
    new Promise((resolve, reject) => {
      client.makeUnaryRequest(CONTRACTS[name].path, serialize, deserialize, input, (error, value) => (error ? reject(error) : resolve(value)));
    });
}

async function serveHttp(): Promise<void> {
  const [check, read] = await Promise.all([connect('identity'), connect('scheduling')]);
  async function answer({ headers, query, params }: Request<{ id?: string }>): Promise<object> {
    const named = headers as Named;
    await check({ 'x-clinic-id': named['x-clinic-id'], 'x-user-id': named['x-user-id'], 'x-session-id': named['x-session-id'] });
    return read({ clinic: named['x-clinic-id'], doctor: params.id, date: query.date });
  }
  const app = express().disable('x-powered-by').disable('etag');
  app.get('/api/appointments', async (request, response) => void response.json(await answer(request)));
  app.get('/api/doctors/:id/slots', async (request, response) => void response.json(await answer(request)));
  const server = app.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
}

const [role] = process.argv.slice(2);
if (role === 'identity') {
  const pool = poolOf('identity');
  await serve('identity', async (named: Named) => ({ found: (await checkAccess(pool, named)).rows[0] }));
} else if (role === 'scheduling') {
  const pool = poolOf('scheduling');
  await serve('scheduling', ({ clinic, doctor, date }: Read) => (doctor ? listSlots(pool, clinic, doctor, date) : listDay(pool, clinic, date)));
} else await serveHttp();

// Reflection lists the contracts of the server and their imports, and no others. Health has a status for each of them.
import { createRequire } from 'node:module';
import path from 'node:path';
import { fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import { StatsService } from '@clinic/proto/platform/v1/stats_pb.js';
import grpc from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { service as healthService } from 'grpc-health-check';
import { createLog } from '../telemetry/log.ts';
import { testCredentials } from '../testing/credentials.ts';
import { type GrpcServer, serveGrpc } from './grpc-server.ts';
import { implement } from './pipeline.ts';

type Health = grpc.Client & { check(request: { service: string }, done: (error: unknown, response: { status: string }) => void): void };
type Answer = { listServicesResponse?: { service: { name: string }[] }; fileDescriptorResponse?: { fileDescriptorProto: Buffer[] } };
type Reflection = grpc.Client & { serverReflectionInfo(): grpc.ClientDuplexStream<object, Answer> };
type Loaded = { grpc: { reflection: { v1: { ServerReflection: new (address: string, credentials: grpc.ChannelCredentials) => Reflection } } } };

let server: GrpcServer;
let client: Reflection;

beforeAll(async () => {
  const handlers = Object.fromEntries(StatsService.methods.map(({ localName }) => [localName, async () => ({})]));
  const implementation = implement({ log: createLog('test', 'silent'), constraints: {} }, StatsService, handlers as never);
  server = await serveGrpc([implementation], { host: '127.0.0.1', port: 0, credentials: testCredentials('platform') });
  const folder = path.dirname(createRequire(import.meta.url).resolve('@grpc/reflection/package.json'));
  const loaded: unknown = grpc.loadPackageDefinition(loadSync(path.join(folder, 'build/proto/grpc/reflection/v1/reflection.proto')));
  const { ServerReflection } = (loaded as Loaded).grpc.reflection.v1;
  client = new ServerReflection(`127.0.0.1:${server.port}`, grpc.credentials.createInsecure());
});
afterAll(async () => {
  client.close();
  await server.stop();
});

function ask(question: object): Promise<Answer> {
  const call = client.serverReflectionInfo();
  return new Promise((resolve, reject) => {
    call.once('data', resolve).once('error', reject);
    call.write(question);
  }).finally(() => call.end()) as Promise<Answer>;
}

test('lists its services', async () => {
  const { listServicesResponse } = await ask({ listServices: '' });
  expect(listServicesResponse?.service.map(({ name }) => name)).toEqual([StatsService.typeName]);
});

test('describes them with all their imports', async () => {
  const { fileDescriptorResponse } = await ask({ fileContainingSymbol: StatsService.typeName });
  const files = (fileDescriptorResponse?.fileDescriptorProto ?? []).map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes));
  const names = files.map(({ name }) => name);
  expect(names).toContain(StatsService.file.proto.name);
  for (const { dependency } of files) expect(names).toEqual(expect.arrayContaining(dependency));
});

test('a server that accepts no calls reports so for each of its services', async () => {
  const Client = grpc.makeGenericClientConstructor(healthService, 'Health');
  const health = new Client(`127.0.0.1:${server.port}`, grpc.credentials.createInsecure()) as unknown as Health;
  const statuses = () =>
    Promise.all(
      ['', StatsService.typeName].map(
        (service) => new Promise((resolve, reject) => health.check({ service }, (error, response) => (error ? reject(error) : resolve(response.status)))),
      ),
    );
  expect(await statuses()).toEqual(['SERVING', 'SERVING']);
  server.setServing(false);
  expect(await statuses()).toEqual(['NOT_SERVING', 'NOT_SERVING']);
  server.setServing(true);
  expect(await statuses()).toEqual(['SERVING', 'SERVING']);
  health.close();
});

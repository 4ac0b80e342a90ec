import { create, toBinary } from '@bufbuild/protobuf';
import { fileDesc, serviceDesc } from '@bufbuild/protobuf/codegenv2';
import { base64Encode } from '@bufbuild/protobuf/wire';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import { expect, test } from '@jest/globals';
import { createLog } from '../telemetry/log.ts';
import { type Handlers, implement } from './pipeline.ts';

test('a service with a method whose contract states no access does not start', () => {
  const file = create(FileDescriptorProtoSchema, {
    name: 'open.proto',
    package: 'open.v1',
    syntax: 'proto3',
    messageType: [{ name: 'Nothing' }],
    service: [{ name: 'OpenService', method: [{ name: 'Forgotten', inputType: '.open.v1.Nothing', outputType: '.open.v1.Nothing' }] }],
  });
  const service = serviceDesc(fileDesc(base64Encode(toBinary(FileDescriptorProtoSchema, file))), 0);
  const handlers = { forgotten: async () => ({}) } as unknown as Handlers<unknown, typeof service>;
  expect(() => implement({ log: createLog('test', 'silent'), constraints: {} }, service, handlers)).toThrow(
    'open.v1.OpenService/Forgotten does not set the option (clinic.common.v1.access)',
  );
});

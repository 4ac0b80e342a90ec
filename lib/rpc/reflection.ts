// gRPC reflection, for `grpcurl list` and `describe`: the contracts of this server and their imports. Parsing the contracts of all services
// would take a third of the time of a start.
import { create, type DescFile, toBinary } from '@bufbuild/protobuf';
import { type FileDescriptorProto, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { loadFileDescriptorSetFromBuffer } from '@grpc/proto-loader';
import { ReflectionService } from '@grpc/reflection';
import type { Implementation } from './pipeline.ts';

export function reflectionOf(implementations: Implementation[]): ReflectionService {
  const files = new Map<string, FileDescriptorProto>();
  const add = ({ proto, dependencies }: DescFile): void => {
    if (files.has(proto.name)) return;
    for (const file of dependencies) add(file);
    files.set(proto.name, proto);
  };
  for (const { service } of implementations) add(service.file);
  const set = create(FileDescriptorSetSchema, { file: [...files.values()] });
  return new ReflectionService(loadFileDescriptorSetFromBuffer(Buffer.from(toBinary(FileDescriptorSetSchema, set))));
}

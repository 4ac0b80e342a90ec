// gRPC reflection, for `grpcurl list` and `describe`: the contracts of this server and their imports. They are parsed at the first request, because
// parsing takes a fifth of the time of a start.
import { create, type DescFile, toBinary } from '@bufbuild/protobuf';
import { type FileDescriptorProto, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import type grpc from '@grpc/grpc-js';
import { loadFileDescriptorSetFromBuffer } from '@grpc/proto-loader';
import { ReflectionService } from '@grpc/reflection';
import type { Implementation } from './pipeline.ts';

type Reflection = { ServerReflectionInfo: grpc.handleBidiStreamingCall<unknown, unknown> };
type Version = { definition: grpc.ServiceDefinition; implementation: Reflection };

/** Adds both versions of the reflection service, v1 and v1alpha, to the server. */
export function addReflection(server: grpc.Server, implementations: Implementation[]): void {
  let loaded: Version[] | undefined;
  for (const [index, { definition }] of versions({}).entries()) {
    server.addService(definition, {
      ServerReflectionInfo(call: grpc.ServerDuplexStream<unknown, unknown>) {
        loaded ??= versions(contractsOf(implementations));
        loaded[index]?.implementation.ServerReflectionInfo(call);
      },
    });
  }
}

function versions(contracts: ConstructorParameters<typeof ReflectionService>[0]): Version[] {
  const found: Version[] = [];
  new ReflectionService(contracts).addToServer({
    addService: (definition, implementation) => found.push({ definition, implementation: implementation as unknown as Reflection }),
  });
  return found;
}

function contractsOf(implementations: Implementation[]) {
  const files = new Map<string, FileDescriptorProto>();
  const add = ({ proto, dependencies }: DescFile): void => {
    if (files.has(proto.name)) return;
    for (const file of dependencies) add(file);
    files.set(proto.name, proto);
  };
  for (const { service } of implementations) add(service.file);
  const set = create(FileDescriptorSetSchema, { file: [...files.values()] });
  return loadFileDescriptorSetFromBuffer(Buffer.from(toBinary(FileDescriptorSetSchema, set)));
}

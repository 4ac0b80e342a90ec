// Encoding shared by gRPC client and server: messages as bytes, and errors with their reason in a trailer.
import { type DescMessage, type DescMethodServerStreaming, type DescMethodUnary, fromBinary, type Message, toBinary } from '@bufbuild/protobuf';
import grpc from '@grpc/grpc-js';
import { type Detail, REASONS, type Reason, ServiceError } from '../errors/errors.ts';

const ERROR_TRAILER = 'clinic-error-bin';

type Method = DescMethodUnary | DescMethodServerStreaming;

const definitions = new Map<Method, grpc.MethodDefinition<Message, Message>>();

export function definition(method: Method): grpc.MethodDefinition<Message, Message> {
  const known = definitions.get(method);
  if (known) return known;
  const created = {
    path: `/${method.parent.typeName}/${method.name}`,
    requestStream: false,
    responseStream: method.methodKind === 'server_streaming',
    requestSerialize: serializer(method.input),
    requestDeserialize: (bytes: Buffer) => fromBinary(method.input, bytes) as Message,
    responseSerialize: serializer(method.output),
    responseDeserialize: (bytes: Buffer) => fromBinary(method.output, bytes) as Message,
  };
  definitions.set(method, created);
  return created;
}

const serializer = (schema: DescMessage) => (message: Message) => Buffer.from(toBinary(schema, message));

export function toGrpcError(error: ServiceError): Partial<grpc.ServiceError> {
  const metadata = new grpc.Metadata();
  metadata.set(ERROR_TRAILER, Buffer.from(JSON.stringify({ reason: error.reason, message: error.message, details: error.details })));
  return { code: REASONS[error.reason].grpc, details: error.message, metadata };
}

/** The error that the server threw; an error without the trailer comes from the transport. */
export function fromGrpcError(error: grpc.ServiceError): ServiceError {
  const trailer = error.metadata?.get(ERROR_TRAILER)[0];
  if (trailer) {
    const { reason, message, details } = JSON.parse(trailer.toString()) as { reason: Reason; message: string; details?: Detail[] };
    return new ServiceError(reason, message, details);
  }
  return new ServiceError(
    error.code === grpc.status.UNAVAILABLE || error.code === grpc.status.DEADLINE_EXCEEDED || error.code === grpc.status.CANCELLED ? 'UNAVAILABLE' : 'INTERNAL',
  );
}

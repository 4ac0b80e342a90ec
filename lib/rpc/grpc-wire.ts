// Encoding shared by gRPC client and server: messages as bytes, and errors with their reason in a trailer.
import { type DescMessage, type DescMethodServerStreaming, type DescMethodUnary, fromBinary, type Message, toBinary } from '@bufbuild/protobuf';
import grpc from '@grpc/grpc-js';
import { type Detail, REASONS, type Reason, ServiceError } from '../errors/errors.ts';
import { explain, isExplained } from '../errors/explained.ts';

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

const serializer = (schema: DescMessage) => (message: Message) => {
  const { buffer, byteOffset, byteLength } = toBinary(schema, message);
  return Buffer.from(buffer, byteOffset, byteLength); // without a copy
};

/** An error of a call, as grpc-js represents it. */
export function grpcError(code: grpc.status, details: string, trailer?: Buffer): grpc.ServiceError {
  const metadata = new grpc.Metadata();
  if (trailer) metadata.set(ERROR_TRAILER, trailer);
  return Object.assign(new Error(details), { code, details, metadata });
}

export function toGrpcError({ reason, message, details }: ServiceError): grpc.ServiceError {
  return grpcError(REASONS[reason].grpc, message, Buffer.from(JSON.stringify({ reason, message, details })));
}

export const trailerOf = (error: grpc.ServiceError) => error.metadata?.get(ERROR_TRAILER)[0] as Buffer | undefined;

/** Whether the server was not reached, or the connection broke. */
export const isUnreachable = (error: grpc.ServiceError) => error.code === grpc.status.UNAVAILABLE && !trailerOf(error);

/** UNIMPLEMENTED: during an upgrade, the server is of an earlier release, which does not have the method. */
const UNAVAILABLE = new Set([grpc.status.UNAVAILABLE, grpc.status.DEADLINE_EXCEEDED, grpc.status.CANCELLED, grpc.status.UNIMPLEMENTED]);

/**
 * Converts an error of grpc-js. With the trailer it is the error that the server threw, and counts as explained, since the server has logged its
 * cause. Without the trailer it comes from the transport and becomes UNAVAILABLE or INTERNAL, with the original error as `cause`.
 */
export function fromGrpcError(error: grpc.ServiceError): ServiceError {
  const trailer = trailerOf(error);
  if (trailer) {
    const { reason, message, details } = JSON.parse(trailer.toString()) as { reason: Reason; message: string; details?: Detail[] };
    const thrown = new ServiceError(reason, message, details);
    explain(thrown);
    return thrown;
  }
  const failed = new ServiceError(UNAVAILABLE.has(error.code) ? 'UNAVAILABLE' : 'INTERNAL');
  failed.cause = error;
  if (isExplained(error)) explain(failed);
  return failed;
}

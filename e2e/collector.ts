// A collector of traces for a test: receives OTLP over HTTP like a real one, and stores the spans.
import http from 'node:http';
import { buffer } from 'node:stream/consumers';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { serveOnLoopback } from '../scripts/loopback.ts';

export type CollectedSpan = { process: string; traceId: string; spanId: string; parentId: string; name: string };
export type Collector = { endpoint: string; spans: CollectedSpan[]; raw(): string; stop(): Promise<void> };

export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  let raw = '';
  const server = http.createServer(async (request, response) => {
    const body = await buffer(request);
    raw += body.toString('latin1');
    spans.push(...read(body));
    response.writeHead(200, { 'Content-Type': 'application/x-protobuf' }).end();
  });
  const { url, stop } = await serveOnLoopback(server);
  return { endpoint: url, spans, raw: () => raw, stop };
}

/** The length-delimited fields of a message by field number. All fields that are needed here are of that kind. */
function fields(bytes: Uint8Array): (field: number) => Uint8Array[] {
  const found = new Map<number, Uint8Array[]>();
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (type === WireType.LengthDelimited) found.set(field, [...(found.get(field) ?? []), reader.bytes()]);
    else reader.skip(type, field);
  }
  return (field) => found.get(field) ?? [];
}

const text = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString();
const hex = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString('hex');

// opentelemetry/proto/trace/v1: resource spans > scope spans > spans.
function read(body: Uint8Array): CollectedSpan[] {
  return fields(body)(1).flatMap((resourceSpans) => {
    const parts = fields(resourceSpans);
    const attributes = parts(1).flatMap((resource) => fields(resource)(1).map(fields));
    const name = attributes.find((pair) => text(pair(1)[0]) === 'service.name');
    const process = text(name && fields(name(2)[0] ?? new Uint8Array())(1)[0]);
    return parts(2)
      .flatMap((scopeSpans) => fields(scopeSpans)(2).map(fields))
      .map((span) => ({ process, traceId: hex(span(1)[0]), spanId: hex(span(2)[0]), parentId: hex(span(4)[0]), name: text(span(5)[0]) }));
  });
}

// The comments of the contracts, which are the texts of the reference. They are read from the descriptor set, because generated code omits them.
import { readFileSync } from 'node:fs';
import { fromBinary } from '@bufbuild/protobuf';
import { type DescriptorProto, type FileDescriptorProto, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import type { Route } from '../http/route.ts';

export const DESCRIPTORS = new URL('../../proto/gen/descriptor.binpb', import.meta.url);

/** Comments by full name of a message, field (`message.field`), service or method (`service.Method`). */
export function loadComments(): Map<string, string> {
  const comments = new Map<string, string>();
  for (const file of fromBinary(FileDescriptorSetSchema, readFileSync(DESCRIPTORS)).file) {
    for (const { path, leadingComments } of file.sourceCodeInfo?.location ?? []) {
      const name = leadingComments && nameAt(file, path);
      if (name) comments.set(name, leadingComments.trim().replaceAll(/\s*\n\s*/g, ' '));
    }
  }
  return comments;
}

/** Title and description of a route. The title is the `summary` of its row, or else the first clause of the comment of its RPC. */
export function describeRoute({ rpc, summary }: Pick<Route, 'rpc' | 'summary'>, comments: Map<string, string>): { summary: string; description?: string } {
  const comment = comments.get(`${rpc.parent.typeName}.${rpc.name}`) ?? '';
  const [clause] = comment.split(/[.,;:]/, 1);
  const title = summary ?? clause ?? '';
  return { summary: title, ...(comment !== `${title}.` && { description: comment }) };
}

// Field numbers of FileDescriptorProto, DescriptorProto and ServiceDescriptorProto in the path of a location.
const [MESSAGE, SERVICE, METHOD, FIELD, NESTED] = [4, 6, 2, 2, 3];

function nameAt(file: FileDescriptorProto, [kind, index = 0, ...rest]: number[]): string | undefined {
  if (kind === MESSAGE) return file.messageType[index] && nameInMessage(`${file.package}.${file.messageType[index].name}`, file.messageType[index], rest);
  const service = kind === SERVICE ? file.service[index] : undefined;
  if (!service) return undefined;
  const name = `${file.package}.${service.name}`;
  return rest.length === 0 ? name : rest[0] === METHOD && rest.length === 2 ? `${name}.${service.method[rest[1] ?? 0]?.name}` : undefined;
}

function nameInMessage(name: string, message: DescriptorProto, [kind, index = 0, ...rest]: number[]): string | undefined {
  if (kind === undefined) return name;
  if (kind === FIELD && rest.length === 0) return `${name}.${message.field[index]?.name}`;
  const nested = kind === NESTED ? message.nestedType[index] : undefined;
  return nested && nameInMessage(`${name}.${nested.name}`, nested, rest);
}

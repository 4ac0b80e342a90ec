// The page of all RPCs between processes: for whom each may be called, and by which processes.
import { readFileSync } from 'node:fs';
import { createFileRegistry, fromBinary, getOption } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { Access, access, callers } from '@clinic/proto/common/v1/options_pb.js';
import { DESCRIPTORS } from '../comments.ts';

/** The content of docs/rpcs.md. */
export function rpcsPage(): string {
  const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync(DESCRIPTORS)));
  const contracts = [...registry].filter((type) => type.kind === 'service').sort((a, b) => a.typeName.localeCompare(b.typeName));
  const rows = contracts.flatMap(({ typeName, methods }) =>
    methods.map(
      (method) =>
        `| \`${typeName.replace(/^clinic\./, '')}/${method.name}\` | ${Access[getOption(method, access)]?.toLowerCase()} | ${getOption(method, callers).join(', ')} |`,
    ),
  );
  return `# RPCs

Every RPC of the services, for whom it may be called (the option \`access\` of its contract), and the processes that may call it (the option
\`callers\`). A call by any other process is refused, regardless of whom it is made for ([how calls are protected](decisions/tls.md)). The
prefix \`clinic.\` is omitted from the names.

| RPC | for | called by |
|---|---|---|
${rows.join('\n')}

This page is generated from the contracts by \`node scripts/run.js write-pages\`; a test fails when they differ.
`;
}

// Writes the page of all error codes from the one table that decides them.
import { REASONS } from '@clinic/lib/errors/errors.ts';

/** docs/errors.md as it has to be. */
export function errorsPage(): string {
  const rows = Object.entries(REASONS)
    .map(([code, { http, message }]) => ({ code, http, message }))
    .sort((a, b) => a.http - b.http)
    .map(({ code, http, message }) => `| ${http} | \`${code}\` | ${message.replaceAll('|', '\\|')} |`);
  return `# Errors

Every error of the API has one shape:

\`\`\`json
{ "error": "a sentence for people", "code": "FOR_PROGRAMS", "details": [{ "path": "startTime", "message": "must be HH:MM" }] }
\`\`\`

Act on \`code\`; the sentence may be more exact than the one below and may change. \`details\` comes with \`VALIDATION_ERROR\`
and names each fault. A 5xx tells nothing of the inside: the \`X-Request-Id\` of the answer finds it in the logs.
A 429 says in \`Retry-After\` how many seconds to wait.

| Status | Code | Meaning |
|---|---|---|
${rows.join('\n')}

Which route can answer which code is in the reference at \`/docs\`. This page is written from the table in
\`lib/errors/errors.ts\` by \`node gateway/openapi/pages/write.ts\`; a test fails when they differ.
`;
}

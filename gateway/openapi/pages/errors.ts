// The page of all error codes.
import { REASONS } from '@clinic/lib/errors/errors.ts';

/** The content of docs/errors.md. */
export function errorsPage(): string {
  const rows = Object.entries(REASONS)
    .map(([code, { http, message }]) => ({ code, http, message }))
    .sort((a, b) => a.http - b.http)
    .map(({ code, http, message }) => `| ${http} | \`${code}\` | ${message.replaceAll('|', '\\|')} |`);
  return `# Errors

Every error response of the API has the same shape:

\`\`\`json
{ "error": "a message for people", "code": "FOR_PROGRAMS", "details": [{ "path": "startTime", "message": "must be HH:MM" }] }
\`\`\`

Programs use \`code\`. The message may be more specific than the one below, and its wording may change. \`details\` is present with
\`VALIDATION_ERROR\` and names each invalid field, except for a request that is no valid HTTP; with some other codes, such as \`PHONE_TAKEN\`, it says more about the error. A 5xx
response contains no internal details: search the logs for the value of its \`X-Request-Id\` header.
The \`Retry-After\` header of a 429 or 503 response is the number of seconds to wait.

| Status | Code | Meaning |
|---|---|---|
${rows.join('\n')}

The reference at \`/docs\` lists the codes of each route. Any path can return \`METHOD_NOT_ALLOWED\`. \`ASSISTANT_BUDGET_SPENT\` and
\`ASSISTANT_UNAVAILABLE\` occur only as the event \`error\` in the stream of \`POST /api/assistant/chat\`. \`INSIDE_CANCELLATION_NOTICE\` is for
the pages and the bot by which patients move or cancel appointments: calls of the API never return it.

This page is generated from the table in \`lib/errors/errors.ts\` by \`node scripts/run.js write-pages\`; a test fails when they differ.
`;
}

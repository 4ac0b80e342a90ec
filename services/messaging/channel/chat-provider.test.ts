// Which failures of a call prove that the provider did not receive it.
import { afterEach, expect, jest, test } from '@jest/globals';
import { createChatProvider } from './chat-provider.ts';

afterEach(() => void jest.restoreAllMocks());

const failure = (code: string, fields: object = {}) => Object.assign(new Error(code), { code, ...fields });
const connecting = (code: string) => failure(code, { syscall: 'connect' });
/** As Node reports that no address of a host could be connected to: with the code of the first one. */
const ofAll = (...errors: (Error & { code: string })[]) => Object.assign(new AggregateError(errors), { code: errors[0]?.code });

test.each([
  ['all of its addresses refuse connections', ofAll(connecting('ECONNREFUSED'), connecting('ECONNREFUSED')), 'unsent'],
  ['the first address does not answer, and the second has no route', ofAll(connecting('ETIMEDOUT'), connecting('ENETUNREACH')), 'unsent'],
  ['its only address does not answer', connecting('ETIMEDOUT'), 'unsent'],
  ['no local port is free', connecting('EADDRNOTAVAIL'), 'unsent'],
  ['the connection takes too long', failure('UND_ERR_CONNECT_TIMEOUT'), 'unsent'],
  ['its name cannot be resolved', failure('EAI_AGAIN', { syscall: 'getaddrinfo' }), 'unsent'],
  ['its certificate has expired', failure('CERT_HAS_EXPIRED'), 'unsent'],
  ['its certificate is for another name', failure('ERR_TLS_CERT_ALTNAME_INVALID'), 'unsent'],
  ['an unknown authority issued its certificate', failure('SELF_SIGNED_CERT_IN_CHAIN'), 'unsent'],
  ['the connection is lost', failure('ECONNRESET', { syscall: 'read' }), 'unknown'],
  ['the connection falls silent', failure('ETIMEDOUT', { syscall: 'read' }), 'unknown'],
  ['it closes the connection', failure('UND_ERR_SOCKET'), 'unknown'],
])('a message to a provider of which %s', async (_what, cause, outcome) => {
  jest.spyOn(globalThis, 'fetch').mockRejectedValue(new TypeError('fetch failed', { cause }));
  await expect(createChatProvider('https://provider.example', 'v25.0').send('token', 'number', {})).rejects.toMatchObject({ outcome });
});

// The body of a message for the provider: texts of the accepted length are sent as they are.
import { expect, test } from '@jest/globals';
import { type Outgoing, toProviderBody } from './outgoing-content-rules.ts';

const template = (variable: string) => ({ text: '', template: { name: 'hello', language: 'es', variables: [variable] } });

test.each([
  ['a text', 4096, (text: string): Outgoing => ({ text })],
  ['a text with buttons', 1024, (text: string): Outgoing => ({ text, choices: [{ id: 'yes', title: 'Sí' }] })],
  ['a variable of a template', 1024, template],
])('%s of at most %i characters, emoji among them, is sent whole; a longer one ends with an ellipsis', (_what, max, contentOf) => {
  const sent = (text: string) => JSON.stringify(toProviderBody(contentOf(text), '+50370001234', 'id'));
  const longest = `Hola${'😀'.repeat(max - 4)}`;
  expect(sent(longest)).toContain(`"${longest}"`);
  expect(sent(`${longest}😀`)).toContain(`"${longest.slice(0, -2)}…"`);
});

// The content of outgoing messages, and its mapping to the provider's format.
import type { Choice, Content, Template } from '../conversations/message-content-rules.ts';

/** The content of an outgoing message, as its conversation stores it. */
export type Outgoing = Pick<Content, 'choices' | 'listButton' | 'template'> & { text: string };

/** A message composed for one attempt to send it. Outside the 24-hour window the template is sent instead. */
export type PreparedContent = { phone: string; content: Outgoing; outsideWindow: Template };

/** The provider's limits: the most characters of texts, and the most buttons and rows. */
export const LIMITS = { text: 4096, body: 1024, buttons: 3, buttonTitle: 20, buttonId: 256, rows: 10, rowId: 200, rowTitle: 24, rowText: 72, listButton: 20 };

/** Cuts text of more than `max` characters and ends it with an ellipsis. Counts code points, as parseText() does, and splits no surrogate pair. */
export function truncate(text: string, max: number): string {
  if (text.length <= max) return text;
  const characters = [...text];
  return characters.length <= max ? text : `${characters.slice(0, Math.max(0, max - 1)).join('')}…`;
}

export const typeOf = ({ choices, template }: Outgoing) => (template ? 'template' : choices ? 'interactive' : 'text');

/** The body of POST /{number}/messages. The provider returns `callback` with every status of the message. */
export function toProviderBody({ text, choices, listButton, template }: Outgoing, phone: string, callback: string): Record<string, unknown> {
  const envelope = { messaging_product: 'whatsapp', recipient_type: 'individual', to: phone.replace(/^\+/, ''), biz_opaque_callback_data: callback };
  if (template) return { ...envelope, type: 'template', template: toTemplate(template) };
  if (!choices) return { ...envelope, type: 'text', text: { body: truncate(text, LIMITS.text), preview_url: /https?:\/\//.test(text) } };
  const body = { text: truncate(text, LIMITS.body) };
  const interactive =
    listButton === undefined
      ? { type: 'button', body, action: { buttons: toButtons(choices) } }
      : { type: 'list', body, action: { button: truncate(listButton, LIMITS.listButton), sections: [{ rows: choices.slice(0, LIMITS.rows).map(toRow) }] } };
  return { ...envelope, type: 'interactive', interactive };
}

const toButtons = (choices: Choice[]) =>
  choices
    .slice(0, LIMITS.buttons)
    .map(({ id, title }) => ({ type: 'reply', reply: { id: id.slice(0, LIMITS.buttonId), title: truncate(title, LIMITS.buttonTitle) } }));

const toRow = ({ id, title, description }: Choice) => ({
  id: id.slice(0, LIMITS.rowId),
  title: truncate(title, LIMITS.rowTitle),
  ...(description && { description: truncate(description, LIMITS.rowText) }),
});

function toTemplate({ name, language, variables, payloads = [] }: Template) {
  // The provider refuses variables with line breaks, tabs or several consecutive spaces.
  const parameters = variables.map((text) => ({ type: 'text', text: truncate(text.replaceAll(/\s+/g, ' ').trim() || '-', LIMITS.body) }));
  const buttons = payloads.map((payload, index) => ({
    type: 'button',
    sub_type: 'quick_reply',
    index: String(index),
    parameters: [{ type: 'payload', payload: payload.slice(0, LIMITS.buttonId) }],
  }));
  return { name, language: { code: language }, components: [...(parameters.length > 0 ? [{ type: 'body', parameters }] : []), ...buttons] };
}

// The content of outgoing messages, and its translation into the provider's format.
import type { Choice, Content } from '../conversations/message-content-rules.ts';

export type Row = { id: string; title: string; description?: string };

export type Outgoing =
  | { type: 'text'; text: string }
  | { type: 'buttons'; text: string; buttons: Choice[]; footer?: string }
  | { type: 'list'; text: string; button: string; sections: { title?: string; rows: Row[] }[]; footer?: string }
  | {
      type: 'template';
      name: string;
      language: string;
      variables: string[];
      /** Payloads of the template's quick replies, in their order. */
      payloads?: string[];
      /** The text that the patient sees, for the conversation; without it the name of the template is shown. */
      text?: string;
    };

/** A message that is written for one attempt to send it. */
export type PreparedContent = { phone: string; content: Outgoing; outsideWindow?: Outgoing };

const MAX = { text: 4096, body: 1024, footer: 60, buttons: 3, buttonTitle: 20, buttonId: 256, rows: 10, rowId: 200, rowTitle: 24, rowText: 72, listButton: 20 };

/** Cuts text that is longer than the provider accepts, with an ellipsis; by code points, so that no emoji is halved. */
export function truncate(text: string, max: number): string {
  if (text.length <= max) return text;
  let start = '';
  for (const character of text) {
    if (start.length + character.length > max - 1) break;
    start += character;
  }
  return `${start}…`;
}

/** The content as the conversation shows it. */
export function toMessageContent(outgoing: Outgoing): { type: string; content: Content } {
  switch (outgoing.type) {
    case 'text':
      return { type: 'text', content: { text: outgoing.text } };
    case 'buttons':
      return { type: 'interactive', content: { text: outgoing.text, choices: outgoing.buttons.map(({ id, title }) => ({ id, title })) } };
    case 'list':
      return {
        type: 'interactive',
        content: { text: outgoing.text, choices: outgoing.sections.flatMap(({ rows }) => rows.map(({ id, title }) => ({ id, title }))) },
      };
    default:
      return { type: 'template', content: { text: outgoing.text ?? `[${outgoing.name}] ${outgoing.variables.join(' · ')}`.trim() } };
  }
}

/** The body of POST /{number}/messages. The provider returns `callback` with every status of the message. */
export function toProviderBody(outgoing: Outgoing, phone: string, callback: string): Record<string, unknown> {
  const envelope = { messaging_product: 'whatsapp', recipient_type: 'individual', to: phone.replace(/^\+/, ''), biz_opaque_callback_data: callback };
  switch (outgoing.type) {
    case 'text':
      return { ...envelope, type: 'text', text: { body: truncate(outgoing.text, MAX.text), preview_url: /https?:\/\//.test(outgoing.text) } };
    case 'buttons':
      return { ...envelope, type: 'interactive', interactive: { type: 'button', ...toBody(outgoing), action: { buttons: toButtons(outgoing.buttons) } } };
    case 'list':
      return {
        ...envelope,
        type: 'interactive',
        interactive: {
          type: 'list',
          ...toBody(outgoing),
          action: { button: truncate(outgoing.button, MAX.listButton), sections: toSections(outgoing.sections) },
        },
      };
    default:
      return { ...envelope, type: 'template', template: toTemplate(outgoing) };
  }
}

const toBody = ({ text, footer }: { text: string; footer?: string }) => ({
  body: { text: truncate(text, MAX.body) },
  ...(footer && { footer: { text: truncate(footer, MAX.footer) } }),
});

const toButtons = (buttons: Choice[]) =>
  buttons.slice(0, MAX.buttons).map(({ id, title }) => ({ type: 'reply', reply: { id: id.slice(0, MAX.buttonId), title: truncate(title, MAX.buttonTitle) } }));

/** At most ten rows in all sections; several sections need titles. */
function toSections(sections: { title?: string; rows: Row[] }[]) {
  let free = MAX.rows;
  return sections.flatMap(({ title, rows }) => {
    const taken = rows.slice(0, free);
    free -= taken.length;
    if (taken.length === 0) return [];
    return [{ ...(title && { title: truncate(title, MAX.rowTitle) }), rows: taken.map(toRow) }];
  });
}

const toRow = ({ id, title, description }: Row) => ({
  id: id.slice(0, MAX.rowId),
  title: truncate(title, MAX.rowTitle),
  ...(description && { description: truncate(description, MAX.rowText) }),
});

function toTemplate({ name, language, variables, payloads = [] }: Outgoing & { type: 'template' }) {
  // The provider refuses variables with line breaks, tabs or several consecutive spaces.
  const parameters = variables.map((text) => ({ type: 'text', text: truncate(text.replaceAll(/\s+/g, ' ').trim() || '-', MAX.body) }));
  const buttons = payloads.map((payload, index) => ({
    type: 'button',
    sub_type: 'quick_reply',
    index: String(index),
    parameters: [{ type: 'payload', payload: payload.slice(0, MAX.buttonId) }],
  }));
  return { name, language: { code: language }, components: [...(parameters.length > 0 ? [{ type: 'body', parameters }] : []), ...buttons] };
}

// What may be sent, in our own words, and as the provider wants to read it.
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
      /** What the patient reads, for the thread; the name of the template without it. */
      text?: string;
    };

const MAX = { text: 4096, body: 1024, footer: 60, buttons: 3, buttonTitle: 20, buttonId: 256, rows: 10, rowId: 200, rowTitle: 24, rowText: 72, listButton: 20 };

/** Text cut where the provider would refuse it, with an ellipsis; by characters, so that no emoji is halved. */
export function truncate(text: string, max: number): string {
  if (text.length <= max) return text;
  let kept = '';
  for (const sign of text) {
    if (kept.length + sign.length > max - 1) break;
    kept += sign;
  }
  return `${kept}…`;
}

/** As it stands in the thread. */
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

/** The body of POST /{number}/messages. `callback` comes back with every status of the message. */
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

/** At most ten rows in all; the titles of sections are asked for when there are several. */
function toSections(sections: { title?: string; rows: Row[] }[]) {
  let room = MAX.rows;
  return sections.flatMap(({ title, rows }) => {
    const taken = rows.slice(0, room);
    room -= taken.length;
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
  // A variable may hold neither line breaks nor tabs nor long runs of blanks.
  const parameters = variables.map((text) => ({ type: 'text', text: truncate(text.replaceAll(/\s+/g, ' ').trim() || '-', MAX.body) }));
  const buttons = payloads.map((payload, index) => ({
    type: 'button',
    sub_type: 'quick_reply',
    index: String(index),
    parameters: [{ type: 'payload', payload: payload.slice(0, MAX.buttonId) }],
  }));
  return { name, language: { code: language }, components: [...(parameters.length > 0 ? [{ type: 'body', parameters }] : []), ...buttons] };
}

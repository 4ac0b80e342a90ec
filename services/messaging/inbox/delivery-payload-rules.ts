// Defensive parsing of deliveries of the chat provider. Unknown shapes never throw: parts that cannot be parsed are omitted.
import type { Content, Media } from '../conversations/message-content-rules.ts';

/** A message of a patient, or the echo of a message that a user of the clinic wrote on another device. */
export type ReceivedMessage = {
  numberId: string;
  /** E.164, or the provider's id of a user who hides the phone. */
  phone: string;
  hasPhone: boolean;
  profileName: string | undefined;
  providerId: string;
  /** Epoch seconds; NaN if the provider sends no usable time. */
  at: number;
  type: string;
  content: Content;
  echo: boolean;
  /** Whether the bot may reply: not to echoes, stickers, reactions, or notices of the provider. */
  answerable: boolean;
};

type StatusUpdate = {
  numberId: string;
  providerId: string;
  /** The callback data that was sent with the message: the id of the outbound row. Empty if there is none. */
  callback: string;
  status: 'sent' | 'delivered' | 'read' | 'failed';
  code: number;
  message: string;
};

export type Delivery = {
  messages: ReceivedMessage[];
  statuses: StatusUpdate[];
  /** How many of its messages and statuses were omitted, because they have no id, no sender or no number. */
  omitted: number;
};

type Fields = Record<string, unknown>;

const object = (value: unknown): Fields => (typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {});
const list = (value: unknown): Fields[] => (Array.isArray(value) ? value.map(object) : []);
/** Text that PostgreSQL can store: without NUL and lone surrogates. Ids may be sent as numbers. */
function text(value: unknown, max = 8_192): string {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '').slice(0, max).toWellFormed() : '';
}
const optionalText = (value: unknown, max?: number) => text(value, max) || undefined;

/** Undefined if the body is not a delivery. */
export function parseDelivery(body: Uint8Array): Delivery | undefined {
  let root: Fields;
  try {
    root = object(JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8')));
  } catch {
    return undefined;
  }
  if (!Array.isArray(root.entry)) return undefined;
  const values = list(root.entry).flatMap((entry) => list(entry.changes).map((change) => object(change.value)));
  const [received, reported] = [values.flatMap(toMessages), values.flatMap(toStatuses)];
  const [messages, statuses] = [received.filter((one) => one !== undefined), reported.filter((one) => one !== undefined)];
  // Messages of a delivery are ordered by the provider's time; those without a time keep their place.
  messages.sort((a, b) => (Number.isNaN(a.at) || Number.isNaN(b.at) ? 0 : a.at - b.at));
  return { messages, statuses, omitted: received.length - messages.length + reported.length - statuses.length };
}

const numberOf = (value: Fields) => text(object(value.metadata).phone_number_id, 64);
const digits = (phone: string) => phone.replaceAll(/\D/g, '');

/** Undefined for each message that cannot be used. */
function toMessages(value: Fields): (ReceivedMessage | undefined)[] {
  const numberId = numberOf(value);
  const own = digits(text(object(value.metadata).display_phone_number));
  const contacts = list(value.contacts);
  const parse = (message: Fields, echo: boolean) => toMessage(message, { numberId, contacts, echo });
  return [
    // A message from the clinic's own number was written on another device.
    ...list(value.messages).map((message) => parse(message, own !== '' && text(message.from) === own)),
    ...list(value.message_echoes).map((message) => parse(message, true)),
    ...list(value.user_preferences)
      .filter(({ category = MARKETING }) => category === MARKETING)
      .map((preference) => toPreferenceMessage(preference, numberId)),
  ];
}

function toMessage(message: Fields, { numberId, contacts, echo }: { numberId: string; contacts: Fields[]; echo: boolean }): ReceivedMessage | undefined {
  const waId = text(echo ? message.to : message.from, 64);
  const only = contacts.length === 1 ? contacts[0] : undefined; // of several contacts, any one may belong to another message
  const userId = text(echo ? message.to_user_id : message.from_user_id, 128) || text(only?.user_id, 128);
  const hasPhone = /^\+?\d{5,15}$/.test(waId);
  const phone = hasPhone ? `+${digits(waId)}` : userId || waId;
  const providerId = text(message.id, 512);
  if (!phone || !providerId || !numberId) return undefined;
  const isOf = (one: Fields) => (waId !== '' && text(one.wa_id) === waId) || (userId !== '' && text(one.user_id) === userId);
  const contact = contacts.find(isOf) ?? only;
  const type = text(message.type, 40) || 'unsupported';
  const parts = contentOf(type, message);
  const content = Object.entries({ ...parts, replyTo: optionalText(object(message.context).id, 512) ?? parts.replyTo });
  return {
    numberId,
    phone,
    hasPhone,
    profileName: echo ? undefined : optionalText(object(contact?.profile).name, 200),
    providerId,
    at: toEpochSeconds(message.timestamp),
    type: KNOWN_TYPES.has(type) ? type : 'unsupported',
    content: Object.fromEntries(content.filter(([, value]) => value !== undefined)),
    echo,
    answerable: !echo && !SILENT_TYPES.has(type),
  };
}

/** The provider names a category in each preference. Others than this one are ignored, as are fields that this service does not know. */
const MARKETING = 'marketing_messages';

/** The user stopped or resumed promotional messages at the provider; stored as a message with a choice, which the bot handles. */
function toPreferenceMessage(preference: Fields, numberId: string): ReceivedMessage | undefined {
  const waId = digits(text(preference.wa_id, 64));
  const value = text(preference.value, 20);
  if (!waId || !value || !numberId) return undefined;
  const at = toEpochSeconds(preference.timestamp);
  const content = { text: optionalText(preference.detail, 500) ?? value, choice: { id: `marketing:${value}`, title: value } };
  const from = { numberId, phone: `+${waId}`, hasPhone: true, profileName: undefined };
  return { ...from, providerId: `preference:${waId}:${text(preference.timestamp)}:${value}`, at, type: 'preference', content, echo: false, answerable: true };
}

const MEDIA = ['image', 'video', 'audio', 'document', 'sticker', 'voice'];
/** Messages of other types are stored as unsupported. */
const KNOWN_TYPES = new Set([...MEDIA, 'text', 'interactive', 'button', 'location', 'contacts', 'reaction', 'order', 'system', 'edit', 'revoke']);
const SILENT_TYPES = new Set(['sticker', 'reaction', 'system', 'edit', 'revoke', 'errors', 'request_welcome', 'ephemeral']);

/** Content in which parts may be undefined. */
type Parts = { [K in keyof Content]: Content[K] | undefined };

function contentOf(type: string, message: Fields): Parts {
  const own = object(message[type]);
  if (MEDIA.includes(type)) return { text: optionalText(own.caption), media: mediaOf(own) };
  switch (type) {
    case 'text':
      return { text: optionalText(own.body) };
    case 'interactive':
      return interactiveOf(own);
    case 'button':
      return { text: optionalText(own.text), choice: { id: text(own.payload, 512), title: text(own.text, 200) } };
    case 'location':
      return locationOf(own);
    case 'contacts':
      return { text: optionalText(list(message.contacts).map(contactLine).filter(Boolean).join('\n')) };
    case 'reaction':
      return { text: optionalText(own.emoji, 40), replyTo: optionalText(own.message_id, 512) };
    case 'order':
      return { text: optionalText([text(own.text), ...list(own.product_items).map(orderLine)].filter(Boolean).join('; ')) };
    case 'system':
      return systemOf(own);
    case 'edit': {
      const edited = object(own.message);
      return { text: contentOf(text(edited.type, 40), edited).text, replyTo: optionalText(own.original_message_id, 512) };
    }
    case 'revoke':
      return { replyTo: optionalText(own.original_message_id ?? own.message_id, 512) };
    default:
      return { text: optionalText(object(object(list(message.errors)[0]).error_data).details, 500) };
  }
}

function mediaOf(own: Fields): Media | undefined {
  const [id, mimeType, filename, sha256] = [text(own.id, 128), text(own.mime_type, 128), text(own.filename, 240), text(own.sha256, 128)];
  return id ? { id, mimeType: mimeType || 'application/octet-stream', ...(filename && { filename }), ...(sha256 && { sha256 }) } : undefined;
}

function interactiveOf(own: Fields): Parts {
  const chosen = object(own.button_reply ?? own.list_reply);
  if (own.nfm_reply) return { text: optionalText(object(own.nfm_reply).body) ?? optionalText(object(own.nfm_reply).response_json) };
  const [id, title] = [text(chosen.id, 512), text(chosen.title, 200)];
  return id || title ? { text: title || id, choice: { id, title } } : {};
}

function locationOf(own: Fields): Parts {
  const [latitude, longitude] = [Number(own.latitude), Number(own.longitude)];
  const [name, address] = [text(own.name, 300), text(own.address, 500)];
  const described = { text: optionalText([name, address].filter(Boolean).join(', ')) };
  if (!Number.isFinite(latitude) || !Number.isFinite(longitude)) return described;
  return { ...described, location: { latitude, longitude, ...(name && { name }), ...(address && { address }) } };
}

function contactLine(contact: Fields): string {
  const phones = list(contact.phones).map((one) => text(one.phone, 40));
  return [text(object(contact.name).formatted_name, 200), ...phones].filter(Boolean).join(' ');
}

/** `1 × BLANQUEAMIENTO 90.00 USD` */
function orderLine({ quantity, product_retailer_id, item_price, currency }: Fields): string {
  const price = Number(item_price);
  return [text(quantity, 20) || '1', '×', text(product_retailer_id, 200), Number.isFinite(price) ? price.toFixed(2) : '', text(currency, 10)]
    .filter(Boolean)
    .join(' ');
}

function systemOf(own: Fields): Parts {
  const newPhone = digits(text(own.wa_id, 64) || text(own.new_wa_id, 64));
  if (text(own.type) !== 'user_changed_number' || !newPhone) return { text: optionalText(own.body) };
  return { text: `Cambió de número. El nuevo es +${newPhone}: actualice el teléfono del paciente.`, newPhone: `+${newPhone}` };
}

const STATUSES = ['sent', 'delivered', 'read', 'failed'] as const;

/** Undefined for each status that cannot be used. Those of other kinds, such as statuses of calls, are ignored. */
function toStatuses(value: Fields): (StatusUpdate | undefined)[] {
  const numberId = numberOf(value);
  return list(value.statuses).flatMap((one) => {
    const reported = text(one.status, 20) === 'played' ? 'read' : text(one.status, 20);
    const status = STATUSES.find((known) => known === reported);
    if (!status) return [];
    const providerId = text(one.id, 512);
    if (!providerId || !numberId) return [undefined];
    const error = object(list(one.errors)[0]);
    const message = text(object(error.error_data).details, 500) || text(error.message, 500) || text(error.title, 500);
    return [
      {
        numberId,
        providerId,
        callback: text(one.biz_opaque_callback_data, 512),
        status,
        code: Number(error.code) || 0,
        message,
      },
    ];
  });
}

/** Timestamps are sent as text or number. */
function toEpochSeconds(value: unknown): number {
  const number = typeof value === 'number' ? value : /^\d{1,11}$/.test(text(value)) ? Number(text(value)) : Number.NaN;
  return number > 0 && number < 1e11 ? Math.floor(number) : Number.NaN;
}

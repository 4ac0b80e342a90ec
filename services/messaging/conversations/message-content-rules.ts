// The content of a message in either direction, as stored in messages.content, from which outgoing messages are sent.

export type Choice = { id: string; title: string; description?: string };
export type Media = { id: string; mimeType: string; filename?: string; sha256?: string };
type Location = { latitude: number; longitude: number; name?: string; address?: string };

/** A template that the provider has approved. */
export type Template = {
  name: string;
  language: string;
  variables: string[];
  /** Payloads of its quick replies, in their order. */
  payloads?: string[];
};

export type Content = {
  text?: string;
  /** The button or list row that the patient chose. */
  choice?: Choice;
  /** The buttons or list rows that were offered. */
  choices?: Choice[];
  /** The title of the button that opens the list of choices. Without it the choices are buttons. */
  listButton?: string;
  /** Sent instead of the text, which then describes what the patient sees. */
  template?: Template;
  media?: Media;
  location?: Location;
  /** E.164: the number to which the patient has changed. */
  newPhone?: string;
  /** The provider's id of the message that this one replies to, edits or revokes. */
  replyTo?: string;
};

const PREVIEW_LENGTH = 120;
const TYPE_NAMES: Record<string, string> = {
  image: '📷 Imagen',
  video: '🎥 Video',
  audio: '🎤 Audio',
  document: '📄 Documento',
  sticker: 'Sticker',
  location: '📍 Ubicación',
  contacts: '👤 Contacto',
  order: '🛒 Pedido',
  interactive: 'Formulario',
  button: 'Botón',
  reaction: 'Quitó su reacción',
  edit: 'Editó un mensaje',
  revoke: 'Eliminó un mensaje',
  system: 'Aviso del proveedor de chat',
  unsupported: 'Mensaje de un tipo que no se puede mostrar',
};

/** The text of a message as the staff see it: never empty, unless the message has a file or a location. */
export function toText(type: string, { text, media, location }: Content): string | undefined {
  return text?.trim() || media || location ? text : (TYPE_NAMES[type] ?? 'Mensaje');
}

/** The beginning of a message, for the list of conversations. */
export function toPreview(type: string, { text, location }: Content): string {
  const line = (text?.trim() || location?.name || (TYPE_NAMES[type] ?? 'Mensaje')).replaceAll(/\s+/g, ' ').trim();
  return [...line].slice(0, PREVIEW_LENGTH).join('');
}

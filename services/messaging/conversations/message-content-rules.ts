// The content of a message in either direction, as stored in messages.content.

export type Choice = { id: string; title: string };
export type Media = { id: string; mimeType: string; filename?: string; sha256?: string };
export type Location = { latitude: number; longitude: number; name?: string; address?: string };

export type Content = {
  text?: string;
  /** The button or list row that the patient chose. */
  choice?: Choice;
  /** The buttons or list rows that were offered. */
  choices?: Choice[];
  media?: Media;
  location?: Location;
  /** The provider's id of the message that this one answers. */
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
};

/** The beginning of a message, for the list of conversations. */
export function toPreview(type: string, { text, location }: Content): string {
  const line = (text ?? location?.name ?? TYPE_NAMES[type] ?? 'Mensaje').replaceAll(/\s+/g, ' ').trim();
  return [...line].slice(0, PREVIEW_LENGTH).join('');
}

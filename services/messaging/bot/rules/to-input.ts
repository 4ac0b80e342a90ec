// Maps a patient's message to the input of a turn.
import type { Content } from '../../conversations/message-content-rules.ts';
import type { Input } from './session.ts';

const KINDS: Record<string, Input['kind']> = {
  text: 'text',
  button: 'text',
  interactive: 'text',
  preference: 'preference',
  image: 'file',
  video: 'file',
  document: 'file',
  audio: 'audio',
  voice: 'audio',
  location: 'location',
  contacts: 'contact',
  order: 'order',
};

const onlyEmoji = (emoji: string) => new RegExp(`^(?:(?:${emoji})\\p{Emoji_Modifier}?\\uFE0F?\\s*)+$`, 'u');
/** What a message of these emoji alone means. */
const EMOJI: [emoji: RegExp, meaning: string][] = [
  [onlyEmoji('👍|👌|✅'), 'ok'],
  [onlyEmoji('👎|❌'), 'no'],
  [onlyEmoji('🙏|❤|🧡|💛|💚|💙|💜|🤍|😊|🙂|😀|😃|😄|😁|🤗|🥰|😍|😘|🌹|💐|🌺|🌸|🙌'), 'gracias'],
];

/** The bot reads no more of a message, since a message of thousands of clauses would take seconds to understand. */
const MAX_TEXT = 2_000;

export function toInput(type: string, { text: whole = '', choice }: Content): Input {
  const text = whole.slice(0, MAX_TEXT).toWellFormed();
  const kind = KINDS[type] ?? 'unknown';
  if (kind === 'preference') return { kind, text, choice: choice?.id ?? '' };
  // A quick reply of a template without payloads has only its title.
  if (choice && (choice.id === '' || choice.id === choice.title)) return { kind: 'text', text: choice.title, choice: '' };
  if (choice) return { kind: 'choice', text, choice: choice.id };
  if (kind === 'text' && text === '') return { kind: 'unknown', text, choice: '' };
  return { kind, text: EMOJI.find(([emoji]) => emoji.test(text.trim()))?.[1] ?? text, choice: '' };
}

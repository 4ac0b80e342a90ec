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

// A message of these emoji alone means yes.
const YES = /^(?:(?:👍|👌|✅)\p{Emoji_Modifier}?\uFE0F?)+$/u;

export function toInput(type: string, { text = '', choice }: Content): Input {
  const kind = KINDS[type] ?? 'unknown';
  if (kind === 'preference') return { kind, text, choice: choice?.id ?? '' };
  // A quick reply of a template without payloads has only its title.
  if (choice && (choice.id === '' || choice.id === choice.title)) return { kind: 'text', text: choice.title, choice: '' };
  if (choice) return { kind: 'choice', text, choice: choice.id };
  if (kind === 'text' && text === '') return { kind: 'unknown', text, choice: '' };
  return { kind, text: YES.test(text.trim()) ? 'ok' : text, choice: '' };
}

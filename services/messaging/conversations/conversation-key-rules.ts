// The key of a conversation in URLs: a phone, or the provider's id of a user who hides the phone.

/** The key as stored; undefined if the text is not a key. A phone may lack the plus, or have a space instead, to which a plus in a URL decodes. */
export function toConversationKey(key: string): string | undefined {
  const text = key.trim();
  if (/^\+?[1-9]\d{4,14}$/.test(text)) return text.startsWith('+') ? text : `+${text}`;
  return /^[A-Z]{2}\.[\w.-]{1,120}$/.test(text) ? text : undefined;
}

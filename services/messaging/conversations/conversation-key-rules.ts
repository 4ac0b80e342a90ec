// The key of a conversation in URLs: a phone, or the provider's id of a user who hides the phone.

/** The key as stored, or undefined when the text is no key. A phone may lack its plus, or have the space to which a plus in a URL decodes. */
export function toConversationKey(given: string): string | undefined {
  const text = given.trim();
  if (/^\+?[1-9]\d{4,14}$/.test(text)) return text.startsWith('+') ? text : `+${text}`;
  return /^[A-Z]{2}\.[\w.-]{1,120}$/.test(text) ? text : undefined;
}

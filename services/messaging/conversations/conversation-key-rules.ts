// What names a thread in a path: a phone, or the provider's id of a user who hides it.

/** As threads are keyed, or undefined when it can be none. A phone may come without its plus, or with the blank that a plus becomes. */
export function toConversationKey(given: string): string | undefined {
  const text = given.trim();
  if (/^\+?[1-9]\d{4,14}$/.test(text)) return text.startsWith('+') ? text : `+${text}`;
  return /^[A-Z]{2}\.[\w.-]{1,120}$/.test(text) ? text : undefined;
}

// The name that a patient gives.

/** A person's name as written, or undefined when it can be none. */
export function nameOf(text: string): string | undefined {
  const name = text
    .trim()
    .replaceAll(/\s+/g, ' ')
    .replace(/^(me llamo|soy|mi nombre es|a nombre de|my name is|i am|i'm)\s+/i, '');
  const letters = name.replaceAll(/[^\p{L}]/gu, '');
  return letters.length >= 2 && name.length <= 80 && /^[\p{L}\p{M}][\p{L}\p{M}'’.\- ]*$/u.test(name) ? name : undefined;
}

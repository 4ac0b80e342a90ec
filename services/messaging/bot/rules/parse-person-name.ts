/** The person's name in a message, without an introduction such as «me llamo»; undefined when it is not a name. */
export function parsePersonName(text: string): string | undefined {
  const name = text
    .trim()
    .replaceAll(/\s+/g, ' ')
    .replace(/^(me llamo|soy|mi nombre es|a nombre de|(es )?para|my name is|i am|i'm)\s+/i, '');
  const letters = name.replaceAll(/[^\p{L}]/gu, '');
  return letters.length >= 2 && name.length <= 80 && /^[\p{L}\p{M}][\p{L}\p{M}'’.\- ]*$/u.test(name) ? name : undefined;
}

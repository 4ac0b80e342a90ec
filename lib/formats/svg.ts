// Text inside SVG and other XML.

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text for element content or a double-quoted attribute. Control characters, which XML 1.0 forbids, become spaces. */
export const escapeXml = (text: string): string => text.replaceAll(/\p{Cc}/gu, ' ').replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? character);

// SVG, and text inside it and other XML.
import { etagOf } from '../http/etag.ts';

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text for element content or a double-quoted attribute. Control characters other than tabs and line breaks, which XML 1.0 forbids, become spaces. */
export const escapeXml = (text: string): string =>
  text.replaceAll(/[^\P{Cc}\t\n\r]/gu, ' ').replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? character);

/** An SVG as the file of an RPC's reply. */
export const toSvgFile = (svg: string) => ({ content: Buffer.from(svg), contentType: 'image/svg+xml', filename: '', etag: etagOf(svg) });

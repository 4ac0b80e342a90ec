// Extracts the text of a PDF as the search of a PDF reader does: by the character map of each embedded font.
import { inflateSync } from 'node:zlib';

/** The text in the order of the content stream, without spaces between separate pieces. Only for files that lib/pdf created. */
export function textOfPdf(content: Uint8Array): string {
  const file = Buffer.from(content).toString('latin1');
  const objects = new Map([...file.matchAll(/(\d+) 0 obj\n([\s\S]*?)\nendobj/g)].map(([, id = '', body = '']) => [id, body]));
  const streamOf = (body: string) => {
    const stream = /stream\n([\s\S]*)\nendstream/.exec(body)?.[1];
    return stream === undefined || !body.includes('/FlateDecode') ? '' : inflateSync(Buffer.from(stream, 'latin1')).toString('latin1');
  };
  const referenced = (from: string, key: string) => objects.get(new RegExp(`/${key} (\\d+) 0 R`).exec(from)?.[1] ?? '') ?? '';
  const maps = new Map<string, string[]>();
  for (const [, name = '', id = ''] of file.matchAll(/\/(F\d+) (\d+) 0 R/g)) maps.set(name, glyphs(streamOf(referenced(objects.get(id) ?? '', 'ToUnicode'))));

  let map: string[] = [];
  let text = '';
  for (const body of objects.values()) {
    if (body.includes('/Subtype')) continue; // images and fonts
    for (const [, font, shown = ''] of streamOf(body).matchAll(/\/(F\d+) [\d.]+ Tf|\[([^\]]*)\] TJ/g)) {
      if (font) map = maps.get(font) ?? [];
      for (const [, codes = ''] of shown.matchAll(/<([0-9a-f]*)>/g))
        for (const code of codes.match(/.{4}/g) ?? []) text += map[Number.parseInt(code, 16)] ?? '';
    }
  }
  return text;
}

/** Text by glyph, from ranges such as <0000> <0002> [<0041> <0042> <0043>]. */
function glyphs(cmap: string): string[] {
  const texts: string[] = [];
  for (const [, start = '', list = ''] of cmap.matchAll(/<(\w+)> <\w+> \[([^\]]*)\]/g))
    for (const [index, [, utf16 = '']] of [...list.matchAll(/<([0-9a-f ]+)>/g)].entries())
      texts[Number.parseInt(start, 16) + index] = Buffer.from(utf16.replaceAll(' ', ''), 'hex').swap16().toString('utf16le');
  return texts;
}

// Builds the HTML part of a mail from its text, so that both have the same content: paragraphs, links and codes. It loads no external resources.
import { escapeXml } from '@clinic/lib/formats/svg.ts';

const BODY =
  'margin:0;padding:24px 12px;background:#eef4f6;color:#17313b;font-family:system-ui,-apple-system,Segoe UI,Roboto,sans-serif;font-size:16px;line-height:1.5';
const MAIN = 'max-width:560px;margin:0 auto;padding:28px 24px;border-radius:16px;background:#ffffff';
const CODE = 'font-family:ui-monospace,Consolas,monospace;font-size:22px;font-weight:600;letter-spacing:1px';
const LINK = 'color:#0b6477;word-break:break-all';
const BUTTON = 'display:inline-block;padding:12px 20px;border-radius:12px;background:#0b6477;color:#ffffff;font-weight:600;text-decoration:none';

/** `links`: the URLs that the product itself put into the text. Anything else that looks like a URL, for example within a name, stays text. */
export function toHtml(subject: string, text: string, links: string[]): string {
  const paragraphs = text.trimEnd().split(/\n{2,}/);
  return `<!doctype html>
<html lang="es">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escapeXml(subject)}</title></head>
<body style="${BODY}"><main style="${MAIN}">
<h1 style="margin:0 0 16px;font-size:22px;line-height:1.25">${escapeXml(subject)}</h1>
${paragraphs
  .map(
    (paragraph) =>
      `<p style="margin:0 0 16px">${paragraph
        .split('\n')
        .map((line) => lineToHtml(line, links))
        .join('<br>')}</p>`,
  )
  .join('\n')}
</main></body>
</html>
`;
}

/** A line such as `Confirmar: https://…` becomes a button, an indented line a code. */
function lineToHtml(line: string, links: string[]): string {
  const link = links.find((one) => line.endsWith(`: ${one}`));
  if (link) return `<a href="${escapeXml(link)}" style="${BUTTON}">${escapeXml(line.slice(0, -link.length - 2))}</a>`;
  if (line.startsWith('    ')) return `<span style="${CODE}">${escapeXml(line.trim())}</span>`;
  const [first] = links.filter((one) => line.includes(one)).sort((a, b) => line.indexOf(a) - line.indexOf(b) || b.length - a.length);
  if (!first) return escapeXml(line);
  const at = line.indexOf(first);
  const shown = `<a href="${escapeXml(first)}" style="${LINK}">${escapeXml(first)}</a>`;
  return escapeXml(line.slice(0, at)) + shown + lineToHtml(line.slice(at + first.length), links);
}

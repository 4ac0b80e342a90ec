// Pictures for the history: a signature drawn by hand, and a periapical X-ray.
import sharp from 'sharp';

const png = (svg: string) => sharp(Buffer.from(svg)).png().toBuffer();

export async function drawnSignature(): Promise<string> {
  const stroke = 'M20 95 C55 5 75 15 60 90 S95 110 110 60 S135 45 130 85 S165 95 175 60 S205 55 200 85 S250 75 275 50 M40 118 Q150 95 270 108';
  const drawn = await png(`<svg xmlns="http://www.w3.org/2000/svg" width="300" height="140"><rect width="300" height="140" fill="#fff"/>
    <path d="${stroke}" fill="none" stroke="#1a2a5a" stroke-width="4" stroke-linecap="round"/></svg>`);
  return `data:image/png;base64,${drawn.toString('base64')}`;
}

/** Three teeth in the jaw, the middle one with a dark spot at its root. */
export function xray(): Promise<Buffer> {
  const tooth = (
    x: number,
  ) => `<g transform="translate(${x} 60)"><path d="M0 70 Q-8 0 30 4 Q55 22 80 4 Q118 0 110 70 Q104 120 92 250 Q86 290 72 250 Q64 170 55 165 Q46 170 38 250
    Q24 290 18 250 Q6 120 0 70Z" fill="#b9bcbd"/><path d="M0 70 Q-8 0 30 4 Q55 22 80 4 Q118 0 110 70 Q55 92 0 70Z" fill="#e3e6e6"/>
    <path d="M40 78 Q55 88 70 78 L80 225 L72 225 Q62 140 55 138 Q48 140 38 225 L30 225Z" fill="#6d7072"/></g>`;
  return png(`<svg xmlns="http://www.w3.org/2000/svg" width="600" height="440"><defs><filter id="soft"><feGaussianBlur stdDeviation="3"/></filter></defs>
    <rect width="600" height="440" fill="#161819"/><g filter="url(#soft)"><path d="M0 200 Q300 170 600 200 V440 H0Z" fill="#5d6163"/>
    <circle cx="325" cy="330" r="30" fill="#2b2e30"/>${tooth(70)}${tooth(245)}${tooth(420)}</g></svg>`);
}

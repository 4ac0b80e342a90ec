// Corrects frequent misspellings of the words that the bot understands: «kiero sita alas 4 x la tarde». Names are read from the message itself.
import { foldPhrase } from '@clinic/lib/formats/phrases.ts';

/** The correct word, then its misspellings, without accents. */
const MISSPELLINGS: [correct: string, misspelled: string][] = [
  ['quiero', 'kiero qiero qero quero kero kiro'],
  ['quisiera', 'kisiera quiciera quisera'],
  ['necesito', 'nesecito nesesito nececito necsito nesito nesecitaria'],
  ['cita', 'sita zita citta ctia sitta'],
  ['citas', 'sitas zitas'],
  ['cupo', 'kupo'],
  ['hay', 'ay'],
  ['hoy', 'oy'],
  ['mañana', 'maniana manna mañna mñana mannana'],
  ['lunes', 'lunez lun'],
  ['martes', 'martez'],
  ['miércoles', 'miercolez miercolis mircoles mierc mie'],
  ['jueves', 'juebes juevez juebez jue'],
  ['viernes', 'biernes viernez biernez vierne vie'],
  ['sábado', 'savado sabdo zabado sab'],
  ['domingo', 'domigo domimgo'],
  ['hora', 'ora'],
  ['horas', 'oras'],
  ['horario', 'orario orarios'],
  ['precio', 'presio presios'],
  ['cuánto', 'kuanto cuato cuanot'],
  ['cuesta', 'kuesta questa'],
  ['que', 'q ke'],
  ['porque', 'xq xk pq porq porke'],
  ['para', 'pa pra'],
  ['hacer', 'aser acer haser'],
  ['hablar', 'ablar hablr'],
  ['agendar', 'ajendar hagendar'],
  ['reservar', 'reserbar rreservar'],
  ['cancelar', 'canselar cancelr canselr kancelar'],
  ['cancele', 'cansele'],
  ['cancela', 'cansela'],
  ['cambiar', 'canbiar cambear camviar'],
  ['confirmar', 'comfirmar confimar'],
  ['confirmo', 'comfirmo confimo'],
  ['limpieza', 'limpiesa limpiza limpiesas'],
  ['consulta', 'konsulta consuta'],
  ['doctora', 'dotora doctara'],
  ['doctor', 'dotor docto'],
  ['dirección', 'direcion direccin'],
  ['ubicados', 'uvicados'],
  ['emergencia', 'emergensia emerjencia'],
  ['urgente', 'urjente'],
  ['urgencia', 'urgensia urjencia'],
  ['duele', 'dule duel'],
  ['gracias', 'grasias grax grcias graciad'],
  ['hola', 'ola olaa holaa holaaa hla'],
];
const CORRECT = new Map(MISSPELLINGS.flatMap(([correct, misspelled]) => misspelled.split(' ').map((one) => [foldPhrase(one).trim(), correct] as const)));

const HOUR = String.raw`(?=\s*\d|\s+(?:una|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce)\b)`;
const JOINED: [pattern: RegExp, replacement: string][] = [
  [/\bx(?=\s+(?:la|las|el|fa|favor)\b)/gi, 'por'],
  [new RegExp(String.raw`\bala(s?)${HOUR}`, 'gi'), 'a la$1 '],
  [/\b(las?)(?=\d)/gi, '$1 '],
];

/** «Holaaaa»: no word has the same letter three times in a row, except Roman numerals. */
const REPEATED = /(\p{L})\1{2,}/giu;

export function correctSpelling(text: string): string {
  const separated = JOINED.reduce((changed, [pattern, replacement]) => changed.replaceAll(pattern, replacement), text);
  return separated.replaceAll(/[\p{L}\p{M}]+/gu, (written) => {
    const word = /^[ivx]+$/i.test(written) ? written : written.replaceAll(REPEATED, '$1');
    return CORRECT.get(foldPhrase(word).trim()) ?? word;
  });
}

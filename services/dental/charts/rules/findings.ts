// The catalogue of findings. Codes are stored, so their meaning never changes; names and colours may.

type Extent = 'surfaces' | 'tooth' | 'span';
export const FINDING_STATUSES = ['existing', 'planned', 'treated'] as const;
export type FindingStatus = (typeof FINDING_STATUSES)[number];

export type Finding = {
  code: string;
  nameEs: string;
  nameEn: string;
  /** #RRGGBB, for lists and pickers; charts are coloured by status. */
  colour: string;
  /** Whether the finding concerns surfaces of a tooth, a whole tooth, or several teeth together. */
  extent: Extent;
  /** 1 (treat at once) to 5 (can wait). */
  urgency: number;
  /** Code of the procedure that treats it, or, for a treatment, of the procedure itself; absent when it needs no treatment. */
  procedure?: string;
  /** Whether an existing finding needs treatment; other findings need it only when they are planned. */
  problem: boolean;
  /** Codes of the findings that an existing or treated finding of this kind ends on the same surfaces. */
  settles: readonly string[];
};

const problem = (code: string, nameEs: string, nameEn: string, colour: string, extent: Extent, urgency: number, procedure?: string): Finding => ({
  code,
  nameEs,
  nameEn,
  colour,
  extent,
  urgency,
  ...(procedure !== undefined && { procedure }),
  problem: true,
  settles: [],
});

/** A treatment, which is its own procedure. */
const work = (code: string, nameEs: string, nameEn: string, colour: string, extent: Extent, urgency: number, settles: readonly string[]): Finding => ({
  ...problem(code, nameEs, nameEn, colour, extent, urgency, code),
  problem: false,
  settles,
});

const trait = (code: string, nameEs: string, nameEn: string, colour: string, extent: Extent, settles: readonly string[] = []): Finding => ({
  ...problem(code, nameEs, nameEn, colour, extent, 5),
  problem: false,
  settles,
});

const DECAY = ['caries', 'white_spot', 'fracture', 'defective_filling'];
const FILLINGS = ['filling_resin', 'filling_amalgam', 'filling_temporary', 'inlay', 'sealant'];
const filling = (code: string, nameEs: string, nameEn: string, colour: string, urgency: number) =>
  work(code, nameEs, nameEn, colour, 'surfaces', urgency, [...DECAY, ...FILLINGS.filter((one) => one !== code)]);

export const FINDINGS: readonly Finding[] = [
  problem('abscess', 'Absceso', 'Abscess', '#B03A2E', 'tooth', 1, 'root_canal'),
  problem('pulpitis', 'Pulpitis', 'Pulpitis', '#CB4335', 'tooth', 1, 'root_canal'),
  problem('extraction_indicated', 'Extracción indicada', 'Extraction indicated', '#943126', 'tooth', 1, 'extraction'),
  problem('root_remnant', 'Resto radicular', 'Root remnant', '#7B241C', 'tooth', 1, 'extraction'),
  problem('fracture', 'Fractura', 'Fracture', '#D35400', 'surfaces', 1, 'filling_resin'),
  problem('caries', 'Caries', 'Caries', '#E74C3C', 'surfaces', 2, 'filling_resin'),
  problem('defective_filling', 'Obturación defectuosa', 'Defective filling', '#DC7633', 'surfaces', 3, 'filling_resin'),
  problem('impacted', 'Diente impactado', 'Impacted tooth', '#8E44AD', 'tooth', 3, 'surgical_extraction'),
  problem('mobility', 'Movilidad', 'Mobility', '#AF601A', 'tooth', 3, 'splint'),
  problem('calculus', 'Cálculo', 'Calculus', '#B7950B', 'surfaces', 3, 'scaling'),
  problem('recession', 'Recesión gingival', 'Gingival recession', '#F1948A', 'tooth', 4, 'gum_graft'),
  problem('wear', 'Desgaste', 'Wear', '#A04000', 'surfaces', 4, 'night_guard'),
  problem('white_spot', 'Mancha blanca', 'White spot lesion', '#F5B041', 'surfaces', 4, 'fluoride'),
  work('root_canal', 'Tratamiento de conductos', 'Root canal treatment', '#6C3483', 'tooth', 1, ['abscess', 'pulpitis']),
  work('pulpotomy', 'Pulpotomía', 'Pulpotomy', '#7D3C98', 'tooth', 1, ['pulpitis']),
  filling('filling_resin', 'Obturación de resina', 'Resin filling', '#2E86C1', 2),
  filling('filling_amalgam', 'Obturación de amalgama', 'Amalgam filling', '#566573', 2),
  filling('filling_temporary', 'Obturación provisional', 'Temporary filling', '#85C1E9', 2),
  filling('inlay', 'Incrustación', 'Inlay or onlay', '#2874A6', 3),
  work('post', 'Endoposte', 'Post and core', '#4A235A', 'tooth', 2, []),
  work('crown', 'Corona', 'Crown', '#D4AC0D', 'tooth', 3, [...DECAY, ...FILLINGS, 'wear', 'veneer']),
  work('veneer', 'Carilla', 'Veneer', '#F7DC6F', 'tooth', 5, ['wear']),
  work('bridge', 'Puente fijo', 'Fixed bridge', '#B9770E', 'span', 4, ['crown']),
  work('implant', 'Implante', 'Implant', '#117A65', 'tooth', 4, ['missing', 'extraction_indicated', 'root_remnant']),
  work('prosthesis', 'Prótesis removible', 'Removable prosthesis', '#CA6F1E', 'span', 4, []),
  work('splint', 'Ferulización', 'Splinting', '#A569BD', 'span', 3, ['mobility']),
  work('sealant', 'Sellante', 'Sealant', '#28B463', 'surfaces', 5, ['white_spot']),
  trait('missing', 'Diente ausente', 'Missing tooth', '#34495E', 'tooth'),
  trait('unerupted', 'Diente sin erupcionar', 'Unerupted tooth', '#7F8C8D', 'tooth'),
  trait('erupting', 'En erupción', 'Erupting tooth', '#58D68D', 'tooth', ['unerupted']),
  trait('rotated', 'Giroversión', 'Rotated tooth', '#5D6D7E', 'tooth'),
  trait('diastema', 'Diastema', 'Diastema', '#99A3A4', 'tooth'),
  trait('supernumerary', 'Supernumerario', 'Supernumerary tooth', '#1ABC9C', 'tooth'),
];

const byCode = new Map(FINDINGS.map((finding) => [finding.code, finding]));

export const findingOf = (code: string): Finding | undefined => byCode.get(code);

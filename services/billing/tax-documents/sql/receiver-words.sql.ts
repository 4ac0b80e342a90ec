// Words by which documents are found: encrypted, each with a blind index.
import type { NamedKey } from '@clinic/lib/config/config.ts';
import { blindIndex, blindIndexes, currentKey, encrypt } from '@clinic/lib/crypto/crypto.ts';
import { execute, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import { wordContext, wordIndexContext } from '../encrypted-columns.ts';

const deleteStatement = sql('delete from dte_receiver_words where clinic_id = $1 and document_id = $2');
const addStatement = sql(`
  insert into dte_receiver_words (clinic_id, document_id, number, word_sealed, word_index)
  select $1, $2, given.number, given.sealed, given.index from unnest($3::bytea[], $4::bytea[]) with ordinality as given (sealed, index, number)`);

export async function putWords(tx: TenantTx, keys: NamedKey[], documentId: string, words: string[]): Promise<void> {
  const key = currentKey(keys);
  const { clinicId } = tx;
  const ciphertexts = words.map((word, index) => encrypt(keys, word, wordContext(clinicId, documentId, index + 1)));
  await execute(tx, deleteStatement, [clinicId, documentId]);
  if (words.length > 0)
    await execute(tx, addStatement, [clinicId, documentId, ciphertexts, words.map((word) => blindIndex(key, wordIndexContext(clinicId), word))]);
}

/** The blind indexes of each word under each key of the ring, the positions of their words, and the numbers of words in their lists. */
export function indexWords(keys: NamedKey[], clinicId: string, lists: string[][]): { indexes: Buffer[]; positions: number[]; sizes: number[] } {
  const indexesOf = (word: string) => blindIndexes(keys, wordIndexContext(clinicId), word);
  const all = lists.flatMap((words) => words.flatMap((word, position) => indexesOf(word).map((index) => ({ index, position, size: words.length }))));
  return { indexes: all.map(({ index }) => index), positions: all.map(({ position }) => position), sizes: all.map(({ size }) => size) };
}

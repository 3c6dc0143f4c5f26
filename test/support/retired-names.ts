import { basename } from 'node:path'
import { type SourceFile, withoutStrings } from './source-files.ts'

/**
 * Words that have another, established one: `path`, `connection`, `sent`, `stored`, `impact`, `tracker`,
 * `record`, `filter`, `partition`, `scope`, `signature`, `inspection`; `acquire`, `read`, `accept`, `shift` or `flush`
 * for `take`; `max` and `min` for the bounds of a value; `sums`, `counts` or `totals` for `tally`; `empty`, `earliest`,
 * `lowest`, `inexpressible`, `expiring`, `maintenance`, `conflict`, `unhealthy`.
 */
export const retiredWords: readonly string[] = [
  'place',
  'way',
  'told',
  'tell',
  'kept',
  'harm',
  'book',
  'note',
  'sift',
  'shelf',
  'shelves',
  'bond',
  'proof',
  'sight',
  'take',
  'takes',
  'taken',
  'taker',
  'most',
  'least',
  'tally',
  'tallied',
  'hollow',
  'soonest',
  'tightest',
  'tighter',
  'unsayable',
  'sayable',
  'perishable',
  'upkeep',
  'obstacle',
  'keeper',
  'forgiven',
  'forgivable',
  'unreasoned',
  'vague',
  'farewell',
  'ailing',
]

export interface RetiredName {
  readonly path: string
  /** The identifier, or the name of the file. */
  readonly name: string
  readonly word: string
}

/** Names that hold a retired word for a reason: the word is not ours to choose. */
export const excusedNames: readonly (Omit<RetiredName, 'word'> & { readonly reason: string })[] = [
  { name: 'proof', path: 'server/routes/create-routes.ts', reason: 'a field of GET /admin/v1/proof' },
  { name: 'name_taken', path: 'canonical/error-rows/request-errors.ts', reason: 'a code of the admin API' },
  { name: 'proof', path: 'cli/remote/call-server.ts', reason: 'a field of GET /admin/v1/proof' },
]

/** Kysely's names. */
const libraryNames: ReadonlySet<string> = new Set(['executeTakeFirst', 'executeTakeFirstOrThrow'])

export function isExcused({ name, path }: RetiredName): boolean {
  return excusedNames.some((each) => each.name === name && each.path === path)
}

/** Whole words of identifiers and file names, however they are joined: `keptState`, `kept-state`, `KEPT`. */
export function findRetiredNames(files: readonly SourceFile[]): readonly RetiredName[] {
  return files.flatMap(({ path, code }) => {
    const identifiers = [...withoutStrings(code).matchAll(/[A-Za-z_$][\w$]*/g)].map(([name]) => name)
    return [basename(path), ...identifiers].flatMap((name) =>
      retiredIn(name).map((word) => ({ path, name, word })),
    )
  })
}

function retiredIn(name: string): readonly string[] {
  if (libraryNames.has(name)) return []
  const words = name.split(/(?<=[a-z0-9])(?=[A-Z])|[-_.$]/).map((word) => word.toLowerCase())
  return words.filter((word) => retiredWords.includes(word))
}

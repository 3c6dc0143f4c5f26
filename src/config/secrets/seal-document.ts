import type { Sealer } from '../../kit/bytes/seal.ts'
import { isJsonObject, type JsonObject } from '../../kit/json/json.ts'
import { withFact } from '../../kit/schema/input-fact.ts'
import type { ConfigProblem } from '../config-error.ts'
import { writePath } from '../source/write-path.ts'
import { mapSecrets, type SecretLocation } from './map-secrets.ts'
import { maskSecret } from './mask-secrets.ts'

/** The row of a document, to which its seals are bound: a version by its number, or a draft by its ID. */
export type SealedRow =
  | { readonly type: 'version'; readonly number: number }
  | { readonly type: 'draft'; readonly id: string }

/** Seals the secrets of a document for storage. Every seal is bound to its row and its place in the document. */
export function sealDocument(document: JsonObject, row: SealedRow, sealer: Sealer): JsonObject {
  return mapSecrets(document, (secret, location) =>
    typeof secret === 'string' ? { sealed: sealer.seal(secret, sealNameOf(row, location)) } : secret,
  )
}

export interface OpenedDocument {
  /** The document. A secret that cannot be opened stays in its masked form, which every check refuses. */
  readonly document: JsonObject
  readonly problems: readonly ConfigProblem[]
}

const SEALED_OTHERWISE = withFact(
  'cannot be opened: it was sealed with another secret; start with the HEADGATE_SECRET or the file "secret" of then, or enter it again',
  { code: 'sealed_by_other_secret', values: {} },
)

export function openDocument(stored: JsonObject, row: SealedRow, sealer: Sealer): OpenedDocument {
  const problems: ConfigProblem[] = []
  const document = mapSecrets(stored, (value, location) => {
    if (!isJsonObject(value) || typeof value['sealed'] !== 'string') return value
    const opened = sealer.open(value['sealed'], sealNameOf(row, location))
    if (opened !== undefined) return opened
    problems.push({
      path: writePath(location.path),
      message: SEALED_OTHERWISE,
      owner: 'api',
    })
    return maskSecret(value, location)
  })
  return { document, problems }
}

/** The name to which a seal is bound. Equal only for the same secret of the same row. */
function sealNameOf(row: SealedRow, { path }: SecretLocation): string {
  const name = row.type === 'version' ? `config_versions|${row.number}` : `config_drafts|${row.id}`
  return `${name}|${writePath(path)}`
}

/** The current sealer, and earlier sealers whose seals may still exist. */
export interface SealerChange {
  readonly sealer: Sealer
  readonly previous: readonly Sealer[]
}

/**
 * Seals a stored document's secrets again with the current sealer. Undefined where no secret was sealed by an earlier
 * one. A secret that cannot be opened stays unchanged.
 */
export function reencryptDocument(
  stored: JsonObject,
  row: SealedRow,
  { sealer, previous }: SealerChange,
): JsonObject | undefined {
  let hasChanged = false
  const document = mapSecrets(stored, (value, location) => {
    if (!isJsonObject(value) || typeof value['sealed'] !== 'string') return value
    const { sealed } = value
    const name = sealNameOf(row, location)
    if (sealer.open(sealed, name) !== undefined) return value
    for (const earlier of previous) {
      const opened = earlier.open(sealed, name)
      if (opened === undefined) continue
      hasChanged = true
      return { sealed: sealer.seal(opened, name) }
    }
    return value
  })
  return hasChanged ? document : undefined
}

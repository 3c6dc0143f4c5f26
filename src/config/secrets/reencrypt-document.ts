import type { Sealer } from '../../kit/bytes/seal.ts'
import { isJsonObject, type JsonObject } from '../../kit/json/json.ts'
import { mapSecrets } from './map-secrets.ts'
import { sealNameOf } from './seal-document.ts'

/** What seals from now on, and those before it whose seals may still be there. */
export interface SealerChange {
  readonly sealer: Sealer
  readonly previous: readonly Sealer[]
}

/**
 * A version's stored document with what an earlier secret sealed sealed anew; undefined where there is none of that.
 * What nobody can open stays as it is.
 */
export function reencryptDocument(
  stored: JsonObject,
  version: number,
  { sealer, previous }: SealerChange,
): JsonObject | undefined {
  let hasChanged = false
  const document = mapSecrets(stored, (value, location) => {
    if (!isJsonObject(value) || typeof value['sealed'] !== 'string') return value
    const { sealed } = value
    const name = sealNameOf(version, location)
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

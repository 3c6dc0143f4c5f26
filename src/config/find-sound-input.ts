import { isJsonObject, type JsonObject } from '../kit/json/json.ts'
import { describeIssues } from './check/describe-issues.ts'
import { type ConfigInput, configSchema } from './config-schema.ts'
import { keepSoundPart } from './keep-sound-part.ts'
import type { ConfigPath } from './source/read-yaml.ts'
import { writePath } from './source/write-path.ts'

export interface SoundInput {
  readonly input: ConfigInput
  /** Leads a path of this input to where the same value stands in the document. */
  readonly restore: (path: ConfigPath) => ConfigPath
  /** What of the document the input lacks. */
  readonly cuts: readonly ConfigPath[]
}

/** The greatest part of a document that is well-formed, found from the paths of what is ill-formed in the whole. */
export function findSoundInput(value: unknown, illFormed: readonly ConfigPath[]): SoundInput {
  const document: JsonObject = isJsonObject(value) ? value : {}
  const cuts = new Map(illFormed.map((path) => [writePath(path), path]))
  while (!cuts.has('')) {
    const part = keepSoundPart(document, cuts.values())
    const parsed = configSchema.safeParse(part.value)
    if (parsed.success) return { input: parsed.data, restore: part.restore, cuts: [...cuts.values()] }
    for (const { path } of describeIssues(parsed.error.issues)) {
      const next = widen(part.restore(path), cuts)
      cuts.set(writePath(next), next)
    }
  }
  return { input: {}, restore: (path) => path, cuts: [[]] }
}

/** What lacks a value that it must have cannot be mended by cutting the value, so what holds it goes, too. */
function widen(path: ConfigPath, cuts: ReadonlyMap<string, ConfigPath>): ConfigPath {
  let widened = path
  while (widened.length > 0 && cuts.has(writePath(widened))) widened = widened.slice(0, -1)
  return widened
}

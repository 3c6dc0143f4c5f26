import { isJsonObject, type JsonObject } from '../../../kit/json/json.ts'
import { foldMemberName } from '../../../kit/json/scan-object.ts'
import { doubled } from '../request/read-inner.ts'
import { misspeltField, snakeCase } from '../verbatim/scan-terms.ts'
import { modelName } from './model-path.ts'

export interface NamePlan {
  /** The documented fields of the object, under the names of their tables. */
  readonly fields: readonly string[]
  /** The path of the object, such as `requests[0]`. */
  readonly path: string
  readonly model: string
}

/**
 * Replaces the model in an object of the body by the model of the path. Throws if the object has a field that a lenient
 * upstream could mistake for another field, or a field under both of its names.
 */
export function nameModel(object: JsonObject, { fields, path, model }: NamePlan): JsonObject {
  checkNames(object, fields, path)
  const inner = Object.entries(object).flatMap(([name, value]) => {
    if (!isSettings(name) || !isJsonObject(value)) return []
    return [[name, nameSettings(value, { fields, path: `${path}.${name}`, model })] as const]
  })
  return { ...object, ...Object.fromEntries(inner), model: modelName(model) }
}

/** The settings of a content with the model replaced. Settings seldom name a model; if they do, it must be the same. */
export function nameSettings(settings: JsonObject, { fields, path, model }: NamePlan): JsonObject {
  checkNames(settings, fields, path)
  return 'model' in settings ? { ...settings, model: modelName(model) } : settings
}

/** Whether a field holds settings of an embedding. */
export function isSettings(name: string): boolean {
  return name === 'embedContentConfig' || name === 'embed_content_config'
}

function checkNames(object: JsonObject, fields: readonly string[], path: string): void {
  const meant = new Map(fields.map((name) => [plain(name), name]))
  const seen = new Set<string>()
  for (const name of Object.keys(object)) {
    const field = meant.get(plain(name))
    if (field === undefined) continue
    if (name !== field && name !== snakeCase(field)) throw misspeltField(`${path}.${name}`, field)
    if (seen.has(field)) throw doubled(`${path}.${name}`)
    seen.add(field)
  }
}

function plain(name: string): string {
  return foldMemberName(name).replaceAll('_', '')
}

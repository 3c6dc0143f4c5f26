import { readFileSync } from 'node:fs'
import { OperatorError } from '../../canonical/operator-error.ts'
import { ConfigError } from '../../config/config-error.ts'
import { readYaml } from '../../config/source/read-yaml.ts'
import { errorCodeOf } from '../../kit/errors/error-code.ts'
import { reasonOf } from '../../kit/errors/reason-of.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../kit/json/json.ts'
import { readStandardInput } from './read-standard-input.ts'

/** Reads a map from a YAML or JSON file. `-` is standard input. Throws `ConfigError` with line and column. */
export function readObjectFile(path: string): JsonObject {
  const { value, isEmpty, problems } = readYaml(readTextFile(path), path)
  if (problems.length > 0) throw new ConfigError(problems)
  if (isEmpty) throw new ConfigError([{ file: path, path: '', message: EMPTY }])
  if (holdsInfinite(value)) throw new ConfigError([{ file: path, path: '', message: INFINITE }])
  if (isJsonObject(value)) return value
  throw new ConfigError([{ file: path, path: '', message: 'must be a map of names to values' }])
}

/** A command that failed leaves an empty file or pipe, which must not remove everything that it would replace. */
const EMPTY = 'is empty; write {} for a map without names'
const INFINITE = 'must have no infinite numbers, such as .inf and .nan'

/** Whether a number is not finite. It would become null in JSON, which takes the field away. */
function holdsInfinite(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value)
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsInfinite)
}

export function readTextFile(path: string): string {
  try {
    return path === '-' ? readStandardInput() : readFileSync(path, 'utf8')
  } catch (error) {
    const reason = errorCodeOf(error) ?? reasonOf(error)
    throw new OperatorError('file_unreadable', `${path} cannot be read (${reason})`, { cause: error })
  }
}

/** Reads `timeouts.idle=90s` as a patch. The value is YAML, so that numbers, lists and `null` can be given. */
function readAssignment(text: string): JsonObject {
  const [, name = '', written = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? []
  if (name === '')
    throw new OperatorError(
      'option_invalid',
      `"${text}" must be a name and a value, such as weight=3 or timeouts.idle=90s`,
    )
  const { value, problems } = readYaml(`value: ${written}`, name)
  if (problems.length > 0 || !isJsonObject(value))
    throw new OperatorError('option_invalid', `the value of ${name} is not valid YAML`)
  if (holdsInfinite(value)) throw new OperatorError('option_invalid', `the value of ${name} ${INFINITE}`)
  return nest(name.split('.'), value['value'] ?? null)
}

export function mergeAssignments(start: JsonObject, assignments: readonly string[]): JsonObject {
  return assignments.map(readAssignment).reduce(mergeKeepingNull, start)
}

/** Merges patches and keeps each null, which removes a value when the final patch is applied. */
function mergeKeepingNull(target: JsonObject, patch: JsonObject): JsonObject {
  const members = Object.entries(patch).map(([name, value]) => {
    const before = target[name]
    return [
      name,
      isJsonObject(before) && isJsonObject(value) ? mergeKeepingNull(before, value) : value,
    ] as const
  })
  return { ...target, ...Object.fromEntries(members) }
}

function nest(steps: readonly string[], value: JsonValue): JsonObject {
  const [first = '', ...rest] = steps
  return { [first]: rest.length === 0 ? value : nest(rest, value) }
}

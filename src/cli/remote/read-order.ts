import { OperatorError } from '../../canonical/operator-error.ts'
import { readEnvironment } from '../../config/source/environment.ts'
import type { JsonObject, JsonValue } from '../../kit/json/json.ts'
import { splitList } from '../options/option-values.ts'
import { readWrittenBudget } from './read-budget.ts'
import { mergeAssignments, readObjectFile, readTextFile } from './read-object.ts'

/** The options of `add` and `edit`. */
export interface ObjectOptions {
  readonly provider?: string
  readonly baseUrl?: string
  readonly format?: string
  readonly models?: string
  readonly priority?: string
  readonly weight?: string
  readonly keyEnv?: string
  readonly keyFile?: string
  readonly targets?: string
  readonly fallback?: string
  readonly strategy?: string
  readonly multiplier?: string
  readonly budget?: readonly string[]
  readonly scope?: string
  readonly limit?: string
  readonly window?: string
  readonly mode?: string
  readonly set?: readonly string[]
  readonly from?: string
}

/** Reads the fields from the options. The fields of the file come first, and `--set` overrides all. */
export function readOrder(options: ObjectOptions): JsonObject {
  const { provider, baseUrl, format, models, priority, weight, targets, fallback, strategy, multiplier } =
    options
  const key = readKey(options)
  const named: JsonObject = {
    ...(options.from !== undefined && readObjectFile(options.from)),
    ...(provider !== undefined && { provider }),
    ...(baseUrl !== undefined && { base_url: baseUrl }),
    ...(format !== undefined && { format }),
    ...(models !== undefined && { models: models === '*' ? '*' : splitList(models) }),
    ...(priority !== undefined && { priority: readNumber(priority) }),
    ...(weight !== undefined && { weight: readNumber(weight) }),
    ...(targets !== undefined && { targets: splitList(targets).map(readTarget) }),
    ...(fallback !== undefined && { fallback: splitList(fallback) }),
    ...(strategy !== undefined && { strategy }),
    ...(multiplier !== undefined && { multiplier: readNumber(multiplier) }),
    ...(options.budget !== undefined && { budgets: options.budget.map(readWrittenBudget) }),
    ...readBudgetFields(options),
    ...(key !== undefined && { api_key: key }),
  }
  return mergeAssignments(named, options.set ?? [])
}

function readBudgetFields({ scope, limit, window, mode }: ObjectOptions): JsonObject {
  return {
    ...(scope !== undefined && { scope }),
    ...(limit !== undefined && { limit_usd: readNumber(limit) }),
    ...(window !== undefined && { window }),
    ...(mode !== undefined && { mode }),
  }
}

/** Reads `openai/gpt-4o`, or `openai/gpt-4o=9` with its share. */
function readTarget(text: string): JsonValue {
  const [, use, weight] = /^(.+)=(\d+(?:\.\d+)?)$/.exec(text) ?? []
  return use === undefined ? text : { use, weight: Number(weight) }
}

/** Reads the key from a variable or a file, never from the command line, which every user of the machine can see. */
function readKey({ keyEnv, keyFile }: ObjectOptions): string | undefined {
  if (keyFile !== undefined) return readTextFile(keyFile).trim()
  if (keyEnv === undefined) return undefined
  const found = readEnvironment().variables[keyEnv]
  if (found === undefined || found === '')
    throw new OperatorError('variable_missing', `the environment variable ${keyEnv} is not set`)
  return found
}

/** Reads a finite number. Other text is passed on unchanged, and the server says what it should be. */
function readNumber(text: string): JsonValue {
  const value = Number(text)
  return text.trim() === '' || !Number.isFinite(value) ? text : value
}

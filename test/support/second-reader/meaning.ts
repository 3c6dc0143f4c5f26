/**
 * The meaning of a request, whatever its format. The readers of this folder are written from the public descriptions of
 * the formats alone and know nothing of the product's own readers: an error there must not hide itself here.
 */
export interface Meaning {
  /** Each part of it may be compared with that of another request by itself. */
  readonly system: string
  /** The roles in turn; neighbours of one role are one. */
  readonly roles: readonly Role[]
  /** The texts by turn. */
  readonly texts: readonly string[]
  readonly images: readonly Media[]
  readonly documents: readonly Media[]
  readonly sounds: number
  readonly videos: number
  readonly thoughts: readonly Thought[]
  readonly calls: readonly Call[]
  readonly results: readonly Result[]
  readonly names: readonly string[]
  readonly tools: readonly ToolMeaning[]
  /** `auto` where nothing is said of it. */
  readonly toolChoice: string
  readonly isParallel: boolean
  readonly isStream: boolean
  readonly maxTokens: number | undefined
  readonly temperature: number | undefined
  readonly topP: number | undefined
  readonly topK: number | undefined
  readonly stops: readonly string[]
  readonly reasoning: ReasoningMeaning
  readonly output: unknown
  readonly user: string | undefined
  readonly serviceTier: string | undefined
  /** The number of places that are marked for the provider's cache. */
  readonly cacheMarks: number
  /** Fields that only one format knows, by their paths, those that change nothing apart. */
  readonly others: readonly string[]
}

export type Role = 'user' | 'assistant' | 'system'

export interface Media {
  readonly from: string
  readonly detail?: string
  readonly title?: string
}

export interface Thought {
  readonly text: string
  readonly signature: string
}

export interface Call {
  readonly name: string
  readonly input: unknown
}

export interface Result {
  /** The index of the answered call among all calls of the conversation; -1 where there is no such call. */
  readonly call: number
  readonly text: string
  readonly isError: boolean
}

export interface ToolMeaning {
  readonly name: string
  readonly description: string
  readonly schema: unknown
  readonly isStrict: boolean
}

export interface ReasoningMeaning {
  readonly effort?: string
  readonly budget?: number
  readonly display?: string
  readonly isOff: boolean
}

export type Fields = Readonly<Record<string, unknown>>

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function wordOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

export function textOrNothing(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

export function numberOrNothing(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}

/** The paths of the fields that are not among these and not null. */
export function namesBeside(value: Fields, known: readonly string[], position: string): readonly string[] {
  return Object.keys(value)
    .filter((name) => !known.includes(name) && value[name] !== undefined && value[name] !== null)
    .map((name) => (position === '' ? name : `${position}.${name}`))
}

/** Counts the fields of this name anywhere. */
export function countField(value: unknown, name: string): number {
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + countField(item, name), 0)
  return Object.entries(fieldsOf(value)).reduce(
    (sum, [key, inner]) => sum + (key === name && inner !== null ? 1 : countField(inner, name)),
    0,
  )
}

/** Temperature and `top_p` are 1 where nothing is said, in either format. */
export function readShare(value: unknown): number | undefined {
  return value === 1 ? undefined : numberOrNothing(value)
}
